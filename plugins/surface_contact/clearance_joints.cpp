#include "clearance_joints.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "building.hpp"
#include "outlines.hpp"
#include "point_on_curve.hpp"
#include "point_on_surface.hpp"
#include "trammel/error.hpp"

namespace trammel::surface_contact {

namespace {

using Kind = Parameter::Kind;

constexpr JointRequirement requirement{JointAxes::own, false, true};

Parameter length(const char* name, const char* doc) { return Parameter::make(Kind::real, name, "m", doc); }

Parameter near(const char* doc) { return Parameter::make(Kind::reals, "near", "", doc); }

Parameter axis_parameter() {
  return Parameter::make(Kind::vector3, "axis", "", "across the plane of the contact, in the axes of A")
      .defaults("[0, 0, 1]");
}

/// Radii of something round, or semi-axes of something oval: a number, or a list.
std::vector<double> radii(const Parameters& in, const char* name, std::size_t most) {
  const Value& value = *in.value(name);
  const std::vector<double> found =
      value.is_sequence() ? in.reals(value) : std::vector<double>{in.real(name)};
  if (found.size() != 1 && found.size() != most)
    throw Error(in.where(name), fmt::format("'{}' must be a radius, or {} semi-axes", name, most));
  for (const double r : found)
    if (!(r >= 0)) throw Error(in.where(name), fmt::format("'{}' must not be negative", name));
  return found;
}

Vec3 direction(const Parameters& in, const char* name) {
  const Vec3 d = in.vector3(name);
  if (!(d.norm() > 0)) throw Error(in.where(name), fmt::format("'{}' must not be zero", name));
  return d.normalized();
}

/// The plane across `axis` with e1 along a direction, as far as it lies in the plane.
PlaneAxes plane(const Parameters& in, const Vec3& axis, const char* name) {
  const Vec3 d = direction(in, name), e1 = d - axis * axis.dot(d);
  if (!(e1.norm() > 1e-6)) throw Error(in.where(name), fmt::format("'{}' must not be along the axis", name));
  return {Vec3::Zero(), e1.normalized(), axis.cross(e1.normalized())};
}

/// That of B, across the same axis at the start.
PlaneAxes plane_of_B(const Parameters& in, Builder& builder, const JointSite& site, const Vec3& axis,
                     const char* name) {
  return plane(in, relative_start(builder, site).R_AB.transpose() * axis, name);
}

/// A round one, or an ellipse.
std::shared_ptr<const Curve> ellipse(const PlaneAxes& axes, const std::vector<double>& radii) {
  return std::make_shared<Ellipse>(axes, radii.front(), radii.back());
}

/// Throws Error where what lies inside is not smaller than the hole, or less curved.
void require_clearance(const Parameters& in, const char* inner, const std::vector<double>& hole,
                       const std::vector<double>& pin, const char* hole_name, const char* lower_pair) {
  const auto [hole_least, hole_most] = std::ranges::minmax(hole);
  const auto [pin_least, pin_most] = std::ranges::minmax(pin);
  if (!(hole_least > 0)) throw Error(in.where(hole_name), fmt::format("'{}' must be above zero", hole_name));
  if (!(pin_most < hole_least))
    throw Error(
        in.where(inner),
        fmt::format(
            "the clearance is {:.6g} m, and must be above zero: '{}' ({:g} m) must be smaller than '{}' "
            "({:g} m); without play take a `{}`",
            hole_least - pin_most, inner, pin_most, hole_name, hole_least, lower_pair));
  const double radius_of_hole = hole_least * hole_least / hole_most;
  const double radius_of_pin = pin_least > 0 ? pin_most * pin_most / pin_least : pin_most;
  if (!(radius_of_pin < radius_of_hole))
    throw Error(in.where(inner),
                fmt::format("'{}' does not reach the ends of the oval '{}': its largest radius of "
                            "curvature is {:.6g} m, the least one there {:.6g} m",
                            inner, hole_name, radius_of_pin, radius_of_hole));
}

void build_revolute(const Parameters& in, Builder& builder) {
  const std::vector<double> hole = radii(in, "hole", 2), pin = radii(in, "pin", 2);
  require_clearance(in, "pin", hole, pin, "hole", "revolute");
  const Vec3 axis = direction(in, "axis");
  JointSite site = read_joint_site(in, builder, requirement);
  const std::shared_ptr<const Curve> wall = ellipse(plane(in, axis, "hole_direction"), hole);
  const std::string hole_name = "hole in " + site.A.name(), pin_name = "pin of " + site.B.name();
  if (*std::ranges::max_element(pin) == 0)
    return slide_point_on_curve(in, builder, std::move(site), wall, axis, 1, hole_name);
  const PlaneAxes axes_B = plane_of_B(in, builder, site, axis, "pin_direction");
  slide_curves(in, builder, std::move(site), {wall, ellipse(axes_B, pin), hole_name, pin_name, axis});
}

void build_slot(const Parameters& in, Builder& builder) {
  const double straight = in.real("length"), width = in.real("width"), pin = in.real("pin");
  const Vec3 axis = direction(in, "axis");
  JointSite site = read_joint_site(in, builder, requirement);
  const PlaneAxes axes = plane(in, axis, "direction");
  const std::string slot_name = "slot in " + site.A.name(), pin_name = "pin of " + site.B.name();
  const double play = 0.5 * width - pin;
  if (play < -1e-9 * width)
    throw Error(in.where("pin"),
                fmt::format("the pin of {:g} m radius is wider than the slot of {:g} m: the clearance is "
                            "{:.6g} m, and must not be below zero",
                            pin, width, play));
  if (play <= 1e-9 * width)  // it fits: its centre stays on the middle line
    return slide_point_on_curve(in, builder, std::move(site),
                                std::make_shared<StraightLine>(axes, 0.5 * straight), axis, 1, slot_name);
  const auto wall = std::make_shared<Stadium>(axes, straight, 0.5 * width);
  if (pin == 0) return slide_point_on_curve(in, builder, std::move(site), wall, axis, 1, slot_name);
  PlaneAxes axes_B;
  axes_B.e1 = relative_start(builder, site).R_AB.transpose() * axes.e1;
  axes_B.e2 = relative_start(builder, site).R_AB.transpose() * axes.e2;
  slide_curves(in, builder, std::move(site),
               {wall, std::make_shared<Ellipse>(axes_B, pin, pin), slot_name, pin_name, axis});
}

/// 1 where the outside of a closed curve round the origin lies on the side of axis x tangent, -1 on the other.
double outside(const Curve& curve, const Vec3& axis) {
  constexpr int samples = 100;
  double turned = 0;
  for (int i = 0; i < samples; ++i) {
    CurvePoint c;
    curve.evaluate(curve.first() + (curve.last() - curve.first()) * i / samples, 1, c);
    turned += axis.dot(c.d[0].cross(c.d[1])) / c.d[0].squaredNorm();
  }
  return turned > 0 ? -1 : 1;
}

void build_cam(const Parameters& in, Builder& builder) {
  const Value& between = pair_of(in, "a curve, the outline of the cam, and the follower's marker");
  const std::shared_ptr<const Curve> outline = find_curve(builder, between.items[0]).curve;
  const Vec3 axis = direction(in, "axis");
  JointSite site = read_joint_site(in, builder, requirement);
  const std::string follower = in.text("follower"), name = between.items[0].text;
  for (const auto& [key, of] :
       {std::pair("roller_radius", "roller"), std::pair("face_length", "flat"), std::pair("face", "flat")})
    if (in.has(key) && follower != of)
      throw Error(in.where(key), fmt::format("'{}' belongs to `follower: {}`", key, of));
  for (const auto& [key, of] : {std::pair("roller_radius", "roller"), std::pair("face_length", "flat")})
    if (!in.has(key) && follower == of)
      throw Error(in.where(), fmt::format("`follower: {}` needs '{}'", of, key));
  if (follower == "knife_edge")
    return slide_point_on_curve(in, builder, std::move(site), outline, axis, outside(*outline, axis), name);
  const Mat3 R_BA = relative_start(builder, site).R_AB.transpose();
  PlaneAxes axes;
  if (follower == "flat") {
    axes.e1 = in.has("face") ? direction(in, "face") : Vec3(Vec3::UnitX());
    const double tilt = std::abs(axes.e1.dot(R_BA * axis));
    if (tilt > 1e-6) throw Error(in.where("face"), "'face' must lie in the plane across 'axis'");
    slide_curves(in, builder, std::move(site),
                 {outline, std::make_shared<StraightLine>(axes, 0.5 * in.real("face_length")), name,
                  "face of " + between.items[1].described(), axis});
  } else {
    axes.e1 = R_BA * axis.unitOrthogonal();
    axes.e2 = (R_BA * axis).cross(axes.e1);
    const double r = in.real("roller_radius");
    slide_curves(in, builder, std::move(site),
                 {outline, std::make_shared<Ellipse>(axes, r, r), name,
                  "roller of " + between.items[1].described(), axis});
  }
}

/// Axes with e3 along a direction.
Mat3 axes_about(const Vec3& e3) {
  Mat3 Q;
  Q.col(0) = e3.unitOrthogonal();
  Q.col(1) = e3.cross(Q.col(0));
  Q.col(2) = e3;
  return Q;
}

void build_wheel(const Parameters& in, Builder& builder) {
  const Value& between = pair_of(in, "a surface, and the wheel's marker");
  const PlacedSurface surface = find_surface(builder, between.items[0]);
  const double R = in.real("radius"), tread = in.real("tread_radius"), width = in.real("width");
  if (!(width < 2 * std::min(tread, R)))
    throw Error(in.where("width"), fmt::format("'width' must be below 2 min(tread_radius, radius) = {:g} m",
                                               2 * std::min(tread, R)));
  TurnedArcShape shape;
  shape.Q = axes_about(direction(in, "axle"));
  shape.p = R - tread;
  shape.a = shape.b = tread;
  shape.most_v = std::asin(0.5 * width / tread);
  JointSite site = read_joint_site(in, builder, requirement);
  const std::string name = "tread of " + site.B.name();
  slide_surfaces(in, builder, std::move(site),
                 {surface.surface, std::make_shared<TurnedArc>(shape, false), between.items[0].text, name});
}

void build_spherical(const Parameters& in, Builder& builder) {
  const std::vector<double> socket = radii(in, "socket", 3);
  const double ball = in.real("ball");
  require_clearance(in, "ball", socket, {ball}, "socket", "spherical");
  JointSite site = read_joint_site(in, builder, requirement);
  const Vec3 towards = relative_start(builder, site).p_AB_A;
  const Mat3 R_BA = relative_start(builder, site).R_AB.transpose();
  // The poles lie on the axis that is farthest from where the ball starts.
  const Vec3 axes(socket[0], socket.size() == 1 ? socket[0] : socket[1],
                  socket.size() == 1 ? socket[0] : socket[2]);
  Eigen::Index pole = 2;
  towards.cwiseAbs().minCoeff(&pole);
  const Eigen::Index x = (pole + 1) % 3, y = (pole + 2) % 3;
  TurnedArcShape shape;
  shape.Q << Vec3::Unit(x), Vec3::Unit(y), Vec3::Unit(pole);
  shape.kx = axes[x];
  shape.ky = axes[y];
  shape.b = axes[pole];
  const auto wall = std::make_shared<TurnedArc>(shape, true);
  const std::string socket_name = "socket in " + site.A.name(), ball_name = "ball of " + site.B.name();
  if (ball == 0) return slide_point_on_surface(in, builder, std::move(site), wall, socket_name);
  TurnedArcShape round;
  round.Q = R_BA * shape.Q;
  round.a = round.b = ball;
  slide_surfaces(in, builder, std::move(site),
                 {wall, std::make_shared<TurnedArc>(round, false), socket_name, ball_name});
}

/// A type whose first entry of `between` names a curve or a surface.
Type named_type(Type type, const char* between) {
  std::erase_if(type.parameters, [](const Parameter& p) { return p.name == "between"; });
  type.parameters.insert(type.parameters.begin(), Parameter::make(Kind::list, "between", "", between).must());
  return type;
}

Type clearance_type(const char* name, const char* summary, std::vector<Parameter> own,
                    void (*build)(const Parameters&, Builder&)) {
  Type type = joint_type(name, summary, requirement, std::move(own), build);
  std::erase_if(type.parameters, [](const Parameter& p) { return p.name == "rotation"; });
  type.degrees_of_freedom = 5;
  type.evaluation_cost = 15;
  return type;
}

Parameter formulation() {
  return Parameter::make(Kind::choice, "formulation", "", "as in `surface_contact`")
      .one_of({"parameters", "sliding_plane"})
      .defaults("parameters");
}

}  // namespace

TurnedArc::TurnedArc(const TurnedArcShape& shape, bool reversed) : shape_(shape) {
  set_domain({.first = 0, .last = 2 * std::numbers::pi, .periodic = true},
             {.first = -shape.most_v, .last = shape.most_v}, reversed);
}

void TurnedArc::at(double u, double v, int derivatives, SurfacePoint& out) const {
  const auto wave = [](double x, int k) { return std::cos(x + 0.5 * k * std::numbers::pi); };
  for (int i = 0; i <= derivatives; ++i)
    for (int j = 0; i + j <= derivatives; ++j) {
      const double r = shape_.a * wave(v, j) + (j == 0 ? shape_.p : 0);
      out.by(i, j) = shape_.Q * Vec3(shape_.kx * r * wave(u, i), shape_.ky * r * wave(u, i - 1),
                                     i == 0 ? shape_.b * wave(v, j - 1) : 0.0);
    }
}

void add_clearances(Registry& registry) {
  registry.add(clearance_type(
      "clearance_revolute", "keeps a pin on the wall of a hole with play, in a plane",
      {Parameter::make(Kind::any, "hole", "m", "radius of the hole in A, or its semi-axes [a, b]")
           .such_as("0.022")
           .must(),
       Parameter::make(Kind::any, "pin", "m", "radius of the pin of B, or its semi-axes; 0: a point")
           .such_as("0.02")
           .must(),
       axis_parameter(),
       Parameter::make(Kind::vector3, "hole_direction", "", "of the hole's first semi-axis, in the axes of A")
           .defaults("[1, 0, 0]"),
       Parameter::make(Kind::vector3, "pin_direction", "", "of the pin's first semi-axis, in the axes of B")
           .defaults("[1, 0, 0]"),
       near("parameters [eta1, eta2] near which the contact starts; of a point [eta]"), search_parameter()},
      build_revolute));
  registry.add(clearance_type(
      "clearance_spherical", "keeps a ball on the wall of a socket with play",
      {Parameter::make(Kind::any, "socket", "m", "radius of the socket in A, or its semi-axes [a, b, c]")
           .such_as("0.022")
           .must(),
       length("ball", "radius of the ball of B; 0: a point").not_negative().such_as("0.02").must(),
       formulation(), near("as in `surface_contact`"), search_parameter()},
      build_spherical));
  registry.add(clearance_type(
      "pin_in_slot", "keeps a pin on the wall of a slot, in a plane; one that fits, on its middle line",
      {length("length", "between the centres of the slot's round ends").positive().such_as("0.1").must(),
       length("width", "of the slot in A").positive().such_as("0.02").must(),
       length("pin", "radius of the pin of B; 0: a point").not_negative().such_as("0.01").must(),
       axis_parameter(),
       Parameter::make(Kind::vector3, "direction", "", "of the slot, in the axes of A").defaults("[1, 0, 0]"),
       near("parameters [eta1, eta2] near which the contact starts; of a point, or a pin that fits, [eta]"),
       search_parameter()},
      build_slot));
  registry.add(named_type(
      clearance_type(
          "cam", "keeps a follower on the outline of a cam, in a plane",
          {Parameter::make(Kind::choice, "follower", "",
                           "what touches the cam: round about the marker, straight "
                           "through it, or the marker itself")
               .one_of({"roller", "flat", "knife_edge"})
               .defaults("roller"),
           length("roller_radius", "of the roller").positive().such_as("0.01"),
           length("face_length", "of the flat face, the marker in its middle").positive(),
           Parameter::make(Kind::vector3, "face", "", "along the flat face, in the axes of B; absent: e1"),
           axis_parameter(), near("as in `clearance_revolute`"), search_parameter()},
          build_cam),
      "the curve that is the cam's outline, and the follower's marker B"));
  registry.add(named_type(
      clearance_type(
          "wheel_on_surface", "keeps a wheel with a round tread on a surface",
          {length("radius", "of the wheel, in its middle").positive().such_as("0.4").must(),
           length("tread_radius", "by which the tread is rounded along the axle")
               .positive()
               .such_as("0.3")
               .must(),
           length("width", "of the wheel").positive().such_as("0.1").must(),
           Parameter::make(Kind::vector3, "axle", "", "its axis, in the axes of B").defaults("[0, 1, 0]"),
           formulation(), near("as in `surface_contact`"), search_parameter()},
          build_wheel),
      "the surface, and the wheel's marker B"));
}

}  // namespace trammel::surface_contact
