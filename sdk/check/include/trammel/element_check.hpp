#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/element_range.hpp"
#include "trammel/export.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// The blocks of one instance with values, rates and accelerations of their own: a place to evaluate it alone.
class TRAMMEL_API TestState {
 public:
  /// From the blocks' initial values; accelerations are zero.
  explicit TestState(std::vector<Block> blocks);
  /// The blocks of a stencil, of anything with a `block(BlockId)`: a model, a Builder.
  template <class Source>
  requires requires(const Source& source) { source.block(BlockId{}); }
  TestState(const Source& source, std::span<const BlockId> stencil) : TestState(pick(source, stencil)) {}

  LocalState local() const { return LocalState(state_, state_offsets_.data()); }
  const State& state() const { return state_; }
  State& state() { return state_; }
  std::span<const BlockOffset> state_offsets() const { return state_offsets_; }
  std::span<const Block> blocks() const { return blocks_; }
  int dofs() const { return dofs_; }
  /// Offset of block k in the instance's local system.
  int offset(int k) const { return offsets_[static_cast<std::size_t>(k)]; }

  /// Adds random numbers to everything: rotations are turned by up to `angle`, all else changes by up to `size`.
  void disturb(std::uint64_t seed, double size = 1, double angle = 3);
  void set_rotation(int k, const Mat3& R);

  /// Moves the configuration along increments (body-frame for rotations), multipliers and states by addition.
  TestState moved(const Eigen::VectorXd& increment) const;
  /// The test_state after the time tau, along the rates and accelerations (exact to first order in tau).
  TestState after(double tau) const;
  /// The rates of kinematic blocks, zero elsewhere, in the order of the local system.
  Eigen::VectorXd velocities() const;

 private:
  template <class Source>
  static std::vector<Block> pick(const Source& source, std::span<const BlockId> stencil) {
    std::vector<Block> blocks;
    for (const BlockId id : stencil) {
      blocks.push_back(source.block(id));
      if constexpr (requires { source.block_name(id); }) blocks.back().name = source.block_name(id);
    }
    return blocks;
  }
  void turn(int k, const Vec3& theta);

  std::vector<Block> blocks_;
  State state_;
  std::vector<BlockOffset> state_offsets_;
  std::vector<int> offsets_;
  int dofs_ = 0;
};

using Specimen [[deprecated("now TestState")]] = TestState;

/// Everything that one evaluation gives, copied.
struct Evaluation {
  Eigen::VectorXd residual, rate, bias;
  Eigen::MatrixXd K, D, M, rate_gradient;
};
TRAMMEL_API Evaluation evaluate(const ElementRange& range, int instance, const TestState& at,
                                const Request& request);

/// One comparison of what an instance gives with differences: errors relative to the largest entry compared.
struct CheckedTerm {
  enum class Kind {
    gradient,       ///< of a constraint: its rows, and the columns of its multipliers
    stiffness,      ///< all else of K
    damping,        ///< D
    mass,           ///< M
    uncoupled,      ///< of blocks declared not to couple, or that algebraic unknowns must not couple with
    rate,           ///< B v + C_t
    rate_gradient,  ///< d(B v + C_t)/dq
    second_rate,    ///< B a + bias; of a velocity-level constraint D a + bias
    together,       ///< what several elements give that are evaluated in one call
  };

  std::string what;    ///< "K: residual of 'B rotation' by 'A position'"
  double error = 0;    ///< largest difference
  double largest = 0;  ///< largest entry
  Kind kind = Kind::stiffness;
  double relative() const { return largest > 0 ? error / largest : error; }
};

/// Compares K, D and M, the rates, their gradient and the bias of an instance with differences of sixth order at one
/// state, term by term (K, D, M block pair by block pair), sorted with the worst first. Blocks declared not to couple
/// must hold zeros, and a residual that is said to be constant must be the same a second later. Where no stiffness is asked for, the
/// gradients, D and M must be the same. An algebraic unknown that breaks its rules (see trammel/algebraic_rules.hpp) is a term off
/// by 1.
TRAMMEL_API std::vector<CheckedTerm> check_derivatives(const ElementRange& range, int instance,
                                                       const TestState& at, double step = 1e-3);
/// As check_derivatives; while a term is off by more than `bound`, all are compared again over steps a tenth, a hundredth
/// and a thousandth as long, and each counts where it is best. The error of a difference falls with its step, as beside a
/// singular point of a formula; that of a wrong derivative stays.
TRAMMEL_API std::vector<CheckedTerm> check_derivatives_closely(const ElementRange& range, int instance,
                                                               const TestState& at, double bound,
                                                               double step = 1e-3);
/// Compares what elements `first`, `first` + 1, ... give in one call, as in a run, with what each gives in a call of its own: a
/// class with `evaluate_residuals`, `evaluate_tangents` or `energies` (see RangeOf) has two codes for it. Element `first` + k is evaluated at `states[k]`, at the time of the first
/// state. Returns the worst term of each element, relative to the largest number of its block. Rounding is not taken off: choose
/// states away from equilibrium.
TRAMMEL_API std::vector<CheckedTerm> check_together(const ElementRange& range, int first,
                                                    std::span<const TestState> states);
/// The worst of check_derivatives over some disturbed states around `at`.
TRAMMEL_API CheckedTerm worst_derivative(const ElementRange& range, int instance, const TestState& at,
                                         int states = 10, std::uint64_t seed = 1);

/// Checks that the results of an instance depend on the state alone. Evaluates it at all `states` in turn, twice at
/// each, then at all
/// of them backwards, and compares bit by bit. Names the first number that differs; empty where none does.
TRAMMEL_API std::string differs_when_repeated(const ElementRange& range, int instance,
                                              std::span<const TestState> states);
/// Compares what two instances give at the same states, bit by bit. Names the first number that differs; empty where none
/// does.
TRAMMEL_API std::string differs_between(const ElementRange& range, int instance,
                                        const ElementRange& other_range, int other_instance,
                                        std::span<const TestState> states);

/// Resultant of the kinematic rows of a residual: force, and moment about the world's origin, in world components.
/// Zero for a joint between two bodies, whatever its multipliers, where it is objective.
TRAMMEL_API Vec6 resultant(const TestState& at, const Eigen::VectorXd& residual);

/// Power that the reactions of position constraints put in besides their explicit time dependence:
/// (B^T lambda) . v - lambda . (rate - C_t). Zero for whatever is a constraint. `C_t` is found by a difference in time.
TRAMMEL_API double power_error(const ElementRange& range, int instance, const TestState& at);

/// Power that leaves the system because constraints depend on time: -lambda . C_t, of equations at velocity level -lambda . b,
/// whether or not the velocities satisfy them.
TRAMMEL_API double power_of_time(const ElementRange& range, int instance, const TestState& at);

}  // namespace trammel
