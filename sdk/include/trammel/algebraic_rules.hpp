#pragma once

#include <span>
#include <string>

#include "trammel/block.hpp"
#include "trammel/export.hpp"
#include "trammel/local_system.hpp"

namespace trammel {

/// Names what the tangents of one instance break of the rules of algebraic unknowns; empty where they keep them: their
/// equations depend on no multiplier, no acceleration and no rate of a first-order state, no constraint depends on the
/// unknowns, and nothing depends on rates of theirs. `blocks`: of the stencil. An entry that is nothing beside the largest of
/// its row (1e-12) is rounding. K, D, M: as in LocalSystem, of no size where they are zero.
TRAMMEL_API std::string algebraic_fault(std::span<const Block* const> blocks,
                                        const Eigen::Ref<const Eigen::MatrixXd>& K,
                                        const Eigen::Ref<const Eigen::MatrixXd>& D,
                                        const Eigen::Ref<const Eigen::MatrixXd>& M);
TRAMMEL_API std::string algebraic_fault(std::span<const Block* const> blocks, LocalSystem& tangents);

}  // namespace trammel
