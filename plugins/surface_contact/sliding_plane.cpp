#include "sliding_plane.hpp"

#include "product_terms.hpp"
#include "trammel/error.hpp"
#include "trammel/relative_motion.hpp"

namespace trammel::surface_contact {

namespace {

constexpr int most_iterations = 12;
constexpr double converged = 1e-14;  // of the step, by the ranges

SurfaceParameters first(const Eigen::Vector4d& c) { return {c[0], c[1]}; }
SurfaceParameters second_of(const Eigen::Vector4d& c) { return {c[2], c[3]}; }

/// The four equations of the common normal with derivatives by (p_AB_A, rotation, u1, v1, u2, v2).
using NormalTerms = JointTerms<4, 4>;

NormalTerms normal_terms(const SurfacePair& pair, const Eigen::Vector4d& c, bool second) {
  SurfacePoint p, q;
  pair.one.evaluate(first(c), 3, p);
  pair.two.evaluate(second_of(c), 3, q);
  const SurfaceDirections a = pair.one.directions(p), b = pair.two.directions(q);
  NormalTerms out(second);
  const std::array<const SurfaceVector<2>*, 2> tangents{&a.u, &a.v};
  for (int i = 0; i < 2; ++i) {
    const SurfaceVector<2>& t = *tangents[static_cast<std::size_t>(i)];
    add_offset(pair.p_AB_A, t, p, second, i, out);
    add_product(pair.R_AB, t, q, second, i, out);
    add_product(pair.R_AB, t, b.normal, second, 2 + i, out);
  }
  return out;
}

}  // namespace

PathMotion path_motion(const Surface& surface, const SurfaceParameters& at, const Eigen::Vector2d& rates,
                       const Eigen::Vector2d& second_rates) {
  SurfacePoint p;
  surface.evaluate(at, 2, p);
  PathMotion out;
  out.velocity = rates[0] * p.by(1, 0) + rates[1] * p.by(0, 1);
  out.tangential_acceleration = second_rates[0] * p.by(1, 0) + second_rates[1] * p.by(0, 1);
  out.centripetal_acceleration = rates[0] * rates[0] * p.by(2, 0) + 2 * rates[0] * rates[1] * p.by(1, 1) +
                                 rates[1] * rates[1] * p.by(0, 2);
  return out;
}

SlidingPlane::SlidingPlane(Surfaces surfaces, const CommonNormal& start) : surfaces_(std::move(surfaces)) {
  history().last = {start.one.u, start.one.v, start.two.u, start.two.v};
}

Eigen::Vector4d SlidingPlane::solve(const SurfacePair& pair) const {
  const Eigen::Vector4d guess = Eigen::Map<const Eigen::Vector4d>(history().last.data());
  const Eigen::Vector4d ranges(pair.one.u().length(), pair.one.v().length(), pair.two.u().length(),
                               pair.two.v().length());
  Eigen::Vector4d c = guess;
  double before = 1;
  for (int i = 0; i < most_iterations; ++i) {
    const CommonNormalEquations e = common_normal_equations(pair, first(c), second_of(c));
    const Eigen::Vector4d step = e.by_parameters.partialPivLu().solve(-e.F);
    const double size = step.cwiseQuotient(ranges).cwiseAbs().maxCoeff();
    if (!(size < 0.3)) break;
    c += step;
    // Rounding stops a step from becoming smaller, at some multiple of the machine's accuracy.
    if (size < converged || (size < 1e-11 && size > 0.25 * before)) {
      if (pair.one.normal(first(c)).dot(pair.R_AB * pair.two.normal(second_of(c))) < 0) return c;
      break;
    }
    before = size;
  }
  std::optional<CommonNormal> found = refine(pair, first(guess), second_of(guess));
  if (!found) found = search(pair);
  if (!found)
    throw RejectStep("the surfaces '" + surfaces_.name_1 + "' and '" + surfaces_.name_2 +
                     "' have no common normal any more");
  return {found->one.u, found->one.v, found->two.u, found->two.v};
}

void SlidingPlane::terms(const RelativeState<0>& x, bool second, Terms& out) const {
  const SurfacePair at = pair(x);
  const Eigen::Vector4d c = solve(at);
  SurfacePoint p, q;
  at.one.evaluate(first(c), 3, p);
  at.two.evaluate(second_of(c), 3, q);
  const SurfaceVector<2> n = at.one.directions(p).normal;
  JointTerms<1, 4> gap(second);
  add_offset(x.p_AB_A, n, p, second, 0, gap);
  add_product(x.R_AB, n, q, second, 0, gap);
  out.C = gap.C;
  out.G = gap.G.leftCols<6>();
  if (!second) return;
  const NormalTerms normal = normal_terms(at, c, false);
  const Eigen::Matrix<double, 4, 6> by_pose =
      -normal.G.rightCols<4>().partialPivLu().solve(Eigen::Matrix<double, 4, 6>(normal.G.leftCols<6>()));
  const Eigen::Matrix<double, 6, 6> H =
      gap.H[0].topLeftCorner<6, 6>() + gap.H[0].topRightCorner<6, 4>() * by_pose;
  out.H[0] = 0.5 * (H + H.transpose());
}

SlidingMotion SlidingPlane::motion(const LocalState& x) const {
  RelativeMotion relative;
  relative.evaluate(x, site().A, site().B, 0, MotionLevel::full);
  const SurfacePair at{*surfaces_.one, *surfaces_.two, relative.R_AB, relative.p_AB_A};
  SlidingMotion out;
  out.parameters = solve(at);
  const NormalTerms terms = normal_terms(at, out.parameters, true);
  const auto lu = terms.G.rightCols<4>().partialPivLu();
  out.rates = -lu.solve(terms.G.leftCols<6>() * relative.twist);
  Eigen::VectorXd accelerations(relative.dofs());
  int column = 0, block = 0;
  for (const Marker* marker : {&site().A, &site().B})
    for (const int size : marker->block_sizes()) {
      const double* a = x.second_rate(block++);
      for (int i = 0; i < size; ++i) accelerations[column++] = a[i];
    }
  const Vec6 change = relative.J * accelerations + relative.bias;
  Eigen::Matrix<double, 10, 1> w;
  w << relative.twist, out.rates;
  Eigen::Vector4d known = terms.G.leftCols<6>() * change;
  for (int i = 0; i < 4; ++i) known[i] += w.dot(terms.H[static_cast<std::size_t>(i)] * w);
  out.second_rates = -lu.solve(known);
  return out;
}

Review SlidingPlane::review(const LocalState& x, const StepInfo& step) {
  if (const Review branch = Joint::review(x, step); branch.verdict != Review::Verdict::keep) return branch;
  const SurfacePair at = pair(relative(x));
  const Eigen::Vector4d c = solve(at);
  require_inside(*surfaces_.one, surfaces_.name_1, first(c));
  require_inside(*surfaces_.two, surfaces_.name_2, second_of(c));
  require_single_point(surfaces_, at, first(c), second_of(c));
  return Review::keep();
}

void SlidingPlane::commit(const LocalState& x, const StepInfo& step) {
  Joint::commit(x, step);
  Eigen::Map<Eigen::Vector4d>(history().last.data()) = solve(pair(relative(x)));
}

void SlidingPlane::outputs(const LocalState& x, const ReactionContributions& contributions,
                           OutputSink& sink) const {
  Joint::outputs(x, contributions, sink);
  MarkerMotion A;
  site().A.evaluate(x, 0, MotionLevel::pose, A);
  const SlidingMotion m = motion(x);
  static constexpr std::array<const char*, 4> names{"u1", "v1", "u2", "v2"};
  for (int i = 0; i < 4; ++i) {
    const std::string name = names[static_cast<std::size_t>(i)];
    sink.scalar(name, "", m.parameters[i]);
    sink.scalar(name + "_rate", "1/s", m.rates[i]);
    sink.scalar(name + "_acceleration", "1/s^2", m.second_rates[i]);
  }
  sink.vector("contact_point", "m", A.p_WM + A.R_WM * surfaces_.one->point(first(m.parameters)));
  sink.vector("normal", "1", A.R_WM * surfaces_.one->normal(first(m.parameters)));
  sink.scalar("normal_force", "N", -x.value(site().block_count())[0]);
  const auto report = [&](const std::string& which, const PathMotion& path) {
    sink.vector("path_velocity_" + which, "m/s", path.velocity);
    sink.vector("path_acceleration_" + which, "m/s^2",
                path.tangential_acceleration + path.centripetal_acceleration);
    sink.vector("path_centripetal_" + which, "m/s^2", path.centripetal_acceleration);
  };
  report("1", path_motion(*surfaces_.one, first(m.parameters), m.rates.head<2>(), m.second_rates.head<2>()));
  report("2",
         path_motion(*surfaces_.two, second_of(m.parameters), m.rates.tail<2>(), m.second_rates.tail<2>()));
}

}  // namespace trammel::surface_contact
