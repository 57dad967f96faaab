#pragma once

#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/errors/motion_range.hpp"
#include "solvers/run/monitor.hpp"

namespace trammel {

/// Positions at a hundred times of each stage whose steps follow from an accuracy, to compare a run with one of smaller steps.
class PositionSamples final : public Monitor {
 public:
  explicit PositionSamples(Assembler& assembler) : assembler_(assembler) {}

  void stage_begins(const Stage& stage, const StepReport& report, const State& state) override;
  void passes(const StepReport& report, const DenseStep& step) override;
  void accepted(const StepReport& report, const State& state) override;

  /// How far another run is away, over one stage.
  struct Difference {
    int stage = 0;       ///< its index
    double largest = 0;  ///< part of a channel's range
    double time = 0;     ///< [s]
    std::string where;   ///< "bob position"
  };
  /// Differences in the stages that were to be checked. `finer`: another run of the same case. Collective.
  std::vector<Difference> against(const PositionSamples& finer) const;

 private:
  struct Samples {
    int stage = 0;
    bool check = false;
    double begin = 0, interval = 0;
    std::vector<std::vector<double>> values;  ///< of the channels of this rank, of rotations quaternions
    MotionRange range;
  };
  void sample(const State& state);
  /// The time of the sample that comes next [s].
  double next() const;

  Assembler& assembler_;
  bool samples_ = false;  ///< in this stage
  std::vector<Samples> stages_;
};

}  // namespace trammel
