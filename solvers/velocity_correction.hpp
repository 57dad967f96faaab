#pragma once

#include <string>
#include <vector>

#include "solvers/constrained_mass.hpp"

namespace trammel {

/// Makes the end of an implicit step satisfy B v + C_t = 0: positions stay, velocities change by dv, and with them
/// accelerations and the rates of first-order states by `ratio` times as much, and multipliers, so that the equations of motion
/// go on to hold. Newton's method with the matrix [M + D / ratio, B^T; B, 0], whose factorization is kept while it converges.
/// Every function is collective.
class VelocityCorrection {
 public:
  /// `mass` must outlive it.
  explicit VelocityCorrection(ConstrainedMass& mass) : mass_(mass) {}

  /// `tolerance`: of velocities and multipliers, as a part of the largest. False where they cannot be corrected, see `why`.
  bool correct(State& state, double ratio, double tolerance);
  /// The matrix is made anew next time.
  void drop() { prepared_ = waits_ = patience_ = 0; }

  /// `use(unknown block, change)` with the last change of the velocities of kinematic blocks, and of the rates of first-order
  /// states.
  template <class Use>
  void each_change(Use&& use) const {
    for (const UnknownBlock& u : mass_.assembler().layout().unknowns())
      if (has_rate(u.kind)) use(u, change_.data() + u.local);
  }
  /// What is left of the rates, by the contraction seen, over all ranks [m/s or rad/s].
  double rate() const { return rate_; }
  std::string why() const { return why_; }

 private:
  /// A change of velocities and one of multipliers, or the sizes that they are parts of; over all ranks.
  struct Sizes {
    double velocity = 0, multiplier = 0;
  };
  bool open(const State& state, double ratio);
  bool prepare(const State& state, double ratio);
  void apply(State& state, double ratio);
  Sizes sizes(const State& state) const;
  Sizes change(double ratio) const;
  bool holds(const UnknownBlock& u, int k) const;

  ConstrainedMass& mass_;
  int prepared_ = 0;  ///< ConstrainedMass::preparation of the matrix that is kept; 0: none
  int waits_ = 0,
      patience_ = 0;        ///< steps that make a matrix of their own: to come, and after the last failure
  double ratio_ = 0;        ///< that it was made for
  double contraction_ = 1;  ///< last seen with it
  double rate_ = 0;
  std::string why_;
  std::vector<double> change_;  ///< by local unknown
};

}  // namespace trammel
