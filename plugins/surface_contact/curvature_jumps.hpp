#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "trammel/crossing.hpp"
#include "trammel/curve.hpp"
#include "trammel/joint.hpp"

namespace trammel::surface_contact {

/// Where the curvature of a curve jumps, and with it the acceleration of what slides there.
class CurvatureJumps {
 public:
  explicit CurvatureJumps(const Curve& curve);

  /// A step that crosses a jump is cut there, and the motion restarts, so that none is integrated across it. `longest`: of the
  /// steps so far [s].
  std::optional<Review> cut(const EndOfStep& before, const EndOfStep& after, const StepInfo& step,
                            double longest) const;

  std::size_t size() const { return at_.size(); }

 private:
  std::vector<double> at_;
  double period_ = 0;  ///< 0: the curve is open
};

/// What joints on curves remember: the parameters at the last accepted state.
template <std::size_t curves>
struct SlidingHistory : JointHistory {
  static constexpr int version = 2;

  bool known = false;
  double longest = 0;  ///< of the steps so far [s]
  std::array<EndOfStep, curves> last{};
  /// Parameters less coordinates: the coordinates are continuous where the contact point jumps.
  std::array<double, curves> shift{};

  void serialize(Archive& archive) {
    JointHistory::serialize(archive);
    archive(known, longest, last, shift);
  }
  void keep(const LocalState& x, int block, double step) {
    known = true;
    longest = std::max(longest, step);
    for (std::size_t i = 0; i < curves; ++i) last[i] = now(x, block, i);
  }
  EndOfStep now(const LocalState& x, int block, std::size_t i) const {
    return {x.value(block)[i] + shift[i], x.rate(block)[i]};
  }
  /// After an event the rates may be others.
  void take_rates(const LocalState& x, int block) {
    for (std::size_t i = 0; i < curves; ++i) last[i] = now(x, block, i);
  }
};

}  // namespace trammel::surface_contact
