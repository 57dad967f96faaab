#include "motion.hpp"

#include <array>

#include "trammel/lie.hpp"

namespace trammel::sensors {

void MotionSensor::outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
  const int first_of = observer_.block_count();
  RelativeMotion motion;
  motion.evaluate(x, observer_, of_, 0, MotionLevel::full);
  const MarkerMotion &A = motion.A, &B = motion.B;
  const Vec3 w_A = A.twist.tail<3>();  // w_WA_A
  const Vec6 a_A = observer_.acceleration(x, 0, A), a_B = of_.acceleration(x, first_of, B);

  // Second rate of p_AB_A: what is left of the acceleration for the observer who turns with A.
  const Vec3 v = motion.twist.head<3>();
  const Vec3 alpha_A = a_A.tail<3>();
  const Vec3 a = A.R_WM.transpose() * (a_B - a_A).head<3>() - alpha_A.cross(motion.p_AB_A) -
                 w_A.cross(w_A.cross(motion.p_AB_A)) - 2 * w_A.cross(v);

  Mat3 R_CA = Mat3::Identity();  // into the axes asked for
  if (axes_) {
    MarkerMotion C;
    axes_->evaluate(x, first_of + of_.block_count(), MotionLevel::pose, C);
    R_CA = C.R_WM.transpose() * A.R_WM;
  }
  sink.vector("position", "m", R_CA * motion.p_AB_A);
  sink.vector("displacement", "m", R_CA * (motion.p_AB_A - p_start_));
  sink.vector("velocity", "m/s", R_CA * v);
  sink.vector("acceleration", "m/s^2", R_CA * a);
  if (of_.is_point()) return;

  static constexpr std::array<std::string_view, 4> wxyz{"w", "x", "y", "z"};
  const Quaternion q = Quaternion(motion.R_AB).normalized();
  const std::array<double, 4> numbers{q.w(), q.x(), q.y(), q.z()};
  const Vec3 w = motion.twist.tail<3>();  // w_AB_B
  const Vec3 w_A_in_B = motion.R_AB.transpose() * w_A;
  const Vec3 alpha = a_B.tail<3>() - motion.R_AB.transpose() * alpha_A + w.cross(w_A_in_B);
  sink.values("quaternion", "", wxyz, numbers);
  sink.vector("rotation", "rad", R_CA * so3::log(motion.R_AB));
  sink.vector("angular_velocity", "rad/s", R_CA * motion.R_AB * w);
  sink.vector("angular_velocity_body", "rad/s", w);
  sink.vector("angular_acceleration_body", "rad/s^2", alpha);
}

void SignalSensor::outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
  SignalValue value;
  signal_->evaluate(x, 0, false, value);
  sink.scalar(name_, unit_, value.value);
  sink.scalar("rate", rate_unit(unit_), value.rate);
  sink.scalar("second_rate", rate_unit(unit_, 2), value.second_rate);
}

}  // namespace trammel::sensors
