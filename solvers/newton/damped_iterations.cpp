// Iterations of Newton's method that take parts of increments.

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "solvers/newton/newton.hpp"

namespace trammel {

namespace {

// An unknown that changes by so much shows that the tangent was almost singular.
constexpr double farthest = 1e6;
// The least part of such an increment that is tried.
constexpr double least_part = 1e-10;
// An increment of less than this, over the model's length, is rounding.
constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();

}  // namespace

PetscErrorCode Newton::damp(SNESLineSearch search, void* self) {
  Newton& newton = *static_cast<Newton*>(self);
  try {
    newton.damp(search);
  } catch (...) {
    newton.thrown_ = std::current_exception();
    return SNESLineSearchSetReason(search, SNES_LINESEARCH_FAILED_FUNCTION);
  }
  return 0;
}

/// Takes the part of an increment after which the same tangent asks for a shorter one (natural monotonicity test: Deuflhard,
/// Newton Methods for Nonlinear Problems, Springer 2004, sections 3.3.2 and 3.3.3). The residual itself is no measure: a
/// slender beam that bends is lengthened to second order, and its forces grow by 1e6 before they fall.
void Newton::damp(SNESLineSearch search) {
  const double begin = MPI_Wtime();
  const double counted = residual_time();
  timings_.solve += begin - mark_;
  Vec X = nullptr, F = nullptr, Y = nullptr, W = nullptr, G = nullptr;
  TRAMMEL_PETSC(SNESLineSearchGetVecs(search, &X, &F, &Y, &W, &G));
  SNES snes = snes_.get();
  KSP ksp = nullptr;
  TRAMMEL_PETSC(SNESGetKSP(snes, &ksp));
  Vec next = correction_.get();
  const double size = length(Y);
  bool accepted = false, whole = true;
  PetscReal largest = 0;
  TRAMMEL_PETSC(VecNorm(Y, NORM_INFINITY, &largest));
  damping_ = std::isfinite(size) ? std::min(damping_, farthest / std::max(largest, farthest)) : 0.0;
  const double least = least_part * damping_;
  while (damping_ > least) {
    const double part = damping_;
    TRAMMEL_PETSC(VecWAXPY(W, -part, Y, X));
    PetscReal norm = 0;
    const bool inside = residual(W, G);
    if (inside) TRAMMEL_PETSC(VecNorm(G, NORM_2, &norm));
    double wished = 0.1 * part;
    if (inside && std::isfinite(norm)) {
      if (size <= rounding) {
        accepted = true;
        break;
      }
      TRAMMEL_PETSC(KSPSolve(ksp, G, next));
      const double left = length(next);
      accepted = left <= (1 - 0.25 * part) * size;
      if (accepted) break;
      // The error beyond the linear part is quadratic.
      TRAMMEL_PETSC(VecAXPY(next, -(1 - part), Y));
      const double bent = length(next);
      if (std::isfinite(bent) && bent > 0) wished = 0.5 * size * part * part / bent;
    }
    whole = false;
    damping_ = std::clamp(wished, 0.1 * part, 0.5 * part);
  }
  if (accepted) {
    PetscReal norm = 0, x_norm = 0, y_norm = 0;
    TRAMMEL_PETSC(VecCopy(W, X));
    TRAMMEL_PETSC(VecCopy(G, F));
    TRAMMEL_PETSC(VecNorm(F, NORM_2, &norm));
    TRAMMEL_PETSC(VecNorm(X, NORM_2, &x_norm));
    TRAMMEL_PETSC(VecNorm(Y, NORM_2, &y_norm));
    TRAMMEL_PETSC(SNESLineSearchSetNorms(search, x_norm, norm, y_norm));
    TRAMMEL_PETSC(SNESLineSearchSetLambda(search, damping_));
    TRAMMEL_PETSC(SNESLineSearchSetReason(search, SNES_LINESEARCH_SUCCEEDED));
    damping_ = std::min(1.0, (whole ? 4 : 2) * damping_);
  } else {
    TRAMMEL_PETSC(SNESLineSearchSetReason(search, SNES_LINESEARCH_FAILED_REDUCT));
  }
  mark_ = MPI_Wtime();
  timings_.solve += mark_ - begin - (residual_time() - counted);
}

}  // namespace trammel
