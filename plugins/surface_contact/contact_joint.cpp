#include "contact_joint.hpp"

#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel::surface_contact {

namespace {

constexpr double degenerate = 1e-8;  // of a curvature of the gap, by those of the surfaces

SurfaceParameters first(const Eigen::Vector4d& c) { return {c[0], c[1]}; }
SurfaceParameters second_of(const Eigen::Vector4d& c) { return {c[2], c[3]}; }

/// Adds a . R_AB b to an equation, a = a(u1, v1) in A, b = b(u2, v2) in B.
template <int order_a, int order_b>
void add_product(const Mat3& R_AB, const SurfaceVector<order_a>& a, const SurfaceVector<order_b>& b,
                 bool second, int row, ContactJoint::Terms& out) {
  std::array<Vec3, 6> r;  // a in the axes of B
  for (std::size_t k = 0; k < (second ? 6U : 3U); ++k) r[k] = R_AB.transpose() * a.d[k];
  const double value = r[0].dot(b.d[0]);
  out.C[row] += value;
  auto G = out.G.row(row);
  G.segment<3>(3) += b.d[0].cross(r[0]).transpose();
  for (int k = 0; k < 2; ++k) {
    const auto at = static_cast<std::size_t>(1 + k);
    G[6 + k] += r[at].dot(b.d[0]);
    G[8 + k] += r[0].dot(b.d[at]);
  }
  if (!second) return;
  auto& H = out.H[static_cast<std::size_t>(row)];
  H.block<3, 3>(3, 3) += 0.5 * (r[0] * b.d[0].transpose() + b.d[0] * r[0].transpose());
  H.block<3, 3>(3, 3).diagonal().array() -= value;
  for (int k = 0; k < 2; ++k) {
    const auto at = static_cast<std::size_t>(1 + k);
    const Vec3 by_one = b.d[0].cross(r[at]), by_two = b.d[at].cross(r[0]);
    H.block<3, 1>(3, 6 + k) += by_one;
    H.block<1, 3>(6 + k, 3) += by_one.transpose();
    H.block<3, 1>(3, 8 + k) += by_two;
    H.block<1, 3>(8 + k, 3) += by_two.transpose();
    for (int l = 0; l < 2; ++l) {
      const auto to = static_cast<std::size_t>(1 + l), both = static_cast<std::size_t>(3 + k + l);
      H(6 + k, 6 + l) += r[both].dot(b.d[0]);
      H(8 + k, 8 + l) += r[0].dot(b.d[both]);
      const double mixed = r[at].dot(b.d[to]);
      H(6 + k, 8 + l) += mixed;
      H(8 + l, 6 + k) += mixed;
    }
  }
}

SurfaceVector<2> constant(const Vec3& v) {
  SurfaceVector<2> out;
  out.d.fill(Vec3::Zero());
  out.d[0] = v;
  return out;
}

}  // namespace

void require_inside(const Surface& surface, const std::string& name, const SurfaceParameters& at) {
  if (surface.beyond(at) <= 1e-9) return;
  const Vec3 p = surface.point(at);
  throw Error(fmt::format(
      "the contact point leaves the surface '{}' over an edge, at u = {:.6g}, v = {:.6g}, [{:.6g}, "
      "{:.6g}, {:.6g}] in its axes; make it larger, or turn its axes where the edge is a pole of "
      "its parameters",
      name, at.u, at.v, p.x(), p.y(), p.z()));
}

void require_single_point(const Surfaces& surfaces, const SurfacePair& pair, const SurfaceParameters& one,
                          const SurfaceParameters& two) {
  const GapCurvatures gap = gap_curvatures(pair, one, two);
  const double tiny = degenerate * gap.of_surfaces;
  if (gap.least > tiny) return;
  const std::string which = fmt::format("the surfaces '{}' and '{}'", surfaces.name_1, surfaces.name_2);
  if (gap.least < -tiny)
    throw Error(fmt::format(
        "{} cut each other at the contact point: the gap between them has the curvature {:.6g} 1/m "
        "there; the one inside must be curved more, and the hole `reversed`",
        which, gap.least));
  if (gap.most > tiny)
    throw Error(
        which +
        " touch along a line, as a cylinder on a plane does, and their contact point is not determined; "
        "take a `point_on_surface`, or a joint whose coordinates are those left free");
  throw Error(
      which +
      " fit each other at the contact point: their curvatures there are equal; take a lower pair instead "
      "(planar, cylindrical, spherical)");
}

void ContactJoint::terms(const RelativeState<4>& x, bool second, Terms& out) const {
  SurfacePoint p, q;
  surfaces_.one->evaluate(first(x.c), 3, p);
  surfaces_.two->evaluate(second_of(x.c), 3, q);
  for (int i = 0; i < 3; ++i) {
    out.C[i] = x.p_AB_A[i] - p.d[0][i];
    out.G(i, i) = 1;
    for (int k = 0; k < 2; ++k) {
      out.G(i, 6 + k) = -p.d[static_cast<std::size_t>(1 + k)][i];
      if (second)
        for (int l = 0; l < 2; ++l)
          out.H[static_cast<std::size_t>(i)](6 + k, 6 + l) = -p.d[static_cast<std::size_t>(3 + k + l)][i];
    }
    add_product(x.R_AB, constant(Vec3::Unit(i)), q, second, i, out);
  }
  const SurfaceDirections a = surfaces_.one->directions(p), b = surfaces_.two->directions(q);
  add_product(x.R_AB, a.u, b.normal, second, 3, out);
  add_product(x.R_AB, a.v, b.normal, second, 4, out);
}

bool ContactJoint::on_branch(const RelativeState<4>& x) const {
  return surfaces_.one->normal(first(x.c)).dot(x.R_AB * surfaces_.two->normal(second_of(x.c))) < 0;
}

Review ContactJoint::review(const LocalState& x, const StepInfo& step) {
  if (const Review branch = Joint::review(x, step); branch.verdict != Review::Verdict::keep) return branch;
  const RelativeState<4> s = relative(x);
  require_inside(*surfaces_.one, surfaces_.name_1, first(s.c));
  require_inside(*surfaces_.two, surfaces_.name_2, second_of(s.c));
  require_single_point(surfaces_, {*surfaces_.one, *surfaces_.two, s.R_AB, s.p_AB_A}, first(s.c),
                       second_of(s.c));
  return Review::keep();
}

void ContactJoint::outputs(const LocalState& x, const ReactionShares& shares, OutputSink& sink) const {
  Joint::outputs(x, shares, sink);
  MarkerMotion A;
  site().A.evaluate(x, 0, MotionLevel::pose, A);
  const int block = site().block_count();
  const SurfaceParameters at{x.value(block)[0], x.value(block)[1]};
  const Vec3 n = surfaces_.one->normal(at);
  sink.vector("contact_point", "m", A.p_WM + A.R_WM * surfaces_.one->point(at));
  sink.vector("normal", "1", A.R_WM * n);
  sink.scalar("normal_force", "N", -n.dot(Eigen::Map<const Vec3>(x.value(block + 1))));
}

}  // namespace trammel::surface_contact
