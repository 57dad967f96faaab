#include "beam_point.hpp"

namespace trammel::beam {

namespace {

using Mat6x12 = Eigen::Matrix<double, 6, 12>;
constexpr int most_columns = 13;  // two frames and the arc length
using Columns = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, most_columns>;

/// The helicoid of a state and what all levels need of it. Body-frame twists are (R^T v, w).
struct Host {
  Mat3 R_1, R_2;
  Pose X_1;
  Helicoid helicoid;
  Vec6 h;
  double xi;

  Host(const LocalState& x, int first, double at)
      : R_1(x.rotation(first + 1)),
        R_2(x.rotation(first + 3)),
        X_1{R_1, x.position(first)},
        helicoid(R_1, R_2, x.p_between(first, first + 2)),
        h(helicoid.h()),
        xi(at) {}

  /// dh by the increments of both nodes.
  Mat6x12 h_gradient() const {
    Mat6x12 P;
    P.leftCols<6>() = -helicoid.T1();
    P.rightCols<6>() = helicoid.T2();
    P.leftCols<3>() *= R_1.transpose();
    P.middleCols<3>(6) *= R_2.transpose();
    return P;
  }
};

/// ad(zeta)^T w = N(w) zeta.
Mat6 co_adjoint(const Vec6& w) {
  const Mat3 n = skew(Vec3(w.head<3>()));
  Mat6 N;
  N << Mat3::Zero(), n, n, skew(Vec3(w.tail<3>()));
  return N;
}

}  // namespace

BeamPoint::BeamPoint(const Frame& first, const Frame& second, double xi)
    : first_(first), second_(second), xi_(xi) {}

BeamPoint::BeamPoint(const Frame& first, const Frame& second, BlockId coordinate, double s_first,
                     double length)
    : first_(first), second_(second), coordinate_(coordinate), s_first_(s_first), length_(length) {}

std::vector<BlockId> BeamPoint::blocks() const {
  std::vector<BlockId> blocks{first_.position, first_.rotation, second_.position, second_.rotation};
  if (moving()) blocks.push_back(coordinate_);
  return blocks;
}

double BeamPoint::xi(const LocalState& x, int first) const {
  return moving() ? (x.value(first + 4)[0] - s_first_) / length_ : xi_;
}

void BeamPoint::evaluate(const LocalState& x, int first, MotionLevel level, MarkerMotion& out) const {
  const Host host(x, first, xi(x, first));
  const Vec6 xih = host.xi * host.h;
  const Pose Y = se3::exp(xih);
  const Mat3 R_WM = host.R_1 * Y.R;
  out.R_WM = R_WM;
  out.p_WM = host.X_1.p;
  out.compensation_W = x.compensation(first);
  add_to_place(out.p_WM, out.compensation_W, host.R_1 * Y.p);
  out.dofs = dofs();
  if (level == MotionLevel::pose) return;

  const Mat6 back = se3::Ad_inverse(Y);
  const Mat6 T = se3::T(xih);
  const Mat6x12 P = host.h_gradient();
  const int n = out.dofs;
  Columns Z(6, n);  // body-frame variation of Y
  Z.leftCols<12>() = host.xi * (T * P);
  if (moving()) Z.col(12) = host.h / length_;
  Columns J = Z;  // body-frame variation of the marker
  J.leftCols<3>() += back.leftCols<3>() * host.R_1.transpose();
  J.middleCols<3>(3) += back.rightCols<3>();

  out.J.resize(6, n);
  out.J.topRows<3>() = R_WM * J.topRows<3>();
  out.J.bottomRows<3>() = J.bottomRows<3>();
  if (level == MotionLevel::jacobian) return;

  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 13, 1> v(n);
  for (int k = 0; k < 4; ++k) v.segment<3>(3 * k) = x.velocity(first + k);
  const double xi_rate = moving() ? x.rate(first + 4)[0] / length_ : 0;
  if (moving()) v[12] = x.rate(first + 4)[0];
  const Vec6 body_twist = J * v;
  out.twist.head<3>() = R_WM * body_twist.head<3>();
  out.twist.tail<3>() = body_twist.tail<3>();
  if (level == MotionLevel::velocity) return;

  // twist = Ad(Y^-1) v_1 + xi T(xi h) dh/dt + h dxi/dt, varied with the block velocities fixed.
  const Vec3 v1 = host.R_1.transpose() * v.segment<3>(0);
  const Vec3 w1 = v.segment<3>(3);
  const Vec3 v2 = host.R_2.transpose() * v.segment<3>(6);
  const Vec3 w2 = v.segment<3>(9);
  const Vec6 h_rate = host.helicoid.rate(v1, w1, v2, w2);
  Mat6x12 dh_rate = host.helicoid.rate_gradient(v1, w1, v2, w2) * P;
  dh_rate.block<3, 3>(0, 3) -= host.helicoid.A1 * skew(v1);
  dh_rate.block<3, 3>(0, 9) += host.helicoid.A2 * skew(v2);
  Vec6 twist_1;
  twist_1 << v1, w1;
  const Mat6 dT = se3::dT(xih, h_rate);

  Columns G = se3::ad(Vec6(back * twist_1)) * Z;
  G.middleCols<3>(3) += back.leftCols<3>() * skew(v1);
  G.leftCols<12>() += host.xi * host.xi * (dT * P) + host.xi * (T * dh_rate) + xi_rate * P;
  if (moving()) G.col(12) += (T * h_rate + host.xi * (dT * host.h)) / length_;

  out.twist_gradient.resize(6, n);
  out.twist_gradient.topRows<3>() =
      R_WM * (G.topRows<3>() - skew(Vec3(body_twist.head<3>())) * J.bottomRows<3>());
  out.twist_gradient.bottomRows<3>() = G.bottomRows<3>();
  out.bias = out.twist_gradient * v;
}

void BeamPoint::add_second_order(const LocalState& x, int first, const MarkerMotion& motion, const Vec6& w,
                                 Eigen::Ref<Eigen::MatrixXd> K) const {
  const Host host(x, first, xi(x, first));
  const Helicoid& g = host.helicoid;
  const Vec6 xih = host.xi * host.h;
  const Mat6 T = se3::T(xih);
  const Mat6 back = se3::Ad_inverse(se3::exp(xih));
  const Mat6x12 P = host.h_gradient();
  Vec6 wrench;  // in body components of the marker
  wrench << motion.R_WM.transpose() * w.head<3>(), w.tail<3>();
  const int n = motion.dofs;

  // The force keeps its direction in the world while the marker turns.
  const Vec3 f = wrench.head<3>();
  const Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, most_columns> J_u =
      motion.R_WM.transpose() * motion.J.topRows<3>();
  K.noalias() += J_u.transpose() * (skew(f) * motion.J.bottomRows<3>());

  // J^T w = A_1^T Ad(Y^-1)^T w + P^T b + h . w dxi, with b = xi T(xi h)^T w.
  Columns Z(6, n);
  Z.leftCols<12>() = host.xi * (T * P);
  if (moving()) Z.col(12) = host.h / length_;
  const Vec6 z = back.transpose() * wrench;
  const Columns dz = -(back.transpose() * co_adjoint(wrench)) * Z;
  K.topRows<3>() += host.R_1 * dz.topRows<3>();
  K.middleRows<3>(3) += dz.bottomRows<3>();
  K.block<3, 3>(0, 3) -= host.R_1 * skew(Vec3(z.head<3>()));

  const Vec6 Tw = T.transpose() * wrench;
  const Vec6 b = host.xi * Tw;
  const Mat6 dT = se3::dT_transpose(xih, wrench);
  Columns db(6, n);
  db.leftCols<12>() = host.xi * host.xi * (dT * P);
  if (moving()) db.col(12) = (Tw + host.xi * (dT * host.h)) / length_;
  K.topRows<12>() += P.transpose() * db;

  const Vec3 n_b = b.head<3>();
  const Vec3 m_b = b.tail<3>();
  const Mat3 E = g.dA(n_b);
  Mat6 even;
  even << Mat3::Zero(), E, E, g.dA(m_b) + g.dB(n_b);
  const Mat6 odd = 0.5 * co_adjoint(b);
  const Mat6x12 d1 = (odd - even) * P;
  const Mat6x12 d2 = (odd + even) * P;
  K.block<3, 12>(0, 0) += host.R_1 * d1.topRows<3>();
  K.block<3, 12>(3, 0) += d1.bottomRows<3>();
  K.block<3, 12>(6, 0) += host.R_2 * d2.topRows<3>();
  K.block<3, 12>(9, 0) += d2.bottomRows<3>();
  K.block<3, 3>(0, 3) += host.R_1 * skew(Vec3(g.A1.transpose() * n_b));
  K.block<3, 3>(6, 9) -= host.R_2 * skew(Vec3(g.A2.transpose() * n_b));

  if (moving()) K.block<1, 12>(12, 0) += wrench.transpose() * P / length_;
}

}  // namespace trammel::beam
