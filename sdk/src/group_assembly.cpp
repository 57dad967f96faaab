#include "trammel/group_assembly.hpp"

#include <Eigen/LU>

namespace trammel {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using MatrixByRows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// Small products are lazy: those that Eigen blocks take seconds each to compile.

/// The law's derivatives by the group's own variables: twists hold w_AB_B in place of w_AB_A, rows the moments in the
/// axes of their markers.
void set_derivatives(const RelativeGroup& group, const LawTermsView& terms, const Vector& wrench, Matrix& P) {
  P = MatrixByRows(terms.derivatives, terms.rows(), terms.variables());
  for (int k = 0; k < terms.poses; ++k) {
    const Mat3& R = group.poses[static_cast<std::size_t>(k)].R_AB;
    const int turn = 6 * k + 3, spin = terms.kinematic() + 6 * k + 3;
    const Eigen::Matrix<double, Eigen::Dynamic, 3> by_w_B = P.middleCols<3>(spin).lazyProduct(R);
    P.middleCols<3>(turn).noalias() -= by_w_B.lazyProduct(skew(Vec3(group.twist.segment<3>(6 * k + 3))));
    P.middleCols<3>(spin) = by_w_B;
  }
  for (int k = 0; k < terms.poses; ++k) {
    const int moment = 6 * k + 3;
    P.middleRows<3>(moment) =
        group.poses[static_cast<std::size_t>(k)].R_AB.transpose().lazyProduct(P.middleRows<3>(moment)).eval();
    P.block<3, 3>(moment, moment) += skew(Vec3(wrench.segment<3>(moment)));
  }
}

}  // namespace

Vector law_wrench(const RelativeGroup& group, const LawTermsView& terms) {
  Vector w = Eigen::Map<const Vector>(terms.values, terms.relative());
  for (int k = 0; k < terms.poses; ++k) {
    const Vec3 m = w.segment<3>(6 * k + 3);
    w.segment<3>(6 * k + 3) = group.poses[static_cast<std::size_t>(k)].R_AB.transpose() * m;
  }
  return w;
}

void assemble_law(std::span<const Marker> markers, const LocalState& x, const RelativeGroup& group,
                  const LawTermsView& terms, LocalSystem& out) {
  const int n = group.dofs(), nr = terms.relative(), nc = terms.coordinates, nk = terms.kinematic();
  const int ny = terms.states, nz = terms.algebraic, nq = n + nc;
  const Vector w = law_wrench(group, terms);
  auto r = out.residual();
  r.head(n).noalias() -= group.J.transpose().lazyProduct(w);
  for (int i = 0; i < nc; ++i) r[n + i] -= terms.values[nr + i];
  for (int i = 0; i < ny; ++i) r[nq + i] += terms.state_rates[i] - terms.values[nk + i];
  for (int i = 0; i < nz; ++i) r[nq + ny + i] += terms.values[nk + ny + i];
  if (!out.request.tangent) return;

  thread_local Matrix P, by_q, by_v;
  set_derivatives(group, terms, w, P);
  by_q.resize(terms.rows(), nq);
  by_v.resize(terms.rows(), nq);
  const auto by_pose = P.leftCols(nr), by_twist = P.middleCols(nk, nr);
  by_q.leftCols(n).noalias() = by_pose.lazyProduct(group.J);
  by_q.leftCols(n).noalias() += by_twist.lazyProduct(group.twist_gradient);
  by_v.leftCols(n).noalias() = by_twist.lazyProduct(group.J);
  by_q.rightCols(nc) = P.middleCols(nr, nc);
  by_v.rightCols(nc) = P.middleCols(nk + nr, nc);

  // Rows of the markers are pulled back; of rates of states and of algebraic equations they stand as they are.
  auto K = out.K();
  auto D = out.D();
  const auto take = [&](Eigen::Ref<Matrix> into, const Eigen::Ref<const Matrix>& of) {
    const auto columns = into.cols();
    into.topRows(n).noalias() -= group.J.transpose().lazyProduct(of.topRows(nr));
    into.block(n, 0, nc, columns) -= of.block(nr, 0, nc, columns);
    into.block(nq, 0, ny, columns) -= of.block(nk, 0, ny, columns);
    into.block(nq + ny, 0, nz, columns) += of.block(nk + ny, 0, nz, columns);
  };
  take(K.leftCols(nq), by_q);
  take(D.leftCols(nq), by_v);
  if (ny + nz > 0) take(K.middleCols(nq, ny + nz), P.middleCols(2 * nk, ny + nz));
  for (int i = 0; i < ny; ++i) D(nq + i, nq + i) += 1;
  group.add_second_order(x, markers, 0, -w, K.topLeftCorner(n, n));
}

Energy law_energy(std::span<const Marker> markers, const LocalState& x, const RelativeGroup& group,
                  const LawTermsView& terms, const double* coordinate_rates,
                  const double* coordinate_accelerations, double stored, const double* stored_gradient) {
  const int nr = terms.relative(), nc = terms.coordinates, nk = terms.kinematic();
  const int ny = terms.states, nz = terms.algebraic;
  Energy e;
  e.strain = stored;
  double power = law_wrench(group, terms).dot(group.twist_of_blocks(x, markers, 0));
  for (int i = 0; i < nc; ++i) power += terms.values[nr + i] * coordinate_rates[i];
  e.dissipated_power = -power;
  if (stored_gradient == nullptr) return e;

  // Rates of all variables, in the axes of A: w_AB_A = R_AB w_AB_B changes by R_AB w'_AB_B alone.
  Vector rates = Vector::Zero(terms.variables());
  rates.head(nr) = group.twist;
  rates.segment(nr, nc) = Eigen::Map<const Vector>(coordinate_rates, nc);
  rates.segment(nk, nr) = group.twist_rate(x, markers, 0);
  rates.segment(nk + nr, nc) = Eigen::Map<const Vector>(coordinate_accelerations, nc);
  for (int k = 0; k < terms.poses; ++k) {
    const Vec3 alpha = rates.segment<3>(nk + 6 * k + 3);
    rates.segment<3>(nk + 6 * k + 3) = group.poses[static_cast<std::size_t>(k)].R_AB * alpha;
  }
  for (int i = 0; i < ny; ++i) rates[2 * nk + i] = terms.state_rates[i];
  if (nz > 0) {
    const MatrixByRows P(terms.derivatives, terms.rows(), terms.variables());
    const Vector known = P.bottomRows(nz).lazyProduct(rates);
    rates.tail(nz) = -P.bottomRightCorner(nz, nz).eval().partialPivLu().solve(known);
  }
  e.dissipated_power -= Eigen::Map<const Vector>(stored_gradient, terms.variables()).dot(rates);
  return e;
}

void report_law(const RelativeGroup& group, const Vector& wrench, OutputSink& sink) {
  for (std::size_t k = 0; k < group.markers.size(); ++k) {
    const Vec6 on = group.wrench_on(static_cast<int>(k), wrench);
    const std::string marker(1, static_cast<char>('A' + k));
    sink.vector("force_on_" + marker, "N", on.head<3>());
    sink.vector("moment_on_" + marker, "N m", group.markers[k].R_WM * on.tail<3>());
  }
}

namespace {

/// Product of matrices that may be large, by Eigen's blocked algorithm.
Matrix product(const Matrix& a, const Matrix& b) { return a * b; }

/// Twists of frames in their own axes and their rates, then rates of coordinates.
struct BodyMotion {
  Vector nu, rate;

  BodyMotion(int markers, int coordinates, const LocalState& x)
      : nu(6 * markers + coordinates), rate(nu.size()) {
    for (int k = 0; k < markers; ++k) {
      const Mat3 R_FW = x.rotation(2 * k + 1).transpose();
      const Vec3 v = R_FW * x.velocity(2 * k), w = x.velocity(2 * k + 1);
      nu.segment<6>(6 * k) << v, w;
      rate.segment<6>(6 * k) << R_FW * x.acceleration(2 * k) - w.cross(v), x.acceleration(2 * k + 1);
    }
    if (coordinates == 0) return;
    nu.tail(coordinates) = ConstVectorMap(x.rate(2 * markers), coordinates);
    rate.tail(coordinates) = ConstVectorMap(x.second_rate(2 * markers), coordinates);
  }
};

}  // namespace

double kinetic_energy(const Matrix& M, int markers, int coordinates, const LocalState& x) {
  const BodyMotion motion(markers, coordinates, x);
  return 0.5 * motion.nu.dot(M.lazyProduct(motion.nu));
}

void assemble_inertia(const Matrix& M, int markers, int coordinates, const LocalState& x, LocalSystem& out) {
  const int n = 6 * markers + coordinates;
  const BodyMotion motion(markers, coordinates, x);
  const Vector mu = M.lazyProduct(motion.nu);
  Vector h =
      M.lazyProduct(motion.rate);  // in the axes of the frames, as the rotation rows are; the force rows turn
  for (int k = 0; k < markers; ++k) {
    const int i = 6 * k;
    const Vec3 v = motion.nu.segment<3>(i), w = motion.nu.segment<3>(i + 3);
    const Vec3 p = mu.segment<3>(i), L = mu.segment<3>(i + 3);
    h.segment<3>(i) += w.cross(p);
    h.segment<3>(i + 3) += w.cross(L) + v.cross(p);
  }
  auto r = out.residual();
  for (int k = 0; k < markers; ++k) {
    r.segment<3>(6 * k) += x.rotation(2 * k + 1) * h.segment<3>(6 * k);
    r.segment<3>(6 * k + 3) += h.segment<3>(6 * k + 3);
  }
  r.segment(6 * markers, coordinates) += h.tail(coordinates);
  if (!out.request.tangent) return;

  // By nu and by its rate; then nu and its rate by velocities and by turns.
  Matrix by_nu = Matrix::Zero(n, n);
  for (int k = 0; k < markers; ++k) {
    const int i = 6 * k;
    const Mat3 v = skew(Vec3(motion.nu.segment<3>(i))), w = skew(Vec3(motion.nu.segment<3>(i + 3)));
    const Mat3 p = skew(Vec3(mu.segment<3>(i))), L = skew(Vec3(mu.segment<3>(i + 3)));
    by_nu.middleRows<3>(i) += w.lazyProduct(M.middleRows<3>(i));
    by_nu.block<3, 3>(i, i + 3) -= p;
    by_nu.middleRows<3>(i + 3) += w.lazyProduct(M.middleRows<3>(i + 3)) + v.lazyProduct(M.middleRows<3>(i));
    by_nu.block<3, 3>(i + 3, i + 3) -= L;
    by_nu.block<3, 3>(i + 3, i) -= p;
  }
  // nu' = R^T a - w x R^T v: by velocities -w~ R^T and (R^T v)~.
  Matrix rate_by_nu = Matrix::Zero(n, n), nu_by_turn = Matrix::Zero(n, n), rate_by_turn = Matrix::Zero(n, n);
  Matrix axes = Matrix::Identity(n, n);  // columns of velocities into axes of the frames
  for (int k = 0; k < markers; ++k) {
    const int i = 6 * k;
    const Mat3 R_FW = x.rotation(2 * k + 1).transpose();
    const Vec3 v = motion.nu.segment<3>(i), a = R_FW * x.acceleration(2 * k);
    const Mat3 w = skew(Vec3(motion.nu.segment<3>(i + 3)));
    rate_by_nu.block<3, 3>(i, i) = -w;
    rate_by_nu.block<3, 3>(i, i + 3) = skew(v);
    nu_by_turn.block<3, 3>(i, i + 3) = skew(v);
    rate_by_turn.block<3, 3>(i, i + 3) = skew(a) - w * skew(v);
    axes.block<3, 3>(i, i) = R_FW;
  }
  const Matrix axes_back = axes.transpose();
  out.M().topLeftCorner(n, n) += product(axes_back, product(M, axes));
  out.D().topLeftCorner(n, n) += product(axes_back, product(by_nu + product(M, rate_by_nu), axes));
  Matrix K = product(by_nu, nu_by_turn) + product(M, rate_by_turn);
  for (int k = 0; k < markers; ++k) K.block<3, 3>(6 * k, 6 * k + 3) -= skew(Vec3(h.segment<3>(6 * k)));
  out.K().topLeftCorner(n, n) += product(axes_back, K);
}

Vector group_wrench(const GroupTermsView& terms, const double* lambda) {
  return MatrixByRows(terms.G, terms.equations, terms.variables())
      .transpose()
      .lazyProduct(Eigen::Map<const Vector>(lambda, terms.equations));
}

void assemble_group(std::span<const Marker> markers, const LocalState& x, const RelativeGroup& group,
                    const GroupTermsView& terms, int coordinate_block, int multiplier_block,
                    LocalSystem& out) {
  const int n = group.dofs(), nc = terms.coordinates, m = terms.equations, nr = 6 * terms.poses;
  const int size = terms.variables(), row = n + nc;
  const double* lambda = x.value(multiplier_block);
  const MatrixByRows G(terms.G, m, size);
  const Vector w = group_wrench(terms, lambda);
  auto r = out.residual();
  r.head(n).noalias() += group.J.transpose().lazyProduct(w.head(nr));
  r.segment(n, nc) += w.tail(nc);
  r.segment(row, m) += Eigen::Map<const Vector>(terms.C, m);
  const Request& request = out.request;
  if (!request.tangent && !request.rates && !request.bias) return;

  const auto hessian = [&](int i) { return MatrixByRows(terms.H + i * size * size, size, size); };
  Matrix V = Matrix::Zero(size, row);  // relative variations and coordinates by the unknowns
  V.topLeftCorner(nr, n) = group.J;
  V.bottomRightCorner(nc, nc).setIdentity();
  if (request.tangent) {
    auto K = out.K();
    const Matrix B = G.lazyProduct(V);
    K.block(row, 0, m, row) += B;
    K.block(0, row, row, m) += B.transpose();
    if (request.stiffness) {
      Matrix H = Matrix::Zero(size, size);
      for (int i = 0; i < m; ++i) H += lambda[i] * hessian(i);
      // Along group increments the gradient's derivative is the Hessian of the chart and half of m~.
      for (int k = 3; k < nr; k += 6) H.block<3, 3>(k, k) += 0.5 * skew(Vec3(w.segment<3>(k)));
      const Matrix H_V = H.lazyProduct(V);
      K.topLeftCorner(row, row).noalias() += V.transpose().lazyProduct(H_V);
      group.add_second_order(x, markers, 0, w.head(nr), K.topLeftCorner(n, n));
    }
  }
  if (!request.rates && !request.bias) return;

  Vector xi(size);
  xi.head(nr) = group.twist;
  if (nc > 0) xi.tail(nc) = ConstVectorMap(x.rate(coordinate_block), nc);
  const MatrixByRows G_t(terms.G_t, m, size);
  if (request.rates) {
    out.rate().segment(row, m) += G.lazyProduct(xi) + Eigen::Map<const Vector>(terms.C_t, m);
    if (request.tangent) {
      auto gradient = out.rate_gradient();
      for (int i = 0; i < m; ++i) {
        Vector by = hessian(i).lazyProduct(xi) + G_t.row(i).transpose();
        for (int k = 3; k < nr; k += 6)
          by.segment<3>(k) += 0.5 * Vec3(xi.segment<3>(k)).cross(Vec3(G.row(i).segment<3>(k).transpose()));
        gradient.block(row + i, 0, 1, row).noalias() += by.transpose().lazyProduct(V);
        gradient.block(row + i, 0, 1, n).noalias() += G.row(i).head(nr).lazyProduct(group.twist_gradient);
      }
    }
  }
  if (request.bias) {
    auto bias = out.bias();
    for (int i = 0; i < m; ++i)
      bias[row + i] += G.row(i).head(nr).dot(group.bias) + xi.dot(hessian(i).lazyProduct(xi)) +
                       2 * G_t.row(i).dot(xi) + terms.C_tt[i];
  }
}

namespace {

/// A with w_AB_B in place of w_AB_A.
Matrix own_axes(const RelativeGroup& group, const VelocityTermsView& terms) {
  Matrix A = MatrixByRows(terms.A, terms.equations, 6);
  A.rightCols<3>() = A.rightCols<3>().lazyProduct(group.poses.front().R_AB).eval();
  return A;
}

}  // namespace

Vector velocity_wrench(const RelativeGroup& group, const VelocityTermsView& terms, const double* lambda) {
  return own_axes(group, terms).transpose().lazyProduct(Eigen::Map<const Vector>(lambda, terms.equations));
}

void assemble_velocity_rows(std::span<const Marker> markers, const LocalState& x, const RelativeGroup& group,
                            const VelocityTermsView& terms, int multiplier_block, LocalSystem& out) {
  const int n = group.dofs(), m = terms.equations;
  const double* lambda = x.value(multiplier_block);
  const Mat3& R = group.poses.front().R_AB;
  const Matrix A = own_axes(group, terms);
  const Vector w = A.transpose().lazyProduct(Eigen::Map<const Vector>(lambda, m));
  auto r = out.residual();
  r.head(n).noalias() += group.J.transpose().lazyProduct(w);
  r.segment(n, m) += Eigen::Map<const Vector>(terms.value, m);
  if (!out.request.tangent && !out.request.bias) return;

  Matrix by_pose = MatrixByRows(terms.by_pose, m, 6);
  by_pose.rightCols<3>() -= A.rightCols<3>().lazyProduct(skew(Vec3(group.twist.tail<3>())));
  if (out.request.tangent) {
    Mat6 S = Mat6::Zero();
    for (int i = 0; i < m; ++i) {
      Mat6 by = MatrixByRows(terms.A_by_pose + 36 * i, 6, 6);
      // The row's part by w_AB_B is R^T times that by w_AB_A.
      by.bottomRows<3>() = (R.transpose() * by.bottomRows<3>()).eval();
      by.bottomRightCorner<3, 3>() += skew(Vec3(A.row(i).tail<3>().transpose()));
      S += lambda[i] * by;
    }
    auto K = out.K();
    const Matrix turned = S.lazyProduct(group.J);
    K.topLeftCorner(n, n).noalias() += group.J.transpose().lazyProduct(turned);
    group.add_second_order(x, markers, 0, w, K.topLeftCorner(n, n));
    const Matrix rows = A.lazyProduct(group.J);
    K.block(0, n, n, m) += rows.transpose();
    K.block(n, 0, m, n) += by_pose.lazyProduct(group.J) + A.lazyProduct(group.twist_gradient);
    out.D().block(n, 0, m, n) += rows;
  }
  if (out.request.bias)
    out.bias().segment(n, m) += A.lazyProduct(group.bias) + by_pose.lazyProduct(group.twist) +
                                Eigen::Map<const Vector>(terms.by_time, m);
}

}  // namespace trammel
