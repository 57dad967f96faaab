#include "pull_back.hpp"

namespace trammel::detail {

// Flattened: most of the time goes into calls of small products otherwise.
template <Displacement kind>
[[gnu::flatten]] void pull_back_rigid(const JointSite& site, const LocalState& x, const RelativePose& at,
                                      const JointTermsView& terms, const JointStructure& structure,
                                      const JointRows& rows, LocalSystem& out) {
  JointPullback<kind, 3>(site, x, at, terms, structure, rows, out).add();
}

template void pull_back_rigid<Displacement::in_world>(const JointSite&, const LocalState&,
                                                      const RelativePose&, const JointTermsView&,
                                                      const JointStructure&, const JointRows&, LocalSystem&);
template void pull_back_rigid<Displacement::in_A>(const JointSite&, const LocalState&, const RelativePose&,
                                                  const JointTermsView&, const JointStructure&,
                                                  const JointRows&, LocalSystem&);
template void pull_back_rigid<Displacement::any>(const JointSite&, const LocalState&, const RelativePose&,
                                                 const JointTermsView&, const JointStructure&,
                                                 const JointRows&, LocalSystem&);

}  // namespace trammel::detail
