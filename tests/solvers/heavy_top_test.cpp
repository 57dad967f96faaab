#include <gtest/gtest.h>

#include <cmath>

#include "test_models.hpp"

namespace trammel::testing {
namespace {

struct Sample {
  double time = 0;
  Vec3 p, w, lambda;
};

/// Keeps the first steps and the end.
class Keep : public Monitor {
 public:
  explicit Keep(const HeavyTop& top) : top_(top) {}
  void accepted(const StepReport&, const State& s) override {
    Sample x;
    x.time = s.time;
    x.p = Eigen::Map<const Vec3>(top_.value(s, top_.frame.position));
    x.w = Eigen::Map<const Vec3>(top_.rate(s, top_.frame.rotation));
    x.lambda = Eigen::Map<const Vec3>(top_.value(s, top_.reaction));
    samples.push_back(x);
  }
  void note(std::string_view text) override { notes.emplace_back(text); }
  const Sample& at(double time) const {
    for (const Sample& s : samples)
      if (std::abs(s.time - time) < 1e-9) return s;
    throw std::runtime_error("no sample");
  }
  std::vector<Sample> samples;
  std::vector<std::string> notes;

 private:
  const HeavyTop& top_;
};

Stage stage(DynamicStage::Form form, double step, double until, double radius = 0.9) {
  DynamicStage d;
  d.form = form;
  d.step = step;
  d.until = until;
  d.radius = radius;
  d.newton.tolerance = 1e-12;
  return {"", d};
}

TEST(HeavyTop, meets_the_reference) {
  HeavyTop top;
  Simulation run(*top.assembler);
  Keep keep(top);
  run.add(keep);
  const Stage stages[] = {stage(DynamicStage::Form::index3, 1e-4, 0.1)};
  run.run(stages);
  const Vec3 p(0.4212966589, 0.8945719743, -0.1491647006);
  EXPECT_LT((keep.samples.back().p - p).norm(), 2e-5);
}

/// Differences of runs with h, h/2 and h/4 at the times of the coarse one. Half way steps change by the factor `change`.
std::array<double, 9> errors(DynamicStage::Form form, double h, double from, double until,
                             double change = 1) {
  std::vector<Keep> kept;
  kept.reserve(4);
  HeavyTop top;
  for (int k = 0; k < 4; ++k) {
    HeavyTop t;
    Simulation run(*t.assembler);
    kept.emplace_back(t);
    run.add(kept.back());
    const double step = k == 3 ? h / 64 : h * std::pow(0.5, k),
                 first = k < 3 && change > 1 ? step / change : step;
    std::vector<Stage> stages{stage(form, first, change != 1 ? 0.5 * until : until)};
    if (change != 1) {
      Stage second = stage(form, k == 3 ? step : first * change, until);
      std::get<DynamicStage>(second.what).start = DynamicStage::Start::as_given;
      stages.push_back(second);
    }
    run.run(stages);
  }
  std::array<double, 9> e{};
  for (int k = 0; k < 3; ++k)
    for (const Sample& s : kept[0].samples) {
      if (s.time < from) continue;
      const Sample &x = kept[static_cast<std::size_t>(k)].at(s.time), &exact = kept[3].at(s.time);
      const auto put = [&](int field, double value) {
        double& to = e[static_cast<std::size_t>(3 * field + k)];
        to = std::max(to, value);
      };
      put(0, (x.p - exact.p).norm());
      put(1, (x.w - exact.w).norm());
      put(2, (x.lambda - exact.lambda).norm());
    }
  return e;
}

void expect_order(const std::array<double, 9>& e, int field, double order) {
  const auto i = static_cast<std::size_t>(3 * field);
  const double first = std::log2(e[i] / e[i + 1]), second = std::log2(e[i + 1] / e[i + 2]);
  EXPECT_NEAR(second, order, 0.2) << "field " << field << ": errors " << e[i] << ", " << e[i + 1] << ", "
                                  << e[i + 2] << ", first order " << first;
}

TEST(HeavyTop, index3_has_order_2_from_the_first_step) {
  const auto e = errors(DynamicStage::Form::index3, 1e-3, 0, 0.1);
  for (int field = 0; field < 3; ++field) expect_order(e, field, 2);
  // The force is 510 N. If the run started on the constraint, the error would be 122 N.
  EXPECT_LT(e[6], 5);
}

TEST(HeavyTop, index3_keeps_order_2_across_a_halved_step) {
  const auto e = errors(DynamicStage::Form::index3, 1e-3, 0.3, 0.6, 0.5);
  for (int field = 0; field < 3; ++field) expect_order(e, field, 2);
}

TEST(HeavyTop, index3_keeps_order_2_across_a_longer_step) {
  const auto e = errors(DynamicStage::Form::index3, 1e-3, 0.3, 0.6, 8);
  for (int field = 0; field < 3; ++field) expect_order(e, field, 2);
}

TEST(HeavyTop, projected_index3_has_order_2_from_the_first_step) {
  const auto e = errors(DynamicStage::Form::projected, 1e-3, 0, 0.1);
  for (int field = 0; field < 3; ++field) expect_order(e, field, 2);
}

TEST(HeavyTop, projected_index3_keeps_order_2_across_a_halved_step) {
  const auto e = errors(DynamicStage::Form::projected, 1e-3, 0.3, 0.6, 0.5);
  for (int field = 0; field < 3; ++field) expect_order(e, field, 2);
}

TEST(HeavyTop, projected_index3_keeps_order_2_across_a_longer_step) {
  const auto e = errors(DynamicStage::Form::projected, 1e-3, 0.3, 0.6, 8);
  for (int field = 0; field < 3; ++field) expect_order(e, field, 2);
}

TEST(HeavyTop, stabilized_index2_has_order_2_from_the_first_step) {
  const auto e = errors(DynamicStage::Form::index2, 1e-3, 0, 0.1);
  for (int field = 0; field < 3; ++field) expect_order(e, field, 2);
}

TEST(HeavyTop, stabilized_index2_keeps_order_2_across_a_halved_step) {
  const auto e = errors(DynamicStage::Form::index2, 1e-3, 0, 0.1, 0.5);
  for (int field = 0; field < 3; ++field) expect_order(e, field, 2);
}

TEST(HeavyTop, index1_has_order_2_from_the_first_step) {
  const auto e = errors(DynamicStage::Form::index1, 1e-3, 0, 0.1);
  for (int field = 0; field < 3; ++field) expect_order(e, field, 2);
}

TEST(HeavyTop, index1_keeps_order_2_across_a_halved_step) {
  const auto e = errors(DynamicStage::Form::index1, 1e-3, 0, 0.1, 0.5);
  for (int field = 0; field < 3; ++field) expect_order(e, field, 2);
}

}  // namespace
}  // namespace trammel::testing
