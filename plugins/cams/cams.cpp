
#include <fmt/format.h>

#include "cam_profile.hpp"
#include "cam_surface.hpp"
#include "spline_outline.hpp"
#include "trammel/element.hpp"
#include "trammel/plugin.hpp"

namespace trammel::cams {
namespace {

using Kind = Parameter::Kind;

/// Draws the outline, fixed in its marker. Stencil: the marker's blocks. It has no residual.
class DrawnOutline {
 public:
  DrawnOutline(const Curve& outline, Marker marker) : marker_(std::move(marker)) {
    for (int i = 0; i <= pieces; ++i)
      points_.push_back(outline.point(outline.first() + (outline.last() - outline.first()) * i / pieces));
  }

  static bool couples(int, int) { return false; }
  void evaluate(const LocalState&, LocalSystem&) const {}
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
    MarkerMotion motion;
    marker_.evaluate(x, 0, MotionLevel::pose, motion);
    std::vector<Vec3> world;
    world.reserve(points_.size());
    for (const Vec3& p : points_) world.push_back(motion.p_WM + motion.R_WM * p);
    canvas.polyline(Canvas::Layer::curves, world);
  }

 private:
  static constexpr int pieces = 360;

  Marker marker_;
  std::vector<Vec3> points_;  ///< in the marker's axes
};

/// Draws the surface, fixed in its marker. Stencil: the marker's blocks. It has no residual.
class DrawnCam {
 public:
  DrawnCam(const Surface& surface, Marker marker) : marker_(std::move(marker)) {
    for (int i = 0; i <= around; ++i)
      for (int j = 0; j <= across; ++j)
        points_.push_back(surface.point({surface.u().first + surface.u().length() * i / around,
                                         surface.v().first + surface.v().length() * j / across}));
    for (int i = 0; i < around; ++i)
      for (int j = 0; j < across; ++j) {
        const int a = i * (across + 1) + j, b = a + across + 1;
        const bool turned = surface.reversed();
        for (const int k : {4, a, turned ? a + 1 : b, b + 1, turned ? b : a + 1}) faces_.push_back(k);
      }
  }

  static bool couples(int, int) { return false; }
  void evaluate(const LocalState&, LocalSystem&) const {}
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
    MarkerMotion motion;
    marker_.evaluate(x, 0, MotionLevel::pose, motion);
    std::vector<Vec3> world;
    world.reserve(points_.size());
    for (const Vec3& p : points_) world.push_back(motion.p_WM + motion.R_WM * p);
    canvas.surface(Canvas::Layer::bodies, world, faces_);
  }

 private:
  static constexpr int around = 180, across = 8;

  Marker marker_;
  std::vector<Vec3> points_;  ///< in the marker's axes
  std::vector<int> faces_;
};

const std::vector<Parameter>& segment_parameters() {
  static const std::vector<Parameter> known{
      Parameter::make(Kind::real, "rise", "",
                      "of the follower [m], of a swinging one [rad]; negative: it falls; absent: it dwells")
          .defaults("0"),
      Parameter::make(Kind::real, "over", "rad", "by which the cam turns meanwhile").positive().must()};
  return known;
}

/// The exact outline of the cam that a case describes.
std::shared_ptr<const Curve> read_outline(const Parameters& in) {
  CamDefinition what;
  for (const Value& item : in.value("law")->items) {
    const Parameters segment = in.map(item, segment_parameters());
    what.law.push_back({segment.real("rise"), segment.real("over")});
  }
  const std::string follower = in.text("follower");
  what.flat = follower == "flat";
  const bool swings = in.has("pivot");
  const auto belongs = [&](const char* key, bool here, const char* to) {
    if (!here && in.has(key)) throw Error(in.where(key), fmt::format("'{}' belongs to {}", key, to));
  };
  const auto needs = [&](const char* key, bool here, const char* who) {
    if (here && !in.has(key)) throw Error(in.where(), fmt::format("{} needs '{}'", who, key));
  };
  belongs("roller_radius", follower == "roller", "`follower: roller`");
  belongs("offset", !what.flat && !swings, what.flat ? "`follower: roller`" : "a follower without `pivot`");
  belongs("prime_radius", !swings, "a follower without `pivot`");
  belongs("arm", swings && !what.flat, "a roller or an edge with `pivot`");
  belongs("face_offset", swings && what.flat, "a flat follower with `pivot`");
  belongs("angle", swings, "a follower with `pivot`");
  needs("roller_radius", follower == "roller", "`follower: roller`");
  needs("prime_radius", !swings, "a follower without `pivot`");
  needs("arm", swings && !what.flat, "a roller or an edge with `pivot`");
  if (follower == "roller") what.roller_radius = in.real("roller_radius");
  if (swings) {
    const std::vector<double> pivot = in.reals("pivot");
    if (pivot.size() != 2) throw Error(in.where("pivot"), "'pivot' must be two lengths [x, y]");
    what.swing =
        Swing{pivot[0], pivot[1], in.has("angle") ? in.real("angle") : 0.0, what.flat ? 0.0 : in.real("arm"),
              in.has("face_offset") ? in.real("face_offset") : 0.0};
  } else {
    what.prime_radius = in.real("prime_radius");
    what.offset = what.flat || !in.has("offset") ? 0 : in.real("offset");
  }
  try {
    return std::make_shared<const CamProfile>(what);
  } catch (const Error& e) {
    throw Error(in.where("law"), e.what());
  }
}

KnotChoice read_knots(const Parameters& in) {
  KnotChoice choice{in.integer("control_points"), 0};
  if (!in.has("knots_at_ends")) return choice;
  choice.at_breaks = in.integer("knots_at_ends");
  if (choice.at_breaks < 1 || choice.at_breaks >= ClosedSpline::degree)
    throw Error(
        in.where("knots_at_ends"),
        fmt::format(
            "'knots_at_ends' is {}, but must be 1 to {}: a spline of degree {} has a corner at a knot "
            "that counts more often",
            choice.at_breaks, ClosedSpline::degree - 1, ClosedSpline::degree));
  return choice;
}

void build_profile(const Parameters& in, Builder& builder) {
  const Marker marker = builder.marker(in, "on");
  std::shared_ptr<const Curve> curve = read_outline(in);
  if (in.has("knots_at_ends") && !in.has("control_points"))
    throw Error(in.where("knots_at_ends"), "'knots_at_ends' belongs to a spline with 'control_points'");
  if (in.has("control_points")) {
    try {
      curve = std::make_shared<const SplineOutline>(*curve, read_knots(in));
    } catch (const Error& e) {
      if (e.where().line != 0) throw;
      throw Error(in.where("control_points"), e.what());
    }
  }
  offer_curve(builder, curve, marker, in.where("on"));
  builder.add(DrawnOutline(*curve, marker), marker.blocks());
}

void build_surface(const Parameters& in, Builder& builder) {
  const Marker marker = builder.marker(in, "on");
  const std::shared_ptr<const Curve> outline = read_outline(in);
  std::shared_ptr<const Surface> surface;
  try {
    surface = std::make_shared<const CamSurface>(
        *outline, read_knots(in), CamWidth{in.real("width"), in.real("crown")}, in.flag("reversed"));
  } catch (const Error& e) {
    if (e.where().line != 0) throw;
    throw Error(in.where("control_points"), e.what());
  }
  offer_surface(builder, surface, marker, in.where("on"));
  builder.add(DrawnCam(*surface, marker), marker.blocks());
}

Parameter knots_parameter() {
  return Parameter::make(
      Kind::integer, "knots_at_ends", "",
      "of the spline, at each end of a segment of the law: 1 to 4, the others evenly between; absent: "
      "all evenly around");
}

std::vector<Parameter> law_parameters() {
  return {Parameter::make(Kind::list, "law", "", "segments of a full turn, {rise, over}, cycloidal")
              .such_as("[{rise: 0.01, over: 3.141592653589793}, {rise: -0.01, over: 3.141592653589793}]")
              .must(),
          Parameter::make(Kind::choice, "follower", "", "what touches the cam")
              .one_of({"roller", "flat", "knife_edge"})
              .defaults("roller"),
          Parameter::make(Kind::real, "prime_radius", "m",
                          "of the roller's centre, the edge, or the face, from the axis at lift 0")
              .positive()
              .such_as("0.05"),
          Parameter::make(Kind::real, "roller_radius", "m", "of the roller").positive().such_as("0.01"),
          Parameter::make(Kind::real, "offset", "m",
                          "of the line of the roller's centre, or the edge, from the axis; absent: 0"),
          Parameter::make(
              Kind::reals, "pivot", "m",
              "[x, y] that the follower swings about, from the cam's axis; absent: it moves along e2"),
          Parameter::make(Kind::real, "arm", "m", "from the pivot to the roller's centre, or the edge")
              .positive(),
          Parameter::make(Kind::real, "angle", "rad",
                          "of the arm, or of a flat face that swings, from e1 at lift 0; absent: 0"),
          Parameter::make(Kind::real, "face_offset", "m",
                          "of a flat face that swings, from the pivot, away from the axis; absent: 0"),
          Parameter::make(Kind::marker, "on", "", "marker that the cam is fixed in; it turns about e3")
              .defaults("ground")};
}

void add_profile(Registry& registry) {
  Type type;
  type.name = "cam_profile";
  type.category = Type::Category::curve;
  type.summary = "the outline of a disk cam that moves a follower by a motion law";
  type.parameters = law_parameters();
  type.parameters.push_back(
      Parameter::make(Kind::integer, "control_points", "",
                      "of a spline of degree 5 through points of the outline; absent: the exact outline"));
  type.parameters.push_back(knots_parameter());
  type.build = build_profile;
  registry.add(std::move(type));
}

void add_surface(Registry& registry) {
  Type type;
  type.name = "cam_surface";
  type.category = surface_category;
  type.summary = "a disk cam as a NURBS surface of degree 5 around and 3 across, n x 4 control points";
  type.parameters = law_parameters();
  type.parameters.push_back(
      Parameter::make(Kind::integer, "control_points", "", "around").such_as("100").must());
  type.parameters.push_back(knots_parameter());
  type.parameters.push_back(Parameter::make(Kind::real, "width", "m", "along e3, half to either side")
                                .positive()
                                .such_as("0.02")
                                .must());
  type.parameters.push_back(
      Parameter::make(Kind::real, "crown", "m", "by which the edges lie further in than the middle")
          .defaults("0"));
  type.parameters.push_back(
      Parameter::make(Kind::flag, "reversed", "", "yes: the normal points to the axis").defaults("no"));
  type.build = build_surface;
  registry.add(std::move(type));
}

}  // namespace
}  // namespace trammel::cams

TRAMMEL_PLUGIN("cams", "0.1") {
  trammel::cams::add_profile(registry);
  trammel::cams::add_surface(registry);
}
