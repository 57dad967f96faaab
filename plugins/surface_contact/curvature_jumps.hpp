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
  bool known = false;
  double longest = 0;  ///< of the steps so far [s]
  std::array<EndOfStep, curves> last{};

  void serialize(Archive& archive) {
    JointHistory::serialize(archive);
    archive(known, longest, last);
  }
  void keep(const LocalState& x, int block, double step) {
    known = true;
    longest = std::max(longest, step);
    for (std::size_t i = 0; i < curves; ++i) last[i] = now(x, block, i);
  }
  static EndOfStep now(const LocalState& x, int block, std::size_t i) {
    return {x.value(block)[i], x.rate(block)[i]};
  }
};

}  // namespace trammel::surface_contact
