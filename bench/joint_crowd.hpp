#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/case/case_context.hpp"
#include "io/case/case_yaml.hpp"
#include "kernel/model_builder.hpp"
#include "trammel/element_check.hpp"
#include "trammel/joint_check.hpp"
#include "trammel/lie.hpp"
#include "trammel/registry.hpp"

namespace trammel::bench {

/// Many joints of one type, each between two frames of its own, in a random state.
class Crowd {
 public:
  static constexpr int size = 64;

  explicit Crowd(const Type& type, const std::string& own) {
    context_.set_parameters(nullptr, {});
    ModelBuilder builder(model_);
    Type bodies;
    for (int i = 0; i < size; ++i) {
      Entity frames, joint;
      frames.name = "f" + std::to_string(i);
      builder.begin(frames, bodies);
      const auto offer = [&builder](const char* name, const Vec3& tilt) {
        const Frame frame = builder.add_frame(name, Mat3::Identity(), Vec3::Zero());
        builder.offer_marker(name, Marker::on_frame(frame, so3::exp(tilt), Vec3(0.3, -0.2, 0.5)));
      };
      offer("a", Vec3(0.4, -1.2, 0.7));
      offer("b", Vec3(-0.6, 0.9, 0.3));
      joint.name = "j" + std::to_string(i);
      builder.begin(joint, type);
      const std::string text = fmt::format("{{between: [f{0}.a, f{0}.b], assemble: yes{1}}}", i, own);
      maps_.push_back(std::make_unique<Value>(read_yaml_text(text, "joint")));
      type.build(Parameters(*maps_.back(), type.parameters, context_), builder);
    }
    range_ = model_.ranges.back().instances.get();
    std::vector<BlockId> all;  // no joint has a block of another one
    for (int i = 0; i < size; ++i)
      all.insert(all.end(), range_->stencil(i).begin(), range_->stencil(i).end());
    test_state_ = std::make_unique<TestState>(model_, all);
    test_state_->disturb(1, 0.3, 0.5);
    auto offset = test_state_->state_offsets().begin();
    for (int i = 0; i < size; ++i) {
      const auto count = static_cast<std::ptrdiff_t>(range_->stencil(i).size());
      stencils_.emplace_back(place, place + count);
      offset += count;
    }
    for (const std::vector<BlockOffset>& offsets : stencils_) offsets_.push_back(offsets.data());
  }

  void evaluate(bool tangent) const {
    class Sink final : public ContributionSink {
      void add(int, LocalSystem& contribution) override {
        benchmark::DoNotOptimize(contribution.residual().data());
      }
    } sink;
    Request request;
    request.tangent = tangent;
    range_->evaluate(0, size, test_state_->state(), offsets_, request, sink);
    benchmark::ClobberMemory();
  }

 private:
  CaseContext context_;
  Model model_;
  std::vector<std::unique_ptr<Value>> maps_;
  const ElementRange* range_ = nullptr;
  std::unique_ptr<TestState> test_state_;
  std::vector<std::vector<BlockOffset>> stencils_;
  std::vector<const BlockOffset*> offsets_;
};

/// Keeps the fastest repetition of each benchmark, by joint [s].
class Times final : public benchmark::ConsoleReporter {
 public:
  std::map<std::string, double> seconds;
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (!run.aggregate_name.empty()) continue;
      const double once =
          run.GetAdjustedCPUTime() / benchmark::GetTimeUnitMultiplier(run.time_unit) / Crowd::size;
      const auto [place, is_new] = seconds.try_emplace(run.run_name.function_name, once);
      if (!is_new) place->second = std::min(place->second, once);
    }
  }
};

/// One form of a joint: its type, and parameters of its own in a case.
struct Form {
  Type type;
  std::string own;
};

/// A joint in two forms.
struct Compared {
  std::string name;
  Form first, second;
};

/// Times the residual, and the residual with the tangent, of both forms of each joint, and prints one table.
inline int compare(int argc, char** argv, const std::string& first, const std::string& second,
                   const std::vector<Compared>& joints) {
  std::vector<std::unique_ptr<Crowd>> crowds;
  const auto name_of = [](const Compared& joint, const std::string& form, bool tangent) {
    return fmt::format("{}.{}.{}", joint.name, form, tangent ? "tangent" : "residual");
  };
  for (const Compared& joint : joints)
    for (const auto& [name, form] : {std::pair(first, &joint.first), std::pair(second, &joint.second)}) {
      crowds.push_back(std::make_unique<Crowd>(form->type, form->own));
      for (const bool tangent : {false, true})
        benchmark::RegisterBenchmark(name_of(joint, name, tangent).c_str(),
                                     [crowd = crowds.back().get(), tangent](benchmark::State& state) {
                                       for ([[maybe_unused]] auto _ : state) crowd->evaluate(tangent);
                                     })
            ->Repetitions(9)
            ->MinTime(0.02);
    }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  Times times;
  benchmark::RunSpecifiedBenchmarks(&times);

  fmt::print(
      "| joint | {0}: residual [us] | and tangent [us] | {1}: residual [us] | and tangent [us] | ratios |\n"
      "|---|---|---|---|---|---|\n",
      first, second);
  for (const Compared& joint : joints) {
    const auto us = [&](const std::string& form, bool tangent) {
      return 1e6 * times.seconds[name_of(joint, form, tangent)];
    };
    const double r = us(first, false), t = us(first, true), r2 = us(second, false), t2 = us(second, true);
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.1f}, {:.1f} |\n", joint.name, r, t, r2, t2,
               r2 / r, t2 / t);
  }
  return 0;
}

}  // namespace trammel::bench
