// Where the slider goes: from host to host, and at the ends of its track.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "slider.hpp"

namespace trammel::beam_sliding {

namespace {

// Steps for which the pieces in the stencil ahead of a slider shall suffice: a change of the pattern costs what a few steps do, a wider
// stencil a little in each factorization.
constexpr double steps_ahead = 50;

// How far from an end with a stop a step may end that was cut to it, in steps: short of it, where the next one would begin with a
// kink in its force, and behind it, where `cut_at` takes a thousandth for nothing.
constexpr double short_of_end = 1e-4, after_end = 2e-3;
// A jump of strain at an end, which velocities jump with.
constexpr double visible_corner = 1e-7;

}  // namespace

void Slider::go_to(int host, int beyond) {
  now_.beyond = beyond;
  if (host == now_.host) return;
  now_.host = host;
  host_ = host_of(*law_->track, host);
  memory_.forget();
}

int Slider::pieces_ahead(double rate, const StepInfo& step) const {
  const double way = steps_ahead * std::abs(rate) * (step.end - step.start);
  const double pieces = std::ceil(way / (host_.s_2 - host_.s_1));
  return static_cast<int>(std::clamp(pieces, 1.0, static_cast<double>(law_->reserve)));
}

void Slider::take_window(int first, int last) {
  now_.first_piece = std::max(first, 0);
  now_.last_piece = std::min(last, law_->track->pieces() - 1);
  first_node_ = law_->track->piece(now_.first_piece).node;
}

void Slider::restored() {
  memory_.forget();
  host_ = host_of(*law_->track, now_.host);
  first_node_ = law_->track->piece(now_.first_piece).node;
}

void Slider::require_alone(const SliderLaw::Other& other, double s, double s_other) const {
  if ((!other.turns && !law_->rotates()) || now_.beyond != 0) return;
  const Track::Piece& host = law_->track->piece(now_.host);
  const double at = s_other + other.shift;
  if (at < other.from || at > other.to || at < host.s_first || at > host.s_last) return;
  throw Error(fmt::format(
      "the sliders '{}' (s = {:.6g} m) and '{}' (s = {:.6g} m) stand on one element of their beam, "
      "and one of them holds rotations: they are {:.6g} m apart, and the element is {:.6g} m long; take "
      "elements "
      "shorter than the least distance between the two, or keep them farther apart (they cannot pass)",
      law_->name, s, other.name, s_other, std::abs(at - s), host.s_last - host.s_first));
}

Review Slider::review_end(const EndOfStep& now, const StepInfo& step) const {
  const double length = law_->track->length(), s = now.value;
  const double end = s < 0 ? 0 : length;
  if (law_->at_end == AtEnd::error)
    throw Error(
        fmt::format("the slider runs off the {} of its beam (s = {:.6g} m of {:.6g}); "
                    "give `ends: stop` or `ends: inactive`, or a longer beam",
                    s < 0 ? "start" : "end", s, length));
  return leave_at(now_.last, now, end, step);
}

std::optional<Review> Slider::meet_stops(const EndOfStep& now, const StepInfo& step) const {
  if (law_->at_end != AtEnd::stop) return std::nullopt;
  for (const int end : {-1, 1}) {
    // Behind an end that it has just passed the slider may lie a little on the other side still.
    const double bound = end > 0 ? law_->track->length() : 0;
    const bool outside = now_.beyond_before == end;
    if (((now_.last.value - bound) * end > 0) == outside)
      if (auto cut = cut_at(now_.last, now, bound, step)) return cut;
  }
  return std::nullopt;
}

std::optional<int> Slider::beyond_after(const EndOfStep& now, const StepInfo& step) const {
  const double way = now.rate * (step.end - step.start);
  const int last = law_->track->pieces() - 1;
  if (law_->at_end != AtEnd::stop || way == 0) return std::nullopt;
  for (const int end : {-1, 1}) {
    if (now_.host != (end > 0 ? last : 0)) continue;
    const double past = (now.value - (end > 0 ? law_->track->length() : 0)) / way;
    if (past >= -short_of_end && past <= after_end) return way * end > 0 ? end : 0;
  }
  return std::nullopt;
}

bool Slider::turns_a_corner(const LocalState& x, int beyond) const {
  MarkerMotion slider;
  law_->slider.evaluate(x, slider_block(), MotionLevel::pose, slider);
  const SplitHostElement<double>& host = host_at(x, slider);
  SplitHostElement<double> other = host;
  other.beyond = beyond;
  other.solve();
  const Vec6 e = other.near_strain() - host.near_strain();
  return e.head<3>().norm() + (host_.s_2 - host_.s_1) * e.tail<3>().norm() > visible_corner;
}

void Slider::require_whole(const LocalState& x) const {
  const Track& track = *law_->track;
  const auto [from, to] = std::minmax(now_.host_before, now_.host);
  for (int p = from; p < to; ++p) {
    const int end = track.piece(p).node + 1, start = track.piece(p + 1).node;
    if (start == end) continue;
    const int a = node_block(end), b = node_block(start);
    const double gap = (x.position(b) - x.position(a)).norm();
    const Corner corner(x.rotation(a + 1), x.rotation(b + 1));
    const double turn = law_->rotates() ? corner.turn : corner.bend;
    if (gap <= whole_tolerance * track.length() && turn <= corner_tolerance) continue;
    throw Error(fmt::format(
        "at s = {:.6g} m the slider passes from one beam to the next, which is {:.3g} m away and turned by "
        "{:.3g} degrees; a joint of type `fixed` holds beams together",
        track.piece(p).s_last, gap, turn * 180 / std::numbers::pi));
  }
}

Review Slider::review(const LocalState& x, const StepInfo& step) {
  const Track& track = *law_->track;
  const double s = x.value(0)[0], slack = 1e-7 * track.length();
  if (law_->at_end != AtEnd::stop && (s < -slack || s > track.length() + slack))
    return review_end({s, x.rate(0)[0]}, step);
  const auto inside = [&track](double at) { return std::min(at, track.length() - at); };
  if (law_->at_end == AtEnd::inactive && inside(s) <= slack && inside(now_.last.value) > slack)
    return Review::switch_rows(step.end, RowStatus::inactive);
  if (const auto cut = meet_stops({s, x.rate(0)[0]}, step)) return *cut;
  const std::optional<int> next = beyond_after({s, x.rate(0)[0]}, step);
  if (next && *next != now_.beyond) {
    if (turns_a_corner(x, *next)) return Review::cut(step.end);  // `commit` changes the equations
    now_.beyond = *next;
  }

  // Where a stop lets the slider go on, what lies beyond an end counts as a piece too.
  const int wanted = track.piece_at(s), here = now_.host + now_.beyond;
  const int side = law_->at_end == AtEnd::stop ? (s > track.length() ? 1 : 0) - (s < 0 ? 1 : 0) : 0;
  // A host may be left in one direction only within a step: what lies a little beyond it is accepted rather than
  // going to and fro between two pieces.
  const int ahead = wanted + side > here ? 1 : -1;
  const double first = here < 0                ? -HUGE_VAL
                       : here < track.pieces() ? track.piece(here).s_first
                                               : track.length();
  const double last = here < 0 ? 0 : here < track.pieces() ? track.piece(here).s_last : HUGE_VAL;
  const double outside = std::max(s - last, first - s);
  if (!next && wanted + side != here && outside > 1e-13 * track.length() && now_.heading != -ahead) {
    now_.heading = ahead;
    go_to(wanted, side);
    if (wanted >= now_.first_piece && wanted <= now_.last_piece) {
      require_whole(x);
      return Review::changed();
    }
    // The host of the last commit stays inside: the step may be rejected.
    const int more = pieces_ahead(x.rate(0)[0], step);
    if (ahead > 0)
      take_window(std::min(now_.host_before, wanted - 1), wanted + more);
    else
      take_window(wanted - more, std::max(now_.host_before, wanted + 1));
    return Review::move(stencil(), true);
  }
  require_whole(x);
  for (std::size_t i = 0; i < law_->others.size(); ++i)
    require_alone(law_->others[i], s, x.value(other_block() + static_cast<int>(i))[0]);
  if (!law_->rotates()) return Review::keep();
  MarkerMotion slider;
  law_->slider.evaluate(x, slider_block(), MotionLevel::pose, slider);
  const Mat3 Q = so3::exp(Vec3(-turn(x), 0, 0)) * host_at(x, slider).X_WC().R.transpose() * slider.R_WM;
  return now_.branch.review(Q.trace() > 1, step);
}

void Slider::begin(const LocalState& x, const Begin&) { now_.last = {x.value(0)[0], x.rate(0)[0]}; }

void Slider::commit(const LocalState& x, const StepInfo& step) {
  if (step.active) {
    now_.beyond = beyond_after({x.value(0)[0], x.rate(0)[0]}, step).value_or(now_.beyond);
    MarkerMotion slider;
    law_->slider.evaluate(x, slider_block(), MotionLevel::pose, slider);
    try {
      now_.start = host_at(x, slider).found();
    } catch (const RejectStep&) {
      now_.start = {};  // what follows says so at its place
    }
    memory_.found = false;  // what is found does not depend on what was asked before
    now_.branch.commit();
  }
  now_.host_before = now_.host;
  now_.beyond_before = now_.beyond;
  now_.heading = 0;
  now_.last = {x.value(0)[0], x.rate(0)[0]};
}

}  // namespace trammel::beam_sliding
