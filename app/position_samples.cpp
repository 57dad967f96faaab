#include "position_samples.hpp"

#include <algorithm>
#include <variant>

#include "solvers/accuracy/accuracy_control.hpp"
#include "solvers/newton/convergence.hpp"
#include "solvers/run/dense_output.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

constexpr int count = 100;
constexpr double slack = 1e-6;  // of an interval

/// The increments that lead from one sample to another.
void difference(const Layout& layout, const std::vector<double>& from, const std::vector<double>& to,
                std::vector<double>& out) {
  out.clear();
  std::size_t i = 0;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned || !has_rate(u.kind)) continue;
    if (u.kind == BlockKind::rotation) {
      const Quaternion a(from[i], from[i + 1], from[i + 2], from[i + 3]),
          b(to[i], to[i + 1], to[i + 2], to[i + 3]);
      const Vec3 turn = so3::log(a.conjugate() * b);
      out.insert(out.end(), turn.data(), turn.data() + 3);
      i += 4;
    } else {
      for (int k = 0; k < u.size; ++k, ++i) out.push_back(to[i] - from[i]);
    }
  }
}

}  // namespace

void PositionSamples::stage_begins(const Stage& stage, const StepReport& report, const State& state) {
  const auto* motion = std::get_if<DynamicStage>(&stage.what);
  samples_ = motion != nullptr && motion->accuracy > 0;
  if (!samples_) return;
  const double length = ModelScales::model_length(assembler_.layout(), assembler_.model());
  stages_.push_back({report.stage,
                     motion->check_accuracy,
                     report.begin,
                     (report.until - report.begin) / count,
                     {},
                     MotionRange(assembler_.layout(), assembler_.model(), length)});
  stages_.back().range.begin(state, massless(assembler_, state));
}

double PositionSamples::next() const {
  const Samples& s = stages_.back();
  return s.begin + s.interval * static_cast<double>(s.values.size() + 1);
}

void PositionSamples::passes(const StepReport&, const DenseStep& step) {
  if (!samples_) return;
  while (next() < step.end() - slack * stages_.back().interval) sample(step.at(next()));
}

void PositionSamples::accepted(const StepReport&, const State& state) {
  if (samples_ && state.time >= next() - slack * stages_.back().interval) sample(state);
}

void PositionSamples::sample(const State& state) {
  Samples& s = stages_.back();
  s.range.include(state);
  std::vector<double>& values = s.values.emplace_back();
  for (const UnknownBlock& u : assembler_.layout().unknowns()) {
    if (!u.owned || !has_rate(u.kind)) continue;
    const double* value = state.value.data() + u.offset.value;
    const int first = u.kind == BlockKind::rotation ? 9 : 0,
              size = u.kind == BlockKind::rotation ? 4 : u.size;
    values.insert(values.end(), value + first, value + first + size);
  }
}

std::vector<PositionSamples::Difference> PositionSamples::against(const PositionSamples& finer) const {
  std::vector<Difference> all;
  std::vector<double> increments;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const Samples &coarse = stages_[i], &fine = finer.stages_[i];
    if (!coarse.check) continue;
    Difference worst;
    worst.stage = coarse.stage;
    for (std::size_t k = 0; k < std::min(coarse.values.size(), fine.values.size()); ++k) {
      difference(assembler_.layout(), coarse.values[k], fine.values[k], increments);
      const NamedNumber found = coarse.range.worst(increments);
      if (!(found.number > worst.largest)) continue;
      worst.largest = found.number;
      worst.where = found.where;
      worst.time = coarse.begin + coarse.interval * static_cast<double>(k + 1);
    }
    all.push_back(worst);
  }
  return all;
}

}  // namespace trammel
