#include "sliding_plane.hpp"

#include "product_terms.hpp"
#include "trammel/error.hpp"
#include "trammel/relative_motion.hpp"

namespace trammel::surface_contact {

namespace {

constexpr int most_iterations = 12;
// Of the step, by the ranges: Newton's method converges quadratically, and what is left is its square.
constexpr double converged = 1e-8;
constexpr double exact = 1e-12;  // likewise: a step that second derivatives do not notice

Eigen::Vector4d ranges(const SurfacePair& pair) {
  return {pair.one.u().length(), pair.one.v().length(), pair.two.u().length(), pair.two.v().length()};
}
double size_of(const Eigen::Vector4d& step, const SurfacePair& pair) {
  return step.cwiseQuotient(ranges(pair)).cwiseAbs().maxCoeff();
}

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

SlidingPlane::SlidingPlane(Surfaces surfaces, const CommonNormal& start)
    : surfaces_(std::move(surfaces)), curvature_jumps_(curvature_jumps(surfaces_)) {
  history().last = {start.one.u, start.one.v, start.two.u, start.two.v};
}

Eigen::Vector4d SlidingPlane::guess(const SurfacePair& pair) const {
  const SlidingPlaneHistory& h = history();
  const Eigen::Vector4d last = Eigen::Map<const Eigen::Vector4d>(h.last.data());
  if (!h.moves) return last;
  const Mat3 turn = h.at.R_AB.transpose() * pair.R_AB;
  Vec6 moved;
  moved << pair.p_AB_A - h.at.p_AB_A,
      0.5 * Vec3(turn(2, 1) - turn(1, 2), turn(0, 2) - turn(2, 0), turn(1, 0) - turn(0, 1));
  return last + Eigen::Map<const Eigen::Matrix<double, 4, 6>>(h.rates.data()) * moved;
}

void SlidingPlane::remember(const SurfacePair& pair, const Eigen::Vector4d& c) {
  NormalSystem system;
  system.set(pair, c);
  const Eigen::Matrix<double, 4, 6> rates =
      -system.by_parameters.partialPivLu().solve(system.by_pose(pair.R_AB));
  SlidingPlaneHistory& h = history();
  h.moves = rates.allFinite();
  h.at = {pair.R_AB, pair.p_AB_A};
  Eigen::Map<Eigen::Matrix<double, 4, 6>>(h.rates.data()) = rates;
}

Eigen::Vector4d SlidingPlane::solve(const SurfacePair& pair, NormalSystem& out, Eigen::Vector4d& step) const {
  Eigen::Vector4d c = guess(pair);
  for (int i = 0; i < most_iterations; ++i) {
    out.set(pair, c);
    step = -out.by_parameters.partialPivLu().solve(out.F);
    const double size = size_of(step, pair);
    if (!(size < 0.3)) break;
    c += step;
    if (size >= converged) continue;
    if (!out.opposes(pair)) break;
    return c;
  }
  const Eigen::Vector4d last = Eigen::Map<const Eigen::Vector4d>(history().last.data());
  std::optional<CommonNormal> found = refine(pair, first(last), second_of(last));
  if (!found) found = search(pair);
  if (!found)
    throw RejectStep("the surfaces '" + surfaces_.name_1 + "' and '" + surfaces_.name_2 +
                     "' have no common normal any more");
  c << found->one.u, found->one.v, found->two.u, found->two.v;
  out.set(pair, c);
  step.setZero();
  return c;
}

Eigen::Vector4d SlidingPlane::solve(const SurfacePair& pair) const {
  NormalSystem system;
  Eigen::Vector4d step;
  return solve(pair, system, step);
}

void SlidingPlane::terms(const RelativeState<0>& x, bool second, Terms& out) const {
  const SurfacePair at = pair(x);
  NormalSystem s;
  Eigen::Vector4d step;
  const Eigen::Vector4d c = solve(at, s, step);
  if (second && size_of(step, at) > exact)
    s.set(at, c);
  else
    s.move(step);
  const double size = (at.one.reversed() ? -1 : 1) * s.N.norm();
  const Vec3 n = s.N / size, r = at.R_AB.transpose() * n;
  const Vec3 arm = s.q.d[0];
  out.C[0] = n.dot(s.d);
  out.G.leftCols<3>() = n.transpose();
  out.G.rightCols<3>() = arm.cross(r).transpose();
  if (!second) return;
  // C_zz + C_zx dx/dz, z = (p, theta), x = (u1, v1, u2, v2).
  Eigen::Matrix<double, 6, 4> mixed = Eigen::Matrix<double, 6, 4>::Zero();
  for (std::size_t k = 0; k < 2; ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    const Vec3 n_by = (s.N_by[k] - n * n.dot(s.N_by[k])) / size;
    mixed.block<3, 1>(0, column) = n_by;
    mixed.block<3, 1>(3, column) = arm.cross(at.R_AB.transpose() * n_by);
    mixed.block<3, 1>(3, 2 + column) = s.q.d[1 + k].cross(r);
  }
  const Eigen::Matrix<double, 4, 6> by_pose = -s.by_parameters.partialPivLu().solve(s.by_pose(at.R_AB));
  Eigen::Matrix<double, 6, 6> H = mixed * by_pose;
  H.bottomRightCorner<3, 3>() += r * arm.transpose();
  out.H[0] = 0.5 * (H + H.transpose());
  out.H[0].bottomRightCorner<3, 3>().diagonal().array() -= r.dot(arm);
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

Facing SlidingPlane::contact(const RelativePlacement& at) const {
  const Eigen::Vector4d c = solve({*surfaces_.one, *surfaces_.two, at.R_AB, at.p_AB_A});
  return shapes_->ends(at, {c[0], c[1], c[2], c[3]});
}

std::array<EndOfStep, 4> SlidingPlane::ends(const LocalState& x) const {
  const SlidingMotion m = motion(x);
  std::array<EndOfStep, 4> out{};
  for (int i = 0; i < 4; ++i) out[static_cast<std::size_t>(i)] = {m.parameters[i], m.rates[i]};
  return out;
}

void SlidingPlane::begin(const LocalState& x, const Begin& how) {
  Joint::begin(x, how);
  if (how.active && how.why != Begin::Why::restore) {
    const SurfacePair at = pair(relative(x));
    const Eigen::Vector4d c = solve(at);
    Eigen::Map<Eigen::Vector4d>(history().last.data()) = c;
    remember(at, c);
    if (how.why == Begin::Why::restart && history().crossings.known) history().crossings.last = ends(x);
  }
  if (!shapes_) return;
  const RelativeMovement now = RelativeMovement::of(x, site().A, site().B);
  history().search.begin(*shapes_, now, contact(now.at), how, names(surfaces_));
}

Review SlidingPlane::review(const LocalState& x, const StepInfo& step) {
  if (const Review branch = Joint::review(x, step); branch.verdict != Review::Verdict::keep) return branch;
  const SurfacePair at = pair(relative(x));
  const Eigen::Vector4d c = solve(at);
  require_inside(*surfaces_.one, surfaces_.name_1, first(c));
  require_inside(*surfaces_.two, surfaces_.name_2, second_of(c));
  require_single_point(surfaces_, at, first(c), second_of(c));
  std::optional<Review> other;
  if (shapes_) {
    const RelativeMovement now = RelativeMovement::of(x, site().A, site().B);
    other = history().search.review(*shapes_, now, shapes_->ends(now.at, {c[0], c[1], c[2], c[3]}), step,
                                    names(surfaces_));
  }
  if (other && other->cut_time < step.end) return *other;
  if (jumps())
    if (const auto cut = history().crossings.cut(curvature_jumps_, ends(x), step)) return *cut;
  return other.value_or(Review::keep());
}

void SlidingPlane::commit(const LocalState& x, const StepInfo& step) {
  Joint::commit(x, step);
  const SurfacePair at = pair(relative(x));
  const Eigen::Vector4d c = solve(at);
  Eigen::Map<Eigen::Vector4d>(history().last.data()) = c;
  remember(at, c);
  if (shapes_) {
    const RelativeMovement now = RelativeMovement::of(x, site().A, site().B);
    const Facing here = shapes_->ends(now.at, {c[0], c[1], c[2], c[3]});
    if (const std::optional<Facing> to = history().search.commit(now, here, step)) {
      history().last = to->at;
      remember(at, Eigen::Map<const Eigen::Vector4d>(to->at.data()));
    }
  }
  if (jumps()) history().crossings.keep(ends(x), step.size());
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
  sink.vector("normal", "1", A.R_WM * surfaces_.one->normal(first(m.parameters)));
  sink.scalar("normal_force", "N", -x.value(site().block_count())[0]);
  const PathMotion on_1 =
      path_motion(*surfaces_.one, first(m.parameters), m.rates.head<2>(), m.second_rates.head<2>());
  const PathMotion on_2 =
      path_motion(*surfaces_.two, second_of(m.parameters), m.rates.tail<2>(), m.second_rates.tail<2>());
  report_contact_motion(x, site().A, on_1, sink);
  report_path(x, site().A, 0, on_1, "1", sink);
  report_path(x, site().B, site().A.block_count(), on_2, "2", sink);
  if (shapes_) report_search(history().search, sink);
}

}  // namespace trammel::surface_contact
