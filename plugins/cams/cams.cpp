
#include "cam_profile.hpp"
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
  void draw(const LocalState& x, const ReactionShares&, Canvas& canvas) const {
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
      Parameter::make(Kind::real, "rise", "m", "of the follower; negative: it falls; absent: it dwells")
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
  what.flat = in.text("follower") == "flat";
  what.prime_radius = in.real("prime_radius");
  if (what.flat)
    for (const char* key : {"roller_radius", "offset"})
      if (in.has(key)) throw Error(in.where(key), std::string("'") + key + "' belongs to `follower: roller`");
  if (!what.flat) {
    if (!in.has("roller_radius")) throw Error(in.where(), "`follower: roller` needs 'roller_radius'");
    what.roller_radius = in.real("roller_radius");
    what.offset = in.real("offset");
  }
  std::shared_ptr<const Curve> curve;
  try {
    curve = std::make_shared<const CamProfile>(what);
  } catch (const Error& e) {
    throw Error(in.where("law"), e.what());
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
  type.summary = "the outline of a disk cam that moves a translating follower by a motion law";
  type.parameters = {
      Parameter::make(Kind::list, "law", "", "segments of a full turn, {rise, over}, cycloidal")
          .such_as("[{rise: 0.01, over: 3.141592653589793}, {rise: -0.01, over: 3.141592653589793}]")
          .must(),
      Parameter::make(Kind::choice, "follower", "", "what touches the cam")
          .one_of({"roller", "flat"})
          .defaults("roller"),
      Parameter::make(Kind::real, "prime_radius", "m",
                      "of the roller's centre, or the face, from the axis at lift 0")
          .positive()
          .such_as("0.05")
          .must(),
      Parameter::make(Kind::real, "roller_radius", "m", "of the roller").positive().such_as("0.01"),
      Parameter::make(Kind::real, "offset", "m", "of the line of the roller's centre from the axis")
          .defaults("0"),
      Parameter::make(Kind::marker, "on", "", "marker that the cam is fixed in; it turns about e3")
          .defaults("ground")};
  type.build = cams::build;
  registry.add(std::move(type));
}
