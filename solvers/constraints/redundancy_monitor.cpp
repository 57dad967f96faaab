#include "solvers/constraints/redundancy_monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace trammel {

namespace {

// Rows in loops up to which every accepted state is looked at; larger systems only where equations are redundant.
constexpr int rows_monitored = 200;
// A least pivot this small beside the largest of the motion is worth a word.
constexpr double close_to_singular = 0.02;
// From this on every step is looked at; so many times the change of a step, as seen last, may follow until then where steps are passed over.
constexpr double near_singular = 10 * close_to_singular;
constexpr double margin = 4;
constexpr int most_passed = 9;
// Allowed violation of a redundant equation, as a fraction of the model's length, or in radians.
constexpr double open_allowed = 1e-6;

}  // namespace

std::vector<std::string> RedundancyMonitor::begin(const State& state) {
  rank_.find(state);
  rank_.refuse_repeated_contacts();
  take(state);
  return rank_.in_words();
}

void RedundancyMonitor::remove(std::vector<ConstraintRow> rows) {
  pattern_changed_ = false;
  if (std::ranges::equal(rows, assembler_.redundant_rows())) return;
  before_change_();
  pattern_changed_ = assembler_.remove_redundant(std::move(rows));
  if (pattern_changed_) rank_.revise();
}

void RedundancyMonitor::take(const State& state) {
  const int rows = rank_.looped();
  small_ = rows > 0 && rows <= rows_monitored;
  remove(rank_.dependent());
  before_ = last_ = widest_ = rank_.weakest();
  last_time_ = state.time;
  change_ = 0;
  passed_ = to_pass_ = 0;
}

std::string RedundancyMonitor::follow_switches(const State& state, std::span<const RowSwitch> rows,
                                               const std::set<ConstraintRow>& active_before) {
  rank_.follow_switches(state, rows);
  rank_.refuse_repeated_contacts();
  take(state);
  const Model& model = assembler_.model();
  std::map<RowStatus, std::set<std::string>> joints;
  std::set<std::string> changed;
  for (const RowSwitch& s : rows)
    if (const int entity = entity_of(s.row.block); entity >= 0) {
      const bool stays = s.status == RowStatus::active && active_before.contains(s.row);
      (stays ? changed : joints[s.status])
          .insert("'" + model.entities[static_cast<std::size_t>(entity)].name + "'");
    }
  std::string text;
  if (!changed.empty()) text = fmt::format("the equations of {} change", fmt::join(changed, ", "));
  for (const auto& [status, names] : joints) {
    const char* what = status == RowStatus::active     ? "active"
                       : status == RowStatus::inactive ? "inactive"
                                                       : "slipping";
    text += fmt::format("{}{} {} {} from now on", text.empty() ? "" : ", ", fmt::join(names, ", "),
                        names.size() == 1 ? "is" : "are", what);
  }
  return fmt::format("{}: {} degrees of freedom, {} redundant equations", text, rank_.degrees_of_freedom(),
                     rank_.dependent_count());
}

double RedundancyMonitor::allowed() const { return open_allowed * std::min(1.0, length_); }

bool RedundancyMonitor::find_anew(const State& state) {
  rank_.find(state);
  if (rank_.dependent_count() >= assembler_.redundant_rows().size()) return false;
  remove(rank_.dependent());
  return true;
}

std::string RedundancyMonitor::follow(State& state) {
  if (!small_ && !has_redundant()) return {};
  if (!has_redundant() && passed_ < to_pass_) {
    ++passed_;
    return {};
  }
  const std::size_t redundant = assembler_.redundant_rows().size();
  rank_.follow(state);
  // If the rank falls at one instant only, the equations are not changed, because the next step needs them.
  const std::size_t dependent = rank_.dependent_count();
  if (dependent == redundant) rank_.least_norm(state);
  const double now = dependent > redundant ? 0.0 : rank_.weakest();
  widest_ = std::max(widest_, now);
  std::string met;
  if (last_ <= before_ && last_ < now && last_ < close_to_singular * widest_)
    met = fmt::format(
        "close to a singular configuration at t = {:.6g}: the "
        "least pivot of the loops' constraints is "
        "{:.2g} of the largest",
        last_time_, last_);
  change_ = std::max(std::abs(now - last_) / (passed_ + 1), change_ / 2);
  const double steps = (now - near_singular * widest_) / (margin * std::max(change_, 1e-6));
  to_pass_ = static_cast<int>(std::clamp(steps, 0.0, std::min<double>(most_passed, 2 * to_pass_ + 1)));
  passed_ = 0;
  before_ = last_;
  last_ = now;
  last_time_ = state.time;
  return met;
}

bool RedundancyMonitor::exchange() {
  if (!has_redundant()) return false;
  std::vector<ConstraintRow> better = rank_.better_than(assembler_.redundant_rows());
  if (better.empty()) return false;
  remove(std::move(better));
  return true;
}

std::string RedundancyMonitor::in_words() const {
  std::string all;
  for (const std::string& line : rank_.in_words()) all += (all.empty() ? "" : "; ") + line;
  return all.empty() ? "no equations" : all;
}

}  // namespace trammel
