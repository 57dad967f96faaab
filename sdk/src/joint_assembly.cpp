#include "trammel/joint_assembly.hpp"

#include <Eigen/QR>

namespace trammel {
Vec6 JointTermsView::wrench(const double* lambda) const {
  Vec6 w = Vec6::Zero();
  for (int i = 0; i < equations; ++i) w += lambda[i] * Eigen::Map<const Vec6>(G + i * variables());
  return w;
}

namespace {

// Flattened: most of the time goes into calls of small products otherwise.
[[gnu::flatten]] void assemble_rigid(const JointSite& site, const LocalState& x, const RelativePose& at,
                                     const JointTermsView& terms, const JointRows& rows, LocalSystem& out) {
  JointPullback<detail::AnyShape, 3>(site, x, at, terms, rows, out).add();
}

}  // namespace

void assemble_joint(const JointSite& site, const LocalState& x, const RelativePose& at,
                    const JointTermsView& terms, const JointRows& rows, LocalSystem& out) {
  if (site.A.has_shape() || site.B.has_shape())
    JointPullback<detail::AnyShape, Eigen::Dynamic>(site, x, at, terms, rows, out).add();
  else
    assemble_rigid(site, x, at, terms, rows, out);
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
