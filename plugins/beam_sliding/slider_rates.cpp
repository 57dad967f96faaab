// Rates of the contact, and how they change.

#include <complex>

#include "slider.hpp"

namespace trammel::beam_sliding {

namespace {

using Complex = std::complex<double>;
using C = Columns;

Vec6 body_twist(const Mat3& R, const LocalState& x, int block) {
  Vec6 twist;
  twist << R.transpose() * x.velocity(block), x.velocity(block + 1);
  return twist;
}

/// R (1 + i w~).
Mat3T<Complex> turning(const Mat3& R, const Vec3& w) {
  Mat3T<Complex> out;
  out.real() = R;
  out.imag() = R * skew(w);
  return out;
}

constexpr double tiny = 1e-30;  // a complex step: no difference is taken, so there is no rounding

}  // namespace

void Slider::fill_rates(const LocalState& x, const SplitHostElement<double>& host, const MarkerMotion& slider,
                        LocalSystem& out) const {
  using Gradient = Eigen::Matrix<double, 6, 20>;
  const Track::Piece& piece = law_->track->piece(now_.host);
  const int k = node_block(piece.node), rows = law_->rotates() ? 6 : 3;
  Eigen::Matrix<double, 20, 1> v;
  v << body_twist(host.X_1.R, x, k), body_twist(host.X_2.R, x, k + 2), x.rate(0)[0],
      host.rotates ? turn_rate(x) : 0.0, slider.twist;
  Gradient B, strain;
  host.constraint_gradient(B, strain);
  if (out.request.rates) out.rate().segment(row_offsets_.force, rows) += (B * v).head(rows);
  if (!out.request.bias && !out.request.tangent) return;

  // The derivative of B along v, e_a moving along.
  SplitHostElement<Complex> moving(host_);
  moving.X_1.R = turning(host.X_1.R, tiny * v.segment<3>(3));
  moving.X_1.p.real() = host.X_1.p;
  moving.X_1.p.imag() = tiny * x.velocity(k);
  moving.X_2.R = turning(host.X_2.R, tiny * v.segment<3>(9));
  moving.X_2.p.real() = host.X_2.p;
  moving.X_2.p.imag() = tiny * x.velocity(k + 2);
  moving.compensation_1 = host.compensation_1;
  moving.compensation_2 = host.compensation_2;
  moving.s = Complex(host.s, tiny * v[C::s]);
  moving.turn = Complex(host.turn, tiny * v[C::turn]);
  moving.R_WB = turning(host.R_WB, tiny * v.segment<3>(C::slider + 3));
  moving.p_WB.real() = host.p_WB;
  moving.p_WB.imag() = tiny * v.segment<3>(C::slider);
  moving.force = host.force.cast<Complex>();
  moving.moment = host.moment.cast<Complex>();
  moving.rotates = host.rotates;
  moving.beyond = host.beyond;
  Vec6T<Complex> e_a;
  e_a.real() = host.near_strain();
  e_a.imag() = tiny * (strain * v);
  moving.take(host, e_a);
  Eigen::Matrix<Complex, 6, 20> B_moving, strain_moving;
  moving.constraint_gradient(B_moving, strain_moving);
  const Gradient B_rate = B_moving.imag() / tiny;

  if (out.request.bias) {
    Eigen::Matrix<double, 20, 1> v_rate = Eigen::Matrix<double, 20, 1>::Zero();
    v_rate.segment<3>(0) = v.segment<3>(0).cross(v.segment<3>(3));
    v_rate.segment<3>(6) = v.segment<3>(6).cross(v.segment<3>(9));
    v_rate.segment<6>(C::slider) = slider.bias;
    out.bias().segment(row_offsets_.force, rows) += (B_rate * v + B * v_rate).head(rows);
  }
  if (!(out.request.rates && out.request.tangent)) return;
  // Derivatives along two fields in their other order, less the bracket: rotations do not commute.
  Gradient G = B_rate;
  for (const int at : {C::node_1, C::node_2}) {
    const Mat3 w = skew(Vec3(v.segment<3>(at + 3)));
    const Mat3& R = at == C::node_1 ? host.X_1.R : host.X_2.R;
    G.middleCols<3>(at) -= B.middleCols<3>(at) * w;
    G.middleCols<3>(at + 3) -= B.middleCols<3>(at + 3) * w;
    G.middleCols<3>(at) = (G.middleCols<3>(at) * R.transpose()).eval();
  }
  G.middleCols<3>(C::slider + 3) -= B.middleCols<3>(C::slider + 3) * skew(Vec3(v.segment<3>(C::slider + 3)));
  if (law_->turn_by_s != 0) G.col(C::s) += law_->turn_by_s * G.col(C::turn);

  auto to = out.rate_gradient();
  to.block(row_offsets_.force, node_row(piece.node), rows, 12) += G.topLeftCorner(rows, 12);
  to.block(row_offsets_.force, 0, rows, 1) += G.col(C::s).head(rows);
  if (law_->has_angle())
    to.block(row_offsets_.force, row_offsets_.angle, rows, 1) += G.col(C::turn).head(rows);
  const ByMarker<6> by_slider =
      G.rightCols<6>().lazyProduct(slider.J) + B.rightCols<6>().lazyProduct(slider.twist_gradient);
  to.block(row_offsets_.force, row_offsets_.slider, rows, slider.dofs) += by_slider.topRows(rows);
}

}  // namespace trammel::beam_sliding
