#pragma once

#include <cmath>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solvers/linear/petsc_owned.hpp"
#include "solvers/linear/timings.hpp"
#include "solvers/newton/ageing_contraction.hpp"
#include "solvers/newton/kept_tangent.hpp"
#include "solvers/newton/stages.hpp"
#include "solvers/newton/step_equations.hpp"
#include "solvers/newton/stop_request.hpp"
#include "solvers/ranks/rank_totals.hpp"

namespace trammel {

struct NewtonResult {
  bool converged = false;
  int iterations = 0;
  int factorizations = 0;
  bool singular = false;  ///< the last factorization failed

  /// The result of this solution and a next one together.
  void go_on(const NewtonResult& next) {
    *this = {next.converged, iterations + next.iterations, factorizations + next.factorizations,
             next.singular};
  }
};

/// Newton's method on a SNES, for the equations of one step.
///
/// Options of SNES, KSP and PC are read from PETSc's database (no prefix). Defaults: full steps, one direct
/// solve an iteration by KLU on one rank and by substructuring on several. The factorized tangent is kept over iterations
/// and steps while few iterations suffice; the choice counts iterations and reads no clock.
class Newton {
 public:
  Newton(NewtonEquations& equations, const NewtonOptions& options, Timings& timings);

  /// The unknown: fill it with a prediction before `solve`.
  Vec x() const { return x_.get(); }

  /// `request` is checked at every iterate; it must outlive the solver. If it requests an immediate stop, `solve`
  /// throws Stopped.
  void obey(const StopRequest* request) { request_ = request; }
  /// The most urgent request of any rank at the last iterate.
  Stop stop() const { return stop_; }

  /// Calls `measure` at the end of `solve`, where the ranks exchange numbers there anyway, to add those that it needs of the trial. Whether
  /// that has happened, and the trial is still the same, `end_measured` tells. `measure` may be collective.
  void measure_end(std::function<void(RankTotals&)> measure) { measure_end_ = std::move(measure); }
  bool end_measured() const { return end_measured_; }

  /// Solves more accurately by this factor, because errors of solutions grow over the steps.
  void expect_growth(double factor) { growth_ = factor; }

  /// In the next solutions only displacements have to be found to the tolerance, since forces are balanced afterwards; an increment
  /// by a kept tangent needs no residual after it where contractions of the steps before say that nothing is left.
  void find_displacements(bool alone) { displacements_alone_ = alone; }
  /// The violation of constraints that the last solution may have where it ended in this way [m]; else infinite.
  double unseen_gap() const { return unseen_ ? unseen_gap_ : HUGE_VAL; }
  /// The residual at the solution, as NewtonEquations::residual; null where the last increment was taken without one.
  Vec residual_at_end() const { return residual_at_end_ ? f_.get() : nullptr; }
  /// The contractions of the steps before were not those of this step.
  void forget_contractions();

  /// Solves the present step of the equations in at most `most` iterations (0: as many as the options allow), all attempts
  /// together. On success `x` holds the solution and the equations' trial
  /// state belongs to it; on failure `x` holds what it did before. Throws what an evaluation threw.
  /// Collective.
  NewtonResult solve(int most = 0);
  /// Iterations that the options allow for an attempt at a step.
  int most_iterations() const { return most_; }

  /// Whether there is a factorized tangent J for the coefficients of the present step, perhaps of an earlier step.
  bool has_tangent() const;
  /// The number of tangents that were factorized so far: another number, another tangent.
  int tangent_number() const { return tangent_number_; }
  /// Replaces it by that at the present trial, for this step and the next ones; false, without a tangent, if this fails.
  /// Collective.
  bool renew_tangent();
  const NewtonEquations& equations() const { return equations_; }
  /// Whether of that tangent stale rows alone were made.
  bool is_renewed_in_part() const { return renewed_; }
  /// Tolerance of the last residual, by kind of block.
  std::array<double, block_kinds> kind_tolerance() const { return convergence_.kind_tolerance(); }
  /// Of the next tangent all rows are made.
  void renew_whole() { whole_ = true; }
  /// After an increment by the tangent that is there, of equations whose tangent it is too, with their scaled residual f: looks for its rows that are
  /// stale; the next tangent may have no others renewed. `tolerance`: of the unscaled residual, by kind of block; `may_be_rounding`: too many rows are no
  /// news.
  void look_for_stale_rows(Vec f, StaleRows::Limits tolerance, bool may_be_rounding);
  /// Solves J y = b with it; false if this fails. Collective.
  bool solve_linear(Vec b, Vec y);
  /// The same for several.
  bool solve_linear(std::span<const Vec> b, std::span<const Vec> y);

  /// Continues from `x` for at most `iterations`, and leaves the last iterate in `x`. Collective.
  NewtonResult approach(int iterations) { return attempt(true, false, iterations); }

  /// Discards the kept tangent: after a change of step, a change of the pattern or a checkpoint.
  void drop_tangent() {
    have_tangent_ = false;
    whole_ = true;
  }
  /// The next solve makes another tangent, of which stale rows may suffice.
  void expire_tangent() { have_tangent_ = false; }
  /// Destroys matrices and solvers after a change of the pattern. The next solve creates them again.
  void reset();
  /// Discards data that only save work: the tangent, its solver with the order of pivots, and the statistics of
  /// kept tangents.
  void drop_factorization();

  /// Why the last solve failed: "|r| = 3.1e4, 92 % of it in joint 'hook' (...), row 3 (...)"; `thorough`
  /// looks for a singular tangent by a factorization of its own, even where the solver's package noticed
  /// nothing. Collective.
  std::string failure(bool thorough);
  /// The entity of the largest residual in the last call of `failure`: "body 'rod' (beam)"; empty if the failure
  /// had another cause.
  const std::string& worst_entity() const { return worst_entity_; }

 private:
  /// `damped`: takes parts of increments, see `damp`.
  NewtonResult attempt(bool fresh, bool damped, int most);
  /// Increments by the tangent that is there, of a solution whose residual is below the tolerance. One of them comes without
  /// another residual: with a kept tangent iterates are accepted just below the tolerance, on one side of the solution, and
  /// what is left would add up over the steps. In dynamics more follow, up to `most` iterations in all, until what is left changes
  /// accelerations by no more than the tolerance. `fresh`: the attempt began with a new tangent. False if the residual was not below
  /// the tolerance, and they do not lead there.
  bool improve(bool fresh, int most);
  /// Begins the increment for a residual whose numbers are about to be exchanged, and adds its own to them.
  void begin_increment(Vec f, RankTotals& totals);
  void create();
  /// The length of an increment, over the model's length and over the sizes of states. Collective.
  double length(Vec increment) const;
  /// That of the increment which the present tangent makes of the last residual. Collective.
  double next_length();
  /// Takes this increment, whose length is `size`; false where x stays, because the increment is infinite or leads outside. Collective.
  bool take_correction(double& size);
  static PetscErrorCode damp(SNESLineSearch search, void* self);
  void damp(SNESLineSearch search);
  static PetscErrorCode form_function(SNES snes, Vec x, Vec f, void* self);
  static PetscErrorCode form_jacobian(SNES snes, Vec x, Mat J, Mat P, void* self);
  static PetscErrorCode test(SNES snes, PetscInt iteration, PetscReal xnorm, PetscReal step, PetscReal fnorm,
                             SNESConvergedReason* reason, void* self);
  /// Evaluates it, and counts the time.
  bool residual(Vec x, Vec f);
  /// That residuals took so far.
  double residual_time() const;
  void function(SNES snes, Vec x, Vec f);
  /// False, on all ranks, where there is none.
  bool jacobian(SNES snes);
  /// Assembles stale rows of the tangent, or all; returns the former, of this rank.
  std::vector<int> make_tangent(LocalFault& fault);
  void forget_cost();
  /// Of the next tangent, in iterations.
  int next_cost() const;
  /// Estimates it in dynamics, after the first, second, fourth, ... factorization. Collective.
  void follow_cost(KSP ksp);
  SNESConvergedReason test(SNES snes, int iteration);
  void want_tangent(SNES snes, bool want);

  NewtonEquations& equations_;
  NewtonOptions options_;
  Timings& timings_;
  OwnedVec x_, f_, start_, correction_;
  OwnedMat J_;
  OwnedSNES snes_;
  ConvergenceTest convergence_;
  std::string line_search_;    ///< as the options say
  bool lasting_ = true;        ///< the entries of `J_` remain after its factorization
  bool whole_steps_ = true;    ///< the line search is PETSc's `basic`
  bool own_lag_ = true;        ///< no option chose how the tangent is kept
  bool have_tangent_ = false;  ///< J is factorized, for `coefficients_`
  int tangent_number_ = 0;
  bool whole_ = true;     ///< of the next tangent all rows are made
  bool renewed_ = false;  ///< of the last only stale rows were
  bool ordered_ = false;  ///< an order of elimination was chosen
  int whole_cost_ = KeptTangent::least_cost;
  StepCoefficients coefficients_;
  KeptTangent kept_;  ///< when to keep it over steps
  unsigned factorized_ = 0;
  bool broken_ = false;   ///< a factorization failed inside a package
  bool regular_ = false;  ///< some tangent of the last solve was factorized
  bool singular_ = false;
  bool rejected_ = false;  ///< an evaluation of the last attempt was outside an element's domain
  double growth_ = 1;      ///< of errors over the steps
  bool displacements_alone_ = false;
  bool unseen_ = false;    ///< the prediction was accepted because of the increment to come
  double unseen_gap_ = 0;  ///< what a residual may have in rows of constraints [m]
  AgeingContraction of_residuals_, of_increments_;  ///< by the first increment of a step with a kept tangent
  int fresh_at_ = -1;                               ///< iteration whose iterate the tangent belongs to
  int factorizations_ = 0;
  int last_iteration_ = 0;
  int most_ = 0;                 ///< iterations, as the options say
  int most_now_ = 0;             ///< of the present attempt
  bool kept_now_ = false;        ///< the present attempt began with a kept tangent
  bool damped_ = false;          ///< the present attempt takes parts of increments
  double damping_ = 1;           ///< fraction of the increment that is tried next
  double corrected_ = HUGE_VAL;  ///< in statics: length from the last prediction to its solution
  double allowed_length_ = 0;    ///< of an increment, at the last iterate that was accepted
  /// Of residuals, by the second iteration of the last solve that had two with a kept tangent.
  double second_contraction_ = 0;
  /// In dynamics: length of increments that were found to be rounding errors, and the most that counts.
  double noise_ = 0, noise_allowed_ = 0;
  double rate_ = 1;                            ///< last observed ratio of increments with the present tangent
  double first_length_ = 0, last_length_ = 0;  ///< of the increments of the present attempt
  FieldNorms carried_;                         ///< of the increment that leads to the next residual
  int lengthened_ = 0;                         ///< increments in a row that were longer than the one before
  double mark_ = 0;                            ///< when the last callback ended
  std::string tangent_rejected_;               ///< why the last attempt got no tangent
  std::string worst_entity_;
  std::string not_finite_;  ///< whose numbers ended the last solve
  std::exception_ptr thrown_;
  std::function<void(RankTotals&)> measure_end_;
  bool end_measured_ = false;
  bool residual_at_end_ = false;
  bool begins_ = false;        ///< the increment for the next residual with that residual
  bool norms_wanted_ = false;  ///< by an option: SNES shall compute its own
  const StopRequest* request_ = nullptr;
  Stop stop_ = Stop::no;
};

}  // namespace trammel
