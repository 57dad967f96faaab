#include "contact_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "trammel/crossing.hpp"
#include "trammel/error.hpp"

namespace trammel::surface_contact {

namespace {

constexpr double ahead = 8;          // of the motion in a step: the distance of a walk
constexpr double least_walk = 1e-3;  // of the smaller shape's extent: the distance of a walk, at least
constexpr double most_walk = 0.5;    // likewise, at most
constexpr double touching =
    1e-9;  // of the smaller shape's extent: a gap that may be an error of the positions
constexpr double located = 1e-13;   // likewise: of the gap at the instant of a jump, where rounding allows it
constexpr double assembled = 1e-4;  // likewise: an open contact, of a model that is not assembled
constexpr double behind = 1e-3;  // of an overlap: how far behind the instant of contact a cut step is to end
constexpr double same_time = 1e-9;  // of a step: a cut that is as close to its end does not shorten it
constexpr double shortest = 1e-3;   // of the longest step: a part of a step that is not divided further
constexpr double room = 0.1;        // of the parameters' ranges, for a facing that is followed

/// A bound of how far points of the second shape lie from where they were [m].
double moved(const ShapePair& shapes, const RelativePlacement& from, const RelativePlacement& to) {
  return (to.p_AB_A - from.p_AB_A).norm() +
         (to.R_AB - from.R_AB).norm() / std::sqrt(2.0) * shapes.two().reach();
}

std::optional<Facing> near(const ShapePair& shapes, const RelativePlacement& at, const Facing& guess) {
  std::array<double, 4> within = shapes.ranges();
  for (double& x : within) x *= room;
  return shapes.near(at, guess.at, within);
}

/// The gap below which the sign of a gap means nothing [m]: rounding of the positions and of the time, and the error of the
/// positions, of which the gap at the contact point itself tells. `rate`: of the gap, in a second.
double rounding(const ShapePair& shapes, const RelativeMovement& now, const Facing& contact,
                const StepInfo& step, double rate) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const double reach = now.at.p_AB_A.norm() + shapes.one().reach() + shapes.two().reach();
  const double open = std::abs(contact.normal.dot(contact.point_2 - contact.point_1));
  const double most = touching * shapes.size();
  return std::min(most, std::max({located * shapes.size(), 8 * eps * reach, 4 * open,
                                  4 * eps * std::abs(step.end) * std::abs(rate)}));
}

std::string text(const Vec3& p) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", p.x(), p.y(), p.z()); }

}  // namespace

RelativeMovement RelativeMovement::of(const LocalState& x, const Marker& A, const Marker& B) {
  RelativeMotion motion;
  motion.evaluate(x, A, B, 0, MotionLevel::velocity);
  return {{motion.R_AB, motion.p_AB_A}, motion.twist.head<3>(), motion.twist.tail<3>()};
}

double RelativeMovement::gap_rate(const Facing& facing) const {
  const Vec3 arm = facing.point_2 - at.p_AB_A;
  return facing.normal.dot(velocity + (at.R_AB * angular_velocity).cross(arm));
}

void ContactSearch::walk(const ShapePair& shapes, const RelativeMovement& now, const Facing& contact,
                         double in_a_step) {
  std::optional<Facing> left;
  if (left_ >= 0) left = others_[static_cast<std::size_t>(left_)];
  walked_ = now.at;
  distance_ = std::clamp(ahead * in_a_step, least_walk * shapes.size(), most_walk * shapes.size());
  others_.push_back(contact);
  others_ = shapes.all(now.at, distance_, std::move(others_));
  std::erase_if(others_, [&](const Facing& f) { return shapes.same(f, contact); });
  left_ = -1;
  for (std::size_t i = 0; left && i < others_.size(); ++i)
    if (shapes.same(others_[i], *left)) left_ = static_cast<int>(i);
  ++walks_;
}

void ContactSearch::follow(const ShapePair& shapes, const RelativeMovement& now, const Facing& contact) {
  std::size_t kept = 0;
  int left = -1;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    const std::optional<Facing> next = near(shapes, now.at, others_[i]);
    if (!next || shapes.same(*next, contact)) continue;
    const bool twice = std::any_of(others_.begin(), others_.begin() + static_cast<std::ptrdiff_t>(kept),
                                   [&](const Facing& other) { return shapes.same(other, *next); });
    if (twice) continue;
    if (left_ == static_cast<int>(i)) left = static_cast<int>(kept);
    others_[kept++] = *next;
  }
  others_.resize(kept);
  left_ = left;
}

void ContactSearch::begin(const ShapePair& shapes, const RelativeMovement& now, const Facing& contact,
                          const Begin& how, const std::string& names) {
  if (how.why == Begin::Why::restore) return;
  last_ = now;
  next_ = -1;
  if (how.why == Begin::Why::restart && known_) return;
  // Not before the model is assembled.
  known_ = how.active && (contact.point_2 - contact.point_1).norm() < assembled * shapes.size();
  if (!known_) return;
  longest_ = 0;
  others_.clear();
  left_ = -1;
  walk(shapes, now, contact,
       how.step * (now.velocity.norm() + now.angular_velocity.norm() * shapes.two().reach()));
  for (const Facing& f : others_)
    if (f.gap < -touching * shapes.size())
      throw Error(fmt::format(
          "{} overlap by {:.6g} m at another place than their contact point, at {} in the axes of the "
          "first; correct the position, or give `near`",
          names, -f.gap, text(f.point_1)));
}

std::optional<Review> ContactSearch::review(const ShapePair& shapes, const RelativeMovement& now,
                                            const Facing& contact, const StepInfo& step,
                                            const std::string& names) {
  next_ = -1;
  if (!known_) return std::nullopt;
  follow(shapes, now, contact);
  if (moved(shapes, walked_, now.at) > distance_) walk(shapes, now, contact, moved(shapes, last_.at, now.at));
  std::optional<double> cut;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    double instant = 0;
    const Answer answer = judge(i, shapes, now, contact, step, names, instant);
    if (answer == Answer::jump) next_ = static_cast<int>(i);
    if (answer == Answer::cut) cut = std::min(cut.value_or(instant), instant);
  }
  if (left_ >= 0 && others_[static_cast<std::size_t>(left_)].gap > touching * shapes.size()) left_ = -1;
  if (cut) {
    next_ = -1;
    return Review::cut(*cut);
  }
  if (next_ < 0) return std::nullopt;
  return Review::switch_rows(step.end, RowStatus::active);
}

ContactSearch::Answer ContactSearch::judge(std::size_t i, const ShapePair& shapes,
                                           const RelativeMovement& now, const Facing& contact,
                                           const StepInfo& step, const std::string& names,
                                           double& instant) const {
  const Facing& f = others_[i];
  const double touch = touching * shapes.size(), longest = std::max(longest_, step.size());
  if (f.gap > touch) return Answer::none;
  const std::optional<Facing> before = near(shapes, last_.at, f);
  double rate = now.gap_rate(f);  // in statics of a load step, else a second
  if (step.in_statics) rate = before ? f.gap - before->gap : 0;
  const double per_second = step.in_statics ? rate / step.size() : rate;
  const double noise = rounding(shapes, now, contact, step, per_second);
  const double none = std::max(noise, 2 * same_time * step.size() * std::abs(per_second));
  if (f.gap > none) return Answer::none;
  const bool divisible = step.size() > shortest * longest;
  instant = step.start + 0.5 * step.size();
  if (!before) {
    // Newly there, and closed already: the instant at which it appeared lies inside the step.
    if (divisible) return Answer::cut;
    throw Error(
        fmt::format("{} overlap by {:.6g} m at a place that was no local minimum of the gap before, at "
                    "{} in the axes "
                    "of the first: the contact cannot go on there",
                    names, -f.gap, text(f.point_1)));
  }
  const bool touched = left_ == static_cast<int>(i) || before->gap <= noise;
  if (touched && f.gap >= -touch) {
    // It opens, or will by more than rounding.
    const bool may_win = left_ != static_cast<int>(i) && f.gap >= -none && rate < 0;
    return may_win ? Answer::jump : Answer::none;
  }
  if (touched) {
    // It opened, and closed again within the step.
    if (divisible && !step.in_statics && last_.gap_rate(*before) > 0) return Answer::cut;
    throw Error(fmt::format(
        "{} touch at two places at once, {} and {} in the axes of the first, and neither opens: this "
        "contact holds one of them; a second one needs a joint of its own",
        names, text(contact.point_1), text(f.point_1)));
  }
  if (f.gap >= -none) return rate < 0 ? Answer::jump : Answer::none;
  const double part = crossing({before->gap, last_.gap_rate(*before)}, {f.gap, rate},
                               -std::max(0.3 * none, behind * std::abs(f.gap)), step.size());
  instant = step.start + std::max(part, 1e-6) * step.size();
  return Answer::cut;
}

std::optional<Facing> ContactSearch::commit(const RelativeMovement& now, const Facing& contact,
                                            const StepInfo& step) {
  last_ = now;
  longest_ = std::max(longest_, step.size());
  if (next_ < 0) return std::nullopt;
  left_ = next_;
  Facing to = contact;
  std::swap(to, others_[static_cast<std::size_t>(next_)]);
  next_ = -1;
  ++jumps_;
  return to;
}

}  // namespace trammel::surface_contact
