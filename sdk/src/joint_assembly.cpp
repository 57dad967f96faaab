#include "trammel/joint_assembly.hpp"

#include <Eigen/QR>

#include "pull_back.hpp"

namespace trammel {

namespace {

using PullBack = void (*)(const JointSite&, const LocalState&, const RelativePose&, const JointTermsView&,
                          const JointStructure&, const JointRows&, LocalSystem&);

PullBack pull_back_of(const JointStructure& structure, bool rigid) {
  using enum detail::Displacement;
  using detail::pull_back_rigid, detail::pull_back_shaped;
  if (structure.rows == nullptr) return rigid ? pull_back_rigid<any> : pull_back_shaped<any>;
  if (!rigid) return structure.in_world ? pull_back_shaped<in_world> : pull_back_shaped<in_A>;
  return structure.in_world ? pull_back_rigid<in_world> : pull_back_rigid<in_A>;
}

}  // namespace

void assemble_joint(const JointSite& site, const LocalState& x, const RelativePose& at,
                    const JointTermsView& terms, const JointStructure& structure, const JointRows& rows,
                    LocalSystem& out) {
  const bool rigid = !site.A.has_shape() && !site.B.has_shape();
  pull_back_of(structure, rigid)(site, x, at, terms, structure, rows, out);
}

JointWrenches joint_wrenches(const RelativePose& at, const JointTermsView& terms,
                             const JointStructure& structure, const JointRows& rows) {
  using namespace detail;
  const RelativeWrench w = structure.rows == nullptr
                               ? JointEquations<Displacement::any>(terms, structure, rows).wrench()
                               : JointEquations<Displacement::in_A>(terms, structure, rows).wrench();
  return wrenches_on_markers(at, w, structure.in_world);
}

RelativeStart relative_start(const Builder& builder, const JointSite& site) {
  const InitialMotion a = builder.initial(site.A), b = builder.initial(site.B);
  const Vec3 w_A = a.twist.tail<3>();
  RelativeStart start;
  start.R_AB = a.R_WM.transpose() * b.R_WM;
  start.p_AB_A = a.R_WM.transpose() * (b.p_WM - a.p_WM);
  start.twist << a.R_WM.transpose() * (b.twist.head<3>() - a.twist.head<3>()) + start.p_AB_A.cross(w_A),
      b.twist.tail<3>() - start.R_AB.transpose() * w_A;
  return start;
}

Eigen::VectorXd coordinate_rates(const JointTermsView& terms, const Vec6& twist) {
  using MatrixByRows =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const MatrixByRows G(terms.G, terms.equations, terms.variables());
  const Eigen::Map<const Eigen::VectorXd> C_t(terms.C_t, terms.equations);
  const Eigen::MatrixXd by_c = G.rightCols(terms.coordinates);
  return -by_c.completeOrthogonalDecomposition().solve(G.leftCols<6>() * twist + C_t);
}

}  // namespace trammel
