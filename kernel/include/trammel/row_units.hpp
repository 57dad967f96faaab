#pragma once

#include <string>
#include <string_view>

#include "trammel/block.hpp"
#include "trammel/export.hpp"
#include "trammel/joint_assembly.hpp"

namespace trammel {

/// The units of a joint's rows, as the unit of their multiplier block: `unit`, but "rad" for a row that depends on the
/// rotation of B in A and not on its displacement. One unit where all rows have the same, else one a row, with blanks
/// between.
TRAMMEL_API std::string row_units(const JointTermsView& terms, std::string_view unit);

/// The unit of one row of a multiplier block: of a list with one for each row, else of the block.
TRAMMEL_API std::string_view row_unit(const Block& multiplier, int component);

}  // namespace trammel
