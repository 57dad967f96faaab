#pragma once

#include "trammel/joint_pullback.hpp"

namespace trammel::detail {

/// Adds a joint between rigid markers, and one of which a marker has a shape.
template <Displacement kind>
void pull_back_rigid(const JointSite& site, const LocalState& x, const RelativePose& at,
                     const JointTermsView& terms, const JointStructure& structure, const JointRows& rows,
                     LocalSystem& out);
template <Displacement kind>
void pull_back_shaped(const JointSite& site, const LocalState& x, const RelativePose& at,
                      const JointTermsView& terms, const JointStructure& structure, const JointRows& rows,
                      LocalSystem& out);

}  // namespace trammel::detail
