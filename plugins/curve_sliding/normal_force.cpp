#include "normal_force.hpp"

#include "moving_frame.hpp"
#include "trammel/force_across.hpp"

namespace trammel::curve_sliding {

void NormalForce::evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const {
  const TangentAlong t(*curve_, x.value(first)[0]);
  const ForceAcross across(Eigen::Map<const Vec3>(x.value(first + 1)), t.v);
  out.value = across.value();
  // Multipliers have no rates: what changes with eta alone.
  out.rate = out.second_rate = 0;
  if (!derivatives) return;
  out.gradient.setZero(width_);
  out.second.setZero(width_, width_);
  if (!across.smooth()) return;
  // Columns: eta, s, lambda.
  const Vec3 mixed = across.by_f_s(t.v1);
  out.gradient[0] = across.by_s(t.v1);
  out.gradient.segment<3>(2) = across.by_f();
  out.second(0, 0) = across.by_s_s(t.v1, t.v2);
  out.second.block<3, 1>(2, 0) = mixed;
  out.second.block<1, 3>(0, 2) = mixed.transpose();
  out.second.block<3, 3>(2, 2) = across.by_f_f();
}

}  // namespace trammel::curve_sliding
