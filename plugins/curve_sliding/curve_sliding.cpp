#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "arc_rate.hpp"
#include "normal_force.hpp"
#include "sliding_joint.hpp"
#include "trammel/activity.hpp"
#include "trammel/lie.hpp"
#include "trammel/plugin.hpp"

namespace trammel::curve_sliding {
namespace {

using Kind = Parameter::Kind;

std::string text(const Vec3& p) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", p.x(), p.y(), p.z()); }

void require_smooth(const PlacedCurve& placed, const std::string& name, const Location& where) {
  if (const auto kink = placed.curve->kink())
    throw Error(
        where,
        fmt::format("curve '{}' has a kink of {:.4g} degrees at {} (s = {:.6g} m), and a slider needs a "
                    "curve with one tangent everywhere",
                    name, kink->angle * 180 / std::numbers::pi, text(kink->point),
                    placed.curve->arc_length(kink->eta)));
}

bool are_fixed_alike(const Marker& a, const Marker& b) {
  return a.is_ground() == b.is_ground() && a.blocks() == b.blocks() && a.R_FM() == b.R_FM() &&
         a.p_FM_F() == b.p_FM_F();
}

std::shared_ptr<const MovingFrame> read_frame(const Parameters& in, Builder& builder,
                                              const PlacedCurve& placed) {
  const std::string kind = in.text("frame");
  const auto belongs = [&](const char* key, bool here) {
    if (in.has(key) && !here)
      throw Error(in.where(key), fmt::format("'{}' does not belong to `frame: {}`", key, kind));
  };
  belongs("guide", kind == "guide");
  belongs("up", kind == "up" || kind == "rotation_minimizing");
  Vec3 up = default_up(*placed.curve);
  if (in.has("up")) up = in.vector3("up");
  if (!(up.norm() > 0)) throw Error(in.where("up"), "'up' must not be zero");
  try {
    if (kind == "up") return up_frame(placed.curve, up);
    if (kind == "frenet") return frenet_frame(placed.curve);
    if (kind == "rotation_minimizing") return rotation_minimizing_frame(placed.curve, up);
    if (!in.has("guide")) throw Error(in.where(), "`frame: guide` needs 'guide', the name of another curve");
    const PlacedCurve guide = find_curve(builder, *in.value("guide"));
    if (!are_fixed_alike(guide.marker, placed.marker))
      throw Error(in.where("guide"),
                  "the guide curve must be fixed in the same marker as the curve that it guides");
    return guided_frame(placed.curve, guide.curve);
  } catch (const Error& e) {
    if (e.where().line != 0) throw;
    throw Error(in.where(in.has("up") ? "up" : "frame"), e.what());
  }
}

Range read_range(const Parameters& in, const Curve& curve) {
  Range range;
  if (!curve.closed()) range = {0, curve.length()};
  if (!in.has("range")) return range;
  const std::vector<double> pair = in.reals("range");
  if (pair.size() != 2 || !(pair[0] < pair[1]))
    throw Error(in.where("range"), "'range' must be [from, to], rising [m]");
  const double most = 1e-9 * curve.length();
  if (!curve.closed() && (pair[0] < -most || pair[1] > curve.length() + most))
    throw Error(in.where("range"),
                fmt::format("'range' lies outside of the curve, whose arc length goes from 0 to {:.9g} m",
                            curve.length()));
  return {pair[0], pair[1]};
}

/// The parameter at which the slider starts: the nearest point. Throws Error where it is off the curve or the range.
double start_of(const Parameters& in, const Builder& builder, const JointSite& site, const Track& track,
                const Vec3& p_AB_A) {
  const Curve& curve = *track.curve;
  double eta =
      in.has("near") ? curve.nearest(p_AB_A, curve.parameter(in.real("near"))) : curve.nearest(p_AB_A);
  const Vec3 there = curve.point(eta);
  const double gap = (p_AB_A - there).norm(), s = curve.arc_length(eta);
  if (gap > 1e-6 * std::max(1.0, builder.length()) && !in.flag("assemble"))
    throw Error(
        in.where("between"),
        fmt::format(
            "'{}' starts {:.6g} m off the curve '{}': the nearest point is {} in the curve's axes, at s = "
            "{:.6g} m; correct the position, or give `assemble: yes` and a stage of type assemble",
            site.B.name(), gap, track.name, text(there), s));
  if (track.range.beyond(s) > 1e-9 * curve.length())
    throw Error(in.where("between"),
                fmt::format("'{}' starts at s = {:.6g} m, outside of the range from {:.6g} to {:.6g} m",
                            site.B.name(), s, track.range.from, track.range.to));
  return eta;
}

template <int turns, bool ties_s>
void add(const Parameters& in, Builder& builder, JointSite site, Track track, double eta) {
  using J = SlidingJoint<turns, ties_s>;
  J joint(track);
  std::vector<BlockId> stencil = site.blocks();
  joint.set_site(std::move(site));
  const RelativeStart motion = relative_start(builder, joint.site());
  RelativeState<2> start;
  start.R_AB = motion.R_AB;
  start.p_AB_A = motion.p_AB_A;
  start.c << eta, track.curve->arc_length(eta);
  typename J::Terms terms;
  joint.terms(start, false, terms);
  if (!in.flag("assemble"))
    for (int i = 3; i < 3 + turns; ++i)
      if (std::abs(terms.C[i]) > 1e-6)
        throw Error(
            in.where("between"),
            fmt::format(
                "the axes of '{}' do not stand as the curve's moving frame does at the start: equation {} "
                "is off by {:.6g} rad; leave out `axes: own`, correct the rotation, or give `assemble: yes`",
                joint.site().B.name(), i - 2, terms.C[i]));
  if (!joint.on_branch(start) && !in.flag("assemble"))
    throw Error(in.where("between"),
                "the axes of the slider start half a turn from the curve's moving frame");

  CurvePoint c;
  track.curve->evaluate(eta, 1, c);
  const double eta_rate = c.d[1].dot(motion.twist.template head<3>()) / c.d[1].squaredNorm();
  const Eigen::Vector2d rate(eta_rate, c.d[1].norm() * eta_rate);
  const BlockId block =
      builder.add_coordinates("coordinates", {start.c.data(), 2}, {rate.data(), 2}, joint.measures(), "m");
  builder.offer_coordinate("eta", "", block, 0);
  builder.offer_coordinate("s", "m", block, 1);
  const BlockId multipliers = builder.add_multiplier("multipliers", rows_of(J::dimensions));
  builder.offer_signal("normal_force",
                       std::make_shared<NormalForce>(track.curve, block, multipliers, J::count));
  stencil.push_back(block);
  stencil.push_back(multipliers);
  builder.add(std::move(joint), std::move(stencil));

  if constexpr (!ties_s) {
    const BlockId tie = builder.add_velocity_multiplier("arc_length", rows_of(Dimension::velocity, 1));
    builder.add(ArcRate(track.curve), {block, tie});
  }
  if (track.at_end == AtEnd::stop)
    builder.add(EndStops({track.range, in.real("end_stiffness"), 1, in.real("end_damping")}), {block});
}

template <int turns>
void add_at_level(const Parameters& in, Builder& builder, JointSite site, Track track, double eta) {
  if (in.text("arc_length") == "position")
    add<turns, true>(in, builder, std::move(site), std::move(track), eta);
  else
    add<turns, false>(in, builder, std::move(site), std::move(track), eta);
}

void build(const Parameters& in, Builder& builder) {
  const Value* between = in.value("between");
  if (between == nullptr || !between->is_sequence() || between->items.size() != 2)
    throw Error(in.where("between"), "'between' must be a list of a curve and a marker");
  const PlacedCurve placed = find_curve(builder, between->items[0]);
  Track track;
  track.curve = placed.curve;
  track.name = between->items[0].text;
  require_smooth(placed, track.name, in.where("between"));
  track.range = read_range(in, *placed.curve);
  track.at_end = read_ends(in, {"end_stiffness", "end_damping"});

  if (track.at_end == AtEnd::inactive) {
    Activity activity;
    activity.parameter = "ends";
    activity.by_instance = true;
    activity.where = in.where("ends");
    builder.set_activity(activity);
  }

  const std::string orientation = in.text("orientation");
  const bool is_free = orientation == "free";
  JointSite site = read_joint_site(
      in, builder, is_free ? SlidingJoint<0, true>::requirement : SlidingJoint<3, true>::requirement);
  const RelativeStart start = relative_start(builder, site);
  const double eta = start_of(in, builder, site, track, start.p_AB_A);
  if (is_free) {
    for (const char* key : {"frame", "up", "guide", "axes"})
      if (in.has(key))
        throw Error(in.where(key),
                    fmt::format("'{}' belongs to `orientation: locked` or `about_tangent`", key));
    add_at_level<0>(in, builder, std::move(site), std::move(track), eta);
    return;
  }
  track.frame = read_frame(in, builder, placed);
  if (in.text("axes") == "taken") {
    FrameAlong f;
    track.frame->evaluate(eta, f);
    site.B = site.B.offset(start.R_AB.transpose() * f.R);
  }
  if (orientation == "locked")
    add_at_level<3>(in, builder, std::move(site), std::move(track), eta);
  else
    add_at_level<2>(in, builder, std::move(site), std::move(track), eta);
}

std::vector<Parameter> own_parameters() {
  return {
      Parameter::make(Kind::choice, "orientation", "",
                      "of B: free, locked to the curve's moving frame, or free about the tangent alone")
          .one_of({"free", "locked", "about_tangent"})
          .defaults("free"),
      Parameter::make(Kind::choice, "frame", "",
                      "the moving frame: e3 is the tangent, e1 the normal named here")
          .one_of({"rotation_minimizing", "up", "guide", "frenet"})
          .defaults("rotation_minimizing"),
      Parameter::make(Kind::vector3, "up", "",
                      "e1 lies on this side (rotation_minimizing: at the first point), in the curve's axes"),
      Parameter::make(Kind::text, "guide", "", "name of the curve that e1 points to"),
      Parameter::make(
          Kind::choice, "axes", "",
          "taken: B stands right as it is at the start; own: B's e3 must be along the tangent, its e1 along "
          "the normal")
          .one_of({"taken", "own"})
          .defaults("taken"),
      Parameter::make(Kind::choice, "arc_length", "", "level at which s is tied to the parameter")
          .one_of({"position", "velocity"})
          .defaults("position"),
      Parameter::make(
          Kind::real, "near", "m",
          "arc length near which the start is looked for, where the curve passes B more than once"),
      ends_parameter("what happens at an end of the range"),
      Parameter::make(Kind::reals, "range", "m",
                      "[from, to] of s; absent: the whole of an open curve, no end of a closed one"),
      Parameter::make(Kind::real, "end_stiffness", "N/m", "of the stops").positive(),
      Parameter::make(Kind::real, "end_damping", "s/m", "of the stops: force k d (1 + c d')")
          .not_negative()
          .defaults("0"),
  };
}

}  // namespace
}  // namespace trammel::curve_sliding

TRAMMEL_PLUGIN("curve_sliding", "0.1") {
  using namespace trammel;
  Type type = joint_type(
      "curve_sliding",
      "lets a point slide along a curve; its coordinates are the parameter eta and the arc length s",
      curve_sliding::SlidingJoint<0, true>::requirement, curve_sliding::own_parameters(),
      curve_sliding::build);
  std::erase_if(type.parameters,
                [](const Parameter& p) { return p.name == "rotation" || p.name == "between"; });
  type.parameters.insert(type.parameters.begin(),
                         Parameter::make(Parameter::Kind::list, "between", "",
                                         "the curve, and the marker B that slides along it")
                             .must());
  registry.add(std::move(type));
}
