#include "solvers/accuracy/undelayed_rate.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

/// 0 up to `none`, 1 from `full` on.
double ramp(double x, double none, double full) { return std::clamp((x - none) / (full - none), 0.0, 1.0); }

// Averages below this part of the last rates: vibrations prevail.
constexpr double vibrates = 0.3, smooth = 0.6;
// Standard deviation of the logarithms: 1 to 2 in motions of mechanisms, above 4 where bodies collide. And what a single one may
// differ by.
constexpr double varies = 2.5, collides = 4, changes = 4, jumps = 6;
// Averages over the rate, at most: of a motion that comes to rest the last errors vanish, and steps would be too long for its next
// start.
constexpr double most = 16;
// Weight of the means.
constexpr double unknown = 0.1, known = 0.3;

}  // namespace

double UndelayedRate::of(double averaged, double last, double h, double time) {
  trial_ = {};
  trust_ = 0;
  if (!(averaged > 0 && last > 0)) return averaged;
  const double square = h * h, a = std::log(averaged / square), b = std::log(last / square);
  if (!now_.begun) {
    trial_ = {true, a, b, 0, 0};
    return averaged;
  }
  const double share = std::min(1.0, h / time), difference = b - now_.last;
  trial_.begun = true;
  trial_.averaged = now_.averaged + share * (a - now_.averaged);
  trial_.last = now_.last + share * difference;
  trial_.scatter = now_.scatter + share * (difference * difference - now_.scatter);
  trial_.known = now_.known + share * (1 - now_.known);
  const double ratio = std::min(1.0, std::exp(trial_.averaged - trial_.last));
  trust_ = ramp(ratio, vibrates, smooth) * ramp(std::sqrt(trial_.scatter), collides, varies) *
           ramp(std::abs(difference), jumps, changes) * ramp(trial_.known, unknown, known);
  return std::pow(std::max(last * ratio, averaged / most), trust_) * std::pow(averaged, 1 - trust_);
}

}  // namespace trammel
