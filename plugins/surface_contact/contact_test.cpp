#include <cmath>
#include <numbers>

#include "contact_case.hpp"
#include "curve_contact.hpp"
#include "sliding_plane.hpp"
#include "trammel/lie.hpp"

namespace trammel::surface_contact {
namespace {

using testing::Ball;
using testing::ContactCase;
using ::testing::HasSubstr;
using testing::Paraboloid;

constexpr double r = 0.3;

/// The ball on body B, with its centre at p, and a paraboloid on the ground, unless another is given.
std::string message(const std::string& own, const Vec3& p = Vec3(0, 0, r),
                    std::shared_ptr<const Surface> one = std::make_shared<Paraboloid>(1, 0.5)) {
  ContactCase c(p);
  c.add_surface("bowl", "ground", std::move(one));
  c.add_surface("ball", "bodies.b", std::make_shared<Ball>(r));
  return c.message("surface_contact", "{between: [bowl, ball]" + own + "}");
}

TEST(SurfaceContact, RefusesWhatDoesNotFit) {
  EXPECT_EQ(message(""), "");
  EXPECT_EQ(message(", near: [0.1, 0, 1.5, 0.1]"), "");
  EXPECT_THAT(message("", Vec3(0, 0, r + 0.1)),
              HasSubstr("'bowl' and 'ball' are apart by 0.1 m at the start; the nearest points are ["));
  EXPECT_THAT(message("", Vec3(0, 0, r - 0.01)), HasSubstr("overlap by 0.01 m"));
  EXPECT_EQ(message(", assemble: yes", Vec3(0, 0, r + 0.1)), "");
  EXPECT_EQ(message(", assemble: yes, formulation: sliding_plane", Vec3(0, 0, r + 0.1)), "");
  EXPECT_THAT(message(", near: [0, 0]"), HasSubstr("four parameters [u1, v1, u2, v2]"));
  EXPECT_THAT(message("", Vec3(5, 0, r)), HasSubstr("have no common normal inside their edges"));
  EXPECT_THAT(message(", formulation: slidingplane"), HasSubstr("did you mean 'sliding_plane'"));
  ContactCase c;
  c.add_surface("bowl", "ground", std::make_shared<Paraboloid>(1, 0.5));
  EXPECT_THAT(c.message("surface_contact", "{between: [bowl, bowls]}"), HasSubstr("did you mean 'bowl'"));
  EXPECT_THAT(c.message("surface_contact", "{between: [bowl]}"), HasSubstr("must be a list of two surfaces"));
}

TEST(SurfaceContact, NamesDegenerateContacts) {
  EXPECT_THAT(message("", Vec3(0, 0, r), std::make_shared<Paraboloid>(1 / r, 0)),
              HasSubstr("touch along a line, as a cylinder on a plane does, and their contact point is not "
                        "determined; take a "
                        "`curve_contact`"));
  EXPECT_THAT(message("", Vec3(0, 0, r), std::make_shared<Paraboloid>(1 / r, 1 / r)),
              HasSubstr("fit each other"));
  EXPECT_THAT(message("", Vec3(0, 0, r), std::make_shared<Paraboloid>(2 / r, 1)),
              HasSubstr("cut each other"));
}

TEST(SurfaceContact, EndsAtAnEdge) {
  const Paraboloid bowl(1, 0.5);
  EXPECT_NO_THROW(require_inside(bowl, "bowl", {0.9, 1}));
  try {
    require_inside(bowl, "bowl", {0.9, 1.2});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("leaves the surface 'bowl' over an edge, at u = 0.9, v = 1.2"));
  }
}

TEST(PointOnSurface, RefusesWhatDoesNotFit) {
  const auto point = [](const std::string& own, const Vec3& p) {
    ContactCase c(p);
    c.add_surface("bowl", "ground", std::make_shared<Paraboloid>(1, 0.5));
    return c.message("point_on_surface", "{between: [bowl, bodies.b]" + own + "}");
  };
  EXPECT_EQ(point("", Vec3(0.4, 0.2, 0.09)), "");
  EXPECT_THAT(point("", Vec3(0, 0, 0.2)),
              HasSubstr("starts 0.2 m off the surface 'bowl': the nearest point is ["));
  EXPECT_EQ(point(", assemble: yes", Vec3(0, 0, 0.2)), "");
  EXPECT_THAT(point(", near: [1]", Vec3(0, 0, 0)), HasSubstr("two parameters [u, v]"));
}

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
TEST(SurfaceContact, TurnsAWheelOnAPlane) {
  Wheel c("parameters");
  const Specimen s(c.model, c.range().stencil(0));
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
  const Specimen t(p.model, p.range().stencil(0));
  const Evaluation f = evaluate(p.range(), 0, t, {true, true, true});
  const int row = t.dofs() - 1, centre = testing::first_row(t, BlockKind::position);
  EXPECT_NEAR(f.rate[row], 0, 1e-13);
  EXPECT_NEAR(f.bias[row], 0, 1e-12);
  EXPECT_LT((f.K.block<1, 3>(row, centre).transpose() - Vec3::UnitZ()).norm(), 1e-13);
}

/// A circle in the plane of e1 and e2, by its angle.
class Circle final : public Curve {
 public:
  explicit Circle(double radius) : r_(radius) { set_domain({0, 2, 4, 2 * std::numbers::pi}, true); }

 protected:
  void inside(double eta, int derivatives, CurvePoint& out) const override {
    for (int k = 0; k <= derivatives; ++k) {
      const double a = eta + 0.5 * k * std::numbers::pi;
      out.d[static_cast<std::size_t>(k)] = r_ * Vec3(std::cos(a), std::sin(a), 0);
    }
  }

 private:
  double r_;
};

/// A bolt on body B in a bushing on body A, whose centre is the origin.
struct Bolt : ContactCase {
  explicit Bolt(const Vec3& centre, double hole = 0.5, double pin = 0.3) : ContactCase(centre) {
    add_curve("bushing", "bodies.a", std::make_shared<Circle>(hole));
    add_curve("bolt", "bodies.b", std::make_shared<Circle>(pin));
  }
  void add_curve(const std::string& name, const std::string& on, std::shared_ptr<const Curve> curve) {
    Type type;
    type.name = "sample";
    type.category = Type::Category::curve;
    builder.begin({name, {}, {}, {}, {}}, type);
    offer_curve(builder, std::move(curve), model.markers.at(on), {});
  }
  std::string message(const std::string& own = "") {
    return JointCase::message("curve_contact", "{between: [bushing, bolt]" + own + "}");
  }
};

TEST(CurveContact, RefusesWhatDoesNotFit) {
  EXPECT_EQ(Bolt(Vec3(0.2, 0, 0.7)).message(), "");  // a displacement across the plane is free
  EXPECT_EQ(Bolt(Vec3(0.2, 0, 0)).message(", near: [0.1, -0.1]"), "");
  EXPECT_THAT(Bolt(Vec3(0.15, 0, 0)).message(),
              HasSubstr("apart or overlap by 0.05 m at the start; the nearest points"));
  EXPECT_EQ(Bolt(Vec3(0.15, 0, 0)).message(", assemble: yes"), "");
  EXPECT_THAT(Bolt(Vec3(0.2, 0, 0)).message(", near: [1]"), HasSubstr("two parameters [eta1, eta2]"));
  EXPECT_THAT(Bolt(Vec3(0.2, 0, 0)).message(", axis: [0, 0, 0]"), HasSubstr("must not be zero"));
  EXPECT_THAT(Bolt(Vec3(0.2, 0, 0)).message(", axis: [0, 1, 1], assemble: yes"),
              HasSubstr("leaves the plane"));
  EXPECT_THAT(Bolt(Vec3(0, 0, 0), 0.3, 0.3).message(", near: [0, 0]"),
              HasSubstr("take a lower pair instead"));
  EXPECT_THAT(Bolt(Vec3(0.2, 0, 0)).JointCase::message("curve_contact", "{between: [bushing, bolts]}"),
              HasSubstr("did you mean 'bolt'"));
}

/// Two circles in contact: the parameters turn by gamma' - alpha1' and gamma' - alpha2', with (R1 - R2) gamma' the velocity of
/// one centre past the other, whatever the radii of one clearance are.
TEST(CurveContact, TurnsABoltInABushing) {
  for (const auto& [hole, pin] : {std::pair(0.5, 0.3), std::pair(0.25, 0.05)}) {
    const double gamma = 0.7, e = hole - pin, past = 0.9, turn_1 = 1.3, turn_2 = -0.6;
    const Vec3 along(std::cos(gamma), std::sin(gamma), 0), across(-along.y(), along.x(), 0);
    Bolt c(e * along, hole, pin);
    const Vec3 v = past * across;
    c.model.blocks.put(c.b.position).initial_rate = {v.x(), v.y(), v.z()};
    c.model.blocks.put(c.a.rotation).initial_rate = {0, 0, turn_1};
    c.model.blocks.put(c.b.rotation).initial_rate = {0, 0, turn_2};
    c.add(Type::Category::joint, "curve_contact", "J", "{between: [bushing, bolt]}");
    const Specimen s(c.model, c.range().stencil(0));
    const Block& block = s.blocks()[static_cast<std::size_t>(testing::block_named(s, "J.coordinates"))];
    EXPECT_NEAR(std::remainder(block.initial[0] - gamma, 2 * std::numbers::pi), 0, 1e-12);
    EXPECT_NEAR(std::remainder(block.initial[1] - gamma, 2 * std::numbers::pi), 0, 1e-12);
    EXPECT_NEAR(block.initial_rate[0], past / e - turn_1, 1e-11);
    EXPECT_NEAR(block.initial_rate[1], past / e - turn_2, 1e-11);
    EXPECT_LT(evaluate(c.range(), 0, s, {false, true, false}).rate.norm(), 1e-12);
  }
}

/// Parameters, their rates and their second rates against differences along a motion, and the path of the point on each body.
TEST(SlidingPlane, KnowsHowItMovesInTheBodies) {
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
    Specimen s(c.model, stencil);
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
    EXPECT_LT((path.tangential_acceleration + path.centripetal_acceleration - acceleration).norm(),
              1e-7 * (1 + acceleration.norm()))
        << seed;
  }
}

/// The multipliers of five equations that leave the coordinates in balance are one normal force, and it does to the bodies
/// what the multiplier of the sliding plane does.
TEST(SurfaceContact, HasOneNormalForceInBothFormulations) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    ContactCase c(Vec3(0.01 * static_cast<double>(seed % 7), 0.02 * static_cast<double>(seed % 5), r + 0.1),
                  so3::exp(Vec3(0.01 * static_cast<double>(seed), 0.4, -0.3)));
    c.add_surface("bowl", "bodies.a_arm", std::make_shared<Paraboloid>(0.7, -0.4));
    c.add_surface("ball", "bodies.b", std::make_shared<Ball>(r));
    c.add(Type::Category::joint, "surface_contact", "J", "{between: [bowl, ball], assemble: yes}");
    Specimen s(c.model, c.range().stencil(0));
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
    Specimen t(c.model, c.range().stencil(0));
    for (int k = 0; k < 4; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const int size = value_size(s.blocks()[i].kind, 3);
      std::copy_n(s.local().value(k), size, t.state().value.data() + t.places()[i].value);
    }
    const Eigen::MatrixXd G = constraint_gradient(c.range(), 0, t);
    ASSERT_EQ(G.rows(), 1);
    const double sign = G.row(0).dot(forces) > 0 ? 1 : -1;
    EXPECT_LT((sign * forces - G.row(0).head(12).transpose()).norm(), 1e-9) << seed;
  }
}

}  // namespace
}  // namespace trammel::surface_contact
