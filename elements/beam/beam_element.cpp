#include "beam_element.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "beam_signals.hpp"
#include "constants_in_lanes.hpp"
#include "lanes.hpp"
#include "node_motion.hpp"
#include "trammel/by_processor.hpp"
#include "trammel/error.hpp"
#include "trammel/glyph.hpp"
#include "trammel/local_lanes.hpp"
#include "trammel/swept_canvas.hpp"

namespace trammel::beam {

namespace {

/// All forces on the nodes of one element at a state.
struct NodalForces {
  NodeMotion n1, n2;
  ElasticForces elastic;
  Vec12 total = Vec12::Zero();

  NodalForces(const ElementConstants& c, const LocalState& x)
      : n1(node_motion(x, 0)), n2(node_motion(x, 2)), elastic(c.elastic, n1, n2) {
    elastic.add_residual(total);
    if (c.massive) InertiaForces(c.mass, n1, n2).add_residual(total);
  }
};

/// The motion of the nodes of several elements.
struct MotionLanes {
  NodeMotionOf<Lanes> n1, n2;

  explicit MotionLanes(const LocalStateLanes& x)
      : n1(node_motion<Lanes>(x, 0)), n2(node_motion<Lanes>(x, 2)) {}
  bool small_turns() const { return TurnOfLanes(n1.R_WS.transpose() * n2.R_WS).small(); }
};

/// The energies of one element, or of several.
template <class S>
struct EnergyOf {
  S strain = 0, kinetic = 0, dissipated_power = 0;

  template <class Constants>
  EnergyOf(const Constants& c, const NodeMotionOf<S>& n1, const NodeMotionOf<S>& n2) {
    const HelicoidOf<S> g(n1, n2);
    const Vec6T<S> e = c.elastic.strain(g);
    strain = S(0.5) * S(c.elastic.length) * e.dot(c.elastic.stiffness.template cast<S>() * e);
    if (c.massive) kinetic = InertiaForcesOf(c.mass, n1, n2).energy();
    if (!c.elastic.damped) return;
    const Vec6T<S> rate = c.elastic.strain_rate(g, n1, n2);
    dissipated_power = S(c.elastic.length) * rate.dot(c.elastic.damping.template cast<S>() * rate);
  }
};

bool is_one(const ConstantsInLanes::All& constants) {
  return std::ranges::all_of(constants, [&](const ElementConstants* c) { return c == constants[0]; });
}

// What several elements give, at small turns. `c`: ElementConstants that they share, or ConstantsInLanes. Classes, because GCC inlines
// no lambda into a function that has variants by processor.

struct FillResiduals {
  template <class Constants>
  void operator()(const Constants& c, const MotionLanes& motion, std::span<LocalSystem* const> out) const {
    Eigen::Matrix<Lanes, 12, 1> r;
    r.fill(Lanes(0.0));
    ElasticForcesOf(c.elastic, motion.n1, motion.n2).add_residual(r);
    if (c.massive) InertiaForcesOf(c.mass, motion.n1, motion.n2).add_residual(r);
    write_residuals(r, 0, out);
  }
};

struct FillTangents {
  template <class Constants>
  void operator()(const Constants& c, const MotionLanes& motion, std::span<LocalSystem* const> out) const {
    Eigen::Matrix<Lanes, 12, 1> r;
    r.fill(Lanes(0.0));
    Eigen::Matrix<Lanes, 12, 12> K, D, M;
    const ElasticForcesOf elastic(c.elastic, motion.n1, motion.n2);
    elastic.add_residual(r);
    if (out[0]->request.stiffness)
      elastic.set_K(K);
    else
      K.fill(Lanes(0.0));
    if (c.massive || c.elastic.damped) elastic.set_D(D);
    if (c.massive) {
      const InertiaForcesOf inertia(c.mass, motion.n1, motion.n2);
      inertia.add_residual(r);
      inertia.add_tangents(K, D, M);
      write_tangents(M, &LocalSystem::M, out);
    }
    write_residuals(r, 0, out);
    write_tangents(K, &LocalSystem::K, out);
    if (c.massive || c.elastic.damped) write_tangents(D, &LocalSystem::D, out);
  }
};

struct FillEnergies {
  template <class Constants>
  void operator()(const Constants& c, const MotionLanes& motion, std::span<Energy> out) const {
    const EnergyOf<Lanes> all(c, motion.n1, motion.n2);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto lane = static_cast<int>(k);
      out[k].strain = all.strain[lane];
      out[k].kinetic = all.kinetic[lane];
      out[k].dissipated_power = all.dissipated_power[lane];
    }
  }
};

/// Fills `out` for several elements with these constants. False, and nothing done, where one turns far.
template <class Fill, class Out>
bool fill_in_lanes(const ConstantsInLanes::All& constants, std::span<const LocalState> x, std::span<Out> out,
                   const Fill& fill) {
  const MotionLanes motion{LocalStateLanes(x)};
  if (!motion.small_turns()) return false;
  if (is_one(constants))
    fill(*constants[0], motion, out);
  else
    fill(ConstantsInLanes(constants), motion, out);
  return true;
}

/// What the rounded positions and rotations of an element's nodes leave undetermined of its strains and of its section forces at the
/// nodes.
struct DrawnPrecision {
  Vec6 strain, force;

  DrawnPrecision(const ElasticLaw& c, const NodeMotion& n1, const NodeMotion& n2) {
    constexpr double eps = std::numeric_limits<double>::epsilon(), of_rotation = 4 * eps;
    const double of_position =
        eps * (n1.p_WS.lpNorm<Eigen::Infinity>() + n2.p_WS.lpNorm<Eigen::Infinity>()) / c.length;
    strain << Vec3::Constant(of_rotation + of_position), Vec3::Constant(of_rotation / c.length);
    force = c.stiffness.cwiseAbs() * strain;
    // Equilibrium passes rounding errors of shear forces on to moments and curvatures.
    const double of_moment = c.length * force.segment<2>(1).maxCoeff();
    force.tail<3>().array() += of_moment;
    strain.tail<3>().array() += of_moment / c.stiffness.diagonal().tail<3>().array();
  }
};

Vec6 rounded(const Vec6& values, const Vec6& precision) {
  return (values.array() / precision.array()).round() * precision.array();
}

/// Numbers of a field, point by point.
class FieldValues {
 public:
  void clear() { values_.clear(); }
  void add(double value) { values_.push_back(value); }
  void add(const Vec3& v) { values_.insert(values_.end(), v.data(), v.data() + 3); }
  operator std::span<const double>() const { return values_; }

 private:
  std::vector<double> values_;
};

/// What is drawn of one element. The vectors are kept for the next element, because allocating them takes a large
/// part of drawing it.
struct Stations {
  std::vector<double> places;  ///< from 0 to 1 along the element
  std::vector<Pose> poses;
  std::vector<Vec3> points;
  std::vector<Vec6> forces;
  std::vector<Vec3> velocities;
  FieldValues arc, force_world, moment_world, spin, acceleration, strain_energy, kinetic_energy;
  std::array<FieldValues, 3> axes;

  void clear() {
    places.clear(), poses.clear(), points.clear(), forces.clear(), velocities.clear();
    for (FieldValues* const values : {&arc, &force_world, &moment_world, &spin, &acceleration, &strain_energy,
                                      &kinetic_energy, &axes[0], &axes[1], &axes[2]})
      values->clear();
  }
};

/// Whether the line between an element's ends differs little from the element, and the skin between them from the section swept
/// along it. `h`: twist from start to end; `visible` [m].
bool is_straight(const Vec6& h, const Outline& outline, double visible) {
  constexpr double turn = 0.05, turn_of_line = 0.01, of_width = 0.01;
  double radius = 0;
  for (const Eigen::Vector2d& y : outline.points) radius = std::max(radius, y.squaredNorm());
  const Vec3 along = h.head<3>(), theta = h.tail<3>();
  const double rise = theta.cross(along).norm() / 8;  // of the arc above its chord
  if (!(theta.norm() <= turn)) return false;
  if (rise <= std::max(visible, of_width * 2 * std::sqrt(radius))) return true;
  return !(radius > 0) && theta.norm() <= turn_of_line;
}

/// Adds the places between which the magnitude of a vector that varies linearly from `a` to `b` is nearly linear too, or differs by no
/// more than `visible`. Magnitudes up to `none` are rounding errors.
void add_bends(const Eigen::Vector2d& a, const Eigen::Vector2d& b, double none, double visible,
               std::vector<double>& places) {
  constexpr double of_magnitude = 0.02;
  constexpr int deepest = 3;
  const double largest = std::max(a.norm(), b.norm()), tolerance = std::max(of_magnitude * largest, visible);
  if (!(largest > std::max(none, visible))) return;
  const auto magnitude = [&](double x) { return ((1 - x) * a + x * b).norm(); };
  const auto halve = [&](auto& self, double from, double to, int depth) -> void {
    const double middle = 0.5 * (from + to);
    if (depth == deepest || (magnitude(from) + magnitude(to)) / 2 - magnitude(middle) <= tolerance) return;
    places.push_back(middle);
    self(self, from, middle, depth + 1);
    self(self, middle, to, depth + 1);
  };
  const Eigen::Vector2d d = b - a;
  const double least = -a.dot(d) / d.squaredNorm();
  if (!(least > 0 && least < 1) || (1 - least) * a.norm() + least * b.norm() - magnitude(least) <= tolerance)
    return halve(halve, 0, 1, 0);
  places.push_back(least);
  halve(halve, 0, least, 0);
  halve(halve, least, 1, 0);
}

/// Where an element is drawn: at its ends, between them where it is curved, and where the magnitudes of shear force and bending
/// moment are not linear.
void choose_places(const ElementConstants& c, const Vec6& h, const Vec6& at_start, const Vec6& at_end,
                   int pieces, const VisibleDifferences& visible, std::vector<double>& places) {
  constexpr double no_strain = 1e-9, no_shear = 1e-6, apart = 1e-3;
  places.assign({0, 1});
  if (pieces == 1) return;
  if (!is_straight(h, c.outline, visible.length))
    for (int i = 1; i < pieces; ++i) places.push_back(static_cast<double>(i) / pieces);
  const Mat6& stiffness = c.elastic.stiffness;
  const double no_force = no_shear * stiffness(0, 0),
               no_moment = no_strain * std::sqrt(stiffness(0, 0) * stiffness.diagonal().tail<2>().maxCoeff());
  add_bends(at_start.segment<2>(1), at_end.segment<2>(1), no_force, visible.shear_force, places);
  add_bends(at_start.segment<2>(4), at_end.segment<2>(4), no_moment, visible.bending_moment, places);
  if (places.size() == 2) return;
  std::ranges::sort(places);
  const auto near = [](double a, double b) { return b - a < apart; };
  places.erase(std::unique(places.begin(), places.end(), near), places.end());
  places.back() = 1;
}

using Names = std::array<std::string_view, 3>;

/// Draws the fields that curves and sections have, at stations. `corners`: of the ring at each station; 0 on the curve.
void draw_common_fields(const Vec6& strain, const std::vector<Vec6>& forces,
                        const std::vector<Vec3>& velocities, int corners, Canvas& canvas) {
  static thread_local FieldValues gamma, kappa, n, m, v;  // as Stations
  for (FieldValues* const values : {&gamma, &kappa, &n, &m, &v}) values->clear();
  for (std::size_t i = 0; i < forces.size(); ++i) {
    gamma.add(Vec3(strain.head<3>()));
    kappa.add(Vec3(strain.tail<3>()));
    n.add(Vec3(forces[i].head<3>()));
    m.add(Vec3(forces[i].tail<3>()));
    v.add(velocities[i]);
  }
  const auto draw = [&](std::string_view name, std::string_view unit, const Names& components,
                        const FieldValues& values) {
    if (corners > 0) return draw_ring_field(canvas, corners, name, unit, components, values);
    draw_field(canvas, name, unit, components, values);
  };
  draw("strain", "", strain_names, gamma);
  draw("curvature", "1/m", curvature_names, kappa);
  draw("section force", "N", section_force_names, n);
  draw("section moment", "N m", section_moment_names, m);
  draw("velocity", "m/s", world_axes, v);
}

}  // namespace

// Flattened, as its energy: half of the time goes into calls of products of 3 x 3 otherwise.
TRAMMEL_BY_PROCESSOR [[gnu::flatten]] void BeamElement::evaluate(const LocalState& x,
                                                                 LocalSystem& out) const {
  const ElementConstants& c = *constants_;
  const NodeMotion n1 = node_motion(x, 0);
  const NodeMotion n2 = node_motion(x, 2);
  const ElasticForces elastic(c.elastic, n1, n2);
  constexpr double largest_turn = 170.0 / 180.0 * 3.141592653589793;
  if (elastic.helicoid().theta.squaredNorm() > largest_turn * largest_turn)
    throw RejectStep("an element of a beam turns by more than 170 degrees along its length");
  Vec12Map r(out.residual().data());
  elastic.add_residual(r);
  const bool tangent = out.request.tangent;
  if (!tangent) {
    if (c.massive) InertiaForces(c.mass, n1, n2).add_residual(r);
    return;
  }
  Mat12Map K(out.K().data());
  if (out.request.stiffness) elastic.set_K(K);
  if (c.massive || c.elastic.damped) {
    Mat12Map D(out.D().data());
    elastic.set_D(D);
    if (c.massive) {
      const InertiaForces inertia(c.mass, n1, n2);
      inertia.add_residual(r);
      Mat12Map M(out.M().data());
      inertia.add_tangents(K, D, M);
    }
  }
}

std::array<const ElementConstants*, BeamElement::together> BeamElement::constants_of(
    std::span<const BeamElement* const> elements) {
  static_assert(together == Lanes::count);
  std::array<const ElementConstants*, together> all;
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = elements[k]->constants_.get();
  return all;
}

TRAMMEL_BY_PROCESSOR [[gnu::flatten]] bool BeamElement::evaluate_residuals(
    std::span<const BeamElement* const> elements, std::span<const LocalState> x,
    std::span<LocalSystem* const> out) {
  return fill_in_lanes(constants_of(elements), x, out, FillResiduals());
}

TRAMMEL_BY_PROCESSOR [[gnu::flatten]] bool BeamElement::evaluate_tangents(
    std::span<const BeamElement* const> elements, std::span<const LocalState> x,
    std::span<LocalSystem* const> out) {
  return fill_in_lanes(constants_of(elements), x, out, FillTangents());
}

TRAMMEL_BY_PROCESSOR [[gnu::flatten]] bool BeamElement::energies(std::span<const BeamElement* const> elements,
                                                                 std::span<const LocalState> x,
                                                                 std::span<Energy> out) {
  return fill_in_lanes(constants_of(elements), x, out, FillEnergies());
}

TRAMMEL_BY_PROCESSOR [[gnu::flatten]] Energy BeamElement::energy(const LocalState& x) const {
  const ElementConstants& c = *constants_;
  const NodeMotion n1 = node_motion(x, 0);
  const NodeMotion n2 = node_motion(x, 2);
  const EnergyOf<double> all(c, n1, n2);
  Energy energy;
  energy.strain = all.strain;
  energy.kinetic = all.kinetic;
  energy.dissipated_power = all.dissipated_power;
  return energy;
}

void BeamElement::end_outputs(const std::string& name, const Mat3& R, const Vec3& force, const Vec3& moment,
                              OutputSink& sink) const {
  sink.vector(name + "_force", "N", force);
  sink.vector(name + "_moment", "N m", R * moment);
  sink.vector(name + "_section_force", "N", R.transpose() * force);
  sink.vector(name + "_section_moment", "N m", moment);
}

void BeamElement::outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
  const NodalForces f(*constants_, x);
  const Vec6 strain = constants_->elastic.strain(f.elastic.helicoid());
  const Vec6 force = f.elastic.section_force();
  const std::string number = std::to_string(place_.index + 1);
  sink.values("strain_" + number, "", strain_names, {strain.data(), 3});
  sink.values("curvature_" + number, "1/m", curvature_names, {strain.data() + 3, 3});
  sink.values("section_force_" + number, "N", section_force_names, {force.data(), 3});
  sink.values("section_moment_" + number, "N m", section_moment_names, {force.data() + 3, 3});
  if (place_.first) end_outputs("start", f.n1.R_WS, -f.total.segment<3>(0), -f.total.segment<3>(3), sink);
  if (place_.last) end_outputs("end", f.n2.R_WS, f.total.segment<3>(6), f.total.segment<3>(9), sink);
}

void BeamElement::draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
  const ElementConstants& c = *constants_;
  const NodalForces f(c, x);
  const Helicoid& g = f.elastic.helicoid();
  const Vec6 h = g.h();
  const DrawnPrecision precision(c.elastic, f.n1, f.n2);
  const Vec6 strain = rounded(c.elastic.strain(g), precision.strain);
  // Forces and moments at the element's nodes, in equilibrium with inertia. The section force by the strain is
  // constant along an element; the nodal forces of two elements differ by the load on the node.
  Vec6 at_start, at_end;
  at_start << f.n1.R_WS.transpose() * -f.total.segment<3>(0), -f.total.segment<3>(3);
  at_end << f.n2.R_WS.transpose() * f.total.segment<3>(6), f.total.segment<3>(9);
  at_start = rounded(at_start, precision.force);
  at_end = rounded(at_end, precision.force);

  static thread_local Stations stations;
  stations.clear();
  auto& [places, poses, points, forces, velocities, arc, force_world, moment_world, spin, acceleration,
         strain_energy, kinetic_energy, axes] = stations;
  const double strain_density = 0.5 * strain.dot(c.elastic.stiffness * strain);
  const double kinetic_density =
      c.massive ? InertiaForces(c.mass, f.n1, f.n2).energy() / c.elastic.length : 0.0;
  const Vec3 w1 = f.n1.R_WS * f.n1.w_WS_S, w2 = f.n2.R_WS * f.n2.w_WS_S;
  choose_places(c, h, at_start, at_end, place_.pieces, visible_differences(canvas), places);
  for (const double xi : places) {
    const Pose X = xi == 0   ? Pose{f.n1.R_WS, f.n1.p_WS}
                   : xi == 1 ? Pose{f.n2.R_WS, f.n2.p_WS}
                             : Pose{f.n1.R_WS, f.n1.p_WS} * se3::exp(Vec6(xi * h));
    poses.push_back(X);
    points.push_back(X.p);
    arc.add(place_.s_first + xi * c.elastic.length);
    for (int k = 0; k < 3; ++k) axes[static_cast<std::size_t>(k)].add(Vec3(X.R.col(k)));
    const Vec6& force = forces.emplace_back((1 - xi) * at_start + xi * at_end);
    force_world.add(Vec3(X.R * force.head<3>()));
    moment_world.add(Vec3(X.R * force.tail<3>()));
    velocities.emplace_back((1 - xi) * f.n1.v_WS + xi * f.n2.v_WS);
    spin.add(Vec3((1 - xi) * w1 + xi * w2));
    acceleration.add(Vec3((1 - xi) * f.n1.a_WS + xi * f.n2.a_WS));
    strain_energy.add(strain_density);
    kinetic_energy.add(kinetic_density);
  }
  canvas.polyline(Canvas::Layer::curves, points);
  draw_field(canvas, "arc length", "m", arc);
  draw_field(canvas, "t1", "", world_axes, axes[0]);
  draw_field(canvas, "t2", "", world_axes, axes[1]);
  draw_field(canvas, "t3", "", world_axes, axes[2]);
  draw_common_fields(strain, forces, velocities, 0, canvas);
  draw_field(canvas, "force", "N", world_axes, force_world);
  draw_field(canvas, "moment", "N m", world_axes, moment_world);
  draw_field(canvas, "angular velocity", "rad/s", world_axes, spin);
  draw_field(canvas, "acceleration", "m/s^2", world_axes, acceleration);
  draw_field(canvas, "strain energy by length", "J/m", strain_energy);
  draw_field(canvas, "kinetic energy by length", "J/m", kinetic_energy);
  draw_section(poses, strain, forces, velocities, canvas);
}

void BeamElement::draw_section(const std::vector<Pose>& poses, const Vec6& strain,
                               const std::vector<Vec6>& forces, const std::vector<Vec3>& velocities,
                               Canvas& canvas) const {
  const Outline& outline = constants_->outline;
  const auto corners = static_cast<int>(outline.points.size());
  if (corners < 3) return;
  static thread_local std::vector<Vec3> points;
  static thread_local std::vector<int> caps;
  points.clear(), caps.clear();
  for (const Pose& X : poses)
    for (const Eigen::Vector2d& y : outline.points) points.push_back(X * Vec3(0, y[0], y[1]));
  const auto cap = [&](int ring) {
    for (const std::vector<int>& polygon : outline.caps) {
      caps.push_back(static_cast<int>(polygon.size()));
      for (const int corner : polygon) caps.push_back(ring * corners + corner);
    }
  };
  if (place_.first) cap(0);
  if (place_.last) cap(static_cast<int>(poses.size()) - 1);
  draw_swept(canvas, Canvas::Layer::sections, points, corners, caps);
  draw_common_fields(strain, forces, velocities, corners, canvas);
  if (!outline.has_stress()) return;
  static thread_local FieldValues stress;
  stress.clear();
  for (const Vec6& force : forces)
    for (std::size_t k = 0; k < outline.points.size(); ++k) stress.add(outline.axial_stress(k, force));
  draw_field(canvas, "axial stress", "Pa", stress);
}

}  // namespace trammel::beam
