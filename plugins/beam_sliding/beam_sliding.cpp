#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "normal_force.hpp"
#include "slider.hpp"
#include "trammel/activity.hpp"
#include "trammel/lie.hpp"
#include "trammel/nearest_name.hpp"
#include "trammel/plugin.hpp"

namespace trammel::beam_sliding {
namespace {

using Kind = Parameter::Kind;

constexpr double meeting_tolerance = 1e-6;  // of the model's length

std::vector<Parameter> parameters() {
  std::vector<Parameter> known;
  known.push_back(Parameter::make(Kind::any, "beam", "",
                                  "the beam to slide on, or a list of beams that follow one another")
                      .must());
  known.push_back(Parameter::make(Kind::marker, "slider", "", "the marker that slides").must());
  known.push_back(
      Parameter::make(Kind::choice, "contact", "",
                      "what is held besides the position: point (nothing), prismatic (all rotations), "
                      "cylindrical (all but the one about the beam's tangent), screw")
          .one_of({"point", "prismatic", "cylindrical", "screw"})
          .defaults("point"));
  known.push_back(
      Parameter::make(Kind::real, "pitch", "m", "of a screw: arc length a turn; negative: left-handed"));
  known.push_back(
      Parameter::make(Kind::real, "s", "m",
                      "arc length at the start, where several points are near, or where a slider on "
                      "the `ground` is to stand; absent: the nearest point"));
  known.push_back(ends_parameter("what becomes of a slider at an end of the beam"));
  known.push_back(Parameter::make(Kind::real, "stop_stiffness", "N/m", "of `ends: stop`").positive());
  known.push_back(Parameter::make(Kind::integer, "reserve", "",
                                  "elements ahead of the slider that the matrix has room for")
                      .between(1, 1000)
                      .defaults("8"));
  known.push_back(
      Parameter::make(Kind::flag, "assemble", "",
                      "yes: the slider may be off the beam at the start; a stage of type assemble closes "
                      "the gap")
          .defaults("no"));
  return known;
}

[[noreturn]] void throw_no_beam(const Value& value, const std::string& name, const Builder& builder) {
  std::vector<std::string> beams;
  bool exists = false;
  for (const Entity& e : builder.entities()) {
    exists = exists || e.name == name;
    if (builder.find<ElasticLine>(e.name + ".elastic line") != nullptr) beams.push_back(e.name);
  }
  throw Error(value.where,
              fmt::format("{} is {}; {}", in_quotes(name), exists ? "not a beam" : "no body of this case",
                          beams.empty() ? "there is no beam to slide on"
                                        : "beams are: " + list_of_names(beams, name)));
}

std::vector<const Value*> beam_names(const Parameters& in) {
  const Value& value = *in.value("beam");
  std::vector<const Value*> names;
  if (value.is_sequence())
    for (const Value& item : value.items) names.push_back(&item);
  else
    names.push_back(&value);
  for (const Value* name : names)
    if (!name->is_scalar()) throw Error(name->where, "'beam' must be the name of a beam, or a list of names");
  if (names.empty()) throw Error(value.where, "'beam' names no beam");
  return names;
}

/// Throws Error unless two consecutive beams of a track have the same tangent where they meet, and for a contact
/// that holds rotations the same orientation: a slider that passes a corner would jump.
void require_smooth(const Value& name, const InitialMotion& end, const InitialMotion& start, bool rotates) {
  const Corner corner(end.R_WM, start.R_WM);
  const auto degrees = [](double angle) { return angle * 180 / std::numbers::pi; };
  if (corner.bend > corner_tolerance)
    throw Error(
        name.where,
        fmt::format("beam '{}' begins at an angle of {:.4g} degrees to the end of the one before it, and a "
                    "slider needs a smooth track; make the corner an arc",
                    name.text, degrees(corner.bend)));
  if (rotates && corner.turn > corner_tolerance)
    throw Error(
        name.where,
        fmt::format(
            "the first section of beam '{}' is turned by {:.4g} degrees about the axis against the last "
            "one before it, and this contact holds rotations; give both beams the same `up`",
            name.text, degrees(corner.turn)));
}

std::shared_ptr<const Track> read_track(const Parameters& in, Builder& builder, bool rotates) {
  auto track = std::make_shared<Track>();
  for (const Value* name : beam_names(in)) {
    const auto line = builder.find<ElasticLine>(name->text + ".elastic line");
    if (line == nullptr) throw_no_beam(*name, name->text, builder);
    if (track->pieces() > 0) {
      const InitialMotion end = builder.initial(Marker::on_frame(track->nodes().back()));
      const InitialMotion start = builder.initial(Marker::on_frame(line->nodes.front()));
      const double gap = (start.p_WM - end.p_WM).norm();
      if (gap > meeting_tolerance * builder.length())
        throw Error(name->where,
                    fmt::format("beam '{}' does not begin where the one before it ends: the gap is {:.6g} m",
                                name->text, gap));
      require_smooth(*name, end, start, rotates);
    }
    if (line->let_moments_vary) {
      line->let_moments_vary();
      builder.note("beam", [&] {
        return fmt::format(
            "  moments vary linearly along the elements of '{}' (bending: linear), since this slides along "
            "them",
            name->text);
      });
    }
    track->add(*line);
  }
  return track;
}

Contact read_contact(const Parameters& in) {
  const std::string name = in.text("contact");
  if (name == "point") return Contact::point;
  if (name == "prismatic") return Contact::prismatic;
  return name == "cylindrical" ? Contact::cylindrical : Contact::screw;
}

bool is_plain_ground(const Parameters& in) {
  const Value* slider = in.value("slider");
  return slider->is_scalar() && slider->text == "ground";
}

double read_s(const Parameters& in, const Track& track) {
  if (!in.has("s")) return -1;
  const double s = in.real("s");
  if (!(s >= 0 && s <= track.length()))
    throw Error(in.where("s"), fmt::format("'s' must lie on the beam, between 0 and {:.6g} m, found {:.6g}",
                                           track.length(), s));
  return s;
}

void require_no_self_contact(const Parameters& in, const SliderLaw& law) {
  const std::vector<BlockId> own = law.slider.blocks();
  for (const Frame& node : law.track->nodes())
    for (const BlockId block : own)
      if (block == node.position || block == node.rotation)
        throw Error(in.where("slider"), "the slider '" + law.slider.name() +
                                            "' is a point of the beam itself, which cannot slide on itself");
}

TrackPoint read_start(const Parameters& in, const Builder& builder, SliderLaw& law) {
  const double s = read_s(in, *law.track);
  if (is_plain_ground(in)) {
    if (s < 0)
      throw Error(in.where("slider"),
                  "a slider on the ground needs a place: give {on: ground, at: [x, y, z]}, or `s`");
    TrackPoint start = point_at(*law.track, s, builder);
    law.slider = Marker::ground(start.X.R, start.X.p);
    return start;
  }
  const InitialMotion b = builder.initial(law.slider);
  const TrackPoint start = nearest_point(*law.track, b.p_WM, s, builder);
  if (start.gap > meeting_tolerance * builder.length() && !in.flag("assemble"))
    throw Error(
        in.where("slider"),
        fmt::format("the slider '{}' starts off the beam: the nearest point, at s = {:.6g} m, is {:.6g} "
                    "m away; correct the positions, or give `assemble: yes` and a stage of type assemble "
                    "that closes the gap",
                    law.slider.name(), start.s, start.gap));
  // The rotations between the slider and the section are kept as they are at the start.
  if (law.rotates()) law.slider = law.slider.offset(b.R_WM.transpose() * start.X.R);
  return start;
}

void read_law(const Parameters& in, Builder& builder, SliderLaw& law) {
  law.contact = read_contact(in);
  law.track = read_track(in, builder, law.rotates());
  law.slider = builder.marker(in, "slider");
  if (law.rotates() && law.slider.is_point())
    throw Error(in.where("slider"), "marker '" + law.slider.name() +
                                        "' is a point without orientation, and this contact needs one");
  if ((law.contact == Contact::screw) != in.has("pitch"))
    throw Error(in.where(in.has("pitch") ? "pitch" : "contact"),
                in.has("pitch") ? "'pitch' belongs to a screw: give `contact: screw`"
                                : "a screw needs its 'pitch', the arc length a turn [m]");
  if (law.contact == Contact::screw) {
    const double pitch = in.real("pitch");
    if (pitch == 0) throw Error(in.where("pitch"), "'pitch' must not be zero");
    law.turn_by_s = 2 * std::numbers::pi / pitch;
  }
  law.at_end = read_ends(in, {"stop_stiffness"});
  if (law.at_end == AtEnd::stop)
    law.stops = {.range = {0, law.track->length()}, .stiffness = in.real("stop_stiffness")};
  law.reserve = in.integer("reserve");
  require_no_self_contact(in, law);
}

/// The offer "beams" of a slider: the beams of its track.
struct BeamNames : std::vector<std::string> {
  static constexpr std::string_view offered_as = "beams of a slider 1";
};

BeamNames beams_of(const Parameters& in) {
  BeamNames beams;
  for (const Value* name : beam_names(in)) beams.push_back(name->text);
  return beams;
}

/// Leaves those that the slider can meet first: on one track none of two passes another where one holds rotations.
void keep_neighbours(SliderLaw& law, double s, const BeamNames& beams, Builder& builder) {
  using Other = SliderLaw::Other;
  const auto place = [&](const Other& other) { return builder.block(other.s).initial[0] + other.shift; };
  std::vector<char> follows(law.others.size());
  double before = -1, behind = law.track->length() + 1;  // the next ones that hold rotations
  for (std::size_t i = 0; i < law.others.size(); ++i) {
    const auto its = builder.find<BeamNames>(law.others[i].name + ".beams");
    follows[i] = its != nullptr && *its == beams;
    if (!follows[i] || !law.others[i].turns) continue;
    const double at = place(law.others[i]);
    (at <= s ? before : behind) = at <= s ? std::max(before, at) : std::min(behind, at);
  }
  std::vector<Other> kept;
  for (std::size_t i = 0; i < law.others.size(); ++i)
    if (const double at = place(law.others[i]); !follows[i] || (at >= before && at <= behind))
      kept.push_back(law.others[i]);
  law.others = std::move(kept);
}

/// Makes the slider known to those that come later on the same beams, and those that came before to it. Two that hold
/// no rotations need not know of each other.
void meet_others(SliderLaw& law, BlockId s, double start, const BeamNames& beams, Builder& builder) {
  for (const Track::Part& part : law.track->parts()) {
    for (const ElasticLine::Slider& other : *part.sliders)
      if (other.turns || law.rotates())
        law.others.push_back({other.name, other.s, part.from - other.from, part.from, part.to, other.turns});
    part.sliders->push_back({law.name, s, part.from, law.rotates()});
  }
  keep_neighbours(law, start, beams, builder);
  builder.offer("beams", std::make_shared<const BeamNames>(beams));
}

/// Rows of a contact: through the compliance of the pieces they depend on its multipliers.
std::vector<Row> contact_rows(Dimension dimension) {
  std::vector<Row> rows = rows_of(dimension, 3);
  for (Row& row : rows) row.compliant = true;
  return rows;
}

/// The frames that the window of a slider can come to, of a track of moderate length: the values of a long one's would cost
/// more in each iteration than they save where the window moves.
std::vector<BlockId> reach_of(const Track& track) {
  constexpr std::size_t most_nodes = 256;
  std::vector<BlockId> blocks;
  if (track.nodes().size() > most_nodes) return blocks;
  for (const Frame& node : track.nodes()) blocks.insert(blocks.end(), {node.position, node.rotation});
  return blocks;
}

void build(const Parameters& in, Builder& builder) {
  auto law = std::make_shared<SliderLaw>();
  read_law(in, builder, *law);
  const TrackPoint start = read_start(in, builder, *law);
  law->s_start = start.s;
  if (law->at_end == AtEnd::inactive) {
    Activity activity;
    activity.parameter = "ends";
    activity.by_instance = true;
    activity.where = in.where("ends");
    builder.set_activity(activity);
  }

  const InitialMotion b = builder.initial(law->slider);
  const Vec3 v = b.twist.head<3>() - start.X.R * start.twist.head<3>();
  const double rate = v.dot(start.tangent) / start.tangent.squaredNorm();
  const std::array<Measure, 1> length{Measure::length()}, turn{Measure::angle()};
  std::vector<BlockId> fixed{builder.add_coordinates("s", {&start.s, 1}, {&rate, 1}, length, "m")};
  builder.offer_coordinate("s", "m", fixed.back());
  law->name = builder.entity().name;
  meet_others(*law, fixed.back(), start.s, beams_of(in), builder);
  if (law->has_angle()) {
    const double angle = 0, turning = (b.twist.tail<3>() - start.twist.tail<3>())[0];
    fixed.push_back(builder.add_coordinates("angle", {&angle, 1}, {&turning, 1}, turn, "rad"));
    builder.offer_coordinate("angle", "rad", fixed.back());
  }
  const std::vector<BlockId> own = law->slider.blocks();
  fixed.insert(fixed.end(), own.begin(), own.end());
  fixed.push_back(builder.add_multiplier("force", contact_rows(Dimension::length)));
  builder.offer_signal("contact_force", std::make_shared<ContactForce>(fixed.back()));
  if (law->rotates()) {
    builder.offer_signal("normal_force", std::make_shared<NormalForce>(law->slider, fixed.back()));
    fixed.push_back(builder.add_multiplier("moment", contact_rows(Dimension::angle)));
  }

  for (const SliderLaw::Other& other : law->others) fixed.push_back(other.s);
  Slider slider(law, start.s, rate >= 0);
  for (const SliderLaw::Other& other : law->others)
    slider.require_alone(other, start.s, builder.block(other.s).initial[0]);
  slider.set_fixed_blocks(std::move(fixed));
  std::vector<BlockId> stencil = slider.stencil();
  builder.add(std::move(slider), std::move(stencil), reach_of(*law->track));
}

}  // namespace
}  // namespace trammel::beam_sliding

TRAMMEL_PLUGIN("beam_sliding", "0.1") {
  using namespace trammel;
  Type type;
  type.name = "beam_sliding";
  type.category = Type::Category::joint;
  type.summary =
      "a marker slides along a beam that bends under it, from element to element: a bead, a sleeve, a screw; "
      "its coordinate is the arc length s";
  type.parameters = beam_sliding::parameters();
  type.build = beam_sliding::build;
  type.needs = [](const Parameters&, Needs& needs) { needs.meets_others = true; };
  type.evaluation_cost = 5;
  registry.add(std::move(type));
}
