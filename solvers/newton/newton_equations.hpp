#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/newton/convergence.hpp"
#include "solvers/newton/stale_rows.hpp"
#include "solvers/newton/step_coefficients.hpp"
#include "solvers/ranks/rank_totals.hpp"

namespace trammel {

/// The equations of one step, f(x) = 0, for Newton's method. Their vectors and matrices contain the unknowns of the
/// layout once, or once for each stage of the method. Every function is collective, except those that return a
/// reference.
class NewtonEquations {
 public:
  virtual ~NewtonEquations() = default;

  /// A vector of the unknowns, and a matrix of the tangent's pattern; both owned by the caller.
  virtual Vec create_vector() const = 0;
  virtual Mat create_matrix(bool lasting) = 0;

  /// Computes the scales of algebraic equations at the start of the present step. Call only when the tangent is
  /// made again.
  virtual void rescale() = 0;
  /// The trial state at x, and the scaled residual there; false where the trial is rejected.
  virtual bool residual(Vec x, Vec f) = 0;
  /// The trial state at x alone; false where this rank rejects it.
  virtual bool move_here(Vec x) = 0;
  /// The scaled tangent at the x of the last residual. An exception of an instance is stored in `fault`, on which the ranks have yet to
  /// agree.
  virtual void tangent(Mat J, LocalFault& fault) = 0;
  /// Looks for stale rows of the kept tangent in a scaled residual that an increment by it has left; `most`: unscaled limits;
  /// `may_be_rounding`: too many rows are no news.
  virtual void look_for_stale_rows(Vec /*f*/, StaleRows::Limits /*most*/, bool /*may_be_rounding*/) {}
  /// Those found; null where none are sought.
  virtual StaleRows* stale_rows() { return nullptr; }
  /// As `tangent`, of the stale rows alone; false, with nothing done, where they do not suffice.
  virtual bool renew_stale_rows(Mat /*J*/, LocalFault& /*fault*/) { return false; }
  /// Rows of the tangent that turn with bodies at the last trial, ascending, where only few do: they are the first to become stale.
  virtual std::vector<int> turning_rows() const { return {}; }
  /// A matrix with the layout's numbering that is singular where the last tangent `J` is, for messages.
  virtual Mat diagnosed(Mat J) const { return J; }

  /// Norms of increments and requests that are sent to the other ranks together with the norms of the next
  /// residual.
  virtual void carry(const FieldNorms& norms) = 0;
  /// Calls `add` with each residual f before the ranks agree on it, for what shall travel along.
  virtual void send_along(const std::function<void(Vec f, RankTotals& totals)>& /*add*/) {}
  /// The norms of the last residual and those given to `carry`, over all ranks.
  virtual const FieldNorms& norms() const = 0;
  /// Adds the norms of an increment of x to `norms`.
  virtual void measure_change(Vec change, FieldNorms& norms) const = 0;

  /// The state to which messages about a failure refer.
  virtual const State& trial() const = 0;
  /// "an increment turns 'rod.rotation' by 3.4 rad, half a turn or more" where that rejected the last trial, else empty.
  virtual std::string turned_too_far() const = 0;
  /// Whether the last residual was a number in every row; true where its state was none.
  virtual bool residual_is_finite() const = 0;
  /// Assembler::not_finite at the last trial.
  virtual std::string not_finite() const = 0;

  virtual Assembler& assembler() const = 0;
  virtual const ModelScales& scales() const = 0;
  /// Those that the tangent depends on: with others it is another one.
  virtual const StepCoefficients& coefficients() const = 0;
  virtual ConstraintLevel level() const = 0;
  /// What a unit of a position constraint's error costs, and of a velocity constraint's [N/m, N s/m].
  virtual double stiffness() const = 0;
  virtual double rate_stiffness() const = 0;
};

}  // namespace trammel
