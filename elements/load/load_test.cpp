#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plain_case.hpp"
#include "spread.hpp"
#include "tangent_check.hpp"
#include "trammel/material_line.hpp"
#include "trammel/moving_marker.hpp"
#include "trammel/plugin.hpp"
#include "weight.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel::load {
namespace {

using ::testing::HasSubstr;
using trammel::testing::Draw;
using trammel::testing::expect_tangent;
using trammel::testing::PlainCase;
using trammel::testing::ProbeState;
using trammel::testing::residual_of;
using trammel::testing::time_derivative;

/// f(t) = value (1 + t^2)
class Growing final : public Function {
 public:
  explicit Growing(double value) : Function("growing", {}), value_(value) {}

 private:
  Jet do_at(double t) const override { return {value_ * (1 + t * t), 2 * value_ * t, 2 * value_}; }
  double value_;
};

Components constant_vector(const Vec3& f) {
  return Components({constant_function(f[0]), constant_function(f[1]), constant_function(f[2])});
}
Components growing_vector(const Vec3& f) {
  return Components(
      {std::make_shared<Growing>(f[0]), std::make_shared<Growing>(f[1]), std::make_shared<Growing>(f[2])});
}

Marker some_marker(Draw& draw) { return Marker::on_frame({0, 1}, draw.rotation(), draw.vector()); }

TEST(MarkerLoad, has_tangents_that_match_differences) {
  Draw draw(1);
  for (int run = 0; run < 20; ++run)
    for (const bool moment : {false, true})
      for (const bool follower : {false, true}) {
        const MarkerLoad load(some_marker(draw), growing_vector(draw.vector()), {moment, follower, 0.7});
        ProbeState x;
        x.random_frame(draw);
        expect_tangent(load, x);
      }
}

TEST(MarkerLoad, acts_on_a_point) {
  Draw draw(2);
  const MarkerLoad load(Marker::on_point(0), constant_vector({1, 2, 3}), {});
  ProbeState x;
  x.random_position(draw);
  EXPECT_EQ(residual_of(load, x), Eigen::VectorXd(Vec3(-1, -2, -3)));
  expect_tangent(load, x);
}

// r . v is minus the power of the load: the rate of its potential where it has one, else its dissipated power.
TEST(MarkerLoad, has_a_balanced_power) {
  Draw draw(3);
  for (int run = 0; run < 10; ++run)
    for (const bool moment : {false, true})
      for (const bool follower : {false, true})
        for (const int kind : {0, 1, 2, 3}) {
          const bool constant = kind % 2 == 1;
          const Vec3 f = draw.vector();
          Marker at = some_marker(draw);
          if (kind >= 2) at = moving_marker(at, {std::make_shared<Growing>(0.3), nullptr, nullptr}, {});
          const MarkerLoad load(at, constant ? constant_vector(f) : growing_vector(f), {moment, follower, 1});
          ProbeState x;
          x.random_frame(draw);
          const double potential_rate =
              time_derivative([&](const TestState& s) { return load.energy(s.local()).potential; }, x);
          const double power = potential_rate + load.energy(x.local()).dissipated_power;
          EXPECT_NEAR(residual_of(load, x).dot(ConstVectorMap(x.state().rate.data(), 6)), power, 1e-6);
        }
}

TEST(MarkerLoad, refuses_signals) {
  class OfSignal final : public Function {
   public:
    OfSignal() : Function("3*angle", {"angle"}) {}

   private:
    Jet do_at(double) const override { return {0}; }
  };
  const auto f = std::make_shared<OfSignal>();
  EXPECT_THROW(Components({f, f, f}), Error);
}

/// 2 u^2 + sin(v) t of two signals
class OfTwoSignals final : public Function {
 public:
  OfTwoSignals() : Function("2*a.u^2 + sin(a.v)*t", {"a.u", "a.v"}) {}

 private:
  Jet do_at(double) const override { return {0}; }
  void do_evaluate(double t, std::span<const double> s, FunctionValue& out) const override {
    out.reset(2);
    out.value = 2 * s[0] * s[0] + std::sin(s[1]) * t;
    out.gradient << 4 * s[0], std::cos(s[1]) * t;
  }
};

TEST(MarkerLoad, of_signals_has_their_tangents) {
  Draw draw(6);
  for (const bool moment : {false, true})
    for (const bool follower : {false, true}) {
      PlainCase plain;
      Entity entity;
      entity.name = "a";
      plain.builder.begin(entity, Type());
      const Frame frame = plain.builder.add_frame("", Mat3::Identity(), Vec3::Zero());
      const double u = 0;
      const Measure length = Measure::length();
      plain.builder.offer_coordinate("u", "m",
                                     plain.builder.add_coordinates("u", {&u, 1}, {}, {&length, 1}, "m"));
      plain.builder.offer_signal("v", distance_signal(Marker::ground(), Marker::on_frame(frame)));
      const auto f = std::make_shared<OfTwoSignals>();
      const MarkerLoad load(some_marker(draw), Components({f, constant_function(2), f}, plain.builder),
                            {moment, follower, 1});
      EXPECT_EQ(load.stencil().size(), 5u);
      EXPECT_TRUE(load.couples(1, 4));
      EXPECT_FALSE(load.couples(2, 0));
      ProbeState x;
      x.random_frame(draw);
      const Eigen::VectorXd one = Eigen::VectorXd::Constant(1, 0.7);
      x.numbers(BlockKind::coordinate, one, one, one).random_frame(draw);
      expect_tangent(load, x);
    }
}

TEST(MarkerLoad, has_the_blocks_of_its_signals_once) {
  Draw draw(7);
  PlainCase plain;
  Entity entity;
  entity.name = "a";
  plain.builder.begin(entity, Type());
  const Marker of = Marker::on_frame(plain.builder.add_frame("", Mat3::Identity(), Vec3::Zero()),
                                     draw.rotation(), draw.vector());
  plain.builder.offer_signal("u", distance_signal(Marker::ground(), of));
  plain.builder.offer_signal("v", velocity_signal(Marker::ground(), of, 1));
  const auto f = std::make_shared<OfTwoSignals>();
  const MarkerLoad load(some_marker(draw), Components({f, f, constant_function(2)}, plain.builder), {});
  EXPECT_EQ(load.stencil().size(), 4u);
  ProbeState x;
  x.random_frame(draw).random_frame(draw);
  expect_tangent(load, x);
}

TEST(Gravity, has_exact_tangents_and_powers) {
  Draw draw(4);
  for (const bool constant : {true, false}) {
    auto gravity = std::make_shared<Gravity>();
    gravity->acceleration = Vec3(1, 2, -9.81);
    if (!constant) gravity->factor = std::make_shared<Growing>(1);
    const MarkerWeight weight(gravity, some_marker(draw), 2.5);
    ProbeState x;
    x.random_frame(draw);
    expect_tangent(weight, x);
    const double potential_rate =
        time_derivative([&](const TestState& s) { return weight.energy(s.local()).potential; }, x);
    const double power = residual_of(weight, x).dot(ConstVectorMap(x.state().rate.data(), 6));
    EXPECT_NEAR(power, potential_rate + weight.energy(x.local()).dissipated_power, 1e-5);
  }
}

TEST(Gravity, gives_a_point_and_a_marker_the_same_weight) {
  Draw draw(5);
  auto gravity = std::make_shared<Gravity>();
  gravity->acceleration = Vec3(0, -9.81, 0);
  ProbeState x;
  x.random_position(draw);
  EXPECT_EQ(residual_of(PointWeight(gravity, 2), x),
            residual_of(MarkerWeight(gravity, Marker::on_point(0), 2), x));
}

TEST(Spread, of_loads_is_exact_for_polynomials_of_degree_five) {
  const auto stations = stations_between({0, 0.5, 1.2, 2}, 0.3, 1.7);
  EXPECT_EQ(stations.size(), 9u);
  double sum = 0;
  for (const auto& [s, weight] : stations) sum += weight * std::pow(s, 5);
  EXPECT_NEAR(sum, (std::pow(1.7, 6) - std::pow(0.3, 6)) / 6, 1e-13);
}

class LoadTypes : public ::testing::Test {
 protected:
  LoadTypes() {
    trammel_register(plain.registry);
    Entity entity;
    entity.name = "body";
    plain.builder.begin(entity, Type());
    const Frame frame = plain.builder.add_frame("", Mat3::Identity(), Vec3::Zero());
    plain.builder.offer_marker("", Marker::on_frame(frame));
    plain.builder.offer_mass(Marker::on_frame(frame), 2);
    plain.builder.offer_mass(Marker::on_frame(frame, Mat3::Identity(), Vec3(1, 0, 0)), 3);
    const BlockId point = plain.builder.add_position("point", Vec3::Zero());
    plain.builder.offer_marker("point", Marker::on_point(point));
    plain.builder.offer("line", std::make_shared<const MaterialLine>(MaterialLine{
                                    {0, 1, 2}, [frame](double s) {
                                      return Marker::on_frame(frame, Mat3::Identity(), Vec3(s, 0, 0));
                                    }}));
  }
  int instances() const {
    int n = 0;
    for (const Model::Range& range : plain.model.ranges) n += range.instances->size();
    return n;
  }
  PlainCase plain;
};

TEST_F(LoadTypes, include_gravity_on_every_mass) {
  EXPECT_EQ(plain.message(Type::Category::load, "gravity", "{acceleration: [0, -9.81, 0]}"), "");
  EXPECT_EQ(instances(), 2);
}

TEST_F(LoadTypes, build_from_text) {
  EXPECT_EQ(plain.message(Type::Category::load, "force", "{on: body, force: [1, 0, 0], follower: yes}"), "");
  EXPECT_EQ(plain.message(Type::Category::load, "moment", "{on: body, moment: [1, 0, 0]}"), "");
  EXPECT_EQ(plain.message(Type::Category::load, "force", "{on: body.point, force: [1, 0, 0]}"), "");
  EXPECT_EQ(plain.message(Type::Category::load, "distributed", "{on: body, force: [0, -1, 0], to: 1.5}"), "");
  EXPECT_EQ(instances(), 9);
}

TEST_F(LoadTypes, refuse_impossible_input) {
  const auto refused = [&](const std::string& type, const std::string& text) {
    return plain.message(Type::Category::load, type, text);
  };
  EXPECT_THAT(refused("force", "{on: ground, force: [1, 0, 0]}"), HasSubstr("on the ground"));
  EXPECT_THAT(refused("moment", "{on: body.point, moment: [1, 0, 0]}"), HasSubstr("without orientation"));
  EXPECT_THAT(refused("force", "{on: body.point, force: [1, 0, 0], follower: yes}"),
              HasSubstr("cannot follow"));
  EXPECT_THAT(refused("force", "{on: boody, force: [1, 0, 0]}"), HasSubstr("did you mean 'body'"));
  EXPECT_THAT(refused("distributed", "{on: ground, force: [1, 0, 0]}"), HasSubstr("not a beam"));
  EXPECT_THAT(refused("distributed", "{on: body}"), HasSubstr("neither 'force' nor 'moment'"));
  EXPECT_THAT(refused("distributed", "{on: body, force: [1, 0, 0], from: 3}"),
              HasSubstr("inside the beam's length"));
  EXPECT_THAT(refused("distributed", R"({on: body, force: [1, "bdoy.s", 0]})"), HasSubstr("bdoy.s"));
}

}  // namespace
}  // namespace trammel::load
