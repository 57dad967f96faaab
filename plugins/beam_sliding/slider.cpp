#include "slider.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

namespace trammel::beam_sliding {

namespace {

using Complex = std::complex<double>;
using C = Columns;

Vec6 body_twist(const Mat3& R, const LocalState& x, int block) {
  Vec6 twist;
  twist << R.transpose() * x.velocity(block), x.velocity(block + 1);
  return twist;
}

/// R (1 + i w~).
Mat3T<Complex> turning(const Mat3& R, const Vec3& w) {
  Mat3T<Complex> out;
  out.real() = R;
  out.imag() = R * skew(w);
  return out;
}

constexpr double tiny = 1e-30;  // a complex step: no difference is taken, so there is no rounding

// Pieces in the stencil ahead of a slider whose step is not known yet, and steps for which they shall suffice afterwards: a
// revision costs what a few steps do, a wider stencil a little in each factorization.
constexpr int ahead_at_start = 2;
constexpr double steps_ahead = 50;

// How far from an end with a stop a step may end that was cut to it, in steps: short of it, where the next one would begin with a
// kink in its force, and behind it, where `cut_at` takes a thousandth for nothing.
constexpr double short_of_end = 1e-4, behind_end = 2e-3;
// A jump of strain at an end, which velocities jump with.
constexpr double visible_corner = 1e-7;

HostElement host_of(const Track& track, int piece) {
  const Track::Piece& p = track.piece(piece);
  return {*p.law, p.s_first, p.s_last};
}

}  // namespace

Slider::Slider(std::shared_ptr<const SliderLaw> law, double s, bool forward)
    : law_(std::move(law)),
      slider_blocks_(law_->slider.block_count()),
      host_(host_of(*law_->track, law_->track->piece_at(s))),
      last_{s, 0} {
  int next = 1;
  if (law_->has_angle()) places_.angle = next++;
  places_.slider = next;
  for (const int size : law_->slider.block_sizes()) next += size;
  places_.force = next;
  next += 3;
  if (law_->rotates()) {
    places_.moment = next;
    next += 3;
  }
  places_.nodes = next + static_cast<int>(law_->others.size());
  now_.host = committed_.host = law_->track->piece_at(s);
  const int ahead = std::min(law_->reserve, ahead_at_start);
  if (forward)
    take_window(now_.host - 1, now_.host + ahead);
  else
    take_window(now_.host - ahead, now_.host + 1);
}

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
  first_piece_ = std::max(first, 0);
  last_piece_ = std::min(last, law_->track->pieces() - 1);
  first_node_ = law_->track->piece(first_piece_).node;
}

std::vector<BlockId> Slider::window_blocks() const {
  std::vector<BlockId> blocks;
  for (int k = first_node_; k <= law_->track->piece(last_piece_).node + 1; ++k) {
    blocks.push_back(law_->track->node(k).position);
    blocks.push_back(law_->track->node(k).rotation);
  }
  return blocks;
}

std::vector<BlockId> Slider::stencil() const {
  std::vector<BlockId> all = fixed_;
  const std::vector<BlockId> window = window_blocks();
  all.insert(all.end(), window.begin(), window.end());
  return all;
}

int Slider::node_block(int node) const {
  return other_block() + static_cast<int>(law_->others.size()) + 2 * (node - first_node_);
}

bool Slider::couples(int row, int column) const {
  const int nodes = node_block(first_node_), others = other_block();
  if ((row >= others && row < nodes) || (column >= others && column < nodes)) return false;
  if (row < nodes || column < nodes) return true;
  return std::abs((row - nodes) / 2 - (column - nodes) / 2) <= 1;
}

double Slider::turn(const LocalState& x) const {
  if (law_->has_angle()) return x.value(angle_block())[0];
  return law_->turn_by_s * (x.value(0)[0] - law_->s_start);
}

double Slider::turn_rate(const LocalState& x) const {
  return law_->has_angle() ? x.rate(angle_block())[0] : law_->turn_by_s * x.rate(0)[0];
}

double Slider::stop_depth(double s) const {
  if (law_->at_end != AtEnd::stop) return 0;
  return std::max(s - law_->track->length(), 0.0) + std::min(s, 0.0);
}

const SplitHost<double>& Slider::host_at(const LocalState& x, const MarkerMotion& slider) const {
  if (!memory_.host) memory_.host.emplace(host_);
  SplitHost<double>& host = *memory_.host;
  bool same = memory_.found;
  const auto set = [&same](auto& to, const auto& from) {
    same = same && to == from;
    to = from;
  };
  const int k = node_block(law_->track->piece(now_.host).node);
  set(host.X_1.R, x.rotation(k + 1));
  set(host.X_1.p, x.position(k));
  set(host.X_2.R, x.rotation(k + 3));
  set(host.X_2.p, x.position(k + 2));
  set(host.remainder_1, x.remainder(k));
  set(host.remainder_2, x.remainder(k + 2));
  set(host.s, x.value(0)[0]);
  set(host.beyond, now_.beyond);
  set(host.force, Eigen::Map<const Vec3>(x.value(force_block())));
  host.p_WB = slider.p_WM;
  host.remainder_B = slider.remainder_W;
  host.rotates = law_->rotates();
  if (host.rotates) {
    set(host.turn, turn(x));
    set(host.R_WB, slider.R_WM);
    set(host.moment, Eigen::Map<const Vec3>(x.value(force_block() + 1)));
  }
  if (same) return host;
  memory_.found = false;
  host.solve(now_.host == committed_.host ? start_ : HostStart());
  memory_.found = true;
  return host;
}

void Slider::evaluate_left(const LocalState& x, LocalSystem& out) const {
  // Nothing holds the slider any more; its own unknowns keep their values.
  const double hold = law_->track->piece(0).law->stiffness(0, 0) / law_->track->length();
  const int n = law_->rotates() ? 6 : 3;
  auto r = out.residual();
  r[0] = hold * (x.value(0)[0] - now_.s_left);
  r.segment<3>(places_.force) = Eigen::Map<const Vec3>(x.value(force_block()));
  if (law_->rotates()) r.segment<3>(places_.moment) = Eigen::Map<const Vec3>(x.value(force_block() + 1));
  if (law_->has_angle()) r[places_.angle] = hold * x.rate(angle_block())[0];
  // B a + bias stands for the equation at acceleration level, which is lambda = 0 here.
  if (out.request.bias) {
    out.bias().segment<3>(places_.force) = r.segment<3>(places_.force);
    if (law_->rotates()) out.bias().segment<3>(places_.moment) = r.segment<3>(places_.moment);
  }
  if (!out.request.tangent) return;
  auto K = out.K();
  K(0, 0) = hold;
  K.block(places_.force, places_.force, n, n).setIdentity();
  if (law_->has_angle()) out.D()(places_.angle, places_.angle) = hold;
}

void Slider::evaluate(const LocalState& x, LocalSystem& out) const {
  if (now_.left) {
    evaluate_left(x, out);
    return;
  }
  const Request& request = out.request;
  const bool full = request.bias || (request.rates && request.tangent);
  MarkerMotion slider;
  law_->slider.evaluate(x, slider_block(),
                        full            ? MotionLevel::full
                        : request.rates ? MotionLevel::velocity
                                        : MotionLevel::jacobian,
                        slider);
  const SplitHost<double>& host = host_at(x, slider);
  const SplitHost<double>::Vector share = host.residual();

  auto r = out.residual();
  const int n = node_row(law_->track->piece(now_.host).node);
  r.segment<3>(n) += host.X_1.R * share.segment<3>(C::node_1);
  r.segment<3>(n + 3) += share.segment<3>(C::node_1 + 3);
  r.segment<3>(n + 6) += host.X_2.R * share.segment<3>(C::node_2);
  r.segment<3>(n + 9) += share.segment<3>(C::node_2 + 3);
  r[0] += share[C::s] + law_->turn_by_s * share[C::turn] + law_->stop_stiffness * stop_depth(host.s);
  if (law_->has_angle()) r[places_.angle] += share[C::turn];
  r.segment(places_.slider, slider.dofs) += slider.J.transpose() * share.segment<6>(C::slider);
  r.segment<3>(places_.force) += share.segment<3>(C::multipliers);
  if (law_->rotates()) r.segment<3>(places_.moment) += share.segment<3>(C::multipliers + 3);

  if (request.tangent) fill_tangent(x, host, share, slider, out);
  if (request.rates || request.bias) fill_rates(x, host, slider, out);
}

void Slider::fill_tangent(const LocalState& x, const SplitHost<double>& host,
                          const SplitHost<double>::Vector& share, const MarkerMotion& slider,
                          LocalSystem& out) const {
  SplitHost<double>::Matrix M = host.tangent();
  for (const auto& [at, R] :
       {std::pair(int{C::node_1}, &host.X_1.R), std::pair(int{C::node_2}, &host.X_2.R)}) {
    M.middleRows<3>(at) = (*R * M.middleRows<3>(at)).eval();
    M.middleCols<3>(at) = (M.middleCols<3>(at) * R->transpose()).eval();
    // The world's components of the force turn with the node.
    M.block<3, 3>(at, at + 3) -= *R * skew(Vec3(share.segment<3>(at)));
  }
  if (law_->turn_by_s != 0) {
    M.row(C::s) += law_->turn_by_s * M.row(C::turn);
    M.col(C::s) += law_->turn_by_s * M.col(C::turn);
  }
  if (stop_depth(host.s) != 0) M(C::s, C::s) += law_->stop_stiffness;

  struct Part {
    int from, to, size;
  };
  std::array<Part, 5> parts{Part{C::node_1, node_row(law_->track->piece(now_.host).node), 12},
                            Part{C::s, 0, 1}, Part{C::multipliers, places_.force, 3}};
  std::size_t count = 3;
  if (law_->has_angle()) parts[count++] = {C::turn, places_.angle, 1};
  if (law_->rotates()) parts[count++] = {C::multipliers + 3, places_.moment, 3};

  auto K = out.K();
  const auto J = slider.J.leftCols(slider.dofs);
  for (std::size_t i = 0; i < count; ++i) {
    const Part& row = parts[i];
    for (std::size_t j = 0; j < count; ++j)
      K.block(row.to, parts[j].to, row.size, parts[j].size) +=
          M.block(row.from, parts[j].from, row.size, parts[j].size);
    K.block(row.to, places_.slider, row.size, slider.dofs) +=
        M.block<Eigen::Dynamic, 6>(row.from, C::slider, row.size, 6) * J;
    K.block(places_.slider, row.to, slider.dofs, row.size) +=
        J.transpose() * M.block<6, Eigen::Dynamic>(C::slider, row.from, 6, row.size);
  }
  auto own = K.block(places_.slider, places_.slider, slider.dofs, slider.dofs);
  own += J.transpose() * (M.block<6, 6>(C::slider, C::slider) * J);
  law_->slider.add_second_order(x, slider_block(), slider, share.segment<6>(C::slider), own);
}

void Slider::fill_rates(const LocalState& x, const SplitHost<double>& host, const MarkerMotion& slider,
                        LocalSystem& out) const {
  using Gradient = Eigen::Matrix<double, 6, 20>;
  const Track::Piece& piece = law_->track->piece(now_.host);
  const int k = node_block(piece.node), rows = law_->rotates() ? 6 : 3;
  Eigen::Matrix<double, 20, 1> v;
  v << body_twist(host.X_1.R, x, k), body_twist(host.X_2.R, x, k + 2), x.rate(0)[0],
      host.rotates ? turn_rate(x) : 0.0, slider.twist;
  Gradient B, strain;
  host.constraint_gradient(B, strain);
  if (out.request.rates) out.rate().segment(places_.force, rows) += (B * v).head(rows);
  if (!out.request.bias && !out.request.tangent) return;

  // The derivative of B along v, e_a moving along.
  SplitHost<Complex> moving(host_);
  moving.X_1.R = turning(host.X_1.R, tiny * v.segment<3>(3));
  moving.X_1.p.real() = host.X_1.p;
  moving.X_1.p.imag() = tiny * x.velocity(k);
  moving.X_2.R = turning(host.X_2.R, tiny * v.segment<3>(9));
  moving.X_2.p.real() = host.X_2.p;
  moving.X_2.p.imag() = tiny * x.velocity(k + 2);
  moving.remainder_1 = host.remainder_1;
  moving.remainder_2 = host.remainder_2;
  moving.s = Complex(host.s, tiny * v[C::s]);
  moving.turn = Complex(host.turn, tiny * v[C::turn]);
  moving.R_WB = turning(host.R_WB, tiny * v.segment<3>(C::slider + 3));
  moving.p_WB.real() = host.p_WB;
  moving.p_WB.imag() = tiny * v.segment<3>(C::slider);
  moving.force = host.force.cast<Complex>();
  moving.moment = host.moment.cast<Complex>();
  moving.rotates = host.rotates;
  moving.beyond = host.beyond;
  Vec6T<Complex> e_a;
  e_a.real() = host.near_strain();
  e_a.imag() = tiny * (strain * v);
  moving.take(host, e_a);
  Eigen::Matrix<Complex, 6, 20> B_moving, strain_moving;
  moving.constraint_gradient(B_moving, strain_moving);
  const Gradient B_rate = B_moving.imag() / tiny;

  if (out.request.bias) {
    Eigen::Matrix<double, 20, 1> v_rate = Eigen::Matrix<double, 20, 1>::Zero();
    v_rate.segment<3>(0) = v.segment<3>(0).cross(v.segment<3>(3));
    v_rate.segment<3>(6) = v.segment<3>(6).cross(v.segment<3>(9));
    v_rate.segment<6>(C::slider) = slider.bias;
    out.bias().segment(places_.force, rows) += (B_rate * v + B * v_rate).head(rows);
  }
  if (!(out.request.rates && out.request.tangent)) return;
  // Derivatives along two fields in their other order, less the bracket: rotations do not commute.
  Gradient G = B_rate;
  for (const int at : {C::node_1, C::node_2}) {
    const Mat3 w = skew(Vec3(v.segment<3>(at + 3)));
    const Mat3& R = at == C::node_1 ? host.X_1.R : host.X_2.R;
    G.middleCols<3>(at) -= B.middleCols<3>(at) * w;
    G.middleCols<3>(at + 3) -= B.middleCols<3>(at + 3) * w;
    G.middleCols<3>(at) = (G.middleCols<3>(at) * R.transpose()).eval();
  }
  G.middleCols<3>(C::slider + 3) -= B.middleCols<3>(C::slider + 3) * skew(Vec3(v.segment<3>(C::slider + 3)));
  if (law_->turn_by_s != 0) G.col(C::s) += law_->turn_by_s * G.col(C::turn);

  auto to = out.rate_gradient();
  to.block(places_.force, node_row(piece.node), rows, 12) += G.topLeftCorner(rows, 12);
  to.block(places_.force, 0, rows, 1) += G.col(C::s).head(rows);
  if (law_->has_angle()) to.block(places_.force, places_.angle, rows, 1) += G.col(C::turn).head(rows);
  const Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, max_marker_dofs> by_slider =
      G.rightCols<6>() * slider.J + B.rightCols<6>() * slider.twist_gradient;
  to.block(places_.force, places_.slider, rows, slider.dofs) += by_slider.topRows(rows);
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

Review Slider::review_end(const EndOfStep& now, const StepInfo& step) {
  const double length = law_->track->length(), s = now.value;
  const double end = s < 0 ? 0 : length;
  if (law_->at_end == AtEnd::error)
    throw Error(
        fmt::format("the slider runs off the {} of its beam (s = {:.6g} m of {:.6g}); "
                    "give `ends: stop` or `ends: leave`, or a longer beam",
                    s < 0 ? "start" : "end", s, length));
  if (const auto cut = cut_at(last_, now, end, step)) return *cut;
  now_.left = true;
  now_.s_left = end;
  return Review::changed();
}

std::optional<Review> Slider::meet_stops(const EndOfStep& now, const StepInfo& step) const {
  if (law_->at_end != AtEnd::stop) return std::nullopt;
  for (const int end : {-1, 1}) {
    // Behind an end that it has just passed the slider may lie a little on the other side still.
    const double bound = end > 0 ? law_->track->length() : 0;
    const bool outside = committed_.beyond == end;
    if (((last_.value - bound) * end > 0) == outside)
      if (auto cut = cut_at(last_, now, bound, step)) return cut;
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
    if (past >= -short_of_end && past <= behind_end) return way * end > 0 ? end : 0;
  }
  return std::nullopt;
}

bool Slider::turns_a_corner(const LocalState& x, int beyond) const {
  MarkerMotion slider;
  law_->slider.evaluate(x, slider_block(), MotionLevel::pose, slider);
  const SplitHost<double>& host = host_at(x, slider);
  SplitHost<double> other = host;
  other.beyond = beyond;
  other.solve();
  const Vec6 e = other.near_strain() - host.near_strain();
  return e.head<3>().norm() + (host_.s_2 - host_.s_1) * e.tail<3>().norm() > visible_corner;
}

void Slider::require_whole(const LocalState& x) const {
  const Track& track = *law_->track;
  const auto [from, to] = std::minmax(committed_.host, now_.host);
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
  if (now_.left) return Review::keep();
  const Track& track = *law_->track;
  const double s = x.value(0)[0], slack = 1e-7 * track.length();
  if (law_->at_end != AtEnd::stop && (s < -slack || s > track.length() + slack))
    return review_end({s, x.rate(0)[0]}, step);
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
  if (!next && wanted + side != here && outside > 1e-13 * track.length() && heading_ != -ahead) {
    heading_ = ahead;
    go_to(wanted, side);
    if (wanted >= first_piece_ && wanted <= last_piece_) {
      require_whole(x);
      return Review::changed();
    }
    // The host of the last commit stays inside: the step may be rejected.
    const int more = pieces_ahead(x.rate(0)[0], step);
    if (ahead > 0)
      take_window(std::min(committed_.host, wanted - 1), wanted + more);
    else
      take_window(wanted - more, std::max(committed_.host, wanted + 1));
    return Review::move(stencil(), true);
  }
  require_whole(x);
  for (std::size_t i = 0; i < law_->others.size(); ++i)
    require_alone(law_->others[i], s, x.value(other_block() + static_cast<int>(i))[0]);
  if (!law_->rotates()) return Review::keep();
  MarkerMotion slider;
  law_->slider.evaluate(x, slider_block(), MotionLevel::pose, slider);
  const Mat3 Q = so3::exp(Vec3(-turn(x), 0, 0)) * host_at(x, slider).X_WC().R.transpose() * slider.R_WM;
  return branch_.review(Q.trace() > 1, step);
}

void Slider::commit(const LocalState& x, const StepInfo& step) {
  if (!now_.left) {
    now_.beyond = beyond_after({x.value(0)[0], x.rate(0)[0]}, step).value_or(now_.beyond);
    MarkerMotion slider;
    law_->slider.evaluate(x, slider_block(), MotionLevel::pose, slider);
    try {
      start_ = host_at(x, slider).found();
    } catch (const RejectStep&) {
      start_ = {};  // what follows says so at its place
    }
    memory_.found = false;  // what is found does not depend on what was asked before
  }
  committed_ = now_;
  heading_ = 0;
  last_ = {x.value(0)[0], x.rate(0)[0]};
  branch_.commit();
}

void Slider::reject() {
  go_to(committed_.host, committed_.beyond);
  now_ = committed_;
  heading_ = 0;
}

std::vector<double> Slider::history() const {
  const auto number = [](int i) { return static_cast<double>(i); };
  std::vector<double> all{number(committed_.host),
                          number(committed_.beyond),
                          committed_.left ? 1.0 : 0.0,
                          committed_.s_left,
                          number(first_piece_),
                          number(last_piece_),
                          last_.value,
                          last_.rate,
                          start_.known ? 1.0 : 0.0,
                          start_.first_is_near ? 1.0 : 0.0,
                          number(start_.beyond)};
  all.insert(all.end(), start_.offset.data(), start_.offset.data() + 6);
  all.insert(all.end(), start_.inverse.data(), start_.inverse.data() + 36);
  return all;
}

void Slider::restore(std::span<const double> h) {
  const auto number = [h](std::size_t i) { return static_cast<int>(h[i]); };
  committed_ = {number(0), number(1), h[2] != 0, h[3]};
  reject();
  memory_.forget();
  take_window(number(4), number(5));
  last_ = {h[6], h[7]};
  start_.known = h[8] != 0;
  start_.first_is_near = h[9] != 0;
  start_.beyond = number(10);
  std::copy_n(&h[11], 6, start_.offset.data());
  std::copy_n(&h[17], 36, start_.inverse.data());
  branch_.commit();
}

Energy Slider::energy(const LocalState& x) const {
  Energy e;
  if (now_.left) return e;
  MarkerMotion slider;
  law_->slider.evaluate(x, slider_block(), MotionLevel::velocity, slider);
  const SplitHost<double>& host = host_at(x, slider);
  const double depth = stop_depth(host.s);
  e.strain = host.energy() + 0.5 * law_->stop_stiffness * depth * depth;
  // A slider that moves in time does work on the beam.
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, max_marker_dofs, 1> v(slider.dofs);
  int at = 0, block = slider_block();
  for (const int size : law_->slider.block_sizes()) {
    v.segment(at, size) = ConstVectorMap(x.rate(block++), size);
    at += size;
  }
  const Vec6 explicit_rate = slider.twist - slider.J * v;
  if (!explicit_rate.isZero(0)) e.lost_power = -host.residual().segment<6>(C::slider).dot(explicit_rate);
  return e;
}

void Slider::outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const {
  static constexpr std::array<std::string_view, 6> forces{"N1", "N2", "N3", "M1", "M2", "M3"};
  sink.scalar("arc_length", "m", x.value(0)[0]);
  sink.scalar("arc_length_rate", "m/s", x.rate(0)[0]);
  sink.scalar("arc_length_acceleration", "m/s^2", x.second_rate(0)[0]);
  if (law_->has_angle()) {
    sink.scalar("angle", "rad", x.value(angle_block())[0]);
    sink.scalar("angle_rate", "rad/s", x.rate(angle_block())[0]);
    sink.scalar("angle_acceleration", "rad/s^2", x.second_rate(angle_block())[0]);
  }
  const Reaction on = reaction(x);
  const Mat3 R_CW = on.X_WC.R.transpose();
  sink.vector("force", "N", R_CW * on.force);
  sink.vector("moment", "N m", R_CW * on.moment);
  sink.vector("force_world", "N", on.force);
  sink.vector("moment_world", "N m", on.moment);
  sink.scalar("thrust", "N", on.thrust);
  sink.values("section_force_before", "", forces, {on.before.data(), 6});
  sink.values("section_force_behind", "", forces, {on.behind.data(), 6});
  sink.scalar("host", "", now_.left ? 0 : now_.host + 1);
  sink.vector("position", "m", on.X_WC.p);
  sink.vector("gap", "m", R_CW * on.gap);
}

Slider::Reaction Slider::reaction(const LocalState& x) const {
  MarkerMotion slider;
  law_->slider.evaluate(x, slider_block(), MotionLevel::jacobian, slider);
  Reaction on;
  on.X_WC.p = slider.p_WM;
  if (now_.left) return on;
  const SplitHost<double>& host = host_at(x, slider);
  const SplitHost<double>::Vector share = host.residual();
  on.X_WC = host.X_WC();
  on.force = -host.force;
  if (law_->rotates()) on.moment = -(slider.R_WM * share.segment<3>(C::slider + 3));
  on.thrust = -share[C::s];
  on.before = host.force_before();
  on.behind = host.force_behind();
  on.gap = slider.p_WM - on.X_WC.p;
  return on;
}

void Slider::draw(const LocalState& x, const ReactionShares&, Canvas& canvas) const {
  const Reaction on = reaction(x);
  const std::array<Vec3, 1> at{on.X_WC.p};
  const Vec3 axis = on.X_WC.R.col(0);
  canvas.points(Canvas::Layer::joints, at);
  canvas.field("force", {on.force.data(), 3}, 3);
  canvas.field("moment", {on.moment.data(), 3}, 3);
  canvas.field("axis", {axis.data(), 3}, 3);
}

}  // namespace trammel::beam_sliding
