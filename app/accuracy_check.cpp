#include "accuracy_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "agreement.hpp"
#include "kernel/assembler.hpp"
#include "kernel/layout.hpp"
#include "solvers/run/simulation.hpp"
#include "trammel/error.hpp"
#include "trammel/quoted.hpp"

namespace trammel {

namespace {

using SecondRun = DynamicStage::SecondRun;

// Steps of the first run that a coarser one takes together.
constexpr int merged_steps = 3;
// Where an error is to be reached: the part of it that the next run aims at, and the least part of an accuracy that is tried next.
constexpr double aimed_at = 0.8, least_part = 0.1;

const DynamicStage* checked(const Stage& stage) {
  const auto* motion = std::get_if<DynamicStage>(&stage.what);
  return motion != nullptr && motion->second_run != SecondRun::none ? motion : nullptr;
}

/// Whether a stage asks for this second run.
bool any(const std::vector<Stage>& stages, SecondRun which) {
  return std::ranges::any_of(stages, [which](const Stage& stage) {
    const DynamicStage* motion = checked(stage);
    return motion != nullptr && motion->second_run == which;
  });
}

/// The difference of both runs over the error of the first.
double difference_over_error(const DynamicStage& motion) {
  const int order = motion.method == DynamicStage::Method::radau ? 3 : 2;
  return motion.second_run == SecondRun::finer ? 1 - std::pow(0.5, order) : std::pow(merged_steps, order) - 1;
}

/// Stops a run that takes more steps than another one did.
class StepLimit final : public StopRequest, public Monitor {
 public:
  StepLimit(const StopRequest& other, long most) : other_(other), most_(most) {}

  Stop asked() const override {
    return reached() ? std::max(other_.asked(), Stop::after_step) : other_.asked();
  }
  void accepted(const StepReport&, const State&) override { ++steps_; }
  bool reached() const { return steps_ >= most_; }

 private:
  const StopRequest& other_;
  long most_, steps_ = 0;
};

/// The stages of the second run.
std::vector<Stage> changed(std::vector<Stage> stages, const PositionSamples& first) {
  for (const PositionSamples::Samples& of : first.stages()) {
    auto& motion = std::get<DynamicStage>(stages[static_cast<std::size_t>(of.stage)].what);
    motion.accuracy = 0;
    motion.ends = motion.second_run == SecondRun::finer ? of.steps.halved() : of.steps.merged(merged_steps);
  }
  stages.resize(static_cast<std::size_t>(first.stages().back().stage) + 1);
  return stages;
}

std::string in_words(const PositionError& of, const DynamicStage& motion, bool again) {
  const double error = of.error, asked = motion.reach > 0 ? motion.reach : motion.accuracy;
  const std::string where = of.position.empty()
                                ? ""
                                : fmt::format(", {} at t = {:.6g} s", in_quotes(of.position), of.time),
                    found = fmt::format("stage {}: positions err by about {:.2g} of their ranges",
                                        of.stage + 1, error);
  if (!(motion.accuracy > 0)) return fmt::format("{} at most{}", found, where);
  if (error <= asked) return fmt::format("{} at most{} (asked: {:g})", found, where, asked);
  if (again && motion.reach > 0)
    return fmt::format("{}{}, where {:g} is to be reached: the run begins again", found, where, asked);
  return fmt::format(
      "WARNING: {}{}, where {:g} was asked: later motion amplifies the errors of steps, or they do not "
      "cancel. About `accuracy: {:.1g}` would give what was asked{}",
      found, where, asked, motion.accuracy * asked / error,
      motion.second_run == SecondRun::finer ? "" : "; `check: finer` tells more exactly");
}

/// The accuracy by which an error is reached that is smaller than this one, if errors are about proportional to accuracies.
double better(const DynamicStage& motion, double error) {
  const double next = motion.accuracy * std::max(aimed_at * motion.reach / error, least_part);
  return std::stod(fmt::format("{:.1e}", next));
}

/// What the second run is, for the log.
std::string title(const std::vector<Stage>& stages) {
  if (any(stages, SecondRun::finer))
    return any(stages, SecondRun::coarser) ? "check: the same with other steps"
                                           : "check: the same with steps half as long";
  const bool by_default = std::ranges::none_of(stages, [](const Stage& stage) {
    const DynamicStage* motion = checked(stage);
    return motion != nullptr && !(motion->accuracy > 0);
  });
  return fmt::format("check: the same with steps three times as long{}",
                     by_default ? " (`check: no` omits this)" : "");
}

}  // namespace

std::vector<double> accuracies_of(const std::vector<Stage>& stages) {
  std::vector<double> all;
  for (const Stage& stage : stages) {
    const auto* motion = std::get_if<DynamicStage>(&stage.what);
    all.push_back(motion != nullptr ? motion->accuracy : 0);
  }
  return all;
}

bool AccuracyCheck::asked() const {
  return std::ranges::any_of(stages_, [](const Stage& stage) { return checked(stage) != nullptr; });
}

AccuracyCheck::Found AccuracyCheck::run(Session& session, bool kept, long steps, bool again, TimeLimit& limit,
                                        RunLog& log) const {
  log.line(title(stages_));
  StepLimit request(limit, any(stages_, SecondRun::finer) ? std::numeric_limits<long>::max() : steps);
  MPI_Comm own = MPI_COMM_NULL;  // no message of a run that failed is mistaken for that of the end
  MPI_Comm_dup(session.comm, &own);
  std::vector<std::string> lines;
  std::string failure;
  Found found;
  try {
    Model model;
    session.build(model, Session::Extent::partition);
    Layout layout(session.comm, model, {.identify = !kept});
    Assembler assembler(model, layout);
    PositionDifferences differences(assembler, samples_);
    Simulation simulation(assembler, {.energy = false});
    simulation.add(differences);
    simulation.add(limit);
    simulation.add(request);
    simulation.obey(request);
    simulation.run(changed(stages_, samples_));
    if (simulation.summary().stopped)
      lines.emplace_back(request.reached() ? "no check: this run takes more steps than the first"
                                           : "no check: this run was stopped");
    else
      for (const PositionDifferences::Difference& d : differences.stages()) {
        if (d.compared == 0) continue;  // it ended before a checkpoint
        const auto i = static_cast<std::size_t>(d.stage);
        const DynamicStage& motion = *checked(stages_[i]);
        found.errors.push_back({d.stage, d.largest / difference_over_error(motion), d.time, d.where});
        lines.push_back(in_words(found.errors.back(), motion, again));
        if (!again || !(motion.reach > 0) || found.errors.back().error <= motion.reach) continue;
        if (found.accuracies.empty()) found.accuracies = accuracies_of(stages_);
        found.accuracies[i] = better(motion, found.errors.back().error);
      }
  } catch (const Error& error) {
    failure = error.what();
  } catch (const std::bad_alloc&) {
    failure = "out of memory";
  }
  if (!arrive_together(own, !failure.empty())) throw Error("check: " + failure);
  MPI_Comm_free(&own);
  if (!failure.empty()) {
    lines = {"WARNING: no check, since this run failed: " + failure};
    found = {};
  }
  for (const std::string& line : lines) log.line("  " + line);
  return found;
}

}  // namespace trammel
