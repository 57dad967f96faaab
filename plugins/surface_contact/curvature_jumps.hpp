#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "trammel/crossing.hpp"
#include "trammel/curve.hpp"
#include "trammel/joint.hpp"
#include "trammel/surface.hpp"

namespace trammel::surface_contact {

/// The parameters at which the curvature of a curve or a surface jumps. The acceleration of a point that slides along it jumps there
/// too.
class CurvatureJumps {
 public:
  explicit CurvatureJumps(const Curve& curve);
  /// Those of u (`direction` 0) or v (1) of a surface, among the borders of its patches.
  CurvatureJumps(const Surface& surface, int direction);

  /// Ends a step that crosses a jump at the jump, where the motion restarts, so that no step integrates across it. `longest`:
  /// the longest step so far [s].
  std::optional<Review> cut(const EndOfStep& before, const EndOfStep& after, const StepInfo& step,
                            double longest) const;

  std::size_t size() const { return at_.size(); }

 private:
  std::vector<double> at_;
  double range_ = 0;   ///< of the parameter
  double period_ = 0;  ///< 0: the curve is open
};

/// The parameters of a contact at the last accepted state, while they may cross jumps of curvature.
template <std::size_t parameters>
struct Crossings {
  bool known = false;
  double longest = 0;  ///< the longest step so far [s]
  std::array<EndOfStep, parameters> last{};

  void serialize(Archive& archive) { archive(known, longest, last); }
  void keep(const std::array<EndOfStep, parameters>& now, double step) {
    known = true;
    longest = std::max(longest, step);
    last = now;
  }
  /// As CurvatureJumps::cut, for the first of the parameters that asks for it.
  std::optional<Review> cut(const std::array<CurvatureJumps, parameters>& jumps,
                            const std::array<EndOfStep, parameters>& now, const StepInfo& step) const {
    if (!known) return std::nullopt;
    for (std::size_t i = 0; i < parameters; ++i)
      if (const auto review = jumps[i].cut(last[i], now[i], step, longest)) return review;
    return std::nullopt;
  }
};
using SurfaceCrossings = Crossings<4>;

/// Whether any of these parameters crosses a jump somewhere.
template <std::size_t parameters>
bool any_jumps(const std::array<CurvatureJumps, parameters>& jumps) {
  return std::ranges::any_of(jumps, [](const CurvatureJumps& j) { return j.size() > 0; });
}

/// The history of joints on curves: the parameters at the last accepted state.
template <std::size_t curves>
struct SlidingHistory : JointHistory {
  static constexpr int version = 2;

  bool known = false;
  double longest = 0;  ///< the longest step so far [s]
  std::array<EndOfStep, curves> last{};
  /// Parameters minus coordinates. A jump of the contact point changes the parameters, but not the coordinates.
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
  /// Stores the rates after an event, which may have changed them.
  void take_rates(const LocalState& x, int block) {
    for (std::size_t i = 0; i < curves; ++i) last[i] = now(x, block, i);
  }
};

}  // namespace trammel::surface_contact
