#include "generic_joint.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trammel/error.hpp"
#include "trammel/joint.hpp"

namespace trammel::generic_joint {

namespace {

// Allowed gap of a closed joint, as a fraction of the model's length; the same for all joints.
constexpr double meeting_tolerance = 1e-6;
// An offset's jump of this part of the model's length, or of a radian, is none.
constexpr double no_offset = 1e-9;

}  // namespace

GenericJoint::GenericJoint(Definition definition)
    : what_(std::move(definition)), rotation_(what_.axes, what_.alternative) {
  site_.A = offset_frame(what_.J0, what_.axes, what_.offsets);
  site_.B = what_.J1;
  blocks_ = site_.block_count();
  for (const Marker* marker : {&site_.A, &site_.B})
    for (const int size : marker->block_sizes()) dofs_ += size;
  rigid_ = !site_.A.has_shape() && !site_.B.has_shape();
  for (int k = 0; k < 3; ++k)
    if (what_.axes.translation(k)) locked_[static_cast<std::size_t>(translations_++)] = k;
  if (what_.signals) history_.signals = what_.signals->readings();
}

double GenericJoint::no_offset_in(int k) const {
  return k < 3 && what_.length > 0 ? no_offset * what_.length : no_offset;
}

double GenericJoint::tolerance() const { return meeting_tolerance * std::max(1.0, what_.length); }

bool GenericJoint::couples(int row, int column) const {
  if (rows() == 0 || row >= first_signal_block() || column >= first_signal_block()) return false;
  if (row >= blocks_ && column >= blocks_) return false;
  if (!rigid_ || row >= blocks_ || column >= blocks_) return true;
  // The position is the first block of a frame, and a force in axes of A does not depend on positions.
  const auto moves = [this](int k) {
    const int in_A = site_.A.block_count();
    return k == 0 || k == in_A;
  };
  return !(moves(row) && moves(column));
}

Vec6 GenericJoint::gaps(const Mat3& R_AB, const Vec3& p_AB_A) const {
  Vec6 C = Vec6::Zero();
  RotationTerms terms;
  rotation_.evaluate(R_AB, false, terms);
  for (int i = 0; i < translations_; ++i) C[i] = p_AB_A[locked_[static_cast<std::size_t>(i)]];
  for (int i = 0; i < rotation_.count(); ++i) C[translations_ + i] = terms.C[i];
  return C;
}

std::string GenericJoint::row_name(int row) const {
  if (row < translations_)
    return fmt::format("translation along {}", "xyz"[locked_[static_cast<std::size_t>(row)]]);
  return fmt::format("rotation (equation {} of {})", row - translations_ + 1, rotation_.count());
}

void GenericJoint::relative(const LocalState& x, MotionLevel level, RelativeMotion& out) const {
  out.evaluate(x, site_.A, site_.B, 0, level);
}

Vec6 GenericJoint::wrench(const LocalState& x, const RotationTerms& terms) const {
  Vec6 w = Vec6::Zero();
  for (int i = 0; i < translations_; ++i) w[locked_[static_cast<std::size_t>(i)]] = multiplier(x, i);
  for (int i = 0; i < rotation_.count(); ++i)
    w.tail<3>() += multiplier(x, translations_ + i) * terms.G.row(i).transpose();
  return w;
}

void GenericJoint::evaluate(const LocalState& x, LocalSystem& out) const {
  if (rows() == 0) return;
  const Request& request = out.request;
  MarkerMotion A, B;
  evaluate_markers(site_, x, request, A, B);
  const RelativePose at = relative_pose(A, B);
  const bool second = needs_curvature(request);
  RotationTerms rotation;
  rotation_.evaluate(at.R_AB, second, rotation);

  JointTerms<6, 0> terms(second);
  std::array<double, 6> lambda{};
  for (int i = 0; i < rows(); ++i) {
    lambda[static_cast<std::size_t>(i)] = multiplier(x, i);
    if (i < translations_) {
      const int axis = locked_[static_cast<std::size_t>(i)];
      terms.C[i] = at.p_AB_A[axis];
      terms.G(i, axis) = 1;
    } else {
      const int k = i - translations_;
      terms.C[i] = rotation.C[k];
      terms.G.block<1, 3>(i, 3) = rotation.G.row(k);
      if (second)
        terms.H[static_cast<std::size_t>(i)].block<3, 3>(3, 3) = rotation.H[static_cast<std::size_t>(k)];
    }
  }
  JointTermsView view = terms.view();
  view.equations = rows();
  view.is_linear_in_displacement = true;
  JointRows place;
  place.coordinate_row = A.dofs + B.dofs;
  place.any = {lambda.data(), place.coordinate_row};
  assemble_joint(site_, x, at, view, JointStructure{}, place, out);
}

GenericJoint::Rows GenericJoint::rates(const LocalState& x, bool accelerations) const {
  RelativeMotion motion;
  relative(x, MotionLevel::full, motion);
  RotationTerms terms;
  rotation_.evaluate(motion.R_AB, true, terms);
  Vec6 zeta = motion.twist;
  if (accelerations) {
    zeta = motion.bias;
    int column = 0, k = 0;
    for (const Marker* marker : {&site_.A, &site_.B})
      for (const int size : marker->block_sizes()) {
        zeta += motion.J.middleCols(column, size) * ConstVectorMap(x.second_rate(k++), size);
        column += size;
      }
  }
  const Vec3 spin = motion.twist.tail<3>();
  Rows out(rows());
  for (int i = 0; i < translations_; ++i) out[i] = zeta[locked_[static_cast<std::size_t>(i)]];
  for (int i = 0; i < rotation_.count(); ++i) {
    out[translations_ + i] = terms.G.row(i).dot(zeta.tail<3>());
    if (accelerations) out[translations_ + i] += spin.dot(terms.H[static_cast<std::size_t>(i)] * spin);
  }
  return out;
}

bool GenericJoint::at_rest(const LocalState& x) const {
  int k = 0;
  for (const Marker* marker : {&site_.A, &site_.B})
    for (const int size : marker->block_sizes())
      if (!ConstVectorMap(x.rate(k++), size).isZero(0)) return false;
  return true;
}

std::string GenericJoint::jump_of_offset(const StepInfo& step) const {
  for (int k = 0; k < 6; ++k) {
    const FunctionPtr& f = what_.offsets[k];
    if (!f) continue;
    if (const auto jump = find_jump(*f, step.start, step.end, no_offset_in(k)))
      return fmt::format(
          "the offset '{}' jumps: its {} changes by {:.6g} {}{} at t = {:.9g}; let it begin and end "
          "smoothly, by "
          "`cycloidal` or `smoothstep`",
          f->text(), jump->of_rate ? "rate" : "value", jump->size, k < 3 ? "m" : "rad",
          jump->of_rate ? "/s" : "", jump->time);
  }
  return {};
}

void GenericJoint::begin(const LocalState& x, const Begin& how) {
  if (!how.active) history_.jump = 0;
  if (how.why != Begin::Why::activated) return;
  history_.on_branch = true;
  if (!what_.hold) return;  // the kernel sees to it that the joint is closed
  RelativeMotion motion;
  motion.evaluate(x, site_.A, what_.J1, 0, MotionLevel::pose);
  hold(motion.R_AB, motion.p_AB_A);
}

Review GenericJoint::review(const LocalState& x, const StepInfo& step) {
  const double h = step.size();
  if (what_.signals && std::abs(step.start - what_.signals->time()) > 1e-9 * h)
    throw Error(
        fmt::format("the clock was set from t = {:g} to {:g}, but the joint's functions read signals, which "
                    "are followed from "
                    "the last accepted state",
                    what_.signals->time(), step.start));
  if (rows() == 0) return Review::keep();

  if (what_.offsets.any() && !at_rest(x))
    if (std::string why = jump_of_offset(step); !why.empty()) throw Error(std::move(why));
  if (history_.jump > 0) {
    // Where the velocities were made consistent nothing of the jump is left after the first step.
    const double left = rates(x, false).cwiseAbs().maxCoeff() + h * rates(x, true).cwiseAbs().maxCoeff();
    if (left > 0.3 * history_.jump)
      throw Error(fmt::format(
          "an offset whose rate jumps at t = {:g} finds a relative velocity of {:.4g} (m/s or rad/s) along "
          "locked axes: that impulse is computed only where a dynamic stage begins. End a stage there, and "
          "begin the next with `start: consistent`",
          step.start, history_.jump));
  }
  if (rotation_.has_second_branch()) {
    RelativeMotion motion;
    relative(x, MotionLevel::pose, motion);
    if (!rotation_.on_branch(motion.R_AB)) {
      if (history_.on_branch) return Review::cut(0.5 * (step.start + step.end));
      throw Error(
          "the locked axes came to rest half a turn from where they should be: the equations of direction "
          "cosines hold there too. Start nearer, or give `alternative: yes`");
    }
  }
  return Review::keep();
}

void GenericJoint::commit(const LocalState& x, const StepInfo& step) {
  history_.jump = 0;
  if (step.active && what_.offsets.any() && !at_rest(x))
    for (int k = 0; k < 6; ++k)
      if (const FunctionPtr& f = what_.offsets[k])
        history_.jump =
            std::max(history_.jump, std::abs(rate_jump(*f, step.end, step.size(), no_offset_in(k))));
  if (what_.signals) {
    what_.signals->update(x, first_signal_block());
    history_.signals = what_.signals->readings();
  }
  if (rotation_.has_second_branch() && step.active) {
    RelativeMotion motion;
    relative(x, MotionLevel::pose, motion);
    history_.on_branch = rotation_.on_branch(motion.R_AB);
  }
}

void GenericJoint::hold(const Mat3& R_AB, const Vec3& p_AB_A) {
  Vec3 gap = Vec3::Zero();
  for (int i = 0; i < translations_; ++i) {
    const int k = locked_[static_cast<std::size_t>(i)];
    gap[k] = p_AB_A[k];
  }
  history_.held = true;
  history_.R_J1 = R_AB.transpose();
  history_.p_J1 = -(R_AB.transpose() * gap);
  set_held();
}

void GenericJoint::set_held() {
  site_.B = history_.held ? what_.J1.offset(rotation_.count() > 0 ? history_.R_J1 : Mat3(Mat3::Identity()),
                                            history_.p_J1)
                          : what_.J1;
}

void GenericJoint::restored() {
  set_held();
  if (what_.signals) what_.signals->set_readings(history_.signals);
}

Energy GenericJoint::energy(const LocalState& x) const {
  Energy e;
  if (rigid_ || rows() == 0) return e;
  RelativeMotion motion;
  relative(x, MotionLevel::jacobian, motion);
  RotationTerms terms;
  rotation_.evaluate(motion.R_AB, false, terms);
  const Vec6 w = wrench(x, terms);
  e.dissipated_power = site_.dissipated_power(x, motion.wrench_on_A(w), motion.wrench_on_B(w));
  return e;
}

}  // namespace trammel::generic_joint
