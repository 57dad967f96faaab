// Cost of one evaluation of a force between two frames: the bushing as elements/spring has it by hand, and the same springs
// and dampers as a ForceLaw, differentiated automatically. Prints one table, after it has compared what both give.

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/case/case_context.hpp"
#include "io/case/case_yaml.hpp"
#include "kernel/loader.hpp"
#include "kernel/model_builder.hpp"
#include "trammel/element_check.hpp"
#include "trammel/force_law.hpp"
#include "trammel/joint_check.hpp"

namespace {

using namespace trammel;

/// Isotropic, without damping of the rotation: there both are the same law.
class SameBushing : public ForceLaw<SameBushing> {
 public:
  template <class S>
  void wrench(const Relative<S>& x, Wrench<S>& w) const {
    w.force = x.p_AB_A * (-300.0) - x.v_AB_A * 2.0;
    const Vec3T<S> sine = axial(x.R_AB);
    const S s = sine.norm(), angle = atan2(s, 0.5 * (x.R_AB.trace() - 1.0));
    w.moment = sine * (-40.0 * angle / s);
  }
};

constexpr int size = 64;

class Crowd {
 public:
  Crowd(const Type& type, const std::string& own) : map_(read_yaml_text(own, "bench")) {
    context_.set_parameters(nullptr, {});
    ModelBuilder builder(model_);
    builder.begin(sample_entity(), sample_body());
    add_sample_markers(builder);
    for (int i = 0; i < size; ++i) {
      Entity entity;
      entity.name = "law" + std::to_string(i);
      builder.begin(std::move(entity), type);
      type.build(Parameters(map_, type.parameters, context_), builder);
    }
    range_ = model_.ranges.back().instances.get();
    test_state_ = std::make_unique<TestState>(model_, range_->stencil(0));
    test_state_->disturb(3, 1, 2);
  }

  Evaluation evaluated() const { return evaluate(*range_, 0, *test_state_, {true, false, false}); }

  /// Of one evaluation [us], the best of many.
  double cost(bool tangent) const {
    class Sink final : public ContributionSink {
     public:
      void add(int, LocalSystem& contribution) override { sum += contribution.residual()[0]; }
      double sum = 0;
    } sink;
    const std::vector<const BlockOffset*> offsets(size, test_state_->state_offsets().data());
    double best = 1e9;
    for (int pass = 0; pass < 400; ++pass) {
      const auto start = std::chrono::steady_clock::now();
      range_->evaluate(0, size, test_state_->state(), offsets, {tangent, false, false}, sink);
      best = std::min(
          best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    return best / size;
  }

 private:
  Value map_;
  CaseContext context_;
  Model model_;
  const ElementRange* range_ = nullptr;
  std::unique_ptr<TestState> test_state_;
};

}  // namespace

int main() {
  Registry registry;
  Loader loader(registry);
  loader.load(std::string(TRAMMEL_PLUGIN_DIR) + "/spring.so");
  const Crowd by_hand(
      registry.get(Type::Category::element, "bushing", {}),
      "{between: [bodies.a_arm, bodies.b_arm], stiffness: [300, 300, 300, 40, 40, 40], damping: [2, 2, 2, "
      "0, 0, 0], rest: aligned}");
  const Crowd by_formula(force_type<SameBushing>("same_bushing", "the same"),
                         "{between: [bodies.a_arm, bodies.b_arm]}");
  const Evaluation a = by_hand.evaluated(), b = by_formula.evaluated();
  fmt::print("difference of both: residual {:.1e}, K {:.1e}, D {:.1e}, of their largest entries\n\n",
             (a.residual - b.residual).cwiseAbs().maxCoeff() / a.residual.cwiseAbs().maxCoeff(),
             (a.K - b.K).cwiseAbs().maxCoeff() / a.K.cwiseAbs().maxCoeff(),
             (a.D - b.D).cwiseAbs().maxCoeff() / a.D.cwiseAbs().maxCoeff());
  fmt::print("{:<28}{:>10}{:>12}{:>8}\n", "one evaluation [us]", "by hand", "ForceLaw", "ratio");
  for (const bool tangent : {false, true}) {
    const double hand = by_hand.cost(tangent), formula = by_formula.cost(tangent);
    fmt::print("{:<28}{:>10.2f}{:>12.2f}{:>8.1f}\n", tangent ? "residual and tangent" : "residual", hand,
               formula, formula / hand);
  }
}
