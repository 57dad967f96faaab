#include "trammel/element_check.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "trammel/algebraic_rules.hpp"
#include "trammel/index.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

/// Copies what elements from `first` on give.
class CopySink final : public ContributionSink {
 public:
  CopySink(std::span<Evaluation> out, int first) : all_(out), first_(first) {}
  void add(int instance, LocalSystem& contribution) override {
    Evaluation& out = all_[at(instance - first_)];
    const int n = contribution.size();
    const auto vector = [n](bool has, auto get) -> Eigen::VectorXd {
      return has ? Eigen::VectorXd(get()) : Eigen::VectorXd::Zero(n);
    };
    const auto matrix = [n](bool has, auto get) -> Eigen::MatrixXd {
      return has ? Eigen::MatrixXd(get()) : Eigen::MatrixXd::Zero(n, n);
    };
    out.residual = contribution.residual();
    out.rate = vector(contribution.has_rate(), [&] { return contribution.rate(); });
    out.bias = vector(contribution.has_bias(), [&] { return contribution.bias(); });
    out.K = matrix(contribution.has_K(), [&] { return contribution.K(); });
    out.D = matrix(contribution.has_D(), [&] { return contribution.D(); });
    out.M = matrix(contribution.has_M(), [&] { return contribution.M(); });
    out.rate_gradient =
        matrix(contribution.has_rate_gradient(), [&] { return contribution.rate_gradient(); });
  }

 private:
  std::span<Evaluation> all_;
  int first_;
};

/// The accelerations of kinematic blocks, zero elsewhere, in the order of the local system.
Eigen::VectorXd accelerations(const TestState& at) {
  Eigen::VectorXd a = Eigen::VectorXd::Zero(at.dofs());
  const std::span<const Block> blocks = at.blocks();
  for (std::size_t k = 0; k < blocks.size(); ++k)
    if (is_kinematic(blocks[k].kind))
      a.segment(at.offset(static_cast<int>(k)), blocks[k].size) = Eigen::Map<const Eigen::VectorXd>(
          at.state().acceleration.data() + at.state_offsets()[k].dof, blocks[k].size);
  return a;
}

/// A direction in which everything moves, of length 1.
Eigen::VectorXd some_direction(int n) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  Eigen::VectorXd direction(n);
  for (double& d : direction) d = number(random);
  return direction.normalized();
}

/// Deviation of the numbers that a function of the state gives, by rounding. It comes from differences of sixth order over
/// tiny steps (More and Wild, SIAM J. Sci. Comput. 33, 2011, 1292), in which nothing of the function itself is left.
Eigen::MatrixXd deviation(const TestState& at, const std::function<Eigen::MatrixXd(const TestState&)>& f) {
  constexpr int points = 13, middle = points / 2, order = 6;
  constexpr double spacing = 3e-8;
  constexpr double contribution = 720.0 * 720.0 / 479001600.0;  // (order!)^2 / (2 order)!
  const Eigen::VectorXd direction = some_direction(at.dofs());
  std::vector<Eigen::MatrixXd> table;
  for (int k = 0; k < points; ++k) table.push_back(f(at.moved((k - middle) * spacing * direction)));
  for (int n = 0; n < order; ++n) {
    for (std::size_t k = 0; k + 1 < table.size(); ++k) table[k] = table[k + 1] - table[k];
    table.pop_back();
  }
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(table[0].rows(), table[0].cols());
  for (const Eigen::MatrixXd& t : table) squares += t.cwiseAbs2();
  return (contribution / static_cast<double>(table.size()) * squares).cwiseSqrt();
}

/// Rounding errors of an evaluation: of the differences over a step, and of the terms themselves. Those of the
/// differences must be measured at neighbouring states too: near a state without strain the cancelling terms are
/// larger than at the state itself, and an error that is the same everywhere does not show in a difference.
struct Rounding {
  Eigen::VectorXd residual_difference, rate_difference, rate, bias;
  Eigen::MatrixXd K, D, M, rate_gradient;

  Rounding(const ElementRange& range, int instance, const TestState& at, double step) {
    constexpr double deviations = 9;
    const Eigen::Index n = at.dofs();
    const auto numbers = [&](const TestState& s) {
      const Evaluation e = evaluate(range, instance, s, {true, true, true});
      Eigen::MatrixXd all(n, 4 * n + 3);
      all << e.K, e.D, e.M, e.rate_gradient, e.residual, e.rate, e.bias;
      return all;
    };
    const auto values = [&](const TestState& s) {
      const Evaluation e = evaluate(range, instance, s, {false, true, false});
      Eigen::MatrixXd both(n, 2);
      both << e.residual, e.rate;
      return both;
    };
    const Eigen::MatrixXd all = deviations * deviation(at, numbers);
    K = all.middleCols(0, n);
    D = all.middleCols(n, n);
    M = all.middleCols(2 * n, n);
    rate_gradient = all.middleCols(3 * n, n);
    rate = all.col(4 * n + 1);
    bias = all.col(4 * n + 2);
    Eigen::MatrixXd largest = all.middleCols(4 * n, 2);
    for (const double way : {-step, step}) {
      const TestState beside = at.moved(way * some_direction(at.dofs()));
      largest = largest.cwiseMax(deviations * deviation(beside, values));
    }
    residual_difference = largest.col(0) / step;
    rate_difference = largest.col(1) / step;
  }
};

/// Derivative at 0 of a vector function of one number, to sixth order.
Eigen::VectorXd difference(double h, const std::function<Eigen::VectorXd(double)>& f) {
  return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h);
}

/// True where `a` is the larger error; what is no number is the largest.
bool is_worse(const CheckedTerm& a, const CheckedTerm& b) {
  const double x = a.relative(), y = b.relative();
  return std::isnan(x) ? !std::isnan(y) : x > y;
}

/// The states of several instances in one, in which each has blocks of its own; the time is that of the first.
struct SideBySide {
  State state;
  std::vector<std::vector<BlockOffset>> offsets;  ///< by instance

  explicit SideBySide(std::span<const TestState> states) {
    if (!states.empty()) state.time = states.front().state().time;
    for (const TestState& one : states) {
      std::vector<BlockOffset>& its = offsets.emplace_back();
      for (const BlockOffset& offset : one.state_offsets())
        its.push_back({offset.value + static_cast<std::int32_t>(state.value.size()),
                       offset.dof + static_cast<std::int32_t>(state.rate.size())});
      const auto append = [&](std::vector<double> State::*field) {
        const std::vector<double>& from = one.state().*field;
        (state.*field).insert((state.*field).end(), from.begin(), from.end());
      };
      append(&State::value);
      for (const auto field : State::fields_by_dof()) append(field);
    }
  }
};

/// Puts the largest difference between two evaluations, relative to the largest number of its block, into `worst` where it is larger.
void compare_blocks(const TestState& at, const Evaluation& expected, const Evaluation& found,
                    CheckedTerm& worst) {
  const auto compare = [&](const char* name, const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    for (std::size_t k = 0; k < at.blocks().size(); ++k) {
      const int row = at.offset(static_cast<int>(k)), rows = at.blocks()[k].size;
      if (rows == 0 || a.cols() == 0) continue;
      const Eigen::MatrixXd error = (b - a).middleRows(row, rows).cwiseAbs();
      CheckedTerm term{std::string(name) + " of '" + at.blocks()[k].name + "'",
                       error.hasNaN() ? std::nan("") : error.maxCoeff(),
                       std::max(a.middleRows(row, rows).cwiseAbs().maxCoeff(), 1e-3),
                       CheckedTerm::Kind::together};
      if (worst.what.empty() || is_worse(term, worst)) worst = std::move(term);
    }
  };
  compare("residual", expected.residual, found.residual);
  compare("rate", expected.rate, found.rate);
  compare("rate gradient", expected.rate_gradient, found.rate_gradient);
  compare("bias", expected.bias, found.bias);
  compare("K", expected.K, found.K);
  compare("D", expected.D, found.D);
  compare("M", expected.M, found.M);
}

/// The energies of `count` elements from `first` on.
std::vector<Energy> energies_of(const ElementRange& range, int first, int count, const State& state,
                                std::span<const BlockOffset* const> offsets) {
  struct CopyEnergies final : EnergySink {
    std::vector<Energy> all;
    void add(int, const Energy& energy) override { all.push_back(energy); }
  } sink;
  if (range.calls().energy) range.energies(first, first + count, state, offsets, sink);
  sink.all.resize(at(count));
  return sink.all;
}

/// As compare_blocks.
void compare_energies(const Energy& expected, const Energy& found, CheckedTerm& worst) {
  using Numbers = Eigen::Array4d;
  const Numbers a(expected.kinetic, expected.strain, expected.potential, expected.dissipated_power);
  const Numbers b(found.kinetic, found.strain, found.potential, found.dissipated_power);
  const Numbers error = (b - a).abs();
  CheckedTerm term{"energy", error.hasNaN() ? std::nan("") : error.maxCoeff(),
                   std::max(a.abs().maxCoeff(), 1e-3), CheckedTerm::Kind::together};
  if (is_worse(term, worst)) worst = std::move(term);
}

}  // namespace

TestState::TestState(std::vector<Block> blocks) : blocks_(std::move(blocks)) {
  for (const Block& b : blocks_) {
    state_offsets_.push_back(
        {static_cast<std::int32_t>(state_.value.size()), static_cast<std::int32_t>(state_.rate.size())});
    offsets_.push_back(dofs_);
    append_initial(b, state_);
    dofs_ += b.size;
  }
}

void TestState::set_rotation(int k, const Mat3& R) {
  double* value = state_.value.data() + state_offsets_[static_cast<std::size_t>(k)].value;
  Eigen::Map<Mat3>{value} = R;
  const Quaternion q = so3::quaternion(R);
  value[9] = q.w();
  Eigen::Map<Vec3>{value + 10} = q.vec();
}

void TestState::turn(int k, const Vec3& theta) {
  double* value = state_.value.data() + state_offsets_[static_cast<std::size_t>(k)].value;
  Eigen::Map<Mat3> R(value);
  R = Mat3(R * so3::exp(theta));
  const Quaternion q = (quaternion_of(value) * so3::exp_quaternion(theta)).normalized();
  value[9] = q.w();
  Eigen::Map<Vec3>{value + 10} = q.vec();
}

void TestState::disturb(std::uint64_t seed, double size, double angle) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  // One draw a statement: arguments of a call are drawn in an order of the compiler's own.
  const auto draw_turn = [&] {
    const double z = number(random), y = number(random), x = number(random);
    const double part = std::abs(number(random));
    return Vec3(angle * part * Vec3(x, y, z).normalized());
  };
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    if (blocks_[k].kind == BlockKind::rotation) {
      turn(static_cast<int>(k), draw_turn());
    } else {
      double* value = state_.value.data() + state_offsets_[k].value;
      for (int i = 0; i < blocks_[k].size; ++i) value[i] += size * number(random);
    }
    if (!has_rate(blocks_[k].kind)) continue;
    for (int i = 0; i < blocks_[k].size; ++i) {
      const auto at = static_cast<std::size_t>(state_offsets_[k].dof + i);
      state_.rate[at] += size * number(random);
      state_.acceleration[at] += size * number(random);
    }
  }
  state_.time += 0.5 * size * number(random);
}

TestState TestState::moved(const Eigen::VectorXd& increment) const {
  TestState s = *this;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    if (blocks_[k].kind == BlockKind::rotation) {
      s.turn(static_cast<int>(k), increment.segment<3>(offsets_[k]));
    } else {
      double* value = s.state_.value.data() + state_offsets_[k].value;
      for (int i = 0; i < blocks_[k].size; ++i) value[i] += increment[offsets_[k] + i];
    }
  }
  return s;
}

Eigen::VectorXd TestState::velocities() const {
  Eigen::VectorXd v = Eigen::VectorXd::Zero(dofs_);
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    if (is_kinematic(blocks_[k].kind))
      v.segment(offsets_[k], blocks_[k].size) =
          Eigen::Map<const Eigen::VectorXd>(state_.rate.data() + state_offsets_[k].dof, blocks_[k].size);
  return v;
}

TestState TestState::after(double tau) const {
  TestState s = moved(tau * velocities());
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    if (is_kinematic(blocks_[k].kind))
      for (int i = 0; i < blocks_[k].size; ++i) {
        const auto at = static_cast<std::size_t>(state_offsets_[k].dof + i);
        s.state_.rate[at] += tau * state_.acceleration[at];
      }
  s.state_.time += tau;
  return s;
}

Evaluation evaluate(const ElementRange& range, int instance, const TestState& at, const Request& request) {
  Evaluation out;
  CopySink sink({&out, 1}, instance);
  std::vector<const BlockOffset*> offsets(static_cast<std::size_t>(instance) + 1, nullptr);
  offsets.back() = at.state_offsets().data();
  range.evaluate(instance, instance + 1, at.state(), offsets, request, sink);
  return out;
}

std::vector<CheckedTerm> check_derivatives(const ElementRange& range, int instance, const TestState& at,
                                           double step) {
  const int n = at.dofs();
  const std::span<const Block> blocks = at.blocks();
  const Evaluation exact = evaluate(range, instance, at, {true, true, true});
  const auto residual = [&](const TestState& s) { return evaluate(range, instance, s, {}).residual; };
  const auto rate = [&](const TestState& s) {
    return evaluate(range, instance, s, {false, true, false}).rate;
  };

  const Rounding rounding(range, instance, at, step);

  Eigen::MatrixXd K(n, n), D = Eigen::MatrixXd::Zero(n, n), M = D, rate_gradient = D;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    for (int i = 0; i < blocks[k].size; ++i) {
      const int column = at.offset(static_cast<int>(k)) + i;
      const auto moved = [&](double h) { return at.moved(h * Eigen::VectorXd::Unit(n, column)); };
      K.col(column) = difference(step, [&](double h) { return residual(moved(h)); });
      if (!has_rate(blocks[k].kind)) continue;
      const auto dof = static_cast<std::size_t>(at.state_offsets()[k].dof + i);
      D.col(column) = difference(step, [&](double h) {
        TestState s = at;
        s.state().rate[dof] += h;
        return residual(s);
      });
      if (!is_kinematic(blocks[k].kind)) continue;
      rate_gradient.col(column) = difference(step, [&](double h) { return rate(moved(h)); });
      M.col(column) = difference(step, [&](double h) {
        TestState s = at;
        s.state().acceleration[dof] += h;
        return residual(s);
      });
    }
  }

  using Kind = CheckedTerm::Kind;
  std::vector<CheckedTerm> terms;
  const auto compare = [&terms](std::string what, Kind kind, const Eigen::MatrixXd& found,
                                const Eigen::MatrixXd& expected, double floor,
                                const Eigen::VectorXd& of_differences, const Eigen::MatrixXd& of_found) {
    if (expected.size() == 0) return;
    const Eigen::MatrixXd error = ((found - expected).cwiseAbs() - of_found).colwise() - of_differences;
    // Written so that nan stays.
    const double largest = error.hasNaN() ? std::nan("") : std::max(0.0, error.maxCoeff());
    terms.push_back({std::move(what), largest, std::max(expected.cwiseAbs().maxCoeff(), floor), kind});
  };
  const Eigen::VectorXd a = accelerations(at);
  for (std::size_t row = 0; row < blocks.size(); ++row) {
    const int r = at.offset(static_cast<int>(row)), rows = blocks[row].size;
    const bool velocity_level = blocks[row].kind == BlockKind::velocity_multiplier;
    for (std::size_t column = 0; column < blocks.size(); ++column) {
      const int c = at.offset(static_cast<int>(column)), columns = blocks[column].size;
      const std::string pair = "'" + blocks[row].name + "' by '" + blocks[column].name + "'";
      const bool of_constraint = is_multiplier(blocks[row].kind) || is_multiplier(blocks[column].kind);
      for (const auto& [name, kind, found, expected, noise] :
           {std::tuple("K", of_constraint && !velocity_level ? Kind::gradient : Kind::stiffness, &exact.K, &K,
                       &rounding.K),
            std::tuple("D", velocity_level ? Kind::gradient : Kind::damping, &exact.D, &D, &rounding.D),
            std::tuple("M", Kind::mass, &exact.M, &M, &rounding.M)}) {
        // The entries of a pair of blocks are compared with the largest in its rows and columns.
        const double floor = std::max(expected->middleRows(r, rows).cwiseAbs().maxCoeff(),
                                      expected->middleCols(c, columns).cwiseAbs().maxCoeff());
        compare(std::string(name) + ": residual of " + pair, kind, found->block(r, c, rows, columns),
                expected->block(r, c, rows, columns), std::max(floor, 1e-3),
                rounding.residual_difference.segment(r, rows), noise->block(r, c, rows, columns));
        if (!range.couples(instance, static_cast<int>(row), static_cast<int>(column))) {
          const double held = std::max(found->block(r, c, rows, columns).cwiseAbs().maxCoeff(), 0.0);
          terms.push_back(
              {std::string(name) + ": " + pair + " declared not to couple", held, 1.0, Kind::uncoupled});
        }
      }
    }
    const std::string of_block = "of '" + blocks[row].name + "'";
    if (velocity_level) {
      const Eigen::VectorXd change = difference(step, [&](double h) { return residual(at.after(h)); });
      const Eigen::VectorXd second = exact.D.middleRows(r, rows) * a + exact.bias.segment(r, rows);
      compare("second rate " + of_block, Kind::second_rate, second, change.segment(r, rows), 1e-3,
              rounding.residual_difference.segment(r, rows),
              rounding.D.middleRows(r, rows) * a.cwiseAbs() + rounding.bias.segment(r, rows));
      const Eigen::MatrixXd reaction = exact.K.middleCols(r, rows).transpose();
      compare("reaction " + of_block, Kind::gradient, reaction, exact.D.middleRows(r, rows), 1e-3,
              Eigen::VectorXd::Zero(rows), rounding.D.middleRows(r, rows));
    }
    if (blocks[row].kind != BlockKind::multiplier) continue;
    const Eigen::VectorXd C_dot = difference(step, [&](double h) { return residual(at.after(h)); });
    compare("rate " + of_block, Kind::rate, exact.rate.segment(r, rows), C_dot.segment(r, rows), 1e-3,
            rounding.residual_difference.segment(r, rows), rounding.rate.segment(r, rows));
    compare("rate gradient " + of_block, Kind::rate_gradient, exact.rate_gradient.middleRows(r, rows),
            rate_gradient.middleRows(r, rows), 1e-3, rounding.rate_difference.segment(r, rows),
            rounding.rate_gradient.middleRows(r, rows));
    const Eigen::VectorXd expected = difference(step, [&](double h) { return rate(at.after(h)); });
    const Eigen::VectorXd second = exact.K.middleRows(r, rows) * a + exact.bias.segment(r, rows);
    compare("second rate " + of_block, Kind::second_rate, second, expected.segment(r, rows), 1e-3,
            rounding.rate_difference.segment(r, rows),
            rounding.K.middleRows(r, rows) * a.cwiseAbs() + rounding.bias.segment(r, rows));
  }
  const Evaluation gradients = evaluate(range, instance, at, {.tangent = true, .stiffness = false});
  const auto same = [&](const std::string& what, Kind kind, const Eigen::MatrixXd& found,
                        const Eigen::MatrixXd& expected) {
    compare(what + ", where no stiffness is asked for", kind, found, expected, 1e-3,
            Eigen::VectorXd::Zero(found.rows()), Eigen::MatrixXd::Zero(found.rows(), found.cols()));
  };
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    if (!is_multiplier(blocks[k].kind)) continue;
    const int first = at.offset(static_cast<int>(k)), size = blocks[k].size;
    const std::string name = "'" + blocks[k].name + "'";
    same("K: residual of " + name, Kind::gradient, gradients.K.middleRows(first, size),
         exact.K.middleRows(first, size));
    same("K by " + name, Kind::gradient, gradients.K.middleCols(first, size),
         exact.K.middleCols(first, size));
  }
  same("D", Kind::damping, gradients.D, exact.D);
  same("M", Kind::mass, gradients.M, exact.M);
  if (range.calls().constant)
    compare("residual, which is said to be constant, a second later", Kind::stiffness, exact.residual,
            residual(at.after(1)), 1e-3, Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n));
  std::vector<const Block*> stencil;
  for (const Block& block : blocks) stencil.push_back(&block);
  if (std::string fault = algebraic_fault(stencil, exact.K, exact.D, exact.M); !fault.empty())
    terms.push_back({std::move(fault), 1.0, 1.0, Kind::uncoupled});
  std::ranges::stable_sort(terms, is_worse);
  return terms;
}

std::vector<CheckedTerm> check_derivatives_closely(const ElementRange& range, int instance,
                                                   const TestState& at, double bound, double step) {
  constexpr int most = 4;
  std::vector<CheckedTerm> best = check_derivatives(range, instance, at, step);
  std::map<std::string, std::size_t> place;
  for (std::size_t k = 0; k < best.size(); ++k) place.emplace(best[k].what, k);
  for (int k = 1; k < most; ++k) {
    if (std::ranges::all_of(best, [&](const CheckedTerm& term) { return term.relative() <= bound; })) break;
    step *= 0.1;
    for (CheckedTerm& term : check_derivatives(range, instance, at, step)) {
      CheckedTerm& kept = best[place.at(term.what)];
      if (is_worse(kept, term)) kept = std::move(term);
    }
  }
  std::ranges::stable_sort(best, is_worse);
  return best;
}

std::vector<CheckedTerm> check_together(const ElementRange& range, int first,
                                        std::span<const TestState> states) {
  const SideBySide side_by_side(states);
  std::vector<const BlockOffset*> offsets(at(first), nullptr);
  for (const std::vector<BlockOffset>& of_element : side_by_side.offsets)
    offsets.push_back(of_element.data());
  const auto evaluate_from = [&](int begin, int count, const Request& request) {
    std::vector<Evaluation> out(at(count));
    CopySink sink(out, begin);
    range.evaluate(begin, begin + count, side_by_side.state, offsets, request, sink);
    return out;
  };
  std::vector<CheckedTerm> worst(states.size());
  const auto count = static_cast<int>(states.size());
  for (const Request& request :
       {Request{}, Request{.rates = true}, Request{.rates = true, .bias = true}, Request{.tangent = true},
        Request{.tangent = true, .rates = true, .bias = true}}) {
    const std::vector<Evaluation> together = evaluate_from(first, count, request);
    for (std::size_t k = 0; k < states.size(); ++k)
      compare_blocks(states[k], evaluate_from(first + static_cast<int>(k), 1, request).front(), together[k],
                     worst[k]);
  }
  const std::vector<Energy> together = energies_of(range, first, count, side_by_side.state, offsets);
  for (std::size_t k = 0; k < states.size(); ++k)
    compare_energies(energies_of(range, first + static_cast<int>(k), 1, side_by_side.state, offsets).front(),
                     together[k], worst[k]);
  return worst;
}

CheckedTerm worst_derivative(const ElementRange& range, int instance, const TestState& at, int states,
                             std::uint64_t seed) {
  CheckedTerm worst;
  for (int k = 0; k < states; ++k) {
    TestState s = at;
    s.disturb(seed + static_cast<std::uint64_t>(k));
    CheckedTerm term = check_derivatives(range, instance, s).front();
    if (k == 0 || term.relative() > worst.relative()) worst = std::move(term);
  }
  return worst;
}

Vec6 resultant(const TestState& at, const Eigen::VectorXd& residual) {
  Vec6 sum = Vec6::Zero();
  const LocalState x = at.local();
  const std::span<const Block> blocks = at.blocks();
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const int index = static_cast<int>(k);
    if (blocks[k].kind == BlockKind::position) {
      const Vec3 f = residual.segment<3>(at.offset(index));
      sum.head<3>() += f;
      sum.tail<3>() += x.position(index).cross(f);
    } else if (blocks[k].kind == BlockKind::rotation) {
      sum.tail<3>() += x.rotation(index) * residual.segment<3>(at.offset(index));
    }
  }
  return sum;
}

double power_of_time(const ElementRange& range, int instance, const TestState& at) {
  const Evaluation e = evaluate(range, instance, at, {false, true, false});
  double power = e.residual.dot(at.velocities());
  const std::span<const Block> blocks = at.blocks();
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const BlockKind kind = blocks[k].kind;
    if (kind != BlockKind::multiplier && kind != BlockKind::velocity_multiplier) continue;
    const int index = static_cast<int>(k), r = at.offset(index), m = blocks[k].size;
    const Eigen::VectorXd& rows = kind == BlockKind::multiplier ? e.rate : e.residual;
    power -= ConstVectorMap(at.local().value(index), m).dot(rows.segment(r, m));
  }
  return power;
}

double power_error(const ElementRange& range, int instance, const TestState& at) {
  const Evaluation e = evaluate(range, instance, at, {false, true, false});
  const Eigen::VectorXd C_t = difference(1e-3, [&](double h) {
    TestState s = at;
    s.state().time += h;
    return evaluate(range, instance, s, {}).residual;
  });
  double power = e.residual.dot(at.velocities());
  const LocalState x = at.local();
  const std::span<const Block> blocks = at.blocks();
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    if (blocks[k].kind != BlockKind::multiplier) continue;
    const int index = static_cast<int>(k), r = at.offset(index), m = blocks[k].size;
    power -= ConstVectorMap(x.value(index), m).dot(e.rate.segment(r, m) - C_t.segment(r, m));
  }
  return power;
}

}  // namespace trammel
