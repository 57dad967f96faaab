#include "solvers/newton/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "solvers/ranks/rank_bytes.hpp"

namespace trammel {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
// Differences of coordinates of the model's size carry a few roundings.
constexpr double rounding = 64 * epsilon;
// A field without a scale of its own is judged by this part of the others.
constexpr double floor_contribution = 1e-3;

// A residual larger than this part of its scale is never put down to rounding.
constexpr double rounding_contribution = 1e-2;
// Increments of less than this part of the step's do not count.
constexpr double faint = 1e-9;
// A tangent that reduced residuals so many times better meets rounding, not a mode that it does not know.
constexpr double worsening = 10;

}  // namespace

FieldNorms::Numbers FieldNorms::numbers() const {
  Numbers all{};
  auto to = std::ranges::copy(residual, all.begin()).out;
  to = std::ranges::copy(beyond_rounding, to).out;
  to = std::ranges::copy(change, to).out;
  to = std::ranges::copy(size, to).out;
  std::ranges::copy(
      std::array{acceleration, angular_acceleration, generalized_acceleration, state_rate, stop}, to);
  return all;
}

void FieldNorms::set(const Numbers& all) {
  const double* from = all.data();
  for (double& x : residual) x = *from++;
  for (double& x : beyond_rounding) x = *from++;
  for (double& x : change) x = *from++;
  for (double& x : size) x = *from++;
  for (double* x : {&acceleration, &angular_acceleration, &generalized_acceleration, &state_rate, &stop})
    *x = *from++;
}

void FieldNorms::merge(MPI_Comm comm) {
  Numbers all = numbers();
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_MAX, comm);
  set(all);
}

void ModelScales::serialize(Archive& archive, const Model& model, MPI_Comm comm) {
  archive(length, mass, inertia, generalized_inertia, heaviest, stiffest, slides);
  for (std::shared_ptr<const BlockValues<double>>* map : {&rounding, &state_gain}) {
    bool known = *map != nullptr;
    std::map<BlockId, double> all;
    if (known && !archive.reads()) {
      for (const BlockId id : model.blocks.ids())
        if ((**map)[id] != 0) all.emplace(id, (**map)[id]);
      unite_on_first(all, comm);
    }
    archive(known, all);
    if (!archive.reads()) continue;
    auto fresh = std::make_shared<BlockValues<double>>(model.blocks, 0.0);
    for (const auto& [id, number] : all)
      if (model.knows(id)) fresh->put(id) = number;
    *map = known ? std::move(fresh) : nullptr;
  }
}

double ModelScales::model_length(const Layout& layout, const Model& model) {
  // Bounds of all positions and the world's origin: {-min, max}.
  std::array<double, 6> bound{};
  for (const UnknownBlock& u : layout.unknowns()) {
    if (u.kind != BlockKind::position) continue;
    for (int k = 0; k < std::min(u.size, 3); ++k) {
      const double x = model.block(u.block).initial[static_cast<std::size_t>(k)];
      bound[static_cast<std::size_t>(k)] = std::max(bound[static_cast<std::size_t>(k)], -x);
      bound[static_cast<std::size_t>(k + 3)] = std::max(bound[static_cast<std::size_t>(k + 3)], x);
    }
  }
  if (layout.ranks() > 1) MPI_Allreduce(MPI_IN_PLACE, bound.data(), 6, MPI_DOUBLE, MPI_MAX, layout.comm());
  const double length = std::hypot(bound[0] + bound[3], bound[1] + bound[4], bound[2] + bound[5]);
  return length > 0 ? length : 1.0;
}

void ConvergenceTest::begin(double tolerance, const ModelScales& model, double constraint_stiffness,
                            double rate_stiffness, bool of_increments) {
  tolerance_ = tolerance;
  model_ = &model;
  constraint_stiffness_ = constraint_stiffness;
  rate_stiffness_ = rate_stiffness;
  of_increments_ = of_increments;
  allowed_.fill(0);
  previous_.fill(0);
  seen_.fill(0);
  excess_ = contraction_ = change_ = 0;
  best_ = 1;
  stalled_ = 0;
  at_rounding_ = false;
}

bool ConvergenceTest::accept(const FieldNorms& norms, const FieldScales& contributions,
                             const Iterate& iterate) {
  using F = FieldNorms;
  const auto contribution = [&](BlockKind kind) {
    return contributions.contribution[static_cast<std::size_t>(kind)];
  };
  const double L = model_->length;
  std::array<double, 3> scale{};
  scale[F::force] = std::max(contribution(BlockKind::position), model_->mass * norms.acceleration);
  scale[F::moment] =
      std::max(contribution(BlockKind::rotation), model_->inertia * norms.angular_acceleration) / L;
  scale[F::generalized] = std::max(contribution(BlockKind::coordinate),
                                   model_->generalized_inertia * norms.generalized_acceleration) /
                          std::max(L, 1.0);
  // The generalized force on an arc length may be small, since it is the tangential part of a force: it is measured
  // by the forces on bodies.
  if (model_->slides) scale[F::generalized] = std::max(scale[F::generalized], scale[F::force]);
  const double largest = *std::ranges::max_element(scale);
  for (double& s : scale) s = std::max(s, floor_contribution * largest);
  const double moved = *std::ranges::max_element(norms.size.begin(), norms.size.begin() + F::state_increment);

  std::array<double, F::residuals> allowed{};
  for (const F::Residual f : {F::force, F::moment, F::generalized}) allowed[f] = tolerance_ * scale[f];
  allowed[F::state] = tolerance_ * norms.state_rate;
  allowed[F::algebraic] = tolerance_;
  const double stiff = constraint_stiffness_;
  allowed[F::constraint] =
      std::max(rounding * (of_increments_ ? moved : L), tolerance_ * (stiff > 0 ? largest / stiff : moved));
  const double rate = rate_stiffness_;
  allowed[F::rate] =
      std::max(rounding * L * (rate > 0 ? stiff / rate : 1.0), rate > 0 ? tolerance_ * largest / rate : 0);
  allowed[F::velocity_constraint] = allowed[F::rate];
  allowed[F::correction] = allowed[F::constraint];

  // The scales belong to this iterate: the contributions at a poor earlier iterate could be so large that any
  // residual would pass. For the reduction the earlier residual is measured by the present scales too.
  allowed_ = allowed;
  for (std::size_t f = 0; f < allowed.size(); ++f) seen_[f] = std::max(seen_[f], allowed[f]);
  excess_ = 0;
  double before = 0;
  for (std::size_t f = 0; f < allowed.size(); ++f) {
    const double limit = std::max(allowed[f], std::numeric_limits<double>::min());
    before = std::max(before, previous_[f] / limit);
    const double r = norms.residual[f];
    if (r == 0) continue;
    if (!(r / limit <= excess_)) {
      excess_ = r / limit;
      worst_ = static_cast<F::Residual>(f);
    }
  }
  previous_ = norms.residual;
  if (excess_ <= 1) return true;
  if (iterate.number == 0) return false;

  const double reach = std::max(L, moved);
  // Where no force acts the scale itself is rounding: that of inertia and stiffness is no more than this.
  const double c = stiff > 0 ? stiff / model_->mass : 0;
  const double of_rounding =
      worst_ <= F::generalized ? rounding * reach * (model_->stiffest + c * model_->heaviest) : 0;
  contraction_ = before > 0 ? excess_ / before : 0;
  if (norms.residual[worst_] <= of_rounding)
    contraction_ = std::min(contraction_, 1.0);  // noise does not diverge
  stalled_ = contraction_ > 0.5 ? stalled_ + 1 : 0;
  const double best_before = best_;
  best_ = std::min(best_, contraction_);
  const double change =
      *std::ranges::max_element(norms.change.begin(), norms.change.begin() + F::state_increment);
  const double before_change = std::exchange(change_, change);
  if (!iterate.full_step ||
      norms.residual[worst_] > std::max(rounding_contribution / tolerance_ * seen_[worst_], of_rounding))
    return false;

  // No row can fall below its own rounding: where no more than that is left above the tolerance, an iteration did not help
  // and the next would change next to nothing, this is the end.
  bool all_known = true;
  for (std::size_t f = 0; f < allowed.size(); ++f)
    all_known = all_known && (norms.residual[f] <= allowed[f] ||
                              (f <= F::generalized && norms.beyond_rounding[f] <= allowed[f]));
  const double next = before_change > 0 ? change * std::min(1.0, change / before_change) : change;
  const bool explained = all_known && stalled_ > 0 && next <= std::min(tolerance_, faint) * moved;
  // In statics errors do not add up over the steps: the end is also where the next increment would be below a position's last digit.
  const bool at_rest = all_known && stiff == 0 && change <= faint * moved && next <= epsilon * reach;

  // Rounding from other causes: new tangents no longer reduce the residual, or the increment is in the last digits and the
  // residual no longer falls. Small increments alone are no proof, because in short steps accelerations consist of them. A kept
  // tangent may be the cause of slow convergence, unless it was good before.
  bool small = true;
  for (const F::Increment f : {F::state_increment, F::algebraic_increment})
    small = small && norms.change[f] <= rounding * norms.size[f] + rounding;
  for (std::size_t f = 0; f < F::state_increment; ++f) small = small && norms.change[f] <= rounding * reach;
  const bool good_tangent = iterate.fresh || contraction_ > worsening * best_before;
  at_rounding_ = explained || at_rest || (small && stalled_ > 0 && good_tangent) ||
                 (iterate.fresh && stalled_ >= 2 && change <= faint * moved);
  return at_rounding_;
}

std::array<double, block_kinds> ConvergenceTest::kind_tolerance() const {
  std::array<double, block_kinds> out{};
  const auto set = [&](BlockKind kind, double value) { out[static_cast<std::size_t>(kind)] = value; };
  set(BlockKind::position, allowed_[FieldNorms::force]);
  set(BlockKind::rotation, allowed_[FieldNorms::moment] * model_->length);
  set(BlockKind::coordinate, allowed_[FieldNorms::generalized]);
  set(BlockKind::state, allowed_[FieldNorms::state]);
  set(BlockKind::algebraic, allowed_[FieldNorms::algebraic]);
  set(BlockKind::multiplier, allowed_[FieldNorms::constraint]);
  set(BlockKind::velocity_multiplier, allowed_[FieldNorms::velocity_constraint]);
  return out;
}

double ConvergenceTest::allowed_length(const FieldNorms& norms, double part) const {
  using F = FieldNorms;
  const double L = model_->length;
  double moved = *std::ranges::max_element(norms.size.begin(), norms.size.begin() + F::state_increment);
  if (constraint_stiffness_ > 0) {
    const double fastest =
        std::max({norms.acceleration, L * norms.angular_acceleration, norms.generalized_acceleration});
    moved = fastest * model_->mass / constraint_stiffness_;
  }
  const double bound = part * tolerance_;
  // In dynamics the rounding errors of positions are kept by compensated sums.
  return std::max({bound * moved / L, bound * norms.size[F::state_increment],
                   bound * norms.size[F::algebraic_increment],
                   constraint_stiffness_ > 0 ? epsilon : rounding});
}

namespace {
double length_of(const std::array<double, FieldNorms::increments>& all, double model) {
  using F = FieldNorms;
  const double moved = *std::ranges::max_element(all.begin(), all.begin() + F::state_increment);
  return std::max({moved / model, all[F::state_increment], all[F::algebraic_increment]});
}
}  // namespace

double increment_length(const FieldNorms& norms, const ModelScales& scales) {
  return length_of(norms.change, scales.length);
}

double step_length(const FieldNorms& norms, const ModelScales& scales) {
  return length_of(norms.size, scales.length);
}

const char* field_name(FieldNorms::Residual field) {
  static constexpr const char* names[] = {"forces",
                                          "moments",
                                          "generalized forces",
                                          "states",
                                          "algebraic equations",
                                          "constraints",
                                          "velocity constraints",
                                          "velocities of constraints",
                                          "position corrections"};
  return names[field];
}

}  // namespace trammel
