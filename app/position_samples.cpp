#include "position_samples.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "solvers/accuracy/accuracy_control.hpp"
#include "solvers/newton/convergence.hpp"
#include "solvers/run/dense_output.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

constexpr double slack = 1e-6;  // of an interval
// Samples of a stage; fewer where a rank would keep more than so many numbers (a fiftieth of what a large model takes).
constexpr long most_times = 100, fewest_times = 10, most_numbers = 2'000'000;

std::vector<double> positions_of(const Layout& layout, const State& state) {
  std::vector<double> all;
  each_position(layout, [&](const UnknownBlock& u, int size) {
    const double* value = state.value.data() + u.offset.value + (u.kind == BlockKind::rotation ? 9 : 0);
    all.insert(all.end(), value, value + size);
  });
  return all;
}

/// The same on all ranks.
int times_of(const Layout& layout) {
  long numbers = 1;
  each_position(layout, [&](const UnknownBlock&, int size) { numbers += size; });
  MPI_Allreduce(MPI_IN_PLACE, &numbers, 1, MPI_LONG, MPI_MAX, layout.comm());
  return static_cast<int>(std::clamp(most_numbers / numbers, fewest_times, most_times));
}

}  // namespace

SampledStages::SampledStages(Assembler& assembler)
    : assembler_(assembler), count_(times_of(assembler.layout())) {}

void SampledStages::count_times(const Stage& stage, const StepReport& report) {
  const auto* motion = std::get_if<DynamicStage>(&stage.what);
  samples_ = motion != nullptr && motion->second_run != DynamicStage::SecondRun::none;
  begin_ = report.begin;
  interval_ = (report.until - report.begin) / count_;
  taken_ = 0;
}

void SampledStages::stage_begins(const Stage& stage, const StepReport& report, const State& state) {
  count_times(stage, report);
  if (samples_) begin(report.stage, state);
}

void SampledStages::goes_on(const Stage& stage, const StepReport& report, const State& state) {
  count_times(stage, report);
  if (!samples_) return;
  while (next() < state.time + slack * interval_) ++taken_;
  go_on(report.stage, taken_);
}

void SampledStages::passes(const StepReport&, const DenseStep& step) {
  if (!samples_) return;
  for (; next() < step.end() - slack * interval_; ++taken_) sample(taken_, next(), step.at(next()));
}

void SampledStages::accepted(const StepReport&, const State& state) {
  if (!samples_ || state.time < next() - slack * interval_) return;
  sample(taken_, next(), state);
  ++taken_;
}

MotionRange PositionSamples::new_range() const {
  return {assembler_.layout(), assembler_.model(),
          ModelScales::model_length(assembler_.layout(), assembler_.model())};
}

void PositionSamples::begin(int stage, const State& state) {
  stages_.push_back({stage, 0, {}, new_range(), StepTimes(state.time)});
  stages_.back().range.begin(state, massless(assembler_, state));
}

void PositionSamples::go_on(int stage, std::size_t taken) {
  if (stages_.empty() || stages_.back().stage != stage)
    throw Error("the checkpoint has no steps to tell errors by");
  stages_.back().missing = taken;
}

void PositionSamples::sample(std::size_t, double, const State& state) {
  stages_.back().range.include(state);
  stages_.back().values.push_back(positions_of(assembler_.layout(), state));
}

void PositionSamples::serialize(Archive& archive) {
  std::size_t count = stages_.size();
  archive(count);
  while (stages_.size() < count) stages_.push_back({0, 0, {}, new_range(), StepTimes()});
  for (Samples& each : stages_) archive(each.stage, each.range, each.steps);
}

std::vector<std::byte> PositionSamples::place() {
  Archive archive;
  serialize(archive);
  return archive.bytes();
}

void PositionSamples::restore(const std::vector<std::byte>& place) {
  Archive archive(place);
  serialize(archive);
  // No positions are known of stages that have ended.
  for (Samples& each : stages_) each.missing = std::numeric_limits<std::size_t>::max();
}

void PositionSamples::accepted(const StepReport& report, const State& state) {
  SampledStages::accepted(report, state);
  const bool event = std::exchange(event_, false);
  if (in_stage()) stages_.back().steps.add(state.time, event);
}

void PositionDifferences::begin(int stage, const State&) { stages_.push_back({stage, 0, 0, {}, 0}); }

void PositionDifferences::sample(std::size_t number, double time, const State& state) {
  const PositionSamples::Samples& first = first_.stages()[stages_.size() - 1];
  if (number < first.missing || number - first.missing >= first.values.size()) return;
  ++stages_.back().compared;
  const std::vector<double> positions = exchange_(positions_of(assembler_.layout(), state));
  const double *from = first.values[number - first.missing].data(), *to = positions.data();
  std::vector<double> increments;
  each_position(first_.layout(), [&](const UnknownBlock& u, int size) {
    if (u.kind == BlockKind::rotation) {
      const Quaternion a(from[0], from[1], from[2], from[3]), b(to[0], to[1], to[2], to[3]);
      const Vec3 turn = so3::log(a.conjugate() * b);
      increments.insert(increments.end(), turn.data(), turn.data() + 3);
    } else {
      for (int k = 0; k < size; ++k) increments.push_back(to[k] - from[k]);
    }
    from += size;
    to += size;
  });
  const NamedNumber found = first.range.worst(increments);
  Difference& worst = stages_.back();
  if (!(found.number > worst.largest)) return;
  worst.largest = found.number;
  worst.where = found.where;
  worst.time = time;
}

}  // namespace trammel
