#include "solvers/reviews/law_verdict.hpp"

#include <algorithm>
#include <cmath>

#include "trammel/crossing.hpp"

namespace trammel {

namespace {

using What = LawVerdict::What;

// An event within this part of a step from its start or end counts as being there. The part is smallest for gaps, because the
// multipliers of a very short step are uncertain. For releases it is a part of the longest step tried: nothing jumps at a
// release, and a change of step changes multipliers, so that they may cross zero inside any short step.
constexpr double touches_at_border = 1e-5, slips_at_border = 1e-3, lets_go_at_border = 5e-3;
// A slip across its initial direction below this fraction of the initial slip is no change of direction.
constexpr double straight = 1e-6;
// Trials in a row that say that a force lay outside the cone from the start on: one may be wrong because the force changes along a curve.
constexpr int says_enough = 2;
constexpr int looks = 16;  ///< at a gap within a step

LawVerdict change_at(double part, RowStatus status, double border, double switched, const LawStep& step) {
  const double h = step.end - step.start;
  if (part >= 1 - border) return {What::at_end, step.end, status};
  const double near = status == RowStatus::inactive ? border * std::max(1.0, step.longest / h) : border;
  if (part > near) return {What::cut, step.start + part * h, status};
  // A row that has changed at this instant must not change again before time has passed.
  if (switched >= step.start) return {What::cut, step.start + 0.5 * h, status};
  return {What::at_begin, step.start, status};
}

/// Part of the step at which `excess(part)`, positive at its end, passes zero; 0 where it is not negative at the begin.
template <class Excess>
double passes_zero(Excess&& excess) {
  if (!(excess(0.0) < 0)) return 0;
  double low = 0, high = 1;
  for (int i = 0; i < 50; ++i) {
    const double x = 0.5 * (low + high);
    (excess(x) < 0 ? low : high) = x;
  }
  return 0.5 * (low + high);
}

/// Part of the step at which an open gap is closed; -1 where it stays open.
double closes(const UnilateralReading& row, const LawStep& step) {
  const double h = step.end - step.start;
  const auto gap = [&](double x) {
    return cubic(row.gap[0], h * row.rate[0], row.gap[1], h * row.rate[1], x);
  };
  double open = row.gap[0] > 0 ? 0 : -1;
  for (int k = 1; k <= looks; ++k) {
    const double x = static_cast<double>(k) / looks, g = gap(x);
    if (g < -step.length) {
      if (open < 0) return 0;
      const double from = open, width = x - open;
      return from + width * passes_zero([&](double part) { return -gap(from + width * part); });
    }
    if (g > 0) open = x;
  }
  return -1;
}

LawVerdict judge_slip(const FrictionReading& group, const LawStep& step) {
  const FrictionVector& e = group.course.direction;
  std::array<FrictionVector, 2> u;
  for (std::size_t end = 0; end < 2; ++end)
    for (int i = 0; i < 3; ++i) u[end][i] = group.sliding[static_cast<std::size_t>(i)] * group.slip[end][i];
  const double before = u[0].dot(e), now = u[1].dot(e);
  if (now >= group.course.near) return {};
  if (!(before > step.slip)) {
    // A slip that starts from rest has not started against its own direction.
    if (now >= -step.slip) return {};
    return change_at(0, RowStatus::active, slips_at_border, group.switched, step);
  }
  const double across = (u[1] - now * e).norm();
  if (u[1].norm() <= step.slip) return {What::at_end, step.end, RowStatus::active};
  if (across > straight * before)
    return {What::cut, step.start + 0.5 * before / (before - now) * (step.end - step.start),
            RowStatus::slips};
  if (now > step.slip) return {};
  return change_at(before / (before - now), RowStatus::active, slips_at_border, group.switched, step);
}

}  // namespace

LawVerdict judge(const UnilateralReading& row, const LawStep& step) {
  if (row.status == RowStatus::inactive) {
    const double part = closes(row, step);
    if (part >= 0) return change_at(part, RowStatus::active, touches_at_border, row.switched, step);
    const bool touches = row.gap[0] > step.length && std::abs(row.gap[1]) <= step.length &&
                         -row.rate[1] * (step.end - step.start) > step.length;
    return touches ? LawVerdict{What::at_end, step.end, RowStatus::active} : LawVerdict{};
  }
  if (!step.believed || !(row.multiplier[1] > step.force)) return {};
  const double part =
      passes_zero([&](double x) { return row.multiplier[0] + x * (row.multiplier[1] - row.multiplier[0]); });
  return change_at(part, RowStatus::inactive, lets_go_at_border, row.switched, step);
}

LawVerdict judge(const FrictionReading& group, const LawStep& step) {
  if (group.status == RowStatus::inactive) return {};
  if (group.status == RowStatus::slips) return judge_slip(group, step);
  if (!step.believed ||
      !(cone_excess(group.at_rest, group.rows, group.multiplier[1], group.normal[1]) > step.force))
    return {};
  // The multipliers at the start have the error of the step before, those of the trial that of its own. Where the former hides that
  // the force lies outside the cone already, a shorter step does not find it inside.
  if (outside_cone(group, step).from_start >= says_enough)
    return change_at(0, RowStatus::slips, slips_at_border, group.switched, step);
  const double part = passes_zero([&](double x) {
    return cone_excess(group.at_rest, group.rows, (1 - x) * group.multiplier[0] + x * group.multiplier[1],
                       (1 - x) * group.normal[0] + x * group.normal[1]);
  });
  return change_at(part, RowStatus::slips, slips_at_border, group.switched, step);
}

OutsideCone outside_cone(const FrictionReading& group, const LawStep& step) {
  const OutsideCone& last = group.earlier;
  OutsideCone now{step.end - step.start,
                  cone_excess(group.at_rest, group.rows, group.multiplier[1], group.normal[1])};
  // The line through both excesses, at the start.
  const bool from_start =
      last.size > now.size && now.excess > 0 && now.excess * last.size >= last.excess * now.size;
  if (from_start) now.from_start = last.from_start + 1;
  return now;
}

RowStatus settled(const UnilateralReading& row, const LawStep& step) {
  if (row.status == RowStatus::active && row.multiplier[1] > step.force) return RowStatus::inactive;
  return row.status;
}

RowStatus settled(const FrictionReading& group, const LawStep& step) {
  if (group.status == RowStatus::active &&
      cone_excess(group.at_rest, group.rows, group.multiplier[1], group.normal[1]) > step.force)
    return RowStatus::slips;
  return group.status;
}

}  // namespace trammel
