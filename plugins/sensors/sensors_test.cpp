#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "motion.hpp"
#include "plain_case.hpp"
#include "tangent_check.hpp"
#include "trammel/plugin.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel::sensors {
namespace {

using ::testing::HasSubstr;
using trammel::testing::Draw;
using trammel::testing::PlainCase;
using trammel::testing::ProbeState;

class Readings final : public OutputSink {
 public:
  std::map<std::string, Eigen::VectorXd, std::less<>> of;

  void scalar(std::string_view name, std::string_view, double value) override {
    of[std::string(name)] = Eigen::VectorXd::Constant(1, value);
  }
  void vector(std::string_view name, std::string_view, const Vec3& value) override {
    of[std::string(name)] = value;
  }
  void values(std::string_view name, std::string_view, std::span<const std::string_view>,
              std::span<const double> values) override {
    of[std::string(name)] = ConstVectorMap(values.data(), static_cast<Eigen::Index>(values.size()));
  }
};

template <class S>
Readings read(const S& sensor, const TestState& x) {
  Readings readings;
  sensor.outputs(x.local(), {}, readings);
  return readings;
}
template <class S>
Readings read(const S& sensor, const ProbeState& x) {
  return read(sensor, x.test_state());
}

Vec3 central(const MotionSensor& sensor, const ProbeState& x, const std::string& name, double h = 1e-4) {
  return (read(sensor, x.test_state().after(h)).of[name] - read(sensor, x.test_state().after(-h)).of[name]) /
         (2 * h);
}

TEST(MotionSensor, has_rates_that_are_the_derivatives_of_what_the_observer_sees) {
  Draw draw(1);
  for (int run = 0; run < 20; ++run) {
    const Marker observer = Marker::on_frame({0, 1}, draw.rotation(), draw.vector());
    const Marker of = Marker::on_frame({2, 3}, draw.rotation(), draw.vector());
    const MotionSensor sensor(observer, of, std::nullopt, Vec3::Zero());
    ProbeState x;
    x.random_frame(draw, 1).random_frame(draw, 1);
    Readings now = read(sensor, x);
    EXPECT_LT((central(sensor, x, "position") - now.of["velocity"]).norm(), 1e-5);
    EXPECT_LT((central(sensor, x, "velocity") - now.of["acceleration"]).norm(), 1e-5);
    EXPECT_LT((central(sensor, x, "angular_velocity_body") - now.of["angular_acceleration_body"]).norm(),
              1e-5);
    const auto rotation = [&](const TestState& s) {
      const Eigen::VectorXd q = read(sensor, s).of["quaternion"];
      return Quaternion(q[0], q[1], q[2], q[3]).toRotationMatrix();
    };
    constexpr double h = 1e-4;
    const Vec3 w =
        so3::log(Mat3(rotation(x.test_state().after(-h)).transpose() * rotation(x.test_state().after(h)))) /
        (2 * h);
    EXPECT_LT((w - now.of["angular_velocity_body"]).norm(), 1e-5);
    EXPECT_LT((rotation(x.test_state()) * w - now.of["angular_velocity"]).norm(), 1e-5);
    EXPECT_LT((so3::exp(Vec3(now.of["rotation"])) - rotation(x.test_state())).norm(), 1e-12);
  }
}

TEST(MotionSensor, of_a_frame_alone_is_its_state) {
  Draw draw(2);
  const Vec3 start = draw.vector();
  const MotionSensor sensor(Marker::ground(), Marker::on_frame({0, 1}), std::nullopt, start);
  ProbeState x;
  x.random_frame(draw);
  Readings now = read(sensor, x);
  EXPECT_EQ(now.of["position"], Eigen::VectorXd(x.local().position(0)));
  EXPECT_LT((now.of["displacement"] - (x.local().position(0) - start)).norm(), 1e-15);
  EXPECT_EQ(now.of["velocity"], Eigen::VectorXd(x.local().velocity(0)));
  EXPECT_LT((now.of["acceleration"] - x.local().acceleration(0)).norm(), 1e-15);
  EXPECT_EQ(now.of["angular_velocity_body"], Eigen::VectorXd(x.local().velocity(1)));
}

TEST(MotionSensor, with_axes_only_rotates_the_vectors) {
  Draw draw(3);
  const Marker of = Marker::on_frame({0, 1}), axes = Marker::on_frame({0, 1});
  ProbeState plain, turned;
  plain.random_frame(draw);
  turned = plain;
  // The stencil lists the blocks of the axes again.
  const LocalState s = plain.local();
  turned.position(s.position(0), s.velocity(0), s.acceleration(0));
  turned.rotation(s.rotation(1), s.velocity(1), s.acceleration(1));
  Readings a = read(MotionSensor(Marker::ground(), of, std::nullopt, Vec3::Zero()), plain);
  Readings b = read(MotionSensor(Marker::ground(), of, axes, Vec3::Zero()), turned);
  for (const char* name : {"position", "velocity", "acceleration", "angular_velocity"})
    EXPECT_LT((plain.local().rotation(1).transpose() * a.of[name] - b.of[name]).norm(), 1e-13) << name;
}

TEST(MotionSensor, of_a_point_has_no_rotation) {
  Draw draw(4);
  ProbeState x;
  x.random_position(draw);
  Readings now = read(MotionSensor(Marker::ground(), Marker::on_point(0), std::nullopt, Vec3::Zero()), x);
  EXPECT_EQ(now.of["velocity"], Eigen::VectorXd(x.local().velocity(0)));
  EXPECT_FALSE(now.of.contains("quaternion"));
}

class SensorTypes : public ::testing::Test {
 protected:
  SensorTypes() {
    trammel_register(plain.registry);
    Type body, joint;
    joint.category = Type::Category::joint;
    begin("rod", body);
    const Frame frame = plain.builder.add_frame("", Mat3::Identity(), Vec3(1, 0, 0));
    plain.builder.offer_marker("", Marker::on_frame(frame));
    begin("hinge", joint);
    const double angle = 0;
    const Measure measure = Measure::angle();
    plain.builder.offer_coordinate(
        "angle", "rad", plain.builder.add_coordinates("angle", {&angle, 1}, {}, {&measure, 1}, "rad"));
  }
  void begin(const std::string& name, const Type& type) {
    Entity entity;
    entity.name = name;
    plain.builder.begin(entity, type);
  }
  std::string sensor(const std::string& type, const std::string& text) {
    return plain.message(Type::Category::sensor, type, text);
  }
  PlainCase plain;
};

TEST_F(SensorTypes, build_from_text) {
  EXPECT_EQ(sensor("motion", "{of: rod}"), "");
  EXPECT_EQ(sensor("motion", "{of: ground, relative_to: rod, axes: ground}"), "");
  EXPECT_EQ(sensor("distance", "{between: [ground, rod]}"), "");
  EXPECT_EQ(sensor("signal", "{of: hinge.angle}"), "");
  EXPECT_EQ(sensor("reaction", "{of: hinge}"), "");
  EXPECT_EQ(sensor("outputs", "{of: rod, channels: [position]}"), "");
  EXPECT_EQ(sensor("energy", "{}"), "");
  EXPECT_EQ(sensor("energy", "{of: rod}"), "");
  const auto& references = plain.model.sensor_references;
  ASSERT_EQ(references.size(), 4u);
  EXPECT_EQ(references[0].of, 1);
  EXPECT_EQ(references[1].of, 0);
  EXPECT_EQ(references[1].channels, std::vector<std::string>{"position"});
  EXPECT_EQ(references[2].of, -1);
  EXPECT_EQ(references[3].of, 0);
}

TEST_F(SensorTypes, refuse_what_does_not_exist) {
  EXPECT_THAT(sensor("motion", "{of: ground}"), HasSubstr("does not move"));
  EXPECT_THAT(sensor("motion", "{of: rd}"), HasSubstr("did you mean 'rod'"));
  EXPECT_THAT(sensor("reaction", "{of: rod}"), HasSubstr("joint 'rod' not found"));
  EXPECT_THAT(sensor("reaction", "{of: hing}"), HasSubstr("did you mean 'hinge'"));
  EXPECT_THAT(sensor("signal", "{of: hinge.angel}"), HasSubstr("did you mean 'hinge.angle'"));
}

}  // namespace
}  // namespace trammel::sensors
