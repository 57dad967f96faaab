#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "position_exchange.hpp"
#include "solvers/accuracy/step_times.hpp"
#include "solvers/errors/motion_range.hpp"
#include "solvers/run/monitor.hpp"

namespace trammel {

/// Visits states at times that divide each stage with a second run evenly, the same in each run of a case.
class SampledStages : public Monitor {
 public:
  explicit SampledStages(Assembler& assembler);

  void stage_begins(const Stage& stage, const StepReport& report, const State& state) override;
  void goes_on(const Stage& stage, const StepReport& report, const State& state) override;
  void passes(const StepReport& report, const DenseStep& step) override;
  void accepted(const StepReport& report, const State& state) override;

 protected:
  bool in_stage() const { return samples_; }
  virtual void begin(int stage, const State& state) = 0;
  /// A stage goes on, after so many of its times.
  virtual void go_on(int /*stage*/, std::size_t /*taken*/) {}
  /// `number`: of the time in its stage, from 0.
  virtual void sample(std::size_t number, double time, const State& state) = 0;

  Assembler& assembler_;

 private:
  void count_times(const Stage& stage, const StepReport& report);
  double next() const { return begin_ + interval_ * static_cast<double>(taken_ + 1); }

  int count_;                        ///< times of a stage
  bool samples_ = false;             ///< in this stage
  double begin_ = 0, interval_ = 0;  ///< [s]
  std::size_t taken_ = 0;
};

/// Positions of a run, to compare another one with, and its steps.
class PositionSamples final : public SampledStages {
 public:
  using SampledStages::SampledStages;

  struct Samples {
    int stage = 0;            ///< its index
    std::size_t missing = 0;  ///< times before the run went on from a checkpoint
    /// Of the channels of this rank, of rotations quaternions, from time `missing` on.
    std::vector<std::vector<double>> values;
    MotionRange range;
    StepTimes steps;
  };
  const std::vector<Samples>& stages() const { return stages_; }
  const Layout& layout() const { return assembler_.layout(); }

  /// For a checkpoint: the steps and the ranges so far, but no positions. Collective.
  std::vector<std::byte> place();
  /// Goes on from there.
  void restore(const std::vector<std::byte>& place);

  void event_comes(const StepReport&, const State&) override { event_ = true; }
  void accepted(const StepReport& report, const State& state) override;

 private:
  void begin(int stage, const State& state) override;
  void go_on(int stage, std::size_t taken) override;
  void sample(std::size_t number, double time, const State& state) override;
  MotionRange new_range() const;
  void serialize(Archive& archive);

  std::vector<Samples> stages_;
  bool event_ = false;  ///< the present step ends at one
};

/// How far another run of the same case is away from the first.
class PositionDifferences final : public SampledStages {
 public:
  /// `first` must outlive it. Collective.
  PositionDifferences(Assembler& assembler, const PositionSamples& first)
      : SampledStages(assembler), first_(first), exchange_(assembler.layout(), first.layout()) {}

  /// Over one stage.
  struct Difference {
    int stage = 0;       ///< its index
    double largest = 0;  ///< part of a channel's range, in the first run
    double time = 0;     ///< [s]
    std::string where;   ///< "bob position"
    int compared = 0;    ///< times at which positions were compared
  };
  const std::vector<Difference>& stages() const { return stages_; }

 private:
  void begin(int stage, const State& state) override;
  /// Collective.
  void sample(std::size_t number, double time, const State& state) override;

  const PositionSamples& first_;
  PositionExchange exchange_;
  std::vector<Difference> stages_;
};

}  // namespace trammel
