// What the contact joints refuse, and what they say of it.
#include <cmath>
#include <numbers>

#include "contact_case.hpp"
#include "contact_joint.hpp"
#include "curve_case.hpp"
#include "trammel/lie.hpp"

namespace trammel::surface_contact {
namespace {

using testing::Ball;
using testing::Bolt;
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

TEST(SurfaceContact, refuses_what_does_not_fit) {
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

/// A cone that touches the plane z = 0 along e1 from the place of its tip, which it has none, and a cylinder open to above.
class LyingCone final : public Surface {
 public:
  LyingCone() {
    set_domain({.first = 0, .last = 6.283185307179586, .periodic = true}, {.first = 0.2, .last = 1}, false);
  }

 protected:
  // About the axis (cos a, 0, sin a), by v along it: circles of v sin a about v cos a times the axis.
  void at(double u, double v, int derivatives, SurfacePoint& out) const override {
    const double c = std::cos(0.3), s = std::sin(0.3);
    const Vec3 axis(c, 0, s), up(-s, 0, c), side = axis.cross(up);
    for (int i = 0; i <= derivatives; ++i)
      for (int j = 0; i + j <= derivatives; ++j) {
        const double turned = u + i * 1.5707963267948966, w = j == 0 ? v : j == 1 ? 1 : 0;
        out.by(i, j) = w * s * (std::cos(turned) * up + std::sin(turned) * side);
        if (i == 0) out.by(i, j) += w * c * axis;
      }
  }
};

class Gutter final : public Surface {
 public:
  explicit Gutter(double radius) : r_(radius) {
    set_domain({.first = -1, .last = 1}, {.first = -1, .last = 1}, false);
  }

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override {
    out.d.fill(Vec3::Zero());
    for (int i = 0; i <= derivatives; ++i) {
      const double turned = u + i * 1.5707963267948966;
      out.by(i, 0) = Vec3(r_ * std::sin(turned), i == 0 ? v : 0, (i == 0 ? r_ : 0) - r_ * std::cos(turned));
    }
    if (derivatives > 0) out.by(0, 1) = Vec3(0, 1, 0);
  }

 private:
  double r_;
};

TEST(SurfaceContact, names_degenerate_contacts) {
  constexpr const char* line =
      "touch along a line, and their contact point is not determined; that is handled where both surfaces "
      "are cylinders "
      "along the line from the start: take a `curve_contact`";
  EXPECT_THAT(message("", Vec3(0, 0, r), std::make_shared<Gutter>(r)), HasSubstr(line));
  ContactCase c(Vec3(-0.5, 0, 0));
  c.add_surface("road", "ground", std::make_shared<Paraboloid>(0, 0));
  c.add_surface("cone", "bodies.b", std::make_shared<LyingCone>());
  EXPECT_THAT(c.message("surface_contact", "{between: [road, cone]}"), HasSubstr(line));
  // The vertex of a parabolic gutter.
  EXPECT_THAT(message("", Vec3(0, 0, r), std::make_shared<Paraboloid>(1 / r, 0)),
              HasSubstr("the same curvature in one direction at the contact point, and at that point alone"));
  EXPECT_THAT(message("", Vec3(0, 0, r), std::make_shared<Paraboloid>(1 / r, 1 / r)),
              HasSubstr("fit each other"));
  EXPECT_THAT(message("", Vec3(0, 0, r), std::make_shared<Paraboloid>(2 / r, 1)),
              HasSubstr("cut each other"));
}

TEST(SurfaceContact, ends_at_an_edge) {
  const Paraboloid bowl(1, 0.5);
  EXPECT_NO_THROW(require_inside(bowl, "bowl", {0.9, 1}));
  try {
    require_inside(bowl, "bowl", {0.9, 1.2});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("leaves the surface 'bowl' over an edge, at u = 0.9, v = 1.2"));
  }
}

TEST(PointOnSurface, refuses_what_does_not_fit) {
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

TEST(CurveContact, refuses_what_does_not_fit) {
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

TEST(CurveOnSurface, refuses_what_does_not_fit) {
  // A circle of 0.3 m in the plane of e1 and e2 of body B, which lies on its side.
  const auto message = [](const std::string& own, const Vec3& p, double curvature = 1) {
    Bolt c(p, 0.5, 0.3, so3::exp(Vec3(0.5 * std::numbers::pi, 0, 0)));
    c.add_surface("bowl", "ground", std::make_shared<Paraboloid>(curvature, 0.5));
    return c.JointCase::message("curve_on_surface", "{between: [bowl, bolt]" + own + "}");
  };
  EXPECT_EQ(message("", Vec3(0, 0, 0.3)), "");
  EXPECT_EQ(message(", near: [0, 0, 4.7]", Vec3(0, 0, 0.3)), "");
  EXPECT_THAT(message("", Vec3(0, 0, 0.4)), HasSubstr("the surface 'bowl' and the curve 'bolt' are apart by "
                                                      "0.1 m at the start; the nearest points are ["));
  EXPECT_THAT(message("", Vec3(0, 0, 0.25)), HasSubstr("overlap by 0.05 m"));
  EXPECT_EQ(message(", assemble: yes", Vec3(0, 0, 0.4)), "");
  EXPECT_THAT(message(", near: [0, 0]", Vec3(0, 0, 0.3)), HasSubstr("three parameters [u, v, eta]"));
  EXPECT_THAT(message(", near: [0, 0, 4.7]", Vec3(0, 0, 0.3), 4), HasSubstr("cuts the surface 'bowl'"));
  EXPECT_THAT(message(", near: [0, 0, 4.71238898]", Vec3(0, 0, 0.3), 1 / 0.3),
              HasSubstr("touches the surface 'bowl' along a line"));
}

TEST(Clearances, refuse_what_does_not_fit) {
  const auto message = [](const char* type, const std::string& own, const Vec3& p) {
    ContactCase c(p);
    return c.message(type, "{between: [bodies.a, bodies.b], " + own + "}");
  };
  const auto revolute = [&](const std::string& own) {
    return message("clearance_revolute", own, Vec3(0.2, 0, 0));
  };
  EXPECT_EQ(revolute("hole: 0.5, pin: 0.3"), "");
  EXPECT_EQ(revolute("hole: 0.2, pin: 0"), "");
  EXPECT_EQ(revolute("hole: [0.5, 0.6], pin: [0.3, 0.25]"), "");
  EXPECT_THAT(
      revolute("hole: 0.3, pin: 0.3"),
      HasSubstr("the clearance is 0 m, and must be above zero: 'pin' (0.3 m) must be smaller than 'hole' "
                "(0.3 m); without play take a `revolute`"));
  EXPECT_THAT(revolute("hole: 0.3, pin: 0.4"), HasSubstr("the clearance is -0.1 m"));
  EXPECT_THAT(revolute("hole: [0.5, 0.4], pin: 0.35"),
              HasSubstr("does not reach the ends of the oval 'hole'"));
  EXPECT_THAT(revolute("hole: [0.5, 0.4, 0.3], pin: 0.2"), HasSubstr("a radius, or 2 semi-axes"));
  EXPECT_THAT(revolute("hole: 0, pin: 0"), HasSubstr("'hole' must be above zero"));
  EXPECT_THAT(revolute("hole: 0.5, pin: 0.2"), HasSubstr("apart or overlap by 0.1 m at the start"));
  EXPECT_THAT(revolute("hole: 0.3, pin: 0"), HasSubstr("starts 0.1 m off 'hole in "));
  EXPECT_THAT(revolute("hole: 0.5, pin: 0.3, hole_direction: [0, 0, 1]"),
              HasSubstr("must not be along the axis"));

  const auto ball = [&](const std::string& own) {
    return message("clearance_spherical", own, Vec3(0.2, 0, 0));
  };
  EXPECT_EQ(ball("socket: 0.5, ball: 0.3"), "");
  EXPECT_EQ(ball("socket: 0.2, ball: 0"), "");
  EXPECT_EQ(ball("socket: [0.5, 0.6, 0.55], ball: 0.3, formulation: sliding_plane"), "");
  EXPECT_THAT(ball("socket: 0.3, ball: 0.3"), HasSubstr("without play take a `spherical`"));
  EXPECT_THAT(ball("socket: 0.5, ball: 0.2"), HasSubstr("apart by 0.1 m"));

  const auto slot = [&](const std::string& own) { return message("pin_in_slot", own, Vec3(0.2, 0.1, 0)); };
  EXPECT_EQ(slot("length: 1, width: 0.6, pin: 0.2"), "");
  EXPECT_EQ(slot("length: 1, width: 0.2, pin: 0"), "");
  EXPECT_EQ(slot("length: 1, width: 0.4, pin: 0.2, direction: [2, 1, 0]"), "");
  EXPECT_THAT(slot("length: 1, width: 0.4, pin: 0.3"),
              HasSubstr("wider than the slot of 0.4 m: the clearance is -0.1 m"));
  EXPECT_THAT(slot("length: 1, width: 0.4, pin: 0.2"), HasSubstr("starts 0.1 m off 'slot in "));
}

TEST(Cam, refuses_what_does_not_fit) {
  const auto message = [](const std::string& own) {
    Bolt c(Vec3(0.8, 0, 0));
    return c.JointCase::message("cam", "{between: [bushing, bodies.b], " + own + "}");
  };
  EXPECT_EQ(message("roller_radius: 0.3"), "");
  EXPECT_THAT(message("roller_radius: 0.2"), HasSubstr("apart or overlap by 0.1 m"));
  EXPECT_THAT(message("follower: knife_edge"), HasSubstr("starts 0.3 m off 'bushing'"));
  EXPECT_THAT(message("follower: roller"), HasSubstr("`follower: roller` needs 'roller_radius'"));
  EXPECT_THAT(message("follower: knife_edge, roller_radius: 0.1"),
              HasSubstr("belongs to `follower: roller`"));
  EXPECT_EQ(message("follower: flat, face_length: 1, face: [0, 1, 0], assemble: yes"), "");
  EXPECT_THAT(message("follower: flat, face_length: 1, face: [0, 1, 1], assemble: yes"),
              HasSubstr("'face' must lie in the plane across 'axis'"));
}

}  // namespace
}  // namespace trammel::surface_contact
