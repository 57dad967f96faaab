#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "generic_joint.hpp"
#include "trammel/activity.hpp"
#include "trammel/builder.hpp"
#include "trammel/plugin.hpp"

namespace trammel::generic_joint {
namespace {

using Kind = Parameter::Kind;

LockedAxes read_axes(const Parameters& in) {
  LockedAxes axes;
  const std::vector<double> flags = in.reals("constrained");
  const auto refuse = [&](const std::string& found) {
    throw Error(in.where("constrained"),
                "'constrained' must be six flags, 1 (locked) or 0 (free), for the translations along x, y, z "
                "and the rotations about x, y, z; found " +
                    found);
  };
  if (flags.size() != 6) refuse(fmt::format("{} of them", flags.size()));
  for (std::size_t k = 0; k < 6; ++k) {
    if (flags[k] != 0 && flags[k] != 1) refuse(fmt::format("{:g}", flags[k]));
    axes.flag[k] = flags[k] == 1;
  }
  return axes;
}

/// f as a function of time, with the signals that it reads followed by `signals`.
FunctionPtr of_time(FunctionPtr f, const Builder& builder, const std::shared_ptr<FollowedSignals>& signals) {
  if (f->depends_on_time_only()) return f;
  std::vector<int> indices;
  for (const std::string& name : f->signals())
    indices.push_back(signals->add(builder.signal(name, f->where()), name));
  return followed(std::move(f), signals, std::move(indices));
}

std::array<FunctionPtr, 3> read_offset(const Parameters& in, std::string_view name, const Builder& builder,
                                       const std::shared_ptr<FollowedSignals>& signals) {
  std::array<FunctionPtr, 3> list;
  if (!in.has(name)) return list;
  std::ranges::copy(in.functions(name), list.begin());
  for (FunctionPtr& f : list)
    f = f->is_constant() && f->at(0).value == 0 ? nullptr : of_time(std::move(f), builder, signals);
  return list;
}

Offsets read_offsets(const Parameters& in, const LockedAxes& axes, const Builder& builder,
                     const std::shared_ptr<FollowedSignals>& signals) {
  Offsets offsets{read_offset(in, "translation_offset", builder, signals),
                  read_offset(in, "rotation_offset", builder, signals)};
  for (int k = 0; k < 3; ++k)
    if (offsets.translation[static_cast<std::size_t>(k)] && !axes.translation(k))
      throw Error(
          in.where("translation_offset"),
          fmt::format("translation along {} is free: an offset of it has no effect; lock it, or give 0",
                      "xyz"[k]));
  return offsets;
}

/// The signals at the start.
void start(FollowedSignals& signals, const Builder& builder) {
  State state;
  std::vector<BlockOffset> offsets;
  for (const BlockId id : signals.blocks()) {
    offsets.push_back(
        {static_cast<std::int32_t>(state.value.size()), static_cast<std::int32_t>(state.rate.size())});
    append_initial(builder.block(id), state);
  }
  state.acceleration.assign(state.rate.size(), 0.0);
  signals.update(LocalState(state, offsets.data()), 0);
}

Drawing read_drawing(const Parameters& in, const LockedAxes& axes) {
  Drawing drawing;
  drawing.show = in.flag("show");
  if (in.has("axis_radius")) drawing.axis_radius = in.real("axis_radius");
  if (in.has("axis_length")) drawing.axis_length = in.real("axis_length");
  drawing.colour = Drawing::colour_of(axes.kind());
  if (in.has("colour")) {
    const std::vector<double> rgba = in.reals("colour");
    if (rgba.size() != 4 || !std::ranges::all_of(rgba, [](double c) { return c >= 0 && c <= 1; }))
      throw Error(in.where("colour"), "'colour' must be four numbers from 0 to 1: red, green, blue, opacity");
    std::ranges::copy(rgba, drawing.colour.begin());
  }
  return drawing;
}

void read_markers(const Parameters& in, Builder& builder, Definition& what) {
  std::tie(what.J0, what.J1) = builder.marker_pair(in, "between");
  if (what.J0.blocks() == what.J1.blocks())
    throw Error(in.where("between"), what.J0.is_ground()
                                         ? "both markers of the joint are the ground"
                                         : "the joint connects a thing with itself: '" + what.J0.name() +
                                               "' and '" + what.J1.name() + "' are fixed in the same body");
  const LockedAxes& axes = what.axes;
  for (const auto& [marker, name] : {std::pair(&what.J0, "rotation_A"), std::pair(&what.J1, "rotation_B")}) {
    if (marker->is_point()) {
      const bool needs_axes = axes.rotations() > 0 || (marker == &what.J0 && !axes.all_translations());
      if (needs_axes || in.has(name) || what.offsets.any())
        throw Error(in.where("between"),
                    "marker '" + marker->name() +
                        "' is a point without orientation; it can carry this joint only as marker B with all "
                        "rotations free, or as marker A if all translations are locked besides, and without "
                        "offsets or rotations of markers");
      continue;
    }
    if (in.has(name)) *marker = marker->offset(in.rotation(name)).named(marker->name());
  }
}

/// True where a marker is given as `ground` alone.
bool says_ground(const Parameters& in) {
  return std::ranges::any_of(in.value("between")->items, [](const Value& marker) {
    return marker.is_scalar() && marker.text == "ground";
  });
}

void require_closed(const Parameters& in, const GenericJoint& joint, const Mat3& R_AB, const Vec3& p_AB_A) {
  static constexpr const char* help =
      "; correct the markers or the offset, or give `assemble: yes` and a stage of type assemble";
  const Vec6 C = joint.gaps(R_AB, p_AB_A);
  for (int i = 0; i < joint.translation_count() + joint.rotation_count(); ++i)
    if (!(std::abs(C[i]) <= joint.tolerance()))
      throw Error(
          in.where(),
          fmt::format("the joint is open at the start: its {} is off by {:.6g} {}{}{}", joint.row_name(i),
                      C[i], i < joint.translation_count() ? "m" : "rad", help,
                      says_ground(in) && i < joint.translation_count()
                          ? " (`ground` alone is the world's origin here; `{on: ground, at: [x, y, z]}` "
                            "is another place)"
                          : ""));
  if (!joint.on_branch(R_AB))
    throw Error(in.where(),
                std::string("the joint is half a turn off at the start: an axis that should lie along its "
                            "fellow is opposed to it") +
                    help);
}

/// "holds x, y, z, about x, about z: a revolute joint".
std::string description(const LockedAxes& axes) {
  static constexpr const char* names[] = {"x", "y", "z", "about x", "about y", "about z"};
  std::string held;
  for (std::size_t k = 0; k < 6; ++k)
    if (axes.flag[k]) held += (held.empty() ? "" : ", ") + std::string(names[k]);
  const LockedAxes::Kind kind = axes.kind();
  const std::string which = kind == LockedAxes::Kind::other || kind == LockedAxes::Kind::free
                                ? std::string()
                                : fmt::format(": a {} joint", LockedAxes::name(kind));
  return "holds " + (held.empty() ? "nothing" : held) + which;
}

void build(const Parameters& in, Builder& builder) {
  Definition what;
  what.axes = read_axes(in);
  const auto signals = std::make_shared<FollowedSignals>();
  what.offsets = read_offsets(in, what.axes, builder, signals);
  if (!signals->empty()) start(*signals, builder);
  if (const std::string name = signals->without_rates(); !name.empty())
    throw Error(in.where(),
                "an offset reads '" + name +
                    "', whose rates are not known: an offset moves the joint, and needs the first and "
                    "the second rate of all that it reads, as positions, angles and distances have them");
  const std::optional<Activity> activity =
      read_activity(in, [&](FunctionPtr f) { return of_time(std::move(f), builder, signals); });
  if (!signals->empty()) {
    start(*signals, builder);
    what.signals = signals;
  }
  what.drawing = read_drawing(in, what.axes);
  what.alternative = in.flag("alternative");
  if (what.alternative && what.axes.rotations() < 2)
    throw Error(in.where("alternative"),
                fmt::format("`alternative: yes` needs two or three locked rotations, and {} locked: the "
                            "equations of fewer have no second solution half a turn away",
                            what.axes.rotations() == 0 ? "none is" : "one is"));
  what.hold = in.text("close") == "hold";
  read_markers(in, builder, what);
  what.length = builder.length();

  const std::string axes = description(what.axes);
  GenericJoint joint(std::move(what));
  const InitialMotion a = builder.initial(joint.frame()), b = builder.initial(joint.definition().J1);
  const Mat3 R_AB = a.R_WM.transpose() * b.R_WM;
  const Vec3 p_AB_A = a.R_WM.transpose() * (b.p_WM - a.p_WM);
  // Of steps that say nothing yet.
  constexpr double first_step = 1e-6;
  if (!activity || activity->after(0, first_step)) {
    if (!in.flag("assemble")) require_closed(in, joint, R_AB, p_AB_A);
    if (!joint.on_branch(R_AB)) joint.start_off_branch();
  }
  builder.note("axes", [axes] { return axes; });

  if (activity) builder.set_activity(*activity);
  std::vector<BlockId> stencil = joint.blocks();
  if (joint.translation_count() > 0)
    stencil.push_back(builder.add_multiplier("force", rows_of(Dimension::length, joint.translation_count())));
  if (joint.rotation_count() > 0)
    stencil.push_back(builder.add_multiplier("moment", rows_of(Dimension::angle, joint.rotation_count())));
  stencil.insert(stencil.end(), signals->blocks().begin(), signals->blocks().end());
  builder.add(std::move(joint), std::move(stencil));
}

std::vector<Parameter> parameters() {
  using P = Parameter;
  return {
      P::make(Kind::marker_pair, "between", "",
              "markers A and B that the joint connects; `ground`: the world's origin")
          .must(),
      P::make(Kind::reals, "constrained", "",
              "six flags: translations x, y, z, rotations x, y, z; 1 locked, 0 free")
          .defaults("[1, 1, 1, 1, 1, 1]"),
      P::make(Kind::rotation, "rotation_A", "", "of the joint frame J0, from the axes of marker A"),
      P::make(Kind::rotation, "rotation_B", "", "of the joint frame J1, from the axes of marker B"),
      P::make(Kind::functions, "translation_offset", "m",
              "of the locked translations: in world axes where all three are locked, else in axes of J0U"),
      P::make(Kind::functions, "rotation_offset", "rad",
              "Tait-Bryan angles about x, y, z that turn J0 into J0U"),
      P::make(Kind::flag, "alternative", "", "yes: rotation equations that do not hold half a turn away")
          .defaults("no"),
      active_parameter(),
      P::make(Kind::choice, "close", "",
              "what an activation during the run does: hold keeps the pose then present, exact needs the "
              "joint to be closed")
          .one_of({"hold", "exact"})
          .defaults("hold"),
      P::make(Kind::flag, "assemble", "",
              "yes: the joint may be open at the start; a stage of type assemble closes it")
          .defaults("no"),
      P::make(Kind::flag, "show", "", "no: the joint is not drawn").defaults("yes"),
      P::make(Kind::real, "axis_radius", "m", "radius of the drawn axes; absent: by the size of the model")
          .not_negative(),
      P::make(Kind::real, "axis_length", "m", "length of the drawn axes; absent: by the size of the model")
          .not_negative(),
      P::make(Kind::reals, "colour", "", "[red, green, blue, opacity], 0 to 1; absent: by the kind of joint"),
  };
}

}  // namespace
}  // namespace trammel::generic_joint

TRAMMEL_PLUGIN("generic_joint", "0.1") {
  trammel::Type type;
  type.name = "generic";
  type.category = trammel::Type::Category::joint;
  type.summary = "locks any of six axes between two markers, with offsets that are functions of time";
  type.parameters = trammel::generic_joint::parameters();
  type.build = trammel::generic_joint::build;
  registry.add(std::move(type));
}
