#include "solvers/reviews/law_review.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/slipping_rows.hpp"
#include "solvers/ranks/rank_bytes.hpp"
#include "solvers/reviews/row_switches.hpp"

namespace trammel {

namespace {

// Dead bands: of multipliers, part of the largest force of any instance; of gaps, part of the model's length; of slips, the
// model's length a second.
constexpr double force_band = 1e-6;
constexpr double gap_band = 1e-9;
constexpr double rest_band = 1e-9;
// Part of the model's length: an acceleration of a slip below this, in a second squared, has no direction.
constexpr double no_direction = 1e-6;

/// Keeps what one instance gives.
class Copy final : public ContributionSink {
 public:
  void add(int, LocalSystem& contribution) override {
    residual = contribution.residual();
    rate = contribution.rate();
    if (contribution.request.bias) bias = contribution.bias();
    if (contribution.request.tangent) D = contribution.D();
  }
  Eigen::VectorXd residual, rate, bias;
  Eigen::MatrixXd D;
};

}  // namespace

void LawReview::find(std::span<const RangePlan> plans, MPI_Comm comm) {
  watched_.clear();
  for (std::size_t p = 0; p < plans.size(); ++p)
    for (const int i : plans[p].special) {
      const auto blocks = plans[p].stencil(i);
      for (std::size_t k = 0; k < blocks.size(); ++k) {
        if (!blocks[k].own || !is_multiplier(blocks[k].kind)) continue;
        if (const auto law = model_.frictions.find(blocks[k].id); law != model_.frictions.end())
          watched_.push_back({p, i, k, &law->second});
        else if (std::ranges::any_of(model_.block(blocks[k].id).rows,
                                     [](const Row& row) { return row.law == RowLaw::unilateral; }))
          watched_.push_back({p, i, k, nullptr});
      }
    }
  int any = watched_.empty() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm);
  any_ = any != 0;
}

double LawReview::rest() const { return rest_band * length_; }

double LawReview::switched_at(const ConstraintRow& row) const {
  const auto found = switched_.find(row);
  return found == switched_.end() ? -std::numeric_limits<double>::infinity() : found->second;
}

LawStep LawReview::step_of(double start, double end, const FieldScales& scales) const {
  const double largest = scales.contribution[static_cast<std::size_t>(BlockKind::position)];
  return {start,
          end,
          tried_from_ == start ? longest_ : 0.0,
          transient_ == 0,
          force_band * largest,
          gap_band * length_,
          rest()};
}

void LawReview::read(std::span<const RangePlan> plans, const State& state, bool accelerations) {
  Readings all;
  Copy contribution;
  const Request request{accelerations, true, accelerations};
  const Watched* last = nullptr;
  for (const Watched& w : watched_) {
    const RangePlan& plan = plans[w.plan];
    const BlockOffset* offsets = plan.offset_of[static_cast<std::size_t>(w.instance)];
    const auto blocks = plan.stencil(w.instance);
    const StencilBlock& b = blocks[w.block];
    if (last == nullptr || last->plan != w.plan || last->instance != w.instance)
      plan.range->evaluate(w.instance, w.instance + 1, state, plan.offset_of, request, contribution);
    last = &w;
    const double* multiplier = state.value.data() + offsets[w.block].value;
    if (w.law == nullptr) {
      for (int a = 0; a < b.size; ++a)
        all[{b.id, a}] = {contribution.residual[b.offset + a], contribution.rate[b.offset + a],
                          multiplier[a]};
      continue;
    }
    Reading& group = all[{b.id, 0}];
    group.slip.head(b.size) = contribution.residual.segment(b.offset, b.size);
    group.force.head(b.size) = ConstVectorMap(multiplier, b.size);
    group.normal = NormalForce(*w.law, blocks, offsets, state, false).value();
    if (!accelerations) continue;
    group.slip_rate.head(b.size) = contribution.bias.segment(b.offset, b.size);
    add_accelerations(blocks, offsets, state, b, contribution.D, group.slip_rate.data());
  }
  now_ = std::move(all);
}

void LawReview::remember(std::span<const RangePlan> plans) {
  before_ = now_;
  slip_directions_.clear();
  for (const Watched& w : watched_) {
    if (w.law == nullptr) continue;
    const StencilBlock& b = plans[w.plan].stencil(w.instance)[w.block];
    if (statuses_.of(b.id, 0) != RowStatus::slips) continue;
    const Reading& group = before_.at({b.id, 0});
    slip_directions_[b.id] = SlipDirection(w.law->sliding, b.size, group.slip, group.force, rest());
  }
}

void LawReview::switched(std::span<const RangePlan> plans, std::span<const RowSwitch> rows, double time) {
  std::map<BlockId, bool> slips;
  for (const RowSwitch& s : rows) {
    switched_[s.row] = time;
    outside_.erase(s.row.block);
    if (s.status == RowStatus::slips) slips[s.row.block] = true;
  }
  for (const Watched& w : watched_) {
    const StencilBlock& b = plans[w.plan].stencil(w.instance)[w.block];
    if (w.law == nullptr || !slips.contains(b.id)) continue;
    const Reading& group = now_.at({b.id, 0});
    slip_directions_[b.id] = SlipDirection(w.law->sliding, b.size, group.slip, group.force, rest());
    held_[b.id] = group.force;
  }
}

void LawReview::write(Archive& archive, MPI_Comm comm) const {
  double length = length_;
  int transient = transient_;
  std::map<ConstraintRow, double> all = switched_;
  unite_on_first(all, comm);
  archive(length, transient, all);
}

UnilateralReading LawReview::unilateral(const ConstraintRow& row) const {
  const Reading& after = now_.at(row);
  const auto found = before_.find(row);
  const Reading& before = found == before_.end() ? after : found->second;
  return {.status = statuses_.of(row.block, row.component),
          .gap = {before.gap, after.gap},
          .rate = {before.rate, after.rate},
          .multiplier = {before.multiplier, after.multiplier},
          .switched = switched_at(row)};
}

FrictionReading LawReview::friction(const Watched& w, BlockId id) const {
  const ConstraintRow row{id, 0};
  const Reading& after = now_.at(row);
  const auto found = before_.find(row);
  const Reading& before = found == before_.end() ? after : found->second;
  FrictionReading group;
  group.status = statuses_.of(id, 0);
  group.rows = model_.block(id).size;
  group.at_rest = w.law->at_rest;
  group.sliding = w.law->sliding;
  group.slip = {before.slip, after.slip};
  group.multiplier = {before.force, after.force};
  group.normal = {before.normal, after.normal};
  group.switched = switched_at(row);
  if (const auto trials = outside_.find(id); trials != outside_.end()) group.earlier = trials->second;
  if (const auto course = slip_directions_.find(id); course != slip_directions_.end())
    group.course = course->second;
  return group;
}

void LawReview::add_group(BlockId group, RowStatus status, std::map<ConstraintRow, RowStatus>& to) const {
  for (int a = 0; a < model_.block(group).size; ++a) to[{group, a}] = status;
}

void LawReview::release_pressed(std::map<ConstraintRow, RowStatus>& rows) const {
  std::map<ConstraintRow, RowStatus> more;
  for (const auto& [id, law] : model_.frictions) {
    if (!law.pressed_by) continue;
    const auto found = rows.find(*law.pressed_by);
    if (found == rows.end() || found->second != RowStatus::inactive) continue;
    add_group(id, RowStatus::inactive, more);
  }
  for (const auto& [row, status] : more) rows[row] = status;
}

std::vector<RowSwitch> LawReview::at_begin(MPI_Comm comm) const {
  std::map<ConstraintRow, RowStatus> rows;
  for (const auto& [row, reading] : now_) {
    const Row& declared = model_.block(row.block).rows[static_cast<std::size_t>(row.component)];
    if (declared.law == RowLaw::unilateral && !statuses_.inactive(row.block, row.component) &&
        reading.gap > gap_band * length_)
      rows[row] = RowStatus::inactive;
  }
  release_pressed(rows);
  return switches_of_all_ranks(rows, comm);
}

void LawReview::review(std::span<const RangePlan> plans, const StepInfo& info, const FieldScales& scales,
                       MergedReview& merged, MPI_Comm comm) {
  if (tried_from_ != info.start) outside_.clear();
  longest_ = tried_from_ == info.start ? std::max(longest_, info.size()) : info.size();
  tried_from_ = info.start;
  const LawStep step = step_of(info.start, info.end, scales);
  constexpr int nobody = std::numeric_limits<int>::max();
  double cut = std::numeric_limits<double>::infinity();
  int asker = nobody, in_statics = nobody;
  std::map<ConstraintRow, RowStatus> at_begin, at_end;
  for (const Watched& w : watched_) {
    const StencilBlock& b = plans[w.plan].stencil(w.instance)[w.block];
    const auto take = [&](const LawVerdict& verdict, int first, int count) {
      if (info.in_statics && verdict.what != LawVerdict::What::keep)
        in_statics = std::min(in_statics, plans[w.plan].range->entity(w.instance));
      if (verdict.what == LawVerdict::What::cut && verdict.time < cut) {
        cut = verdict.time;
        asker = plans[w.plan].range->entity(w.instance);
      }
      std::map<ConstraintRow, RowStatus>* to = verdict.what == LawVerdict::What::at_begin ? &at_begin
                                               : verdict.what == LawVerdict::What::at_end ? &at_end
                                                                                          : nullptr;
      for (int a = first; to != nullptr && a < first + count; ++a) (*to)[{b.id, a}] = verdict.status;
    };
    if (w.law != nullptr) {
      const FrictionReading group = friction(w, b.id);
      take(judge(group, step), 0, b.size);
      if (group.status == RowStatus::active) outside_[b.id] = outside_cone(group, step);
    } else
      for (int a = 0; a < b.size; ++a) take(judge(unilateral({b.id, a}), step), a, 1);
  }
  if (info.in_statics) {
    MPI_Allreduce(MPI_IN_PLACE, &in_statics, 1, MPI_INT, MPI_MIN, comm);
    if (in_statics == nobody) return;
    const Entity& e = model_.entities[static_cast<std::size_t>(in_statics)];
    throw Error(e.where,
                fmt::format("{} '{}' ({}) opens, closes or slips in the load step to t = {:g}, which statics "
                            "does not treat: let the model come to rest in a dynamic stage",
                            e.category, e.name, e.type, info.end));
  }
  release_pressed(at_begin);
  release_pressed(at_end);
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  if (ranks > 1) {
    const double mine = cut;
    MPI_Allreduce(MPI_IN_PLACE, &cut, 1, MPI_DOUBLE, MPI_MIN, comm);
    if (mine != cut) asker = nobody;
    MPI_Allreduce(MPI_IN_PLACE, &asker, 1, MPI_INT, MPI_MIN, comm);
  }
  if (std::isfinite(cut) && (!merged.cut_time || cut < *merged.cut_time)) {
    merged.cut_time = cut;
    merged.asker = asker;
  }
  for (auto [from, to] : {std::pair(&at_begin, &merged.at_begin), std::pair(&at_end, &merged.at_end)}) {
    const std::vector<RowSwitch> all = switches_of_all_ranks(*from, comm);
    to->insert(to->end(), all.begin(), all.end());
  }
  merged.event = merged.event || !merged.at_end.empty();
}

std::vector<RowSwitch> LawReview::settled(std::span<const RangePlan> plans, const FieldScales& scales,
                                          MPI_Comm comm) const {
  const LawStep step = step_of(0, 0, scales);
  std::map<ConstraintRow, RowStatus> rows;
  for (const Watched& w : watched_) {
    const BlockId id = id_of(w, plans);
    if (w.law == nullptr) {
      for (int a = 0; a < model_.block(id).size; ++a) {
        const UnilateralReading row = unilateral({id, a});
        if (const RowStatus status = trammel::settled(row, step); status != row.status)
          rows[{id, a}] = status;
      }
      continue;
    }
    const FrictionReading group = friction(w, id);
    RowStatus status = trammel::settled(group, step);
    const auto& presses = w.law->pressed_by;
    if (group.status == RowStatus::inactive && presses &&
        !statuses_.inactive(presses->block, presses->component)) {
      // The normal force has just begun to act: friction took no part in the impact.
      status = group.slip[1].norm() > step.slip ? RowStatus::slips : RowStatus::active;
    }
    if (status != group.status) add_group(id, status, rows);
  }
  release_pressed(rows);
  return switches_of_all_ranks(rows, comm);
}

bool LawReview::turn_slip_directions(std::span<const RangePlan> plans, MPI_Comm comm) {
  int turned = 0;
  for (const Watched& w : watched_) {
    if (w.law == nullptr) continue;
    const BlockId id = id_of(w, plans);
    const auto course = slip_directions_.find(id);
    if (course == slip_directions_.end() || statuses_.of(id, 0) != RowStatus::slips) continue;
    const Reading& group = now_.at({id, 0});
    if (group.slip.norm() > rest() || !(group.slip_rate.norm() > no_direction * length_)) continue;
    // When the contact has just begun to slip, the friction force is almost the one that held it, and changes the direction of the
    // slip quickly. The present direction therefore gets a weight in proportion to the excess of the force.
    const auto held = held_.find(id);
    const double excess = held == held_.end() ? 0 : (held->second - group.force).norm();
    if (!(excess > 0)) continue;
    FrictionVector towards = FrictionVector::Zero(), along = FrictionVector::Zero();
    for (int i = 0; i < model_.block(id).size; ++i)
      along[i] = course->second.direction[i] / w.law->sliding[static_cast<std::size_t>(i)];
    along *= group.slip_rate.norm() * group.force.norm() / (excess * along.norm());
    for (int i = 0; i < model_.block(id).size; ++i)
      towards[i] = w.law->sliding[static_cast<std::size_t>(i)] * (group.slip_rate[i] + along[i]);
    towards.normalize();
    if (towards.dot(course->second.direction) <= 0) continue;
    if ((towards - course->second.direction).norm() > 1e-9) turned = 1;
    course->second.direction = towards;
  }
  MPI_Allreduce(MPI_IN_PLACE, &turned, 1, MPI_INT, MPI_MAX, comm);
  return turned != 0;
}

}  // namespace trammel
