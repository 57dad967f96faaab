#include "solvers/constraints/correction_contraction.hpp"

#include <algorithm>
#include <cmath>

namespace trammel {

namespace {

// A new approximate matrix is looked at again after so many; until then it is assumed to leave at most this times what was seen.
constexpr int most_unseen = 8;
constexpr double margin_of_new = 2, least_of_new = 1e-3;
// A change by rounding errors that is more than this part of the one before makes no progress.
constexpr double no_progress = 0.5;

}  // namespace

void CorrectionContraction::renew(bool approximate, bool in_part) {
  for (AgeingContraction* its : observed()) its->renew();
  new_ = true;
  approximate_ = approximate;
  in_part_ = in_part;
  solves_ = 0;
  ++seen_of_new().unseen;
}

void CorrectionContraction::keep() {
  new_ = false;
  solves_ = 0;
}

void CorrectionContraction::step() {
  for (AgeingContraction* its : observed()) its->step();
}

void CorrectionContraction::forget() {
  for (AgeingContraction* its : observed()) its->forget();
  of_new_ = {};
}

void CorrectionContraction::solved(const Change& change) {
  before_ = last_;
  last_ = change;
  if (++solves_ > 1) observe();
}

double CorrectionContraction::seen() const { return before_.all > 0 ? last_.all / before_.all : 1; }

double CorrectionContraction::seen_of_velocities() const {
  return before_.velocities > 0 ? last_.velocities / before_.velocities : 1;
}

void CorrectionContraction::observe() {
  const bool of_noise = last_.is_noise && before_.is_noise;
  if (new_) {
    if (!approximate_ || solves_ > 2 || of_noise || (last_.is_noise && seen() > no_progress)) return;
    OfNew& its = seen_of_new();
    its = {std::max(seen(), its.left < 1 ? its.left / 2 : 0.0), 0};
    return;
  }
  // Where rounding errors are left, errors of the matrix are no larger.
  const auto see = [&](AgeingContraction& its, double contraction, bool bound) {
    if (of_noise) return its.confirm();
    if (last_.is_noise && bound) return its.observe_at_most(contraction);
    its.observe(contraction);
  };
  if (!last_.is_noise) further_.forget();  // what was seen last counts
  see(further_, std::min(seen(), seen_of_velocities()), true);
  if (solves_ > 2) return see(later_, seen(), true);
  see(first_, seen(), false);
  see(by_accelerations_, before_.accelerations > 0 ? last_.all / before_.accelerations : 1, false);
}

double CorrectionContraction::of_new() const {
  if (!approximate_) return 0;
  const OfNew& its = of_new_[in_part_ ? 1 : 0];
  return its.left < 1 && its.unseen < most_unseen ? std::clamp(margin_of_new * its.left, least_of_new, 1.0)
                                                  : 1;
}

double CorrectionContraction::left() const {
  const double of_velocities = last_.velocities_are_noise ? 0 : seen_of_velocities();
  if (solves_ > 2) return std::max(seen(), of_velocities);
  if (new_) return solves_ > 1 ? seen() : of_new();
  const double least = of_new() < 1 ? of_new() : 0;
  if (solves_ > 1)
    return std::max(of_velocities, later_.is_known() ? std::max(least, later_.estimate()) : seen());
  const double part = last_.all > 0 ? last_.accelerations / last_.all : 0;
  const double mixed = by_accelerations_.is_known() ? part * by_accelerations_.most() : 0;
  return std::max({least, first_.estimate(), mixed});
}

double CorrectionContraction::likely() const {
  if (solves_ > 2) return seen();
  if (new_) return solves_ > 1 ? seen() : of_new();
  if (solves_ > 1) return later_.is_known() ? later_.likely() : seen();
  return first_.likely();
}

double CorrectionContraction::later() const {
  const double now = std::min(seen(), seen_of_velocities());
  if (solves_ > 2) return now;
  if (new_) return solves_ > 1 ? now : of_new();
  if (solves_ > 1) return std::min(now, later_.likely());
  return std::min(further_.likely(), (later_.is_known() ? later_ : first_).likely());
}

double CorrectionContraction::left_after(int further, double least) const {
  return std::max(likely(), least) * std::pow(std::max(later(), least), further);
}

bool CorrectionContraction::stalls() const {
  return solves_ > 1 ? last_.is_noise && seen() > no_progress
                     : last_.is_noise_of_forces && left() <= no_progress;
}

bool CorrectionContraction::is_hidden() const { return last_.is_noise && left() > no_progress / 2; }

}  // namespace trammel
