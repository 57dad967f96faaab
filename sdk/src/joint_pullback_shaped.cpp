#include "pull_back.hpp"

namespace trammel::detail {

template <Displacement kind>
void pull_back_shaped(const JointSite& site, const LocalState& x, const RelativePose& at,
                      const JointTermsView& terms, const JointStructure& structure, const JointRows& rows,
                      LocalSystem& out) {
  JointPullback<kind, Eigen::Dynamic>(site, x, at, terms, structure, rows, out).add();
}

template void pull_back_shaped<Displacement::in_world>(const JointSite&, const LocalState&,
                                                       const RelativePose&, const JointTermsView&,
                                                       const JointStructure&, const JointRows&, LocalSystem&);
template void pull_back_shaped<Displacement::in_A>(const JointSite&, const LocalState&, const RelativePose&,
                                                   const JointTermsView&, const JointStructure&,
                                                   const JointRows&, LocalSystem&);
template void pull_back_shaped<Displacement::any>(const JointSite&, const LocalState&, const RelativePose&,
                                                  const JointTermsView&, const JointStructure&,
                                                  const JointRows&, LocalSystem&);

}  // namespace trammel::detail
