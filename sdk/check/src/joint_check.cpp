#include "trammel/joint_check.hpp"

#include <algorithm>
#include <numbers>
#include <random>

#include <fmt/format.h>
#include <Eigen/QR>

#include "same_results.hpp"
#include "trammel/joint_site.hpp"
#include "trammel/lie.hpp"
#include "trammel/moving_marker.hpp"
#include "trammel/relative_motion.hpp"
#include "trammel/time_function.hpp"

namespace trammel {

namespace {

const Mat3& tilted() {
  static const Mat3 R = so3::exp(Vec3(0.4, -1.2, 0.7));
  return R;
}
const Vec3 arm(0.3, -0.2, 0.5);

Marker moving(const Marker& base) {
  RotationLaw law;
  law.vector = {time_function([](Jet t) { return 0.8 * sin(2.0 * t); }), nullptr,
                time_function([](Jet t) { return 0.3 + cos(t); })};
  return moving_marker(base, {time_function([](Jet t) { return 0.4 * t * t; }), nullptr, nullptr}, law);
}

int kinematic_size(const TestState& at) {
  int n = 0;
  for (const Block& block : at.blocks())
    if (is_kinematic(block.kind)) n += block.size;
  return n;
}

/// The numbers of `rows` in the rows of one kind of constraint.
Eigen::VectorXd of_constraints(const TestState& at, BlockKind level, const Eigen::VectorXd& rows) {
  Eigen::VectorXd found(0);
  for (std::size_t k = 0; k < at.blocks().size(); ++k) {
    if (at.blocks()[k].kind != level) continue;
    const int m = at.blocks()[k].size;
    found.conservativeResize(found.size() + m);
    found.tail(m) = rows.segment(at.offset(static_cast<int>(k)), m);
  }
  return found;
}

/// Numbers in kinematic columns put into the order of the local system.
Eigen::VectorXd spread(const TestState& at, const Eigen::VectorXd& kinematic) {
  Eigen::VectorXd all = Eigen::VectorXd::Zero(at.dofs());
  int column = 0;
  for (std::size_t k = 0; k < at.blocks().size(); ++k) {
    if (!is_kinematic(at.blocks()[k].kind)) continue;
    const int n = at.blocks()[k].size;
    all.segment(at.offset(static_cast<int>(k)), n) = kinematic.segment(column, n);
    column += n;
  }
  return all;
}

/// Violations of the position equations, and then of rates and velocity-level equations.
Eigen::VectorXd gaps(const Evaluation& e, const TestState& at) {
  return of_constraints(at, BlockKind::multiplier, e.residual);
}
Eigen::VectorXd rate_gaps(const Evaluation& e, const TestState& at) {
  const Eigen::VectorXd rate = of_constraints(at, BlockKind::multiplier, e.rate),
                        slip = of_constraints(at, BlockKind::velocity_multiplier, e.residual);
  return (Eigen::VectorXd(rate.size() + slip.size()) << rate, slip).finished();
}

int rank_of(const Eigen::MatrixXd& B, double threshold) {
  if (B.rows() == 0) return 0;
  Eigen::FullPivHouseholderQR<Eigen::MatrixXd> qr(B.rows(), B.cols());
  qr.setThreshold(threshold);
  return static_cast<int>(qr.compute(B).rank());
}

double largest(const Eigen::VectorXd& v) { return v.size() == 0 ? 0 : v.lpNorm<Eigen::Infinity>(); }

/// Power that the reactions of all constraints put in besides their explicit time dependence, relative to the power
/// that they exchange.
double relative_power_error(const ElementRange& range, int instance, const TestState& at) {
  const Eigen::VectorXd v = at.velocities();
  const Evaluation e = evaluate(range, instance, at, {true, true, false});
  double error = power_error(range, instance, at);
  const LocalState x = at.local();
  for (std::size_t k = 0; k < at.blocks().size(); ++k) {
    if (at.blocks()[k].kind != BlockKind::velocity_multiplier) continue;
    const int r = at.offset(static_cast<int>(k)), m = at.blocks()[k].size;
    error -= ConstVectorMap(x.value(static_cast<int>(k)), m).dot(e.D.middleRows(r, m) * v);
  }
  return std::abs(error) / std::max(1.0, e.residual.cwiseProduct(v).cwiseAbs().sum());
}

}  // namespace

Entity sample_entity() { return {"bodies", "", "", "", {}}; }

Type sample_body() {
  Type body;
  body.name = "frames";
  return body;
}

SampleFrames add_sample_markers(Builder& builder, const Mat3& R_WA, const Vec3& p_WA, const Mat3& R_WB,
                                const Vec3& p_WB) {
  const SampleFrames frames{builder.add_frame("A", R_WA, p_WA), builder.add_frame("B", R_WB, p_WB)};
  const auto& [a, b] = frames;
  builder.offer_marker("a", Marker::on_frame(a));
  builder.offer_marker("b", Marker::on_frame(b));
  builder.offer_marker("a_arm", Marker::on_frame(a, tilted(), arm));
  builder.offer_marker("b_arm", Marker::on_frame(b, tilted() * tilted(), arm));
  builder.offer_marker("still", Marker::ground(tilted(), arm));
  builder.offer_marker("a_moving", moving(Marker::on_frame(a, tilted(), arm)));
  builder.offer_marker("b_moving", moving(Marker::on_frame(b)).offset(tilted(), arm));
  builder.offer_marker("moving", moving(Marker::ground()));
  return frames;
}

const std::vector<std::string>& sample_marker_pairs() {
  static const std::vector<std::string> pairs{
      "[bodies.a_arm, bodies.b_arm]",    "[bodies.a, bodies.b]",
      "[bodies.still, bodies.b_arm]",    "[bodies.a_arm, bodies.still]",
      "[bodies.a_moving, bodies.b_arm]", "[bodies.moving, bodies.b_moving]"};
  return pairs;
}

Eigen::MatrixXd constraint_gradient(const ElementRange& range, int instance, const TestState& at) {
  const Evaluation e = evaluate(range, instance, at, {true, false, false});
  const std::span<const Block> blocks = at.blocks();
  const int columns = kinematic_size(at);
  Eigen::MatrixXd B(0, columns);
  for (const BlockKind level : {BlockKind::multiplier, BlockKind::velocity_multiplier}) {
    const Eigen::MatrixXd& from = level == BlockKind::multiplier ? e.K : e.D;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      if (blocks[k].kind != level) continue;
      Eigen::MatrixXd rows(blocks[k].size, columns);
      int column = 0;
      for (std::size_t j = 0; j < blocks.size(); ++j) {
        if (!is_kinematic(blocks[j].kind)) continue;
        rows.middleCols(column, blocks[j].size) = from.block(
            at.offset(static_cast<int>(k)), at.offset(static_cast<int>(j)), rows.rows(), blocks[j].size);
        column += blocks[j].size;
      }
      B.conservativeResize(B.rows() + rows.rows(), columns);
      B.bottomRows(rows.rows()) = rows;
    }
  }
  return B;
}

TestState carried(TestState at, const Mat3& Q, const Vec3& c, const Vec3& v, const Vec3& w) {
  State& state = at.state();
  for (std::size_t k = 0; k < at.blocks().size(); ++k) {
    const BlockOffset& offset = at.state_offsets()[k];
    if (at.blocks()[k].kind == BlockKind::position) {
      Eigen::Map<Vec3> p(state.value.data() + offset.value), rate(state.rate.data() + offset.dof);
      p = Q * p + c;
      rate = Q * rate + v + w.cross(p);
    } else if (at.blocks()[k].kind == BlockKind::rotation) {
      Eigen::Map<Vec3> rate(state.rate.data() + offset.dof);
      const Mat3 R = Q * at.local().rotation(static_cast<int>(k));
      at.set_rotation(static_cast<int>(k), R);
      rate += R.transpose() * w;
    }
  }
  return at;
}

bool close(const ElementRange& range, int instance, TestState& at) {
  constexpr double closed = 1e-12;
  const auto solve = [](const Eigen::MatrixXd& B, const Eigen::VectorXd& gap) -> Eigen::VectorXd {
    return B.completeOrthogonalDecomposition().solve(gap);
  };
  for (int iteration = 0;; ++iteration) {
    const Eigen::VectorXd gap = gaps(evaluate(range, instance, at, {false, true, false}), at);
    if (!gap.allFinite() || iteration == 100) return false;
    if (largest(gap) < closed) break;
    const Eigen::MatrixXd B = constraint_gradient(range, instance, at);
    const Eigen::VectorXd step = spread(at, solve(B.topRows(gap.size()), gap));
    at = at.moved(-std::min(1.0, 0.5 / largest(step)) * step);
  }
  const Eigen::VectorXd gap = rate_gaps(evaluate(range, instance, at, {false, true, false}), at);
  if (gap.size() == 0) return true;
  const Eigen::VectorXd change = spread(at, solve(constraint_gradient(range, instance, at), gap));
  for (std::size_t k = 0; k < at.blocks().size(); ++k)
    if (is_kinematic(at.blocks()[k].kind))
      Eigen::Map<Eigen::VectorXd>(at.state().rate.data() + at.state_offsets()[k].dof, at.blocks()[k].size) -=
          change.segment(at.offset(static_cast<int>(k)), at.blocks()[k].size);
  // At a singular position the rates cannot be met.
  const double speed = std::max(1.0, largest(at.velocities()));
  return largest(rate_gaps(evaluate(range, instance, at, {false, true, false}), at)) < closed * speed;
}

double objectivity_error(const ElementRange& range, int instance, const TestState& closed,
                         std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto draw = [&](double size) {
    const double x = number(random), y = number(random), z = number(random);
    return Vec3(size * x, size * y, size * z);
  };
  const Vec3 turn = draw(std::numbers::pi / std::sqrt(3.0)), shift = draw(3), v = draw(2), w = draw(2);
  const TestState moved = carried(closed, so3::exp(turn), shift, v, w);
  const Evaluation before = evaluate(range, instance, closed, {false, true, false}),
                   after = evaluate(range, instance, moved, {false, true, false});
  const Vec6 sum = resultant(closed, before.residual);
  const double speed = std::max(1.0, largest(closed.velocities()));
  return std::max({largest(gaps(after, moved)), largest(rate_gaps(after, moved)) / speed,
                   largest(sum) / std::max(1.0, largest(before.residual))});
}

std::string relative_pose(const ElementRange& range, int instance, const TestState& at) {
  const std::shared_ptr<const JointView> joint = range.joint(instance);
  if (joint == nullptr) return {};
  const JointSite& site = joint->site();
  RelativeMotion motion;
  motion.evaluate(at.local(), site.A, site.B, 0, MotionLevel::pose);
  const Vec3 p = motion.p_AB_A, theta = so3::log(motion.R_AB);
  return fmt::format(
      "p_AB_A = [{:.4g}, {:.4g}, {:.4g}] m, rotation vector of R_AB = [{:.4g}, {:.4g}, {:.4g}]", p.x(), p.y(),
      p.z(), theta.x(), theta.y(), theta.z());
}

void check_joint(const ElementRange& range, int instance, const TestState& start, std::size_t pair, int first,
                 int count, int by, JointCheck& into) {
  const std::string between = ", between " + sample_marker_pairs()[pair];
  const bool free_pair = pair == 0;
  std::vector<TestState> repeated;
  for (int state = first; state < count; state += by) {
    TestState s = start;
    const auto seed = static_cast<std::uint64_t>(state) + 1;
    s.disturb(seed, 1, std::numbers::pi);
    const std::string at = between + ", state " + std::to_string(seed);
    const std::string pose = relative_pose(range, instance, s);
    if (repeated.size() < JointCheck::states_repeated) repeated.push_back(s);
    for (const CheckedTerm& term : check_derivatives_closely(range, instance, s, JointCheck::close_look)) {
      JointCheck::Worst* of = nullptr;
      switch (term.kind) {
        case CheckedTerm::Kind::gradient:
          of = &into.gradient;
          break;
        case CheckedTerm::Kind::stiffness:
          of = &into.stiffness;
          break;
        case CheckedTerm::Kind::rate:
        case CheckedTerm::Kind::rate_gradient:
          of = &into.rate;
          break;
        case CheckedTerm::Kind::second_rate:
          of = &into.bias;
          break;
        default:
          of = &into.other;
      }
      of->take(term.relative(), term.what + at, pose);
    }
    into.power.take(relative_power_error(range, instance, s), "the reactions" + at, pose);
    ++into.states;
    if (!free_pair) continue;
    const Eigen::MatrixXd B = constraint_gradient(range, instance, s);
    const int rank = rank_of(B, 1e-9);
    into.rank = into.kinematic == 0 ? rank : std::min(into.rank, rank);
    into.equations = static_cast<int>(B.rows());
    into.kinematic = static_cast<int>(B.cols());
    if (!close(range, instance, s)) continue;
    // At a singular position velocities and reactions are not defined.
    if (rank_of(constraint_gradient(range, instance, s), 1e-6) < rank) continue;
    ++into.closed;
    into.objectivity.take(objectivity_error(range, instance, s, seed), "a superposed rigid motion" + at,
                          relative_pose(range, instance, s));
  }
  check_same_results(range, instance, repeated, between, into.unrepeated, into.beside_a_thread);
}

}  // namespace trammel
