#include "initial.hpp"

#include <algorithm>
#include <cmath>

namespace trammel::coordinates {

namespace {

// A move of a coordinate that Newton's method takes at once: of an angle [rad], of the model's length for a slide, and of
// what is typical of anything else.
constexpr double turn = 0.4, slide = 0.1, other = 0.1;

StartPhase phase_of(const Initial& what) {
  return what.of_rate ? StartPhase::velocities : StartPhase::positions;
}

}  // namespace

void InitialRange::add(Initial what, BlockId coordinate, BlockId multiplier, int entity) {
  instances_.push_back({std::move(what), {coordinate, multiplier}, entity});
}

std::vector<BlockId> InitialRange::rows(StartPhase phase) const {
  std::vector<BlockId> rows;
  for (const Instance& i : instances_)
    if (phase_of(i.what) == phase) rows.push_back(i.stencil[1]);
  return rows;
}

double InitialRange::begin(const State& state, const std::function<const BlockOffset*(BlockId)>& offset_of,
                           double length) {
  double moves = 0;
  for (Instance& i : instances_) {
    if (i.what.of_rate) continue;
    const BlockOffset* place = offset_of(i.stencil[0]);
    if (place == nullptr) continue;
    i.from = i.what.target.value(LocalState(state, place));
    const Measure measure = i.what.target.measure;
    const double move = measure.is_angle()    ? turn
                        : measure.is_length() ? slide * std::max(length, 1e-300)
                                              : other * measure.size;
    moves = std::max(moves, std::abs(i.what.value - i.from) / move);
  }
  return moves;
}

void InitialRange::evaluate(const Instance& instance, const LocalState& x, LocalSystem& out) const {
  const CoordinateTarget& q = instance.what.target;
  const int row = q.size;
  auto r = out.residual();
  r[q.component] = *x.value(1);
  if (!instance.what.of_rate)
    r[row] = q.value(x) - (instance.from + part_ * (instance.what.value - instance.from));
  if (out.request.tangent) out.K()(row, q.component) = out.K()(q.component, row) = 1;
  if (out.request.rates)
    out.rate()[row] = instance.what.of_rate ? q.rate(x) - instance.what.value : q.rate(x);
}

void InitialRange::evaluate(int first, int last, const State& state,
                            std::span<const BlockOffset* const> offsets, const Request& request,
                            ContributionSink& sink) const {
  LocalSystem& contribution = systems_.of(request);
  for (int i = first; i < last; ++i) {
    contribution.begin(at(i).what.target.size + 1);
    if (request.rates) {
      contribution.rate();
      if (request.tangent) contribution.rate_gradient();
    }
    if (request.bias) contribution.bias();
    evaluate(at(i), LocalState(state, offsets[static_cast<std::size_t>(i)]), contribution);
    sink.add(i, contribution);
  }
}

void InitialRange::set_stencil(int i, std::vector<BlockId> stencil, int) {
  instances_[static_cast<std::size_t>(i)].stencil = std::move(stencil);
}

}  // namespace trammel::coordinates
