#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "beam_element.hpp"
#include "plain_case.hpp"
#include "tangent_check.hpp"
#include "trammel/material_line.hpp"
#include "trammel/plugin.hpp"
#include "trammel/swept_canvas.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel::beam {
namespace {

using ::testing::HasSubstr;
using trammel::testing::PlainCase;
using trammel::testing::ProbeState;

constexpr const char* thick =
    "section: {stiffness: {EA: 52.99e6, GA: [16.88e6, 16.88e6], GJ: 733.5, EI: [1131, 1131]}, "
    "mass: {rhoA: 1.997, J: [85.2e-6, 42.6e-6, 42.6e-6]}}";

/// Keeps the outputs of an instance.
class Kept final : public OutputSink {
 public:
  std::map<std::string, std::vector<double>, std::less<>> values_of;

  void scalar(std::string_view name, std::string_view, double value) override {
    values_of[std::string(name)] = {value};
  }
  void vector(std::string_view name, std::string_view, const Vec3& v) override {
    values_of[std::string(name)] = {v[0], v[1], v[2]};
  }
  void values(std::string_view name, std::string_view, std::span<const std::string_view>,
              std::span<const double> values) override {
    values_of[std::string(name)].assign(values.begin(), values.end());
  }
  Vec3 at(const char* name) const {
    const auto& v = values_of.at(name);
    return {v[0], v[1], v[2]};
  }
};

/// Counts what is drawn and checks that every field fits its part.
class Counted final : public Canvas {
 public:
  std::map<Layer, int> parts;
  std::map<std::string, int, std::less<>> fields;
  std::map<std::string, std::vector<double>, std::less<>> values_of;  ///< of the last part that had the field
  std::vector<Vec3> section_points;

  void polyline(Layer layer, std::span<const Vec3> points) override { begin(layer, points); }
  void points(Layer layer, std::span<const Vec3> points) override { begin(layer, points); }
  void surface(Layer layer, std::span<const Vec3> points, std::span<const int> faces) override {
    begin(layer, points);
    section_points.assign(points.begin(), points.end());
    for (std::size_t i = 0; i < faces.size(); i += static_cast<std::size_t>(faces[i]) + 1)
      for (int k = 1; k <= faces[i]; ++k)
        EXPECT_LT(faces[i + static_cast<std::size_t>(k)], static_cast<int>(points.size()));
  }
  void field(std::string_view name, std::span<const double> values, int components) override {
    EXPECT_EQ(values.size(), count_ * static_cast<std::size_t>(components)) << name;
    ++fields[std::string(name)];
    values_of[std::string(name)].assign(values.begin(), values.end());
  }

 private:
  void begin(Layer layer, std::span<const Vec3> points) {
    ++parts[layer];
    count_ = points.size();
  }
  std::size_t count_ = 0;
};

class BeamType : public ::testing::Test {
 protected:
  BeamType() { trammel_register(plain.registry); }
  void add(const std::string& name, const std::string& text) {
    plain.add(Type::Category::body, "beam", name, "{" + text + "}");
  }
  std::string message(const std::string& text) {
    return plain.message(Type::Category::body, "beam", "{" + text + "}");
  }
  std::string message_of_section(const std::string& section) {
    return message("section: {" + section + "}, from: [0, 0, 0], to: [1, 0, 0]");
  }
  Marker marker(const std::string& name) {
    Value value;
    value.kind = Value::Kind::scalar;
    value.text = name;
    return plain.builder.marker(value, plain.context);
  }
  Vec3 place(const std::string& name) { return plain.builder.initial(marker(name)).p_WM; }

  PlainCase plain;
};

TEST_F(BeamType, offers_its_ends_and_its_points) {
  add("crank",
      std::string(thick) + ", from: [0, 0, 0], to: [0, 0.12, 0], elements: 10, angular_velocity: [0, 0, 2]");
  EXPECT_EQ(plain.model.ranges.at(0).instances->size(), 10);
  EXPECT_EQ(plain.model.blocks.size(), 22u);
  EXPECT_LT((place("crank.end") - Vec3(0, 0.12, 0)).norm(), 1e-15);
  EXPECT_LT((place("crank.at(0.37)") - Vec3(0, 0.37 * 0.12, 0)).norm(), 1e-15);
  EXPECT_TRUE(marker("crank.at(0.3)").is_rigid_frame());
  EXPECT_TRUE(marker("crank.at(1)").at_frame_origin());
  EXPECT_TRUE(marker("crank.at(0.35)").has_shape());
  EXPECT_THROW(marker("crank.at(1.2)"), Error);
  const InitialMotion middle = plain.builder.initial(marker("crank.at(0.55)"));
  EXPECT_LT((middle.twist.head<3>() - Vec3(-0.132, 0, 0)).norm(), 1e-14);
  EXPECT_LT((middle.R_WM.col(0) - Vec3::UnitY()).norm(), 1e-14);
  const auto line = plain.builder.find<MaterialLine>("crank.line");
  ASSERT_EQ(line->borders.size(), 11u);
  EXPECT_NEAR(line->borders[5], 0.06, 1e-15);
  EXPECT_LT((plain.builder.initial(line->at(0.031)).p_WM - Vec3(0, 0.031, 0)).norm(), 1e-15);
}

TEST_F(BeamType, offers_its_whole_mass_at_its_centre) {
  add("arch",
      "section: {shape: {type: rectangle, width: 0.1, height: 0.2}, material: {E: 1e9, nu: 0.3, rho: 100}}, "
      "from: [0, 0, 0], arc: {centre: [2, 0, 0], normal: [0, 0, -1], angle: 1.2}, elements: 3");
  double mass = 0;
  Vec3 first = Vec3::Zero();
  for (const MassPoint& m : plain.model.masses) {
    mass += m.mass;
    first += m.mass * plain.builder.initial(m.centre).p_WM;
  }
  EXPECT_NEAR(mass, 2 * 2.4, 1e-12);
  const Vec3 expected = Vec3(2, 0, 0) + 2 / 1.2 * Vec3(-std::sin(1.2), 1 - std::cos(1.2), 0);
  EXPECT_LT((first / mass - expected).norm(), 1e-9);
}

TEST_F(BeamType, reads_every_axis) {
  const std::string section = std::string(thick) + ", elements: 4, ";
  add("line", section + "from: [1, 0, 0], to: [1, 0, 2], twist: 0.5, up: [0, 1, 0]");
  EXPECT_LT((plain.builder.initial(marker("line.start")).R_WM.col(2) - Vec3::UnitY()).norm(), 1e-15);
  add("arc",
      section + "from: [1, 0, 0], arc: {via: [0.7071067811865476, 0.7071067811865476, 0], to: [0, 1, 0]}");
  EXPECT_LT((place("arc.at(0.5)") - Vec3(std::sqrt(0.5), std::sqrt(0.5), 0)).norm(), 1e-12);
  add("helix",
      section + "from: [1, 0, 0], helix: {centre: [0, 0, 0], direction: [0, 0, 1], pitch: 0.5, turns: 1}");
  EXPECT_LT((place("helix.end") - Vec3(1, 0, 0.5)).norm(), 1e-12);
  add("curve", section + "from: [0, 0, 0], curve: {tangent: [1, 0, 0], length: 7, curvature: [0.3, 0, 1]}");
  EXPECT_LT((place("curve.end") - Vec3(1.329066293122, 0.441216617407, 1.701280112063)).norm(), 1e-11);
  add("spline", section + "through: [[0, 0, 0], [1, 0.2, 0], [2, 0, 0.3], [3, 0, 0]]");
  EXPECT_LT((place("spline.end") - Vec3(3, 0, 0)).norm(), 1e-12);
  add("graded", std::string(thick) + ", from: [0, 0, 0], to: [2, 0, 0], nodes: [0, 0.1, 0.4, 1]");
  EXPECT_LT((place("graded.at(0.4)") - Vec3(0.8, 0, 0)).norm(), 1e-15);
}

TEST_F(BeamType, refuses_bad_axes) {
  const std::string section = std::string(thick) + ", ";
  EXPECT_THAT(message(section + "from: [0, 0, 0]"), HasSubstr("needs an axis"));
  EXPECT_THAT(message(section + "to: [0, 0, 0]"), HasSubstr("'from' is missing"));
  EXPECT_THAT(message(section + "from: [1, 0, 0], to: [1, 0, 0]"), HasSubstr("has no length"));
  EXPECT_THAT(message(section + "from: [1, 0, 0], to: [2, 0, 0], through: [[1, 0, 0], [2, 0, 0]]"),
              HasSubstr("given twice, by 'to' and by 'through'"));
  EXPECT_THAT(message(section + "from: [1, 0, 0], too: [2, 0, 0]"), HasSubstr("did you mean 'to'"));
  EXPECT_THAT(message(section + "from: [0, 0, 0], to: [0, 0, 1], up: [0, 0, 2]"),
              HasSubstr("lies along the tangent"));
  EXPECT_THAT(message(section + "from: [0, 0, 0], to: [0, 0, 1], elements: 0"), HasSubstr("elements"));
  EXPECT_THAT(message(section + "from: [0, 0, 0], to: [0, 0, 1], nodes: [0, 0.7, 0.5, 1]"),
              HasSubstr("must increase"));
  EXPECT_THAT(message(section +
                      "from: [0, 0, 0], arc: {centre: [1, 0, 0], normal: [0, 0, 1], angle: 6}, elements: 2"),
              HasSubstr("take more elements"));
}

TEST_F(BeamType, refuses_bad_sections) {
  EXPECT_THAT(message_of_section("stiffness: {EA: 1, GA: [1, 1], GJ: 1, EI: [1, -1]}"),
              HasSubstr("must be positive"));
  EXPECT_THAT(message_of_section("stiffness: {EA: 1, GA: [1, 1], GJ: 1}"), HasSubstr("EI"));
  EXPECT_THAT(message_of_section("stiffness: [[1, 0, 0, 0, 0, 2], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], "
                                 "[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [2, 0, 0, 0, 0, 1]]"),
              HasSubstr("not positive definite"));
  EXPECT_THAT(message_of_section("shape: {type: tube, radius: 1, wall: 2}, material: {E: 1, nu: 0.3}"),
              HasSubstr("thicker than its radius"));
  EXPECT_THAT(message_of_section("shape: {type: circle, width: 1}, material: {E: 1, nu: 0.3}"),
              HasSubstr("circle"));
  EXPECT_THAT(message_of_section("shape: {type: circle, radius: 1}"), HasSubstr("needs a 'material'"));
  EXPECT_THAT(message_of_section("mass: {rhoA: 1}"), HasSubstr("needs a 'stiffness'"));
  EXPECT_THAT(message_of_section("stations: [{at: 0, stiffness: {EA: 1, GA: [1, 1], GJ: 1, EI: [1, 1]}}]"),
              HasSubstr("at least two stations"));
  EXPECT_THAT(message("section: thick, from: [0, 0, 0], to: [1, 0, 0]"),
              HasSubstr("section 'thick' not found"));
}

TEST_F(BeamType, reads_full_matrices_and_stations) {
  EXPECT_EQ(
      message_of_section(
          "stiffness: [[10, 1, 0, 0, 0, 0], [1, 10, 0, 0, 0, 0], [0, 0, 10, 0, 0, 0], [0, 0, 0, 10, 2, 0], "
          "[0, 0, 0, 2, 10, 0], [0, 0, 0, 0, 0, 10]], mass: {rhoA: 2, J: [[3, 0, 0], [0, 2, 0.1], [0, 0.1, "
          "2]], "
          "centre: [0, 0.1, 0]}"),
      "");
  add("tapered",
      "section: {stations: ["
      "{at: 0, shape: {type: circle, radius: 0.1}, material: {E: 1e9, nu: 0.3, rho: 1000}}, "
      "{at: 1, shape: {type: circle, radius: 0.05}, material: {E: 1e9, nu: 0.3, rho: 1000}}]}, "
      "from: [0, 0, 0], to: [2, 0, 0], elements: 5");
  double mass = 0;
  for (const MassPoint& m : plain.model.masses)
    if (m.entity == plain.builder.entity_index()) mass += m.mass;
  EXPECT_NEAR(mass, 1000 * 3.14159265358979 * (0.01 + 0.0025) / 2 * 2, 1e-9);
}

TEST_F(BeamType, notes_the_matrices_of_its_section) {
  plain.model.keep_notes = true;
  add("crank", std::string(thick) + ", from: [0, 0, 0], to: [0, 0.12, 0]");
  ASSERT_EQ(plain.model.notes.size(), 1u);
  EXPECT_THAT(plain.model.notes[0].text, HasSubstr("1.688e+07"));
  EXPECT_THAT(plain.model.notes[0].text, HasSubstr("8.52e-05"));
}

ProbeState random_element_state(trammel::testing::Draw& draw, double length) {
  const Mat3 R = draw.rotation();
  const Vec3 p = draw.vector();
  ProbeState x;
  x.position(p, draw.vector(), draw.vector()).rotation(R, draw.vector(), draw.vector());
  x.position(p + R * Vec3(length, 0, 0) + draw.vector(0.1), draw.vector(), draw.vector());
  x.rotation(R * so3::exp(draw.vector(0.5)), draw.vector(), draw.vector());
  return x;
}

BeamElement element_on(const Axis& axis, bool damped) {
  Section section;
  section.stiffness = diagonal_stiffness(30, {20, 15}, 3, {4, 5});
  section.stiffness(0, 4) = section.stiffness(4, 0) = 2;
  section.mass.density = 2;
  section.mass.first = Vec3(0, 0.2, -0.1);
  section.mass.inertia = Vec3(0.5, 0.3, 0.3).asDiagonal();
  Damping damping;
  if (damped) damping.times << 0.1, 0.2, 0.3, 0.1, 0.2, 0.15;
  const Discretization beam = discretize(axis, SectionAlongSpan(section), damping, {0, 1});
  BeamElement::Place place;
  place.first = place.last = true;
  return {beam.elements[0], place};
}

BeamElement an_element(bool damped) {
  return element_on(*arc_axis({0, 0, 0}, {1, 0, 0}, {0, 0, -1}, 0.7, nullptr), damped);
}

TEST(BeamElement, has_tangents_that_agree_with_differences) {
  trammel::testing::Draw draw(31);
  for (const bool damped : {false, true})
    for (int trial = 0; trial < 5; ++trial)
      trammel::testing::expect_tangent(an_element(damped), random_element_state(draw, 0.7));
}

TEST(BeamElement, has_forces_at_its_ends_that_balance_and_appear_in_both_axes) {
  trammel::testing::Draw draw(32);
  const BeamElement element = an_element(true);
  const ProbeState x = random_element_state(draw, 0.7);
  Kept kept;
  element.outputs(x.local(), {}, kept);
  const Mat3 R = x.local().rotation(1);
  EXPECT_LT((R * kept.at("start_section_force") - kept.at("start_force")).norm(), 1e-12);
  EXPECT_LT((R * kept.at("start_section_moment") - kept.at("start_moment")).norm(), 1e-12);
  // What the element pulls at its ends with is its rate of momentum.
  const Eigen::VectorXd r = trammel::testing::residual_of(element, x);
  EXPECT_LT((kept.at("end_force") - kept.at("start_force") - r.segment<3>(0) - r.segment<3>(6)).norm(),
            1e-12);
  EXPECT_EQ(kept.values_of.at("strain_1").size(), 3u);
  EXPECT_EQ(kept.values_of.at("section_force_1").size(), 3u);
}

TEST(BeamElement, has_forces_whose_power_is_the_rate_of_its_energies) {
  trammel::testing::Draw draw(33);
  const BeamElement element = an_element(true);
  const ProbeState x = random_element_state(draw, 0.7);
  const auto stored = [&](const TestState& y) {
    const Energy e = element.energy(y.local());
    return e.kinetic + e.strain;
  };
  const Eigen::VectorXd r = trammel::testing::residual_of(element, x);
  double power = 0;
  for (int k = 0; k < 4; ++k) power += x.local().velocity(k).dot(r.segment<3>(3 * k));
  const double rate = trammel::testing::time_derivative(stored, x);
  const double lost = element.energy(x.local()).dissipated_power;
  EXPECT_GT(lost, 0);
  EXPECT_NEAR(rate + lost, power, 1e-6 * std::abs(power));
}

TEST(BeamElement, rejects_a_step_that_turns_it_over) {
  const BeamElement element = an_element(false);
  ProbeState x;
  x.position({0, 0, 0}).rotation(Mat3::Identity()).position({0.7, 0, 0}).rotation(so3::exp(Vec3(0, 3.1, 0)));
  EXPECT_THROW(trammel::testing::residual_of(element, x), RejectStep);
}

TEST(BeamElement, draws_its_curve_and_its_section) {
  trammel::testing::Draw draw(34);
  const BeamElement element = an_element(false);
  const ProbeState x = random_element_state(draw, 0.7);
  Counted canvas;
  element.draw(x.local(), {}, canvas);
  EXPECT_EQ(canvas.parts[Canvas::Layer::curves], 1);
  EXPECT_EQ(canvas.parts[Canvas::Layer::sections], 1);
  EXPECT_EQ(canvas.fields["strain"], 2);
  EXPECT_EQ(canvas.fields["force"], 1);
  ASSERT_EQ(canvas.section_points.size(), 20u);
  const Vec3 centre = 0.25 * (canvas.section_points[16] + canvas.section_points[17] +
                              canvas.section_points[18] + canvas.section_points[19]);
  EXPECT_LT((centre - x.local().position(2)).norm(), 1e-12);
}

TEST(BeamElement, is_drawn_by_its_ends_where_it_is_straight_and_a_moment_keeps_its_sign) {
  const BeamElement element = element_on(*straight_axis({0, 0, 0}, {0.7, 0, 0}, nullptr, 0), false);
  Counted drawn;
  const auto rings = [&](const Vec3& end, const Vec3& turn) {
    ProbeState x;
    x.position({0, 0, 0}).rotation(Mat3::Identity()).position(end).rotation(so3::exp(turn));
    drawn = {};
    element.draw(x.local(), {}, drawn);
    EXPECT_EQ(drawn.values_of.at("arc length").size(), drawn.section_points.size() / 4);
    return drawn.section_points.size() / 4;
  };
  EXPECT_EQ(rings({0.7, 0, 0}, {0, 0, 0}), 2U);
  EXPECT_EQ(rings({0.7, 0, -0.0007}, {0, 0.002, 0}), 2U);  // an arc: a constant moment
  EXPECT_GE(rings({0.7, 0, -0.035}, {0, 0.1, 0}), 5U);     // an arc that can be seen

  // Moments of both signs at the ends: a ring where there is none.
  const auto moment = [&](std::size_t ring) {  // of the first of its four corners
    const std::vector<double>& m = drawn.values_of.at("section moment");
    return Eigen::Vector2d(m[12 * ring + 1], m[12 * ring + 2]);
  };
  EXPECT_EQ(rings({0.7, 0, -0.0007}, {0, 0, 0}), 3U);
  EXPECT_NEAR(drawn.values_of.at("arc length")[1], 0.35, 1e-12);
  EXPECT_GT(moment(0).norm(), 0);
  EXPECT_NEAR(moment(1).norm(), 0, 1e-9 * moment(0).norm());

  // Between the rings magnitudes are linear within 2 % of the largest, also where both components vary.
  const std::size_t count = rings({0.7, 0.0004, -0.0007}, {0, 0.0005, 0.0012});
  EXPECT_GT(count, 3U);
  const Eigen::Vector2d first = moment(0), last = moment(count - 1);
  const auto magnitude = [&](double x) { return ((1 - x) * first + x * last).norm(); };
  const double largest = std::max(magnitude(0), magnitude(1));
  const auto place = [&](std::size_t ring) { return drawn.values_of.at("arc length")[ring] / 0.7; };
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_NEAR(moment(i).norm(), magnitude(place(i)), 1e-9 * largest);
    if (i + 1 == count) break;
    const double a = place(i), b = place(i + 1);
    EXPECT_NEAR(magnitude((a + b) / 2), (magnitude(a) + magnitude(b)) / 2, 0.02 * largest);
  }
}

/// As the recorder's: what differs less cannot be seen.
class Coarse final : public Canvas, public SweptCanvas {
 public:
  VisibleDifferences seen;
  std::size_t rings = 0;

  void polyline(Layer, std::span<const Vec3>) override {}
  void points(Layer, std::span<const Vec3>) override {}
  void surface(Layer, std::span<const Vec3>, std::span<const int>) override {}
  void field(std::string_view, std::span<const double>, int) override {}
  void swept(Layer, std::span<const Vec3> points, int corners, std::span<const int>) override {
    rings = points.size() / static_cast<std::size_t>(corners);
  }
  void ring_field(std::string_view, std::span<const double>, int) override {}
  VisibleDifferences visible() const override { return seen; }
};

TEST(BeamElement, has_no_points_for_what_a_picture_does_not_show) {
  const BeamElement element = element_on(*straight_axis({0, 0, 0}, {0.7, 0, 0}, nullptr, 0), false);
  const auto rings = [&](const Vec3& end, double turn, const VisibleDifferences& visible) {
    ProbeState x;
    x.position({0, 0, 0}).rotation(Mat3::Identity()).position(end).rotation(so3::exp(Vec3(0, turn, 0)));
    Coarse canvas;
    canvas.seen = visible;
    element.draw(x.local(), {}, canvas);
    return canvas.rings;
  };
  Counted all;
  ProbeState bent;
  bent.position({0, 0, 0}).rotation(Mat3::Identity()).position({0.7, 0, -0.0007}).rotation(Mat3::Identity());
  element.draw(bent.local(), {}, all);
  const double moment = std::abs(all.values_of.at("section moment")[1]);
  EXPECT_EQ(rings({0.7, 0, -0.0007}, 0, {}), 3U);
  EXPECT_EQ(rings({0.7, 0, -0.0007}, 0, {.bending_moment = 0.9 * moment}), 3U);
  EXPECT_EQ(rings({0.7, 0, -0.0007}, 0, {.bending_moment = 1.1 * moment}), 2U);
  // An arc: the three places between the ends that are there for its shape.
  EXPECT_EQ(rings({0.7, 0, -0.014}, 0.04, {}), 3 + rings({0.7, 0, -0.014}, 0.04, {.length = 0.01}));
}

TEST(BeamElement, draws_strains_and_forces_to_the_precision_of_its_positions) {
  trammel::testing::Draw draw(35);
  constexpr double length = 0.7, eps = std::numeric_limits<double>::epsilon();
  const BeamElement element = element_on(*straight_axis({0, 0, 0}, {length, 0, 0}, nullptr, 0), false);
  double largest = 0;
  for (int k = 0; k < 20; ++k) {
    const Mat3 R = draw.rotation();
    const Vec3 p = 100 * draw.vector();
    for (const double stretch : {0.0, 1e-3}) {
      ProbeState x;
      x.position(p).rotation(R).position(p + R * Vec3((1 + stretch) * length, 0, 0)).rotation(R);
      Counted drawn;
      Kept exact;
      element.draw(x.local(), {}, drawn);
      element.outputs(x.local(), {}, exact);
      if (stretch == 0) largest = std::max(largest, exact.at("strain_1").lpNorm<Eigen::Infinity>());
      const double strain_step = eps * (2 * p.norm() + 2 * length) / length + 4 * eps;
      for (const auto& [name, output, step] :
           {std::tuple("strain", "strain_1", strain_step),
            std::tuple("curvature", "curvature_1", 4 * eps / length + 20 * length * strain_step / 3),
            std::tuple("section force", "section_force_1", 32 * strain_step),
            std::tuple("section moment", "section_moment_1", 40 * strain_step * (1 + length))}) {
        const std::vector<double>& values = drawn.values_of.at(name);
        for (std::size_t i = 0; i < values.size(); ++i) {
          EXPECT_NEAR(values[i], exact.at(output)[static_cast<Eigen::Index>(i % 3)], step) << name;
          if (stretch == 0) {
            EXPECT_EQ(values[i], 0) << name;
          }
        }
      }
    }
  }
  EXPECT_GT(largest, eps) << "there is something to round";
}

}  // namespace
}  // namespace trammel::beam
