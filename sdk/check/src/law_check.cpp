#include "trammel/law_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <Eigen/LU>

#include "same_results.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

/// Solves the algebraic equations of an instance; false where Newton does not converge.
bool solve_algebraic(const ElementRange& range, int instance, TestState& s) {
  std::vector<std::pair<int, double*>> unknowns;  // row, number
  for (std::size_t k = 0; k < s.blocks().size(); ++k)
    if (s.blocks()[k].kind == BlockKind::algebraic)
      for (int i = 0; i < s.blocks()[k].size; ++i)
        unknowns.emplace_back(s.offset(static_cast<int>(k)) + i,
                              s.state().value.data() + s.state_offsets()[k].value + i);
  if (unknowns.empty()) return true;
  const auto n = static_cast<Eigen::Index>(unknowns.size());
  for (int iteration = 0; iteration < 50; ++iteration) {
    const Evaluation e = evaluate(range, instance, s, {true, false, false});
    Eigen::MatrixXd G(n, n);
    Eigen::VectorXd g(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const int row = unknowns[static_cast<std::size_t>(i)].first;
      g[i] = e.residual[row];
      for (Eigen::Index j = 0; j < n; ++j) G(i, j) = e.K(row, unknowns[static_cast<std::size_t>(j)].first);
    }
    const Eigen::VectorXd step = G.partialPivLu().solve(g);
    if (!step.allFinite()) return false;
    double largest = 1;
    for (Eigen::Index i = 0; i < n; ++i) {
      double& x = *unknowns[static_cast<std::size_t>(i)].second;
      x -= step[i];
      largest = std::max(largest, std::abs(x));
    }
    if (step.lpNorm<Eigen::Infinity>() < 1e-13 * largest) return true;
  }
  return false;
}

/// Gives first-order states the rates of their equations.
void set_state_rates(const ElementRange& range, int instance, TestState& s) {
  const Evaluation e = evaluate(range, instance, s, {});
  for (std::size_t k = 0; k < s.blocks().size(); ++k)
    if (s.blocks()[k].kind == BlockKind::state)
      for (int i = 0; i < s.blocks()[k].size; ++i)
        s.state().rate[static_cast<std::size_t>(s.state_offsets()[k].dof + i)] -=
            e.residual[s.offset(static_cast<int>(k)) + i];
}

double energy_after(const ElementRange& range, int instance, const TestState& s, double tau) {
  TestState later = s.after(tau);
  for (std::size_t k = 0; k < s.blocks().size(); ++k)
    if (s.blocks()[k].kind == BlockKind::state)
      for (int i = 0; i < s.blocks()[k].size; ++i)
        later.state().value[static_cast<std::size_t>(s.state_offsets()[k].value + i)] +=
            tau * s.state().rate[static_cast<std::size_t>(s.state_offsets()[k].dof + i)];
  if (!solve_algebraic(range, instance, later)) return std::numeric_limits<double>::quiet_NaN();
  const Energy e = range.energy(instance, later.local());
  return e.kinetic + e.strain + e.potential;
}

/// Power that it takes and neither stores nor loses, relative to that which it exchanges; nan where it has no state.
double power_error_of(const ElementRange& range, int instance, TestState s, double bound) {
  if (!solve_algebraic(range, instance, s)) return std::numeric_limits<double>::quiet_NaN();
  set_state_rates(range, instance, s);
  const Eigen::VectorXd r = evaluate(range, instance, s, {}).residual, v = s.velocities();
  const double lost = range.energy(instance, s.local()).dissipated_power;
  const double size = std::max({1.0, r.cwiseProduct(v).cwiseAbs().sum(), std::abs(lost)});
  double best = HUGE_VAL;
  for (const double h : {1e-3, 1e-4, 1e-5}) {  // shorter ones beside a kink
    const auto at = [&](double tau) { return energy_after(range, instance, s, tau); };
    const double rate =
        (45 * (at(h) - at(-h)) - 9 * (at(2 * h) - at(-2 * h)) + (at(3 * h) - at(-3 * h))) / (60 * h);
    if (std::isnan(rate)) continue;
    best = std::min(best, std::abs(r.dot(v) - rate - lost) / size);
    if (best < bound) break;
  }
  return best;
}

double objectivity_error_of(const ElementRange& range, int instance, TestState s, bool inertia) {
  if (inertia) std::ranges::fill(s.state().acceleration, 0.0);
  const Mat3 Q = so3::exp(Vec3(2, -1, 0.5));
  const Vec3 v = inertia ? Vec3(0, 0, 0) : Vec3(0.3, -1, 2), w = inertia ? Vec3(0, 0, 0) : Vec3(1, 2, -0.7);
  const TestState moved = carried(s, Q, Vec3(3, 1, -2), v, w);
  const Eigen::VectorXd before = evaluate(range, instance, s, {}).residual,
                        after = evaluate(range, instance, moved, {}).residual;
  double error = inertia ? 0 : resultant(s, before).norm();
  for (std::size_t k = 0; k < s.blocks().size(); ++k) {
    const int row = s.offset(static_cast<int>(k)), n = s.blocks()[k].size;
    const Eigen::VectorXd turned = s.blocks()[k].kind == BlockKind::position
                                       ? Eigen::VectorXd(Q * before.segment<3>(row))
                                       : Eigen::VectorXd(before.segment(row, n));
    error = std::max(error, (after.segment(row, n) - turned).norm());
  }
  return error / std::max(1.0, before.norm());
}

}  // namespace

void check_law(const ElementRange& range, int instance, const TestState& start, const std::string& between,
               bool free, int first, int count, int by, LawCheck& into) {
  constexpr double power_looked_at = 1e-9;
  into.has_inertia = evaluate(range, instance, start, {true, false, false}).M.norm() > 0;
  std::vector<TestState> repeated;
  for (int state = first; state < count; state += by) {
    TestState s = start;
    const auto seed = static_cast<std::uint64_t>(state) + 1;
    s.disturb(seed, 1, std::numbers::pi);
    const std::string at = between + ", state " + std::to_string(seed);
    if (repeated.size() < JointCheck::states_repeated) repeated.push_back(s);
    const std::vector<CheckedTerm> terms =
        check_derivatives_closely(range, instance, s, JointCheck::close_look);
    if (!terms.empty()) into.derivative.take(terms.front().relative(), terms.front().what + at);
    const double power = power_error_of(range, instance, s, power_looked_at);
    if (!std::isnan(power)) into.power.take(power, "r . v against the energies" + at);
    if (free)
      into.objectivity.take(objectivity_error_of(range, instance, s, into.has_inertia),
                            "a superposed rigid motion" + at);
    ++into.states;
  }
  check_same_results(range, instance, repeated, between, into.unrepeated, into.beside_a_thread);
}

}  // namespace trammel
