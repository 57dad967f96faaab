
#include <fmt/format.h>

#include "cam_profile.hpp"
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

const std::vector<Parameter>& segment_parameters() {
  static const std::vector<Parameter> known{
      Parameter::make(Kind::real, "rise", "",
                      "of the follower [m], of a swinging one [rad]; negative: it falls; absent: it dwells")
          .defaults("0"),
      Parameter::make(Kind::real, "over", "rad", "by which the cam turns meanwhile").positive().must()};
  return known;
}

void build(const Parameters& in, Builder& builder) {
  const Marker marker = builder.marker(in, "on");
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
  std::shared_ptr<const Curve> curve;
  try {
    curve = std::make_shared<const CamProfile>(what);
  } catch (const Error& e) {
    throw Error(in.where("law"), e.what());
  }
  if (in.has("control_points")) {
    try {
      curve = std::make_shared<const SplineOutline>(*curve, in.integer("control_points"));
    } catch (const Error& e) {
      throw Error(in.where("control_points"), e.what());
    }
  }
  offer_curve(builder, curve, marker, in.where("on"));
  builder.add(DrawnOutline(*curve, marker), marker.blocks());
}

}  // namespace
}  // namespace trammel::cams

TRAMMEL_PLUGIN("cams", "0.1") {
  using namespace trammel;
  using Kind = Parameter::Kind;
  Type type;
  type.name = "cam_profile";
  type.category = Type::Category::curve;
  type.summary = "the outline of a disk cam that moves a follower by a motion law";
  type.parameters = {
      Parameter::make(Kind::list, "law", "", "segments of a full turn, {rise, over}, cycloidal")
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
      Parameter::make(Kind::integer, "control_points", "",
                      "of a spline of degree 5 through points of the outline; absent: the exact outline"),
      Parameter::make(Kind::marker, "on", "", "marker that the cam is fixed in; it turns about e3")
          .defaults("ground")};
  type.build = cams::build;
  registry.add(std::move(type));
}
