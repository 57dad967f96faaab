#include "accuracy_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <set>
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

// The accuracy of the second run, over that of the first; and the most of it.
constexpr double coarser = 10, coarsest = 0.3, finer = 0.25;
// A coarser run tells the error within a factor of two or three (docs/steps_by_accuracy.md, "Check").
constexpr double doubtful = 2;

const DynamicStage* checked(const Stage& stage) {
  const auto* motion = std::get_if<DynamicStage>(&stage.what);
  return motion != nullptr && motion->second_run != SecondRun::none ? motion : nullptr;
}

double factor(const DynamicStage& motion) {
  return motion.second_run == SecondRun::finer ? finer : std::min(coarser, coarsest / motion.accuracy);
}

/// The different factors of all stages, from the smallest on.
std::vector<double> factors_of(const std::vector<Stage>& stages) {
  std::set<double> all;
  for (const Stage& stage : stages)
    if (const DynamicStage* motion = checked(stage)) all.insert(factor(*motion));
  return {all.begin(), all.end()};
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
std::vector<Stage> changed(std::vector<Stage> stages) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    auto* motion = std::get_if<DynamicStage>(&stages[i].what);
    if (motion == nullptr || motion->second_run == SecondRun::none) continue;
    const double change = factor(*motion);
    motion->accuracy *= change;
    if (change > 1) motion->fewest_steps /= std::sqrt(change);
    last = i + 1;
  }
  stages.resize(last);
  return stages;
}

std::string in_words(const PositionDifferences::Difference& d, const DynamicStage& motion) {
  const std::string where =
      d.where.empty() ? "" : fmt::format(", {} at t = {:.6g} s", in_quotes(d.where), d.time);
  const double error = d.largest / std::abs(factor(motion) - 1);
  if (error <= (motion.second_run == SecondRun::finer ? 1 : doubtful) * motion.accuracy)
    return fmt::format("stage {}: positions err by about {:.2g} of their ranges at most{} (asked: {:g})",
                       d.stage + 1, error, where, motion.accuracy);
  return fmt::format(
      "WARNING: stage {}: positions err by about {:.2g} of their ranges{}, where {:g} was asked: later "
      "motion amplifies the errors of steps, or they do not cancel. About `accuracy: {:.1g}` would give what "
      "was asked{}",
      d.stage + 1, error, where, motion.accuracy, motion.accuracy * motion.accuracy / error,
      motion.second_run == SecondRun::finer ? "" : "; `check: finer` tells more exactly");
}

}  // namespace

bool AccuracyCheck::asked() const {
  return std::ranges::any_of(stages_, [](const Stage& stage) { return checked(stage) != nullptr; });
}

void AccuracyCheck::run(Session& session, bool kept, long steps, TimeLimit& limit, RunLog& log) const {
  const std::vector<double> factors = factors_of(stages_);
  const bool coarser_alone = factors.front() > 1;
  log.line(factors.back() < 1 ? "check: the same with a fourth of the accuracy"
           : factors.size() > 1
               ? "check: the same with other accuracies"
               : fmt::format("check: the same with {:.2g} times the accuracy (`check: no` omits this)",
                             factors.front()));
  StepLimit request(limit, coarser_alone ? steps : std::numeric_limits<long>::max());
  MPI_Comm own = MPI_COMM_NULL;  // no message of a run that failed is mistaken for that of the end
  MPI_Comm_dup(session.comm, &own);
  std::vector<std::string> lines;
  std::string failure;
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
    simulation.run(changed(stages_));
    if (simulation.summary().stopped)
      lines.emplace_back(request.reached() ? "no check: this run takes more steps than the first"
                                           : "no check: this run was stopped");
    else
      for (const PositionDifferences::Difference& d : differences.stages())
        lines.push_back(in_words(d, *checked(stages_[static_cast<std::size_t>(d.stage)])));
  } catch (const Error& error) {
    failure = error.what();
  } catch (const std::bad_alloc&) {
    failure = "out of memory";
  }
  if (!arrive_together(own, !failure.empty())) throw Error("check: " + failure);
  MPI_Comm_free(&own);
  if (!failure.empty()) lines = {"WARNING: no check, since this run failed: " + failure};
  for (const std::string& line : lines) log.line("  " + line);
}

}  // namespace trammel
