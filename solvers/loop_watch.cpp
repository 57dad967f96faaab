#include "solvers/loop_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace trammel {

namespace {

// Rows in loops up to which every accepted state is looked at; larger systems only where they repeat equations.
constexpr int rows_watched = 200;
// A least pivot this small beside the largest of the motion is worth a word.
constexpr double close_to_singular = 0.02;
// Of the model's length, or radians.
constexpr double open_allowed = 1e-6;

}  // namespace

std::vector<std::string> LoopWatch::begin(const State& state) {
  take(state);
  return rank_.in_words();
}

void LoopWatch::take(const State& state) {
  rank_.find(state);
  if (releases_.needed()) released_ = releases_.released(state).value_or(released_);
  const int rows = rank_.looped();
  small_ = rows > 0 && rows <= rows_watched;
  const std::vector<ConstraintRow> dependent = rank_.dependent();
  const auto now = assembler_.left_out();
  if (!std::ranges::equal(dependent, now)) {
    assembler_.leave_out(dependent);
    rank_.revise();
  }
  before_ = last_ = widest_ = rank_.weakest();
  last_time_ = state.time;
}

bool LoopWatch::status_changed(const State& state) {
  if (!releases_.needed()) return false;
  const auto now = releases_.released(state);
  return now && *now != released_;
}

std::string LoopWatch::renew(const State& state) {
  const std::vector<ConstraintRow> before = rank_.idle();
  take(state);
  std::set<int> released, activated;
  for (const ConstraintRow& row : rank_.idle())
    if (std::ranges::find(before, row) == before.end()) released.insert(rank_.entity_of(row.block));
  activated_.clear();
  for (const ConstraintRow& row : before) {
    if (std::ranges::find(rank_.idle(), row) != rank_.idle().end()) continue;
    const int entity = rank_.entity_of(row.block);
    activated.insert(entity);
    std::vector<BlockId>& blocks = activated_[entity];
    if (blocks.empty() || blocks.back() != row.block) blocks.push_back(row.block);
  }
  const auto names = [&](const std::set<int>& entities) {
    std::string all;
    for (const int entity : entities)
      if (entity >= 0)
        all += fmt::format("{}'{}'", all.empty() ? "" : ", ",
                           assembler_.model().entities[static_cast<std::size_t>(entity)].name);
    return all;
  };
  std::string text;
  if (!released.empty())
    text += fmt::format("{} no longer hold{}", names(released), released.size() == 1 ? "s" : "");
  if (!activated.empty())
    text += fmt::format("{}{} hold{} from now on", text.empty() ? "" : ", ", names(activated),
                        activated.size() == 1 ? "s" : "");
  return fmt::format("{}: {} degrees of freedom, {} redundant equations", text, rank_.degrees_of_freedom(),
                     rank_.dependent().size());
}

double LoopWatch::allowed() const { return open_allowed * std::min(1.0, length_); }

bool LoopWatch::find_anew(const State& state) {
  rank_.find(state);
  const std::vector<ConstraintRow> dependent = rank_.dependent();
  if (dependent.size() >= assembler_.left_out().size()) return false;
  assembler_.leave_out(dependent);
  rank_.revise();
  return true;
}

std::string LoopWatch::follow(State& state) {
  if (!small_ && !leaves_out()) return {};
  const std::size_t left_out = assembler_.left_out().size();
  rank_.follow(state);
  // Where the rank falls at one instant the equations stay: the next step needs them.
  if (rank_.dependent().size() == left_out) rank_.least_norm(state);
  const double now = rank_.dependent().size() > left_out ? 0.0 : rank_.weakest();
  widest_ = std::max(widest_, now);
  std::string met;
  if (last_ <= before_ && last_ < now && last_ < close_to_singular * widest_)
    met = fmt::format(
        "close to a singular configuration at t = {:.6g}: the "
        "least pivot of the loops' constraints is "
        "{:.2g} of the largest",
        last_time_, last_);
  before_ = last_;
  last_ = now;
  last_time_ = state.time;
  return met;
}

std::string LoopWatch::in_words() const {
  std::string all;
  for (const std::string& line : rank_.in_words()) all += (all.empty() ? "" : "; ") + line;
  return all.empty() ? "no equations" : all;
}

}  // namespace trammel
