#include <cmath>
#include <numbers>

#include "clearance_joints.hpp"
#include "contact_case.hpp"
#include "curvature_jumps.hpp"
#include "curve_case.hpp"
#include "curve_contact.hpp"
#include "outlines.hpp"
#include "sliding_plane.hpp"
#include "trammel/lie.hpp"

namespace trammel::surface_contact {
namespace {

using testing::Ball;
using testing::Bolt;
using testing::ContactCase;
using ::testing::HasSubstr;
using testing::Paraboloid;

constexpr double r = 0.3;

/// A ball that touches a plane, with its centre still, and turns about the horizontal axis e2: its rates.
struct Wheel : ContactCase {
  static constexpr double spin = 2.5;
  explicit Wheel(const std::string& formulation) : ContactCase(Vec3(0.2, 0.1, r)) {
    add_surface("road", "ground", std::make_shared<Paraboloid>(0, 0));
    add_surface("wheel", "bodies.b", std::make_shared<Ball>(r));
    model.blocks.put(b.rotation).initial_rate = {0, spin, 0};
    add(Type::Category::joint, "surface_contact", "J",
        "{between: [road, wheel], formulation: " + formulation + "}");
  }
};

/// The wheel on a plane, in closed form: u2' = -q', the point on the road stays, P' = -R q' e_x, P'' = R q'^2 e_z, and
/// the equation at acceleration level says that the centre stays: C_q = 1 and no known term.
TEST(SurfaceContact, turns_a_wheel_on_a_plane) {
  Wheel c("parameters");
  const TestState s(c.model, c.range().stencil(0));
  const Block& block = s.blocks()[static_cast<std::size_t>(testing::block_named(s, "J.coordinates"))];
  EXPECT_NEAR(block.initial[0], 0.2, 1e-14);
  EXPECT_NEAR(block.initial[1], 0.1, 1e-14);
  EXPECT_NEAR(block.initial[2], 0.5 * std::numbers::pi, 1e-13);
  EXPECT_NEAR(block.initial_rate[0], 0, 1e-14);
  EXPECT_NEAR(block.initial_rate[1], 0, 1e-14);
  EXPECT_NEAR(block.initial_rate[2], -Wheel::spin, 1e-13);
  EXPECT_NEAR(block.initial_rate[3], 0, 1e-13);
  const Evaluation e = evaluate(c.range(), 0, s, {false, true, true});
  EXPECT_LT(e.residual.norm(), 1e-13);
  EXPECT_LT(e.rate.norm(), 1e-13);

  const PathMotion path =
      path_motion(Ball(r), {block.initial[2], block.initial[3]}, {-Wheel::spin, 0}, {0, 0});
  EXPECT_LT((path.velocity - Vec3(r * Wheel::spin, 0, 0)).norm(),
            1e-13);  // q about e2 is minus an angle from e1 to e3
  EXPECT_LT((path.centripetal_acceleration - Vec3(0, 0, r * Wheel::spin * Wheel::spin)).norm(), 1e-13);

  Wheel p("sliding_plane");
  const TestState t(p.model, p.range().stencil(0));
  const Evaluation f = evaluate(p.range(), 0, t, {true, true, true});
  const int row = t.dofs() - 1, centre = testing::first_row(t, BlockKind::position);
  EXPECT_NEAR(f.rate[row], 0, 1e-13);
  EXPECT_NEAR(f.bias[row], 0, 1e-12);
  EXPECT_LT((f.K.block<1, 3>(row, centre).transpose() - Vec3::UnitZ()).norm(), 1e-13);
}

/// A cylinder about e2: (r cos u, v, r sin u) with the normal outwards.
class Roll final : public Surface {
 public:
  explicit Roll(double radius) : r_(radius) {
    set_domain({.first = 0, .last = 2 * std::numbers::pi, .periodic = true}, {.first = -0.5, .last = 0.5},
               true);
  }

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override {
    out.d.fill(Vec3::Zero());
    for (int i = 0; i <= derivatives; ++i) {
      const double a = u + 0.5 * i * std::numbers::pi;
      out.by(i, 0) = r_ * Vec3(std::cos(a), 0, std::sin(a));
    }
    out.d[0].y() = v;
    if (derivatives > 0) out.by(0, 1) = Vec3::UnitY();
  }

 private:
  double r_;
};

/// Two circles in contact: the parameters turn by gamma' - alpha1' and gamma' - alpha2', with (R1 - R2) gamma' the velocity of
/// one centre past the other, whatever the radii of one clearance are.
TEST(CurveContact, turns_a_bolt_in_a_bushing) {
  for (const auto& [hole, pin] : {std::pair(0.5, 0.3), std::pair(0.25, 0.05)}) {
    const double gamma = 0.7, e = hole - pin, past = 0.9, turn_1 = 1.3, turn_2 = -0.6;
    const Vec3 along(std::cos(gamma), std::sin(gamma), 0), across(-along.y(), along.x(), 0);
    Bolt c(e * along, hole, pin);
    const Vec3 v = past * across;
    c.model.blocks.put(c.b.position).initial_rate = {v.x(), v.y(), v.z()};
    c.model.blocks.put(c.a.rotation).initial_rate = {0, 0, turn_1};
    c.model.blocks.put(c.b.rotation).initial_rate = {0, 0, turn_2};
    c.add(Type::Category::joint, "curve_contact", "J", "{between: [bushing, bolt]}");
    const TestState s(c.model, c.range().stencil(0));
    const Block& block = s.blocks()[static_cast<std::size_t>(testing::block_named(s, "J.coordinates"))];
    EXPECT_NEAR(std::remainder(block.initial[0] - gamma, 2 * std::numbers::pi), 0, 1e-12);
    EXPECT_NEAR(std::remainder(block.initial[1] - gamma, 2 * std::numbers::pi), 0, 1e-12);
    EXPECT_NEAR(block.initial_rate[0], past / e - turn_1, 1e-11);
    EXPECT_NEAR(block.initial_rate[1], past / e - turn_2, 1e-11);
    EXPECT_LT(evaluate(c.range(), 0, s, {false, true, false}).rate.norm(), 1e-12);
  }
}

/// Parameters, their rates and their second rates against differences along a motion, and the path of the point on each body.
TEST(SlidingPlane, knows_how_it_moves_in_the_bodies) {
  ContactCase c(Vec3(0, 0, r));
  const auto bowl = std::make_shared<Paraboloid>(0.7, -0.4);
  const auto ball = std::make_shared<Ball>(r);
  const SurfacePair at{*bowl, *ball, Mat3::Identity(), Vec3(0, 0, r)};
  const std::optional<CommonNormal> start = search(at);
  ASSERT_TRUE(start);
  EXPECT_NEAR(start->gap, 0, 1e-15);
  SlidingPlane joint({bowl, ball, "bowl", "ball"}, *start);
  JointSite site;
  site.A = c.model.markers.at("bodies.a");
  site.B = c.model.markers.at("bodies.b");
  const std::vector<BlockId> stencil = site.blocks();
  joint.set_site(std::move(site));
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    TestState s(c.model, stencil);
    s.disturb(seed, 0.1, 0.2);
    for (std::size_t i = 0; i < s.state().rate.size(); ++i) s.state().rate[i] *= 5;
    const SlidingMotion m = joint.motion(s.local());
    const Eigen::VectorXd v = s.velocities();
    const Eigen::VectorXd a = Eigen::Map<const Eigen::VectorXd>(s.state().acceleration.data(), v.size());
    const double h = 2e-3;
    std::array<Eigen::Vector4d, 7> x;
    for (int k = -3; k <= 3; ++k)
      x[static_cast<std::size_t>(k + 3)] =
          joint.motion(s.moved(k * h * v + 0.5 * k * k * h * h * a).local()).parameters;
    const Eigen::Vector4d rate = (-(x[0] - x[6]) + 9 * (x[1] - x[5]) - 45 * (x[2] - x[4])) / (60 * h);
    const Eigen::Vector4d second =
        (2 * (x[0] + x[6]) - 27 * (x[1] + x[5]) + 270 * (x[2] + x[4]) - 490 * x[3]) / (180 * h * h);
    EXPECT_LT((m.rates - rate).norm(), 1e-7 * (1 + rate.norm())) << seed;
    EXPECT_LT((m.second_rates - second).norm(), 1e-7 * (1 + second.norm())) << seed;
    // The path of the contact point on the ball.
    std::array<Vec3, 7> p;
    for (std::size_t k = 0; k < 7; ++k) p[k] = ball->point({x[k][2], x[k][3]});
    const PathMotion path =
        path_motion(*ball, {x[3][2], x[3][3]}, m.rates.tail<2>(), m.second_rates.tail<2>());
    const Vec3 acceleration =
        (2 * (p[0] + p[6]) - 27 * (p[1] + p[5]) + 270 * (p[2] + p[4]) - 490 * p[3]) / (180 * h * h);
    EXPECT_LT((path.acceleration() - acceleration).norm(), 1e-7 * (1 + acceleration.norm())) << seed;
    // And in the world.
    const auto outputs = [&](const TestState& moved) {
      const SlidingMotion there = joint.motion(moved.local());
      RecordedOutputs out;
      report_contact_motion(moved.local(), joint.site().A,
                            path_motion(*bowl, {there.parameters[0], there.parameters[1]},
                                        there.rates.head<2>(), there.second_rates.head<2>()),
                            out);
      return out;
    };
    for (std::size_t k = 0; k < 7; ++k) {
      const double by = static_cast<double>(k) - 3;
      p[k] = outputs(s.moved(by * h * v + 0.5 * by * by * h * h * a)).vectors.at("contact_point");
    }
    const RecordedOutputs now = outputs(s);
    const Vec3 v_W = now.vectors.at("contact_velocity"), a_W = now.vectors.at("contact_acceleration");
    EXPECT_LT((v_W - (-(p[0] - p[6]) + 9 * (p[1] - p[5]) - 45 * (p[2] - p[4])) / (60 * h)).norm(),
              1e-7 * (1 + v_W.norm()))
        << seed;
    EXPECT_LT(
        (a_W - (2 * (p[0] + p[6]) - 27 * (p[1] + p[5]) + 270 * (p[2] + p[4]) - 490 * p[3]) / (180 * h * h))
            .norm(),
        1e-7 * (1 + a_W.norm()))
        << seed;
  }
}

/// The multipliers of five equations that leave the coordinates in balance are one normal force, and it does to the bodies
/// what the multiplier of the sliding plane does.
TEST(SurfaceContact, has_one_normal_force_in_both_formulations) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    ContactCase c(Vec3(0.01 * static_cast<double>(seed % 7), 0.02 * static_cast<double>(seed % 5), r + 0.1),
                  so3::exp(Vec3(0.01 * static_cast<double>(seed), 0.4, -0.3)));
    c.add_surface("bowl", "bodies.a_arm", std::make_shared<Paraboloid>(0.7, -0.4));
    c.add_surface("ball", "bodies.b", std::make_shared<Ball>(r));
    c.add(Type::Category::joint, "surface_contact", "J", "{between: [bowl, ball], assemble: yes}");
    TestState s(c.model, c.range().stencil(0));
    ASSERT_TRUE(close(c.range(), 0, s)) << seed;
    const Eigen::MatrixXd B = constraint_gradient(c.range(), 0, s);
    ASSERT_EQ(B.rows(), 5);
    ASSERT_EQ(B.cols(), 16);
    const Eigen::FullPivLU<Eigen::MatrixXd> balance(B.rightCols(4).transpose());
    ASSERT_EQ(balance.dimensionOfKernel(), 1);
    Eigen::VectorXd lambda = balance.kernel().col(0);
    EXPECT_LT(lambda.tail(2).norm(), 1e-11 * lambda.norm()) << seed;
    lambda /= lambda.head(3).norm();
    const Eigen::VectorXd forces = B.leftCols(12).transpose() * lambda;

    c.add(Type::Category::joint, "surface_contact", "P",
          "{between: [bowl, ball], assemble: yes, formulation: sliding_plane}");
    TestState t(c.model, c.range().stencil(0));
    for (int k = 0; k < 4; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const int size = value_size(s.blocks()[i].kind, 3);
      std::copy_n(s.local().value(k), size, t.state().value.data() + t.state_offsets()[i].value);
    }
    const Eigen::MatrixXd G = constraint_gradient(c.range(), 0, t);
    ASSERT_EQ(G.rows(), 1);
    const double sign = G.row(0).dot(forces) > 0 ? 1 : -1;
    EXPECT_LT((sign * forces - G.row(0).head(12).transpose()).norm(), 1e-9) << seed;
  }
}

TEST(LineContact, is_one_of_sections_where_both_are_cylinders) {
  const auto both = [](const std::string& own) {
    ContactCase c(Vec3(0, 0, r));
    c.add_surface("road", "ground", std::make_shared<Paraboloid>(0, 0));
    c.add_surface("roll", "bodies.b", std::make_shared<Roll>(r));
    return c.message("surface_contact", "{between: [road, roll]" + own + "}");
  };
  EXPECT_EQ(both(""), "");
  EXPECT_THAT(both(", formulation: sliding_plane"),
              HasSubstr("which is handled with `formulation: parameters` alone"));
}

/// A roller on a plane, in the plane across the line of contact: as in the paper's eqs. 40 to 42 the parameter of the roller turns
/// against it, that of the plane stays, and two multipliers are the normal force.
TEST(LineContact, leaves_out_the_parameters_along_the_line) {
  const double spin = 2.5;
  ContactCase c(Vec3(0.2, 0.1, r));
  c.add_surface("road", "ground", std::make_shared<Paraboloid>(0, 0));
  c.add_surface("roll", "bodies.b", std::make_shared<Roll>(r));
  c.model.blocks.put(c.b.rotation).initial_rate = {0, spin, 0};
  c.add(Type::Category::joint, "surface_contact", "J", "{between: [road, roll]}");
  const TestState s(c.model, c.range().stencil(0));
  const Block& block = s.blocks()[static_cast<std::size_t>(testing::block_named(s, "J.coordinates"))];
  ASSERT_EQ(constraint_gradient(c.range(), 0, s).rows(), 3);
  EXPECT_NEAR(block.initial_rate[0], 0, 1e-13);
  EXPECT_NEAR(std::abs(block.initial_rate[1]), spin, 1e-13);
  const Evaluation e = evaluate(c.range(), 0, s, {false, true, true});
  EXPECT_LT(e.residual.norm(), 1e-13);
  EXPECT_LT(e.rate.norm(), 1e-13);
}

/// The paper's wheel on a plane, term by term: u' = -q', P' along the rim = R q', P'' = R q'^2 towards the axle, and what the
/// equation at acceleration level knows is R q'^2 - 2 R q'^2 + R q'^2 = 0 with C_q = 1.
TEST(WheelOnSurface, turns_on_a_plane) {
  const double R = 0.4, spin = 3;
  ContactCase c(Vec3(0.3, -0.2, R));
  c.add_surface("road", "ground", std::make_shared<Paraboloid>(0, 0));
  c.model.blocks.put(c.b.rotation).initial_rate = {0, spin, 0};
  c.add(Type::Category::joint, "wheel_on_surface", "J",
        "{between: [road, bodies.b], radius: 0.4, tread_radius: 0.6, width: 0.3}");
  const TestState s(c.model, c.range().stencil(0));
  const Block& block = s.blocks()[static_cast<std::size_t>(testing::block_named(s, "J.coordinates"))];
  EXPECT_NEAR(block.initial_rate[0], 0, 1e-13);
  EXPECT_NEAR(block.initial_rate[1], 0, 1e-13);
  EXPECT_NEAR(std::abs(block.initial_rate[2]), spin, 1e-12);
  EXPECT_NEAR(block.initial_rate[3], 0, 1e-12);
  TurnedArcShape shape;
  shape.Q << Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY();
  shape.p = R - 0.6;
  shape.a = shape.b = 0.6;
  shape.most_v = 0.25;
  const TurnedArc tread(shape, false);
  const SurfaceParameters down{std::numbers::pi, 0};
  ASSERT_LT((tread.point(down) + R * Vec3::UnitZ()).norm(), 1e-15);
  const PathMotion path = path_motion(tread, down, {-spin, 0}, {0, 0});
  EXPECT_LT((path.velocity - Vec3(R * spin, 0, 0)).norm(), 1e-13);
  EXPECT_LT((path.centripetal_acceleration - Vec3(0, 0, R * spin * spin)).norm(), 1e-12);
  // n . (P'' relative, Coriolis, centripetal of the wheel), the wheel turning about e2:
  const Vec3 w(0, spin, 0), P = tread.point(down);
  const double relative = path.centripetal_acceleration.z(), coriolis = 2 * w.cross(path.velocity).z(),
               turning = w.cross(w.cross(P)).z();
  EXPECT_NEAR(relative, R * spin * spin, 1e-12);
  EXPECT_NEAR(coriolis, -2 * R * spin * spin, 1e-12);
  EXPECT_NEAR(turning, R * spin * spin, 1e-12);

  c.add(
      Type::Category::joint, "wheel_on_surface", "P",
      "{between: [road, bodies.b], radius: 0.4, tread_radius: 0.6, width: 0.3, formulation: sliding_plane}");
  const TestState t(c.model, c.range().stencil(0));
  const Evaluation f = evaluate(c.range(), 0, t, {true, true, true});
  const int row = t.dofs() - 1, centre = testing::first_row(t, BlockKind::position);
  EXPECT_NEAR(f.rate[row], 0, 1e-12);
  EXPECT_NEAR(f.bias[row], 0, 1e-11);
  EXPECT_LT((f.K.block<1, 3>(row, centre).transpose() - Vec3::UnitZ()).norm(), 1e-12);
}

TEST(TurnedArc, has_the_derivatives_of_its_points) {
  TurnedArcShape shape;
  shape.Q = so3::exp(Vec3(0.3, -0.2, 0.5));
  shape.p = 0.2;
  shape.a = 0.7;
  shape.b = 0.9;
  shape.kx = 1.2;
  shape.ky = 0.8;
  shape.most_v = 1.2;
  const TurnedArc arc(shape, false);
  const double h = 1e-5;
  for (double u = 0.1; u < 6; u += 0.7)
    for (double v = -1; v < 1; v += 0.3) {
      SurfacePoint at, plus, minus;
      arc.evaluate({u, v}, 3, at);
      for (const bool by_u : {true, false}) {
        arc.evaluate({u + (by_u ? h : 0), v + (by_u ? 0 : h)}, 2, plus);
        arc.evaluate({u - (by_u ? h : 0), v - (by_u ? 0 : h)}, 2, minus);
        for (int i = 0; i <= 2; ++i)
          for (int j = 0; i + j <= 2; ++j)
            EXPECT_LT(
                (at.by(i + (by_u ? 1 : 0), j + (by_u ? 0 : 1)) - (plus.by(i, j) - minus.by(i, j)) / (2 * h))
                    .norm(),
                1e-9);
      }
    }
}

TEST(Outlines, have_the_derivatives_of_their_points) {
  const PlaneAxes axes{Vec3(0.1, 0.2, 0.3), Vec3(0.6, 0.8, 0), Vec3(-0.8, 0.6, 0)};
  const Ellipse oval(axes, 0.5, 0.3);
  const Stadium slot(axes, 0.6, 0.2);
  const StraightLine line(axes, 0.7);
  EXPECT_NEAR(slot.length(), 1.2 + 0.4 * std::numbers::pi, 1e-12);
  const double h = 1e-5;
  for (const Curve* curve : std::initializer_list<const Curve*>{&oval, &slot, &line})
    for (int k = 0; k < 40; ++k) {
      const double eta = curve->first() + (curve->last() - curve->first()) * (k + 0.5) / 40;
      CurvePoint at, plus, minus;
      curve->evaluate(eta, 3, at);
      curve->evaluate(eta + h, 2, plus);
      curve->evaluate(eta - h, 2, minus);
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_LT((at.d[i + 1] - (plus.d[i] - minus.d[i]) / (2 * h)).norm(), 1e-6) << eta << ' ' << i;
      EXPECT_NEAR(at.d[1].dot(axes.axis()), 0, 1e-15);
    }
}

TEST(CurvatureJumps, cut_a_step_a_little_behind) {
  EXPECT_EQ(CurvatureJumps(Ellipse({}, 0.5, 0.3)).size(), 0U);
  const Stadium slot({}, 0.6, 0.2);
  const CurvatureJumps jumps(slot);
  ASSERT_EQ(jumps.size(), 4U);
  const StepInfo step{.start = 2, .end = 2.1};
  const auto cut = [&](double from, double to, bool active = true) {
    const double rate = (to - from) / step.size();
    StepInfo info = step;
    info.active = active;
    return jumps.cut({from, rate}, {to, rate}, info, step.size());
  };
  EXPECT_FALSE(cut(0.1, 0.29).has_value());
  EXPECT_FALSE(cut(0.1, 0.5, false).has_value());
  const double laps = 7 * slot.length();
  for (const double lap : {0.0, laps, -laps}) {
    const auto review = cut(lap + 0.2, lap + 0.4);  // the arc begins at 0.3
    ASSERT_TRUE(review.has_value()) << lap;
    EXPECT_EQ(review->verdict, Review::Verdict::cut);
    EXPECT_GT(review->cut_time, 2.05);
    EXPECT_NEAR(review->cut_time, 2.05, 2e-6);
    EXPECT_FALSE(review->rows.has_value());
  }
  const auto at_end = cut(0.2, 0.3 + 1e-8);  // there already: the motion restarts
  ASSERT_TRUE(at_end.has_value());
  EXPECT_EQ(at_end->cut_time, step.end);
  EXPECT_EQ(at_end->rows, RowStatus::active);
}

}  // namespace
}  // namespace trammel::surface_contact
