#include "normal_force.hpp"

#include "moving_frame.hpp"
#include "trammel/second_jet.hpp"

namespace trammel::curve_sliding {

void NormalForce::evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const {
  const Vec3 lambda = Eigen::Map<const Vec3>(x.value(first + 1));
  const TangentAlong t(*curve_, x.value(first)[0]);
  out.value = (lambda - lambda.dot(t.v) * t.v).norm();
  // Multipliers have no rates: what changes with eta alone.
  out.rate = out.second_rate = 0;
  if (!derivatives) return;
  out.gradient.setZero(width_);
  out.second.setZero(width_, width_);
  if (!(out.value > 1e-12 * lambda.norm())) return;

  using S = SecondJet<4>;  // eta, lambda
  S along(0.0), square(0.0);
  for (int i = 0; i < 3; ++i) {
    S tangent(t.v[i]), force(lambda[i]);
    tangent.gradient[0] = t.v1[i];
    tangent.hessian(0, 0) = t.v2[i];
    force.gradient[1 + i] = 1;
    along = along + force * tangent;
    square = square + force * force;
  }
  const S normal = sqrt(square - along * along);
  static constexpr std::array<int, 4> column{0, 2, 3, 4};
  for (int i = 0; i < 4; ++i) {
    const int row = column[static_cast<std::size_t>(i)];
    out.gradient[row] = normal.gradient[i];
    for (int j = 0; j < 4; ++j) out.second(row, column[static_cast<std::size_t>(j)]) = normal.hessian(i, j);
  }
}

}  // namespace trammel::curve_sliding
