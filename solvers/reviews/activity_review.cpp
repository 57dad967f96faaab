#include "solvers/reviews/activity_review.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/activity_reaction.hpp"
#include "solvers/reviews/row_switches.hpp"

namespace trammel {

namespace {

// A limit counts as reached from here on [of the limit].
constexpr double reached = 1 - 1e-6;
// A step ends on the limit when it ends within this much above it [of the limit].
constexpr double above = 1e-4;
// Two times closer than this part of a step are the same.
constexpr double same_time = 1e-9;
// Allowed gap of a closed joint, as a fraction of the model's length; the same for all joints.
constexpr double meeting_tolerance = 1e-6;

/// Keeps one contribution.
class Contribution final : public ContributionSink {
 public:
  void add(int, LocalSystem& contribution) override {
    r = contribution.residual();
    K = contribution.K();
    rate = contribution.rate();
  }
  Eigen::VectorXd r, rate;
  Eigen::MatrixXd K;
};

}  // namespace

void ActivityReview::find(const Model& model, std::span<const RangePlan> plans) {
  std::map<std::pair<const ElementRange*, int>, Watch> found;
  for (const RangePlan& plan : plans)
    for (const int i : plan.special) {
      const auto activity = model.activities.find(plan.range->entity(i));
      if (activity == model.activities.end() || activity->second.by_instance) continue;
      const auto key = std::pair<const ElementRange*, int>(plan.range, i);
      if (const auto known = watched_.find(key); known != watched_.end()) {
        found.insert(watched_.extract(known));
        continue;
      }
      Watch& watch = found[key];
      watch.activity = &activity->second;
      if (has_limit(activity->second))
        watch.reaction.emplace(reaction_of(model, *plan.range, i, activity->second));
    }
  watched_ = std::move(found);
}

double ActivityReview::load(const Watch& watch, const LocalState& x) {
  if (!watch.reaction) return 0;
  const Vec6 wrench = watch.reaction->evaluate(x, nullptr);
  return std::max(watch.activity->force ? wrench.head<3>().norm() / *watch.activity->force : 0.0,
                  watch.activity->moment ? wrench.tail<3>().norm() / *watch.activity->moment : 0.0);
}

std::vector<RowSwitch> ActivityReview::at_begin(const Model& model, std::span<const RangePlan> plans,
                                                const RowStatuses& statuses, const State& state,
                                                const Begin& how, MPI_Comm comm) const {
  std::map<ConstraintRow, RowStatus> rows;
  for (const RangePlan& plan : plans)
    for (const int i : plan.special) {
      const auto found = watched_.find({plan.range, i});
      const Activity* activity = found == watched_.end() ? nullptr : found->second.activity;
      for (const StencilBlock& b : plan.stencil(i)) {
        const bool by_stage = b.may_rest && b.kind == BlockKind::velocity_multiplier &&
                              model.block(b.id).velocity.in_statics == InStatics::absent;
        if (activity == nullptr && !by_stage) continue;
        const bool wanted =
            (activity == nullptr || activity->after(state.time, how.step)) && !(by_stage && how.in_statics);
        const bool for_good = activity != nullptr && !activity->function;
        for (int a = 0; b.may_rest && a < b.size; ++a) {
          const bool active = !statuses.inactive(b.id, a);
          if (active == wanted || (wanted && for_good)) continue;
          rows[{b.id, a}] = wanted ? RowStatus::active : RowStatus::inactive;
        }
      }
    }
  return switches_of_all_ranks(rows, comm);
}

Review ActivityReview::review(const RangePlan& plan, int i, const LocalState& x, const StepInfo& step) const {
  const auto found = watched_.find({plan.range, i});
  if (found == watched_.end()) return Review::keep();
  const Watch& watch = found->second;
  const Activity& activity = *watch.activity;
  if (!step.active && !activity.function) return Review::keep();  // for good
  const double h = step.size();
  const RowStatus other = step.active ? RowStatus::inactive : RowStatus::active;
  if (const std::optional<double> change = activity.change(step);
      change && *change < step.end - same_time * h)
    return Review::cut(*change);
  if (activity.after(step.end, h) != step.active) return Review::switch_rows(step.end, other);
  if (!has_limit(activity)) return Review::keep();
  const double now = load(watch, x);
  if (now < reached) return Review::keep();
  if (now <= 1 + above || h <= same_time * std::max(1.0, std::abs(step.end)))
    return Review::switch_rows(step.end, RowStatus::inactive);
  // The secant method; the result is kept inside the step, so that the step becomes shorter.
  const double part = watch.before < 1 ? (1 - watch.before) / (now - watch.before) : 0.5;
  return Review::cut(step.start + std::clamp(part, 0.01, 0.99) * h);
}

void ActivityReview::commit(const ElementRange& range, int i, const LocalState& x) {
  const auto found = watched_.find({&range, i});
  if (found != watched_.end()) found->second.before = load(found->second, x);
}

void ActivityReview::activate(const Model& model, const RangePlan& plan, int i, State& state,
                              const Begin& how) const {
  const BlockOffset* offsets = plan.offset_of[static_cast<std::size_t>(i)];
  plan.range->begin(i, LocalState(state, offsets), how);
  // The joint's own coordinates follow from its markers: they are changed, as little as possible, until its
  // equations hold.
  const auto blocks = plan.stencil(i);
  std::vector<int> columns, rows;
  std::vector<double*> values, rates;
  std::vector<const StencilBlock*> row_blocks;
  for (std::size_t k = 0; k < blocks.size(); ++k)
    for (int a = 0; blocks[k].own && a < blocks[k].size; ++a) {
      if (blocks[k].kind == BlockKind::coordinate) {
        columns.push_back(blocks[k].offset + a);
        values.push_back(&state.value[static_cast<std::size_t>(offsets[k].value + a)]);
        rates.push_back(&state.rate[static_cast<std::size_t>(offsets[k].dof + a)]);
      } else if (blocks[k].kind == BlockKind::multiplier) {
        rows.push_back(blocks[k].offset + a);
        row_blocks.push_back(&blocks[k]);
      }
    }
  Contribution contribution;
  const auto evaluate = [&] {
    plan.range->evaluate(i, i + 1, state, plan.offset_of, {true, true, false}, contribution);
  };
  evaluate();
  constexpr int iterations = 20;
  for (int pass = 0; !columns.empty() && !rows.empty() && pass <= iterations; ++pass) {
    Eigen::MatrixXd by_coordinates(rows.size(), columns.size());
    Eigen::VectorXd open(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto row = static_cast<Eigen::Index>(r);
      open[row] = pass == iterations ? contribution.rate[rows[r]] : contribution.r[rows[r]];
      for (std::size_t c = 0; c < columns.size(); ++c)
        by_coordinates(row, static_cast<Eigen::Index>(c)) = contribution.K(rows[r], columns[c]);
    }
    const Eigen::VectorXd change = by_coordinates.completeOrthogonalDecomposition().solve(open);
    for (std::size_t c = 0; c < columns.size(); ++c)
      *(pass == iterations ? rates : values)[c] -= change[static_cast<Eigen::Index>(c)];
    evaluate();
  }
  const auto activity = model.activities.find(plan.range->entity(i));
  const double length = activity == model.activities.end() ? 1.0 : std::max(1.0, activity->second.length);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Measure measure = model.block(row_blocks[r]->id).measure(rows[r] - row_blocks[r]->offset);
    const double allowed = meeting_tolerance * (measure.is_length() ? length : measure.size);
    if (std::abs(contribution.r[rows[r]]) <= allowed) continue;
    throw Error(
        fmt::format("the joint is to become active at t = {:g}, but its equation {} is off by {:.6g} {}",
                    state.time, r + 1, contribution.r[rows[r]], measure.unit()));
  }
}

}  // namespace trammel
