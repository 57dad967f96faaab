#include "trammel/joint_site.hpp"

#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "trammel/activity.hpp"
#include "trammel/explicit_twist.hpp"
#include "trammel/glyph.hpp"
#include "trammel/joint.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

constexpr double meeting_tolerance = 1e-6;  // of the model's length

/// The shortest rotation of the world's axes that turns z to `axis`.
Mat3 axes_along(const Vec3& axis, const Location& where) {
  if (!(axis.norm() > 0)) throw Error(where, "the axis must not be zero");
  const Vec3 e3 = axis.normalized();
  if (e3.z() < -1 + 1e-12) return Vec3(1, -1, -1).asDiagonal();
  return Quaternion::FromTwoVectors(Vec3::UnitZ(), e3).toRotationMatrix();
}

/// True where both markers are fixed in one thing, so that no joint between them can do anything.
bool are_one_thing(const Marker& a, const Marker& b) {
  if (a.block_count() == 0 && b.block_count() == 0) return true;
  if (a.has_shape() || b.has_shape() || a.is_ground() || b.is_ground()) return false;
  return a.blocks() == b.blocks();
}

bool is_plain_ground(const Parameters& in, std::size_t index) {
  const Value* between = in.value("between");
  return between != nullptr && index < between->items.size() && between->items[index].is_scalar() &&
         between->items[index].text == "ground";
}

}  // namespace

std::vector<BlockId> JointSite::blocks() const {
  std::vector<BlockId> all = A.blocks();
  const std::vector<BlockId> more = B.blocks();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

double JointSite::dissipated_power(const LocalState& x, const Vec6& row_A, const Vec6& row_B) const {
  double power = 0;
  int first = 0;
  for (const auto& [marker, row] : {std::pair(&A, &row_A), std::pair(&B, &row_B)}) {
    if (marker->has_shape()) {
      MarkerMotion motion;
      marker->evaluate(x, first, MotionLevel::velocity, motion);
      power -= row->dot(explicit_twist(*marker, x, first, motion));
    }
    first += marker->block_count();
  }
  return power;
}

void JointSite::offer_identity(const Parameters& in, Builder& builder, FramePart part,
                               BlockId multiplier) const {
  if (!in.flag("share") || in.flag("assemble") || builder.has_activity()) return;
  builder.offer_identity(A, B, part, multiplier, in.has("share") ? &in.where("share") : nullptr);
}

JointForces JointSite::forces(const Mat3& R_WA, const Mat3& R_WB, const Vec6& row_A, const Vec6& row_B,
                              const ReactionContributions& contributions) const {
  JointForces f;
  f.force_on_A = -row_A.head<3>();
  f.moment_on_A = -(R_WA * row_A.tail<3>());
  f.force_on_B = -row_B.head<3>();
  f.moment_on_B = -(R_WB * row_B.tail<3>());
  if (shares_position && contributions.has_force) {
    f.force_on_A += contributions.force_on_A;
    f.force_on_B -= contributions.force_on_A;
  }
  if (shares_rotation && contributions.has_moment) {
    f.moment_on_A += contributions.moment_on_A;
    f.moment_on_B -= contributions.moment_on_A;
  }
  return f;
}

void JointSite::report(const MarkerMotion& a, const MarkerMotion& b, const JointForces& f,
                       OutputSink& sink) const {
  const Mat3 R_AW = a.R_WM.transpose();
  sink.vector("force", "N", R_AW * f.force_on_B);
  sink.vector("moment", "N m", R_AW * f.moment_on_B);
  sink.vector("force_world", "N", f.force_on_B);
  sink.vector("moment_world", "N m", f.moment_on_B);
  sink.vector("force_on_A", "N", R_AW * f.force_on_A);
  sink.vector("moment_on_A", "N m", R_AW * f.moment_on_A);
  sink.vector("force_on_A_world", "N", f.force_on_A);
  sink.vector("moment_on_A_world", "N m", f.moment_on_A);
  sink.vector("displacement", "m", R_AW * (b.p_WM - a.p_WM));
  if (!A.is_point() && !B.is_point()) sink.vector("rotation", "rad", so3::log(Mat3(R_AW * b.R_WM)));
}

void JointSite::draw(const MarkerMotion& a, const MarkerMotion& b, const JointForces& f,
                     Canvas& canvas) const {
  const std::array<Vec3, 1> at{b.p_WM};
  const Vec3 axis = a.R_WM.col(2);
  canvas.points(Canvas::Layer::joints, at);
  draw_field(canvas, "force", "N", world_axes, {f.force_on_B.data(), 3});
  draw_field(canvas, "moment", "N m", world_axes, {f.moment_on_B.data(), 3});
  draw_field(canvas, "axis", "", world_axes, {axis.data(), 3});
}

Type joint_type(std::string name, std::string summary, const JointRequirement& requirement,
                std::vector<Parameter> own, std::function<void(const Parameters&, Builder&)> build) {
  Type type;
  type.name = std::move(name);
  type.category = Type::Category::joint;
  type.summary = std::move(summary);
  type.parameters = joint_parameters(requirement, std::move(own));
  type.build = std::move(build);
  return type;
}

std::vector<Parameter> joint_parameters(const JointRequirement& requirement, std::vector<Parameter> own) {
  using P = Parameter;
  using Kind = P::Kind;
  std::vector<P> all;
  all.push_back(P::make(Kind::marker_pair, "between", "",
                        requirement.markers_meet
                            ? "markers A and B that the joint connects; `ground` alone: the ground "
                              "where the joint is, at `position` or the other marker"
                            : "markers A and B that the joint connects; `ground`: the world's origin")
                    .must());
  if (requirement.axes == JointAxes::along_axis)
    all.push_back(P::make(Kind::vector3, "axis", "", "direction of the joint's e3 in the world, at the start")
                      .such_as("[1, 2, 3]"));
  all.push_back(P::make(Kind::rotation, "rotation", "",
                        requirement.axes == JointAxes::along_axis
                            ? "axes of the joint in the world, at the start (in place of `axis`)"
                            : "axes of the joint in the world, at the start"));
  if (requirement.markers_meet) {
    all.push_back(P::make(Kind::vector3, "position", "m",
                          "the joint's place in the world at the start; absent: where the markers are"));
    all.push_back(P::make(Kind::flag, "share", "",
                          "no: keep all unknowns and multipliers, where the joint could "
                          "identify unknowns of both sides instead")
                      .defaults("yes"));
  }
  all.push_back(P::make(Kind::flag, "assemble", "",
                        "yes: the joint may be open at the start; a stage of type "
                        "assemble closes it")
                    .defaults("no"));
  all.push_back(P::make(Kind::real, "size", "m",
                        "length of the drawn joint; 0 draws a point; absent: by the size of the model")
                    .not_negative());
  all.push_back(active_parameter());
  for (P& p : own) all.push_back(std::move(p));
  return all;
}

JointSite read_joint_site(const Parameters& in, Builder& builder, const JointRequirement& requirement) {
  JointSite site;
  std::tie(site.A, site.B) = builder.marker_pair(in, "between");
  if (requirement.needs_rotation)
    for (const Marker* m : {&site.A, &site.B})
      if (m->is_point())
        throw Error(in.where("between"), "marker '" + m->name() +
                                             "' is a point without orientation, and a joint of "
                                             "this type needs one");
  const InitialMotion a = builder.initial(site.A), b = builder.initial(site.B);
  const bool open_A = requirement.markers_meet && is_plain_ground(in, 0);
  const bool open_B = requirement.markers_meet && is_plain_ground(in, 1);
  if (open_A && open_B) throw Error(in.where("between"), "both markers of the joint are the ground");
  if (are_one_thing(site.A, site.B))
    throw Error(in.where("between"), "the joint connects a thing with itself: '" + site.A.name() + "' and '" +
                                         site.B.name() + "' are fixed in the same body");

  Mat3 R_WA = a.R_WM, R_WB = b.R_WM;
  if (in.has("rotation")) {
    if (requirement.axes == JointAxes::along_axis && in.has("axis"))
      throw Error(in.where("rotation"), "a joint takes either `axis` or `rotation`, not both");
    R_WA = R_WB = in.rotation("rotation");
  } else if (requirement.axes == JointAxes::along_axis) {
    if (!in.has("axis"))
      throw Error(in.where(), "'axis' is missing: the direction of the joint's axis [x, y, z]");
    R_WA = R_WB = axes_along(in.vector3("axis"), in.where("axis"));
  } else if (requirement.axes == JointAxes::common) {
    (open_A ? R_WA : R_WB) = open_A ? R_WB : R_WA;
  }

  Vec3 p_WA = a.p_WM, p_WB = b.p_WM;
  const bool placed = requirement.markers_meet && in.has("position");
  const double tolerance = meeting_tolerance * builder.length();
  if (placed) p_WA = p_WB = in.vector3("position");
  if (!placed && open_A) p_WA = p_WB;
  if (!placed && open_B) p_WB = p_WA;

  const bool turned = requirement.axes != JointAxes::own || in.has("rotation");
  const auto put = [&](Marker& m, const InitialMotion& now, const Mat3& R, const Vec3& p) {
    // A rounding error must not move a marker away from its frame's origin, which could be shared.
    const bool moved = placed && (p - now.p_WM).norm() > tolerance;
    if (m.is_ground()) {
      m = Marker::ground(R, p).named(m.name());
    } else if (!m.is_point() && (moved || turned)) {
      const Mat3 R_MW = now.R_WM.transpose();
      m = m.offset(turned ? Mat3(R_MW * R) : Mat3(Mat3::Identity()),
                   moved ? Vec3(R_MW * (p - now.p_WM)) : Vec3(Vec3::Zero()));
    } else if (m.is_point() && moved) {
      throw Error("marker '" + m.name() + "' is a point: `position` cannot move the joint away from it");
    }
  };
  put(site.A, a, R_WA, p_WA);
  put(site.B, b, R_WB, p_WB);

  const double gap = (p_WB - p_WA).norm();
  if (requirement.markers_meet && !requirement.may_slide && gap > tolerance && !in.flag("assemble"))
    throw Error(
        in.where("between"),
        fmt::format("markers '{}' and '{}' do not meet at the start: they are {:.6g} m apart; correct the "
                    "positions, or give `assemble: yes` and a stage of type assemble that closes the gap",
                    site.A.name(), site.B.name(), gap));
  site.size = in.has("size") ? in.real("size") : -1;
  if (auto activity = read_activity(in)) builder.set_activity(*std::move(activity));
  return site;
}

void detail::require_closed(const Parameters& in, std::span<const double> C, std::span<const Row> rows,
                            double length) {
  for (std::size_t i = 0; i < std::min(C.size(), rows.size()); ++i) {
    const Measure& measure = rows[i].measure;
    const double size = measure.dimension == Dimension::nominal ? measure.size : std::max(1.0, length);
    if (std::abs(C[i]) <= meeting_tolerance * size) continue;
    if (rows[i].law == RowLaw::unilateral && C[i] > 0) continue;
    const std::string unit = measure.unit();
    throw Error(in.where(),
                fmt::format("the joint is open at the start: equation {} is off by {:.6g}{}; correct the "
                            "positions, or give `assemble: yes` and a stage of type assemble",
                            i + 1, C[i], unit.empty() ? unit : " " + unit));
  }
}

void detail::require_count(const Parameters& in, std::size_t rows, int equations) {
  if (rows == static_cast<std::size_t>(equations)) return;
  throw Error(in.where(), fmt::format("the joint has {} equations and declares {} rows", equations, rows));
}

}  // namespace trammel
