#include "trammel/joint_assembly.hpp"

#include <Eigen/QR>

#include "trammel/block.hpp"

namespace trammel {
namespace {

constexpr int max_variables = 6 + max_block_size;
using Variables = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, max_variables, 1>;
using Hessian =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, max_variables, max_variables>;
using MatrixByRows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using Row6 = Eigen::Matrix<double, 1, 6>;

/// The pull-back of a joint's terms to the unknowns, `n` of them in the markers.
template <int n>
class Pullback {
  static constexpr int max_dofs = n == Eigen::Dynamic ? max_pair_dofs : n;
  using Columns = Eigen::Matrix<double, 6, n, Eigen::ColMajor, 6, max_dofs>;
  using ColumnsMap = Eigen::Map<const Columns>;
  using Row = Eigen::Matrix<double, 1, n, Eigen::RowMajor, 1, max_dofs>;

 public:
  Pullback(const JointSite& site, const LocalState& x, const RelativeMotion& motion,
           const JointTermsView& terms, int coordinate_block, int multiplier_block, LocalSystem& out)
      : site_(site),
        x_(x),
        motion_(motion),
        terms_(terms),
        out_(out),
        dofs_(motion.dofs()),
        nc_(terms.coordinates),
        row_(dofs_ + nc_),
        lambda_(x.value(multiplier_block)),
        coordinate_rates_(nc_ > 0 ? x.rate(coordinate_block) : nullptr),
        wrench_(terms.wrench(lambda_)),
        J_(motion.J.data(), 6, dofs_) {}

  void residual() {
    auto r = out_.residual();
    r.head(dofs_).noalias() += J_.transpose().lazyProduct(wrench_);
    for (int i = 0; i < terms_.equations; ++i) {
      const double* g = gradient(i);
      for (int k = 0; k < nc_; ++k) r[dofs_ + k] += lambda_[i] * g[6 + k];
      r[row_ + i] += terms_.C[i];
    }
  }

  void tangent() {
    auto K = out_.K();
    for (int i = 0; i < terms_.equations; ++i) {
      const double* g = gradient(i);
      const Row B = Eigen::Map<const Row6>(g).lazyProduct(J_);
      for (int j = 0; j < dofs_; ++j) {
        K(row_ + i, j) += B[j];
        K(j, row_ + i) += B[j];
      }
      for (int k = 0; k < nc_; ++k) {
        K(row_ + i, dofs_ + k) += g[6 + k];
        K(dofs_ + k, row_ + i) += g[6 + k];
      }
    }
    const int size = terms_.variables();
    Hessian H = lambda_[0] * hessian(0);
    for (int i = 1; i < terms_.equations; ++i) H += lambda_[i] * hessian(i);
    // Along group increments the gradient's derivative is the Hessian of the chart and half of m~.
    H.block<3, 3>(3, 3) += 0.5 * skew(Vec3(wrench_.tail<3>()));
    const Eigen::Matrix<double, 6, 6> H_zeta = H.topLeftCorner<6, 6>();
    Columns HJ(6, dofs_);
    HJ.noalias() = H_zeta.lazyProduct(J_);
    K.topLeftCorner(dofs_, dofs_).noalias() += J_.transpose().lazyProduct(HJ);
    motion_.add_second_order(x_, site_.A, site_.B, 0, wrench_, K.topLeftCorner(dofs_, dofs_));
    for (int k = 6; k < size; ++k) {
      const Row6 h = H.row(k).head<6>();
      const Row along = h.lazyProduct(J_);
      for (int j = 0; j < dofs_; ++j) {
        K(dofs_ + k - 6, j) += along[j];
        K(j, dofs_ + k - 6) += along[j];
      }
      for (int l = 6; l < size; ++l) K(dofs_ + k - 6, dofs_ + l - 6) += H(k, l);
    }
  }

  void rates() {
    const Variables xi = velocities();
    auto rate = out_.rate();
    for (int i = 0; i < terms_.equations; ++i) rate[row_ + i] += dot(gradient(i), xi) + terms_.C_t[i];
    if (!out_.request.tangent) return;
    const ColumnsMap twist_gradient(motion_.twist_gradient.data(), 6, dofs_);
    const Vec3 spin = motion_.twist.tail<3>();
    auto gradient_of_rate = out_.rate_gradient();
    for (int i = 0; i < terms_.equations; ++i) {
      Variables by_z = hessian(i) * xi;
      for (int k = 0; k < terms_.variables(); ++k) by_z[k] += terms_.G_t[i * terms_.variables() + k];
      const Eigen::Map<const Row6> g(gradient(i));
      by_z.segment<3>(3) += 0.5 * spin.cross(Vec3(g.tail<3>().transpose()));
      const Row6 by_zeta = by_z.head<6>().transpose();
      const Row along = by_zeta.lazyProduct(J_) + g.lazyProduct(twist_gradient);
      for (int j = 0; j < dofs_; ++j) gradient_of_rate(row_ + i, j) += along[j];
      for (int k = 0; k < nc_; ++k) gradient_of_rate(row_ + i, dofs_ + k) += by_z[6 + k];
    }
  }

  void bias() {
    const Variables xi = velocities();
    auto bias = out_.bias();
    for (int i = 0; i < terms_.equations; ++i)
      bias[row_ + i] += Eigen::Map<const Row6>(gradient(i)).dot(motion_.bias) + xi.dot(hessian(i) * xi) +
                        2 * dot(terms_.G_t + i * terms_.variables(), xi) + terms_.C_tt[i];
  }

 private:
  const double* gradient(int i) const { return terms_.G + i * terms_.variables(); }
  MatrixByRows hessian(int i) const {
    const int n_z = terms_.variables();
    return {terms_.H + i * n_z * n_z, n_z, n_z};
  }
  double dot(const double* row, const Variables& xi) const {
    double sum = 0;
    for (int k = 0; k < terms_.variables(); ++k) sum += row[k] * xi[k];
    return sum;
  }
  Variables velocities() const {
    Variables xi(terms_.variables());
    xi.head<6>() = motion_.twist;
    for (int k = 0; k < nc_; ++k) xi[6 + k] = coordinate_rates_[k];
    return xi;
  }

  const JointSite& site_;
  const LocalState& x_;
  const RelativeMotion& motion_;
  const JointTermsView& terms_;
  LocalSystem& out_;
  const int dofs_, nc_, row_;
  const double* lambda_;
  const double* coordinate_rates_;
  const Vec6 wrench_;  ///< relative, of the multipliers
  const ColumnsMap J_;
};

/// Adds a marker's rows of J^T w from `row` on, w = (force in world components; moment in marker components). Returns how
/// many they are.
int add_rows(const Marker& marker, const LocalState& x, int first_block, const Vec6& w, int row,
             VectorMap r) {
  if (marker.is_rigid_frame()) {
    const Vec3 force_F = x.rotation(first_block + 1).transpose() * w.head<3>();
    r.segment<3>(row) += w.head<3>();
    r.segment<3>(row + 3) += marker.p_FM_F().cross(force_F) + marker.R_FM() * w.tail<3>();
    return 6;
  }
  if (marker.is_ground()) return 0;
  MarkerMotion motion;
  marker.evaluate(x, first_block, MotionLevel::jacobian, motion);
  r.segment(row, motion.dofs).noalias() += motion.J.transpose() * w;
  return motion.dofs;
}

[[gnu::flatten]] void assemble_residual(const JointSite& site, const LocalState& x,
                                        const RelativeMotion& motion, const JointTermsView& terms,
                                        const double* lambda, VectorMap r) {
  Vec3 f = Vec3::Zero(), m = Vec3::Zero();  // the relative wrench
  for (int i = 0; i < terms.equations; ++i) {
    const double* g = terms.G + i * terms.variables();
    f += lambda[i] * Eigen::Map<const Vec3>(g);
    m += lambda[i] * Eigen::Map<const Vec3>(g + 3);
  }
  Vec6 on_A, on_B;
  on_B << motion.A.R_WM * f, m;
  on_A << -on_B.head<3>(), -(motion.p_AB_A.cross(f) + motion.R_AB * m);
  const int dofs_A = add_rows(site.A, x, 0, on_A, 0, r);
  const int coordinate_row = dofs_A + add_rows(site.B, x, site.A.block_count(), on_B, dofs_A, r);
  const int row = coordinate_row + terms.coordinates;
  for (int i = 0; i < terms.equations; ++i) {
    const double* g = terms.G + i * terms.variables() + 6;
    for (int k = 0; k < terms.coordinates; ++k) r[coordinate_row + k] += lambda[i] * g[k];
    r[row + i] += terms.C[i];
  }
}

template <int n>
void assemble(Pullback<n>&& part, const Request& request) {
  part.residual();
  if (request.tangent) part.tangent();
  if (request.rates) part.rates();
  if (request.bias) part.bias();
}

}  // namespace

Vec6 JointTermsView::wrench(const double* lambda) const {
  Vec6 w = Vec6::Zero();
  for (int i = 0; i < equations; ++i) w += lambda[i] * Eigen::Map<const Vec6>(G + i * variables());
  return w;
}

void assemble_joint(const JointSite& site, const LocalState& x, const RelativeMotion& motion,
                    const JointTermsView& terms, int coordinate_block, int multiplier_block,
                    LocalSystem& out) {
  const Request& request = out.request;
  if (!request.tangent && !request.rates && !request.bias)
    return assemble_residual(site, x, motion, terms, x.value(multiplier_block), out.residual());
  switch (motion.dofs()) {
    case 6:
      return assemble(Pullback<6>(site, x, motion, terms, coordinate_block, multiplier_block, out),
                      out.request);
    case 12:
      return assemble(Pullback<12>(site, x, motion, terms, coordinate_block, multiplier_block, out),
                      out.request);
    default:
      return assemble(
          Pullback<Eigen::Dynamic>(site, x, motion, terms, coordinate_block, multiplier_block, out),
          out.request);
  }
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
  const MatrixByRows G(terms.G, terms.equations, terms.variables());
  const Eigen::Map<const Eigen::VectorXd> C_t(terms.C_t, terms.equations);
  const Eigen::MatrixXd by_c = G.rightCols(terms.coordinates);
  return -by_c.completeOrthogonalDecomposition().solve(G.leftCols<6>() * twist + C_t);
}

}  // namespace trammel
