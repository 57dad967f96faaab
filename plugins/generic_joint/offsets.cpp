#include "offsets.hpp"

#include <algorithm>

#include "trammel/error.hpp"
#include "trammel/moving_marker.hpp"

namespace trammel::generic_joint {

namespace {

/// A marker whose origin is that of its base and a vector of time in world axes.
class ShiftedInWorld final : public MarkerShape {
 public:
  ShiftedInWorld(Marker base, const std::array<FunctionPtr, 3>& shift)
      : base_(std::move(base)), shift_(shift) {}

  std::vector<BlockId> blocks() const override { return base_.blocks(); }
  std::vector<int> block_sizes() const override { return base_.block_sizes(); }

  void evaluate(const LocalState& x, int first, MotionLevel level, MarkerMotion& out) const override {
    base_.evaluate(x, first, level, out);
    for (int i = 0; i < 3; ++i) {
      const FunctionPtr& f = shift_[static_cast<std::size_t>(i)];
      if (!f) continue;
      const Jet u = f->motion_at(x.time());
      out.p_WM[i] += u.value;
      if (level >= MotionLevel::velocity) out.twist[i] += u.first;
      if (level >= MotionLevel::full) out.bias[i] += u.second;
    }
  }

  void add_second_order(const LocalState& x, int first, const MarkerMotion& motion, const Vec6& w,
                        Eigen::Ref<Eigen::MatrixXd> K) const override {
    MarkerMotion base = motion;
    base_.evaluate(x, first, MotionLevel::jacobian, base);
    base_.add_second_order(x, first, base, w, K);
  }

 private:
  Marker base_;
  std::array<FunctionPtr, 3> shift_;
};

bool any_of(const std::array<FunctionPtr, 3>& functions) {
  return std::ranges::any_of(functions, [](const FunctionPtr& f) { return f != nullptr; });
}

}  // namespace

bool Offsets::any() const { return any_of(translation) || any_of(rotation); }

Marker offset_frame(const Marker& J0, const LockedAxes& axes, const Offsets& offsets) {
  for (const auto* functions : {&offsets.translation, &offsets.rotation})
    for (const FunctionPtr& f : *functions)
      if (f && !f->depends_on_time_only())
        throw Error(f->where(), "the offset '" + f->text() + "' reads the signal '" + f->signals().front() +
                                    "', but only a function of time is allowed here");
  Marker frame = J0;
  const bool moves = any_of(offsets.translation);
  if (moves && axes.all_translations())
    frame = Marker::on_shape(std::make_shared<ShiftedInWorld>(frame, offsets.translation)).named(J0.name());
  for (int i = 0; i < 3; ++i) {
    RotationLaw turn;
    turn.axis = Vec3::Unit(i);
    turn.angle = offsets.rotation[static_cast<std::size_t>(i)];
    if (turn.angle) frame = moving_marker(frame, {}, turn);
  }
  if (moves && !axes.all_translations()) frame = moving_marker(frame, offsets.translation, {});
  return frame;
}

}  // namespace trammel::generic_joint
