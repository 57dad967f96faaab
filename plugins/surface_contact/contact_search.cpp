#include "contact_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "trammel/crossing.hpp"
#include "trammel/error.hpp"

namespace trammel::surface_contact {

namespace {

constexpr double ahead = 8;          // of the motion in a step: the distance of a walk
constexpr double least_walk = 1e-3;  // of the smaller shape's extent: the distance of a walk, at least
constexpr double most_walk = 0.5;    // likewise, at most
constexpr double closed = 1e-9;      // of the smaller shape's extent: a gap that counts as none
constexpr double assembled = 1e-4;   // likewise: an open contact, of a model that is not assembled
constexpr double behind = 1e-3;  // of an overlap: how far behind the instant of contact a cut step is to end
constexpr double room = 0.1;     // of the parameters' ranges, for a facing that is followed

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
  walked_ = now.at;
  distance_ = std::clamp(ahead * in_a_step, least_walk * shapes.size(), most_walk * shapes.size());
  others_ = shapes.all(now.at, distance_);
  std::erase_if(others_, [&](const Facing& f) { return shapes.same(f, contact); });
  ++walks_;
}

void ContactSearch::follow(const ShapePair& shapes, const RelativeMovement& now, const Facing& contact) {
  std::size_t kept = 0;
  for (const Facing& f : others_) {
    const std::optional<Facing> next = near(shapes, now.at, f);
    if (!next || shapes.same(*next, contact)) continue;
    const bool twice = std::any_of(others_.begin(), others_.begin() + static_cast<std::ptrdiff_t>(kept),
                                   [&](const Facing& other) { return shapes.same(other, *next); });
    if (!twice) others_[kept++] = *next;
  }
  others_.resize(kept);
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
  walk(shapes, now, contact,
       how.step * (now.velocity.norm() + now.angular_velocity.norm() * shapes.two().reach()));
  for (const Facing& f : others_)
    if (f.gap < -closed * shapes.size())
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
  if (moved(shapes, walked_, now.at) > distance_)
    walk(shapes, now, contact, moved(shapes, last_.at, now.at));
  else
    follow(shapes, now, contact);
  const double none = closed * shapes.size(), longest = std::max(longest_, step.size());
  std::optional<double> cut;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    const Facing& f = others_[i];
    if (f.gap > none) continue;
    const std::optional<Facing> before = near(shapes, last_.at, f);
    if (!before) {
      // Newly there, and closed already: the instant at which it appeared lies inside the step.
      if (step.size() <= 1e-3 * longest)
        throw Error(
            fmt::format("{} overlap by {:.6g} m at a place that was no local minimum of the gap before, at "
                        "{} in the axes "
                        "of the first: the contact cannot go on there",
                        names, -f.gap, text(f.point_1)));
      const double middle = step.start + 0.5 * step.size();
      cut = std::min(cut.value_or(middle), middle);
      continue;
    }
    const double rate = step.in_statics ? f.gap - before->gap : now.gap_rate(f);
    if (f.gap >= -none && rate >= 0) continue;  // it opens
    if (before->gap <= none && f.gap < -none)
      throw Error(fmt::format(
          "{} touch at two places at once, {} and {} in the axes of the first, and neither opens: this "
          "contact holds one of them; a second one needs a joint of its own",
          names, text(contact.point_1), text(f.point_1)));
    if (f.gap >= -none) {
      next_ = static_cast<int>(i);
      continue;
    }
    const double part = crossing({before->gap, last_.gap_rate(*before)}, {f.gap, rate},
                                 -std::max(0.3 * none, behind * std::abs(f.gap)), step.size());
    const double instant = step.start + std::max(part, 1e-6) * step.size();
    cut = std::min(cut.value_or(instant), instant);
  }
  if (cut) {
    next_ = -1;
    return Review::cut(*cut);
  }
  if (next_ < 0) return std::nullopt;
  return Review::switch_rows(step.end, RowStatus::active);
}

std::optional<Facing> ContactSearch::commit(const RelativeMovement& now, const Facing& contact,
                                            const StepInfo& step) {
  last_ = now;
  longest_ = std::max(longest_, step.size());
  if (next_ < 0) return std::nullopt;
  Facing to = contact;
  std::swap(to, others_[static_cast<std::size_t>(next_)]);
  next_ = -1;
  ++jumps_;
  return to;
}

}  // namespace trammel::surface_contact
