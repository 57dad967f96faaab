#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "solvers/constraints/velocity_matrix.hpp"
#include "solvers/newton/linear_prediction.hpp"
#include "solvers/newton/numbers_after_frames.hpp"
#include "solvers/newton/unknown_runs.hpp"
#include "solvers/newton/weighed_runs.hpp"
#include "solvers/ranks/rank_totals.hpp"

namespace trammel {

/// Makes the end of an implicit step satisfy B v + C_t = 0. Positions do not change. Velocities change by dv,
/// accelerations and the rates of first-order states by `ratio` times as much, and multipliers such that the
/// equations of motion remain satisfied. Uses Newton's method with a VelocityMatrix, and begins with a correction
/// extrapolated from those of the steps before.
/// Every function is collective.
class VelocityCorrection {
 public:
  /// `mass` must outlive it.
  explicit VelocityCorrection(ConstrainedMass& mass) : mass_(mass), matrix_(mass) {}

  /// This solver, which must outlive it, finds the states that are corrected. Its tangent may serve (VelocityMatrix::share).
  void follow(Newton& newton) {
    newton_ = &newton;
    matrix_.share(newton);
  }

  /// A step begins at this state, with no tangent of its own yet. Collective.
  void begin(const State& base, double ratio) { matrix_.look_for_massless(base, ratio); }
  /// Adds the sizes of `state`, by which errors are measured, to `totals`; and where no rate of a constraint was open before, those of
  /// `state`. Collective.
  void measure(const State& state, RankTotals& totals);
  /// `tolerance`: for velocities and multipliers, as a fraction of the largest. False if they cannot be corrected,
  /// see `why`. `measured`: the ranks have agreed on the totals of `measure` for this state.
  bool correct(State& state, double ratio, double tolerance, bool measured);
  /// The step of the last correction was accepted: it predicts the next one, once the ranks have agreed on `totals`.
  void keep(RankTotals& totals);
  /// A prediction of the next correction for this `ratio`, by local unknown as ConstrainedMass::solution; empty if
  /// there are no steps before.
  const std::vector<double>& expected(double ratio);
  /// Discards the matrix and the earlier corrections.
  void drop();

  /// `use(run, change, part)`: velocities, or the rates of first-order states, have changed by `part` times `change`.
  template <class Use>
  void each_change(Use&& use) const {
    if (rests_) return;
    for (const UnknownRun& run : runs_) {
      const ConstRunNumbers change(total_.data() + run.local, run.size);
      if (run.of == UnknownRun::Of::motion) use(run, change, 1.0);
      if (run.of == UnknownRun::Of::states) use(run, change, ratio_now_);
    }
  }
  /// The remaining violation of the rates, estimated from the observed contraction, over all ranks [m/s or rad/s].
  double rate() const { return rate_; }
  /// Violations of the positions, which a correction does not change: as its first solution found them, over all ranks.
  struct Gaps {
    double distance = 0;   ///< angles times the model's length [m]
    double position = 0;   ///< [m or rad]
    double redundant = 0;  ///< of redundant equations [m or rad]
  };
  const Gaps& gaps() const { return gaps_; }
  /// Whether the next correction will remove what a solution leaves of the balance of forces as well as the tangent of Newton's method
  /// would: displacements alone are then left to be found.
  bool completes_balance() const {
    return matrix_.is_shared() && imbalance_.empty() && known_ > 0 && !rests_;
  }
  std::string why() const { return why_; }

 private:
  /// Changes of velocities, accelerations and multipliers, or the sizes that they are parts of; over all ranks.
  struct Sizes {
    double velocity = 0, acceleration = 0, multiplier = 0;
  };
  /// Evaluates the right-hand side and the initial `rate` on this rank. An exception of an instance is stored in
  /// `fault`.
  void open(const State& state, double ratio, LocalFault& fault);
  /// Changes rates, accelerations and multipliers by x, by local unknown in units of ConstrainedMass::solution; adds x to `total` too,
  /// where it is given.
  void apply(const std::vector<double>& x, State& state, double ratio,
             std::vector<double>* total = nullptr) const;
  /// Of x, on this rank.
  Sizes change(const std::vector<double>& x, double ratio) const;
  void measure_gaps();
  /// Of rates and positions of constraints, on this rank or over all: the level of a fault (LocalFault), `rate_` and `gaps_`.
  using SeenRates = std::array<double, 5>;
  bool may_rest() const { return rests_ && mass_.assembler().statuses().rows().empty(); }
  /// Evaluates the rates of constraints alone, none of which was open at the last correction, on this rank.
  SeenRates look_at_rates(const State& state, LocalFault& fault);
  /// Takes what `measure` saw, or evaluates it now. False if that fails, see `why`; else `rests_` tells whether no rate is open again, over
  /// all ranks.
  bool see_whether_rates_rest(const State& state);
  /// Replaces `moved`, the violation of the rates, the gaps and `expected_multiplier_` by the maxima over the ranks; false, with the
  /// reason in `why`, if a rank has a fault. `solved`: on all ranks.
  bool agree(LocalFault& fault, bool& solved, Sizes& moved);
  /// The larger part of what `sizes` were.
  double part_of_whole(const Sizes& x) const;
  void weigh();
  /// Learns from the last correction how corrections go on.
  void compare_with_steps_before(RankTotals& totals);
  void keep_imbalance();
  /// The same from the residual with which Newton's method ended at this state; false where there is none.
  bool take_imbalance(const State& state, double ratio);
  void subtract_imbalance();
  bool holds(const UnknownBlock& u, int k) const;
  /// Nominal, of a velocity or of a multiplier's rate.
  double size_of(const UnknownBlock& u, int k) const;
  bool is_compliant(int local) const { return some_compliant_ && compliant_[at(local)] != 0; }

  static constexpr int highest_order = 3;

  ConstrainedMass& mass_;
  Newton* newton_ = nullptr;
  VelocityMatrix matrix_;
  bool rests_ =
      false;  ///< the last correction found no rate open, and changed no reaction but by rounding errors
  bool looked_ = false;             ///< `measure` looked at rates
  SeenRates seen_rates_{};          ///< then
  double expected_multiplier_ = 0;  ///< of the prediction; infinite where there are first-order states
  double rate_ = 0;
  Gaps gaps_;
  std::string why_;
  NumbersAfterFrames metres_;   ///< of a multiplier: one unit of its constraint in metres
  std::vector<int> redundant_;  ///< local unknowns, in order
  std::vector<UnknownRun> runs_;
  /// Motion and multipliers; weights: one over the nominal size of a velocity, nominal size of a multiplier's rate.
  std::vector<WeighedRun> weighed_;
  bool some_compliant_ = false;  ///< a row on this rank
  std::vector<char> compliant_;  ///< by local unknown; empty if none is
  /// Velocity, acceleration and multiplier of the state that was measured, and what rounding errors of forces would be as accelerations
  /// [m/s^2].
  std::array<double, 4> measured_{};
  /// By local unknown: what Newton's method has left of the balance of forces, which is not for velocities to remove;
  /// empty where it does not count.
  std::vector<double> imbalance_;
  Sizes whole_;                ///< of the last correction's end
  double ratio_now_ = 0;       ///< of the last correction
  std::vector<double> total_;  ///< the last correction, as ConstrainedMass::solution
  /// The corrections of the steps before, the latest first, how many they are, and how they go on.
  std::array<std::vector<double>, highest_order + 1> before_;
  int known_ = 0;
  LinearPrediction prediction_{highest_order};
  double ratio_known_ = 0;  ///< of these corrections
  std::vector<double> expected_;
  bool knows_expected_ = false;  ///< `expected_` is that for `ratio_known_`
};

}  // namespace trammel
