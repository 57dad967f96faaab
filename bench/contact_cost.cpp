// Cost of one evaluation of the contact of two NURBS surfaces, in both formulations, and of circles in a plane, beside a revolute
// joint's: residual, and residual with tangent; and of the search for other contact points on surfaces of 800 patches. Prints one
// table of times. `contact_cost ROW WHAT COUNT` does one thing COUNT times, for bench/contact_cost.sh, which counts instructions.

#include <chrono>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/case/case_context.hpp"
#include "io/case/case_yaml.hpp"
#include "kernel/loader.hpp"
#include "kernel/model_builder.hpp"
#include "trammel/element_check.hpp"
#include "trammel/joint_check.hpp"
#include "trammel/lie.hpp"
#include "trammel/registry.hpp"
#include "trammel/surface.hpp"

namespace {

using namespace trammel;

/// A dome of control points of degree 3, over 2 m x 2 m.
std::string dome(const std::string& marker, int count_u, int count_v) {
  std::string rows;
  for (int i = 0; i < count_u; ++i) {
    rows += i == 0 ? "[" : ", [";
    for (int j = 0; j < count_v; ++j) {
      const double x = -1 + 2.0 * i / (count_u - 1), y = -1 + 2.0 * j / (count_v - 1);
      rows += fmt::format("{}[{:.6f}, {:.6f}, {:.6f}]", j == 0 ? "" : ", ", x, y, -0.4 * x * x - 0.3 * y * y);
    }
    rows += "]";
  }
  return fmt::format("{{on: {}, points: [{}]}}", marker, rows);
}

/// What is measured: a joint and the control points of its surfaces, none where it has none.
struct Subject {
  std::string name, joint, own;
  int count_u = 0, count_v = 0;
};

const std::vector<Subject> rows{
    {"revolute", "revolute", ", share: no, axis: [0, 0, 1]"},
    {"clearance_revolute", "clearance_revolute", ", hole: 0.5, pin: 0.3"},
    {"parameters", "surface_contact", "", 12, 12},
    {"sliding_plane", "surface_contact", ", formulation: sliding_plane", 12, 12},
    {"parameters_800", "surface_contact", "", 23, 43},
    {"sliding_plane_800", "surface_contact", ", formulation: sliding_plane", 23, 43}};

/// The height of a surface over a point of the x-y plane, by Newton's method.
double height(const Surface& surface, double x, double y) {
  SurfaceParameters at{surface.u().first + 0.5 * surface.u().length(),
                       surface.v().first + 0.5 * surface.v().length()};
  SurfacePoint p;
  for (int i = 0; i < 20; ++i) {
    surface.evaluate(at, 1, p);
    const double dx = x - p.d[0].x(), dy = y - p.d[0].y();
    const Vec3 &by_u = p.by(1, 0), &by_v = p.by(0, 1);
    const double area = by_u.x() * by_v.y() - by_v.x() * by_u.y();
    at.u += (dx * by_v.y() - dy * by_v.x()) / area;
    at.v += (dy * by_u.x() - dx * by_u.y()) / area;
  }
  return p.d[0].z();
}

/// A joint between two frames, closed: the second of two equal domes stands on the first, upside down and beside it, so that they
/// touch half way between their tops.
class Sample {
 public:
  Sample(const Registry& registry, const Subject& row) {
    const bool surfaces = row.count_u > 0;
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
    const auto add = [&](Type::Category category, const std::string& type, const std::string& name,
                         const std::string& text) {
      values_.push_back(std::make_unique<Value>(read_yaml_text(text, "bench")));
      Entity entity;
      entity.name = name;
      const Type& found = registry.get(category, type, {});
      builder.begin(entity, found);
      found.build(Parameters(*values_.back(), found.parameters, context_), builder);
    };
    double z = 0;
    if (surfaces) {
      add(surface_category, "nurbs_surface", "one", dome("f.a", row.count_u, row.count_v));
      z = 2 * height(*find_surface(builder, read_yaml_text("one", "bench")).surface, 0.01, 0.015);
    }
    Entity second;
    second.name = "f";
    builder.begin(second, bodies);
    offer("b", so3::exp(Vec3(std::numbers::pi, 0, 0)), Vec3(0.02, 0.03, z));
    if (surfaces) {
      add(surface_category, "nurbs_surface", "two", dome("f.b", row.count_u, row.count_v));
    }
    add(Type::Category::joint, row.joint, "j",
        fmt::format("{{between: [{}], assemble: yes{}}}", surfaces ? "one, two" : "f.a, f.b", row.own));
    range_ = model_.ranges.back().instances.get();
    test_state_ = std::make_unique<TestState>(model_, range_->stencil(0));
    for (double& rate : test_state_->state().rate) rate = 0.1;
    range_->begin(0, test_state_->local(), {.step = 1e-3});
  }

  /// Does one thing `count` times: `residual`, `tangent` (with the residual), `review` (of a step in which the trees are not
  /// walked), `begin` (which walks them).
  double run(const std::string& what, int count) {
    Sink sink;
    Request request;
    request.tangent = what == "tangent";
    const std::vector<const BlockOffset*> offsets{test_state_->state_offsets().data()};
    for (int i = 0; i < count; ++i) {
      if (what == "begin")
        range_->begin(0, test_state_->local(), {.step = 1e-3});
      else if (what == "review")
        range_->review(0, test_state_->local(), {.start = 0, .end = 1e-3});
      else
        range_->evaluate(0, 1, test_state_->state(), offsets, request, sink);
    }
    return sink.sum;
  }

  /// The least time of one of them in some repetitions [s].
  double seconds(const std::string& what) {
    double least = std::numeric_limits<double>::infinity(), sum = 0;
    constexpr int count = 2000, repetitions = 15;
    for (int r = 0; r < repetitions; ++r) {
      const auto start = std::chrono::steady_clock::now();
      sum += run(what, what == "begin" ? count / 20 : count);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      least = std::min(least, taken.count() / (what == "begin" ? count / 20 : count));
    }
    return least + (sum == 0.123 ? 1 : 0);
  }

 private:
  class Sink final : public ContributionSink {
   public:
    double sum = 0;

   private:
    void add(int, LocalSystem& contribution) override { sum += contribution.residual()[0]; }
  };

  CaseContext context_;
  Model model_;
  std::vector<std::unique_ptr<Value>> values_;
  ElementRange* range_ = nullptr;
  std::unique_ptr<TestState> test_state_;
};

}  // namespace

int main(int argc, char** argv) {
  Registry registry;
  Loader loader(registry);
  for (const char* plugin : {"lower_pairs", "surfaces", "surface_contact"})
    loader.load(fmt::format("{}/{}.so", TRAMMEL_PLUGIN_DIR, plugin));
  if (argc == 4) {
    for (const Subject& row : rows)
      if (row.name == argv[1]) return Sample(registry, row).run(argv[2], std::stoi(argv[3])) == 0.123 ? 1 : 0;
    fmt::print(stderr, "contact_cost: no row '{}'\n", argv[1]);
    return 2;
  }
  Sample revolute(registry, rows.front());
  const double r = revolute.seconds("residual"), t = revolute.seconds("tangent");
  fmt::print(
      "| joint | residual [us] | by a revolute's | with tangent [us] | by a revolute's | review [us] | "
      "begin, "
      "with a walk [us] |\n|---|---|---|---|---|---|---|\n");
  for (const Subject& row : rows) {
    Sample sample(registry, row);
    const double residual = sample.seconds("residual"), tangent = sample.seconds("tangent");
    fmt::print("| {} | {:.2f} | {:.1f} | {:.2f} | {:.1f} | {:.2f} | {:.1f} |\n", row.name, 1e6 * residual,
               residual / r, 1e6 * tangent, tangent / t, 1e6 * sample.seconds("review"),
               1e6 * sample.seconds("begin"));
  }
}
