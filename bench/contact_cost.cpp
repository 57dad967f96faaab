// Cost of one evaluation of the contact of two NURBS surfaces, in both formulations, and of circles in a plane, beside a revolute
// joint's: residual, and residual with tangent. Prints one table.

#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/case_context.hpp"
#include "io/case_yaml.hpp"
#include "kernel/loader.hpp"
#include "kernel/model_builder.hpp"
#include "trammel/element_check.hpp"
#include "trammel/joint_check.hpp"
#include "trammel/lie.hpp"
#include "trammel/registry.hpp"
#include "trammel/surface.hpp"

namespace {

using namespace trammel;

/// A dome of 12 x 12 control points of degree 3, over 2 m x 2 m.
std::string dome(const std::string& marker) {
  std::string rows;
  for (int i = 0; i < 12; ++i) {
    rows += i == 0 ? "[" : ", [";
    for (int j = 0; j < 12; ++j) {
      const double x = -1 + i / 5.5, y = -1 + j / 5.5;
      rows += fmt::format("{}[{:.6f}, {:.6f}, {:.6f}]", j == 0 ? "" : ", ", x, y, -0.4 * x * x - 0.3 * y * y);
    }
    rows += "]";
  }
  return fmt::format("{{on: {}, points: [{}]}}", marker, rows);
}

/// A joint between two frames, near where it is closed.
class Sample {
 public:
  Sample(const Registry& registry, const std::string& joint, const std::string& own, bool surfaces) {
    context_.set_parameters(nullptr, {});
    ModelBuilder builder(model_);
    Entity frames;
    frames.name = "f";
    const Type bodies;
    builder.begin(frames, bodies);
    const auto offer = [&](const char* name, const Mat3& R, const Vec3& p) {
      builder.offer_marker(name,
                           Marker::on_frame(builder.add_frame(name, R, p), Mat3::Identity(), Vec3::Zero()));
    };
    offer("a", Mat3::Identity(), Vec3::Zero());
    offer("b", so3::exp(Vec3(3.14159265358979, 0, 0)), Vec3(0.02, 0.03, 0.0));
    const auto add = [&](Type::Category category, const std::string& type, const std::string& name,
                         const std::string& text) {
      values_.push_back(std::make_unique<Value>(read_yaml_text(text, "bench")));
      Entity entity;
      entity.name = name;
      const Type& found = registry.get(category, type, {});
      builder.begin(entity, found);
      found.build(Parameters(*values_.back(), found.parameters, context_), builder);
    };
    if (surfaces) {
      add(surface_category, "nurbs_surface", "one", dome("f.a"));
      add(surface_category, "nurbs_surface", "two", dome("f.b"));
    }
    add(Type::Category::joint, joint, "j",
        fmt::format("{{between: [{}], assemble: yes{}}}", surfaces ? "one, two" : "f.a, f.b", own));
    range_ = model_.ranges.back().instances.get();
    test_state_ = std::make_unique<TestState>(model_, range_->stencil(0));
  }

  /// The least time of an evaluation in some repetitions [s].
  double seconds(bool tangent) const {
    class Sink final : public ContributionSink {
     public:
      double sum = 0;

     private:
      void add(int, LocalSystem& contribution) override { sum += contribution.residual()[0]; }
    } sink;
    Request request;
    request.tangent = tangent;
    const std::vector<const BlockOffset*> offsets{test_state_->state_offsets().data()};
    double least = std::numeric_limits<double>::infinity();
    constexpr int count = 2000, repetitions = 15;
    for (int r = 0; r < repetitions; ++r) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < count; ++i) range_->evaluate(0, 1, test_state_->state(), offsets, request, sink);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      least = std::min(least, taken.count() / count);
    }
    return least + (sink.sum == 0.123 ? 1 : 0);
  }

 private:
  CaseContext context_;
  Model model_;
  std::vector<std::unique_ptr<Value>> values_;
  const ElementRange* range_ = nullptr;
  std::unique_ptr<TestState> test_state_;
};

}  // namespace

int main() {
  Registry registry;
  Loader loader(registry);
  for (const char* plugin : {"lower_pairs", "surfaces", "surface_contact"})
    loader.load(fmt::format("{}/{}.so", TRAMMEL_PLUGIN_DIR, plugin));
  const Sample revolute(registry, "revolute", ", share: no, axis: [0, 0, 1]", false);
  const double r = revolute.seconds(false), t = revolute.seconds(true);
  fmt::print(
      "| joint | residual [us] | by a revolute's | with tangent [us] | by a revolute's "
      "|\n|---|---|---|---|---|\n");
  const auto row = [&](const std::string& name, const Sample& sample) {
    const double residual = sample.seconds(false), tangent = sample.seconds(true);
    fmt::print("| {} | {:.2f} | {:.1f} | {:.2f} | {:.1f} |\n", name, 1e6 * residual, residual / r,
               1e6 * tangent, tangent / t);
  };
  row("revolute", revolute);
  row("clearance_revolute", Sample(registry, "clearance_revolute", ", hole: 0.5, pin: 0.3", false));
  row("surface_contact, NURBS", Sample(registry, "surface_contact", "", true));
  row("surface_contact, NURBS, sliding_plane",
      Sample(registry, "surface_contact", ", formulation: sliding_plane", true));
}
