#include "beam_element.hpp"

#include <array>
#include <cmath>
#include <string_view>

#include "node_motion.hpp"
#include "trammel/error.hpp"

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

/// Repeats one tuple for every point.
template <class Tuple>
std::vector<double> repeated(const Tuple& tuple, std::size_t count) {
  std::vector<double> values;
  values.reserve(count * static_cast<std::size_t>(tuple.size()));
  for (std::size_t i = 0; i < count; ++i)
    values.insert(values.end(), tuple.data(), tuple.data() + tuple.size());
  return values;
}

void strain_and_force_fields(const Vec6& strain, const Vec6& force, std::size_t count, Canvas& canvas) {
  const Vec3 gamma = strain.head<3>();
  const Vec3 kappa = strain.tail<3>();
  const Vec3 n = force.head<3>();
  const Vec3 m = force.tail<3>();
  canvas.field("strain", repeated(gamma, count), 3);
  canvas.field("curvature", repeated(kappa, count), 3);
  canvas.field("section force", repeated(n, count), 3);
  canvas.field("section moment", repeated(m, count), 3);
}

}  // namespace

void BeamElement::evaluate(const LocalState& x, LocalSystem& out) const {
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
  elastic.set_K(K);
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

Energy BeamElement::energy(const LocalState& x) const {
  const ElementConstants& c = *constants_;
  const NodeMotion n1 = node_motion(x, 0);
  const NodeMotion n2 = node_motion(x, 2);
  const Helicoid g(n1, n2);
  const Vec6 strain = c.elastic.strain(g);
  Energy energy;
  energy.strain = 0.5 * c.elastic.length * strain.dot(c.elastic.stiffness * strain);
  if (c.massive) energy.kinetic = InertiaForces(c.mass, n1, n2).energy();
  if (c.elastic.damped) {
    const Vec6 rate = c.elastic.strain_rate(g, n1, n2);
    energy.lost_power = c.elastic.length * rate.dot(c.elastic.damping * rate);
  }
  return energy;
}

void BeamElement::end_outputs(const std::string& name, const Mat3& R, const Vec3& force, const Vec3& moment,
                              OutputSink& sink) const {
  sink.vector(name + "_force", "N", force);
  sink.vector(name + "_moment", "N m", R * moment);
  sink.vector(name + "_section_force", "N", R.transpose() * force);
  sink.vector(name + "_section_moment", "N m", moment);
}

void BeamElement::outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const {
  static constexpr std::array<std::string_view, 6> strains{"Gamma1", "Gamma2", "Gamma3",
                                                           "kappa1", "kappa2", "kappa3"};
  static constexpr std::array<std::string_view, 6> forces{"N1", "N2", "N3", "M1", "M2", "M3"};
  const NodalForces f(*constants_, x);
  const Vec6 strain = constants_->elastic.strain(f.elastic.helicoid());
  const Vec6 force = f.elastic.section_force();
  const std::string number = std::to_string(place_.index + 1);
  sink.values("strain_" + number, "", strains, std::span<const double>(strain.data(), 6));
  sink.values("section_force_" + number, "", forces, std::span<const double>(force.data(), 6));
  if (place_.first) end_outputs("start", f.n1.R_WS, -f.total.segment<3>(0), -f.total.segment<3>(3), sink);
  if (place_.last) end_outputs("end", f.n2.R_WS, f.total.segment<3>(6), f.total.segment<3>(9), sink);
}

void BeamElement::draw(const LocalState& x, const ReactionShares&, Canvas& canvas) const {
  const NodalForces f(*constants_, x);
  const Helicoid& g = f.elastic.helicoid();
  const Vec6 h = g.h();
  const Vec6 strain = constants_->elastic.strain(g);
  const Vec6 force = f.elastic.section_force();

  const int pieces = place_.pieces;
  const auto count = static_cast<std::size_t>(pieces) + 1;
  std::vector<Pose> poses;
  std::vector<Vec3> points;
  std::vector<double> arc;
  std::array<std::vector<double>, 3> axes;
  std::vector<double> force_world, moment_world;
  for (int i = 0; i <= pieces; ++i) {
    const double xi = static_cast<double>(i) / pieces;
    const Pose X = Pose{f.n1.R_WS, f.n1.p_WS} * se3::exp(Vec6(xi * h));
    poses.push_back(X);
    points.push_back(X.p);
    arc.push_back(place_.s_first + xi * constants_->elastic.length);
    for (int k = 0; k < 3; ++k) {
      auto& axis = axes[static_cast<std::size_t>(k)];
      axis.insert(axis.end(), X.R.col(k).data(), X.R.col(k).data() + 3);
    }
    const Vec3 n = X.R * force.head<3>();
    const Vec3 m = X.R * force.tail<3>();
    force_world.insert(force_world.end(), n.data(), n.data() + 3);
    moment_world.insert(moment_world.end(), m.data(), m.data() + 3);
  }
  canvas.polyline(Canvas::Layer::curves, points);
  canvas.field("arc length", arc, 1);
  canvas.field("t1", axes[0], 3);
  canvas.field("t2", axes[1], 3);
  canvas.field("t3", axes[2], 3);
  strain_and_force_fields(strain, force, count, canvas);
  canvas.field("force", force_world, 3);
  canvas.field("moment", moment_world, 3);
  draw_section(poses, strain, force, canvas);
}

void BeamElement::draw_section(const std::vector<Pose>& poses, const Vec6& strain, const Vec6& force,
                               Canvas& canvas) const {
  const Outline& outline = constants_->outline;
  const auto corners = static_cast<int>(outline.points.size());
  if (corners < 3) return;
  std::vector<Vec3> points;
  std::vector<int> faces;
  for (const Pose& X : poses)
    for (const Eigen::Vector2d& y : outline.points) points.push_back(X * Vec3(0, y[0], y[1]));
  for (int ring = 0; ring + 1 < static_cast<int>(poses.size()); ++ring) {
    for (int i = 0; i < corners; ++i) {
      const int a = ring * corners + i;
      const int b = ring * corners + (i + 1) % corners;
      faces.insert(faces.end(), {4, a, b, b + corners, a + corners});
    }
  }
  const auto cap = [&](int ring) {
    for (const std::vector<int>& polygon : outline.caps) {
      faces.push_back(static_cast<int>(polygon.size()));
      for (const int corner : polygon) faces.push_back(ring * corners + corner);
    }
  };
  if (place_.first) cap(0);
  if (place_.last) cap(static_cast<int>(poses.size()) - 1);
  canvas.surface(Canvas::Layer::sections, points, faces);
  strain_and_force_fields(strain, force, points.size(), canvas);
}

}  // namespace trammel::beam
