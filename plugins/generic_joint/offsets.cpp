#include "offsets.hpp"

#include <algorithm>
#include <cmath>

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
      set_sum(out.p_WM[i], out.compensation_W[i], out.p_WM[i], out.compensation_W[i], u.value);
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

// A time interval below this fraction of a step counts as an instant.
constexpr double instant = 1e-9;
// A difference above this fraction of its terms is examined for a jump.
constexpr double unsuspicious = 1e-6;

/// Where y jumps in (a, b], whose value and slope are read from jets of f.
template <double Jet::*value, double Jet::*slope>
std::optional<Jump> search(const Function& f, double a, double y_a, double b, double y_b, double span,
                           double small) {
  const double middle = 0.5 * (a + b), gauss = 0.5 * (b - a) / std::sqrt(3.0);
  const double s_1 = f.at(middle - gauss).*slope, s_2 = f.at(middle + gauss).*slope;
  const double left = y_b - y_a - 0.5 * (b - a) * (s_1 + s_2);
  const double size = std::abs(y_b - y_a) + 0.5 * (b - a) * (std::abs(s_1) + std::abs(s_2));
  if (std::abs(left) <= small + unsuspicious * size) return std::nullopt;
  if (b - a < instant * span || !(a < middle && middle < b)) return Jump{b, y_b - y_a};
  const double y = f.at(middle).*value;
  if (auto jump = search<value, slope>(f, a, y_a, middle, y, span, small)) return jump;
  return search<value, slope>(f, middle, y, b, y_b, span, small);
}

bool any_of(const std::array<FunctionPtr, 3>& functions) {
  return std::ranges::any_of(functions, [](const FunctionPtr& f) { return f != nullptr; });
}

}  // namespace

bool Offsets::any() const { return any_of(translation) || any_of(rotation); }

std::optional<Jump> find_jump(const Function& f, double from, double to, double small) {
  const double span = to - from, a = from + instant * span, b = to - instant * span;
  if (auto jump =
          search<&Jet::value, &Jet::first>(f, from, f.at(from).value, to, f.at(to).value, span, small))
    return jump;
  auto jump = search<&Jet::first, &Jet::second>(f, a, f.at(a).first, b, f.at(b).first, span, small / span);
  if (jump) jump->of_rate = true;
  return jump;
}

double rate_jump(const Function& f, double t, double h, double small) {
  const Jet before = f.at(t - instant * h), after = f.at(t + instant * h);
  const double jump = after.first - before.first;
  const double smooth = instant * h * (std::abs(before.second) + std::abs(after.second));
  const double size = std::abs(before.first) + std::abs(after.first);
  return std::abs(jump) > small / h + 10 * smooth + unsuspicious * size ? jump : 0;
}

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
