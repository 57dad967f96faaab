#pragma once

#include <petscksp.h>

#include "solvers/linear/timings.hpp"
#include "solvers/ranks/rank_totals.hpp"

namespace trammel {

class Substructuring;

/// Sets a direct solver by substructuring for `pc`, for a MATMPIAIJ on several ranks. (On one rank it is equivalent
/// to RepeatedLu.)
///
/// The interface is a least set of unknowns that separates the ranks (vertex_cover). Each rank factorizes its interior up to it (PartialLu), and
/// what the interiors leave is factorized together (InterfaceMatrix): a solve costs one reduction of as many numbers as the interface has, or
/// messages up and down a tree of ranks.
/// An interior may be singular though the whole is regular, as multipliers whose bodies lie on the interface are: unknowns without a pivot
/// are promoted to the interface, and stay there while the structure of the matrix is the same. So are, once, those of a nearly singular one
/// where solutions are inaccurate.
///
/// The first solution of each factorization is checked: the backward error of all rows (componentwise: Arioli, Demmel and Duff, SIAM J. Matrix
/// Anal. Appl. 10 (1989) 165), refined as often as it needs to be. MUMPS takes over where that does not help, where the interface's matrix is
/// singular to working precision, and where it or a front of it has more unknowns than `-substructuring_interface_max` (prefix of `pc` first).
///
/// `counts` may be null; else it must outlive `pc`. The option `-pc_type substructuring` asks for the same.
void use_substructuring(PC pc, SubstructuringCounts* counts);

/// Where `ksp` solves by substructuring: does what the solution for b needs of this rank before the interface, and lets `totals` travel with the
/// right-hand side at the interface. If the ranks agree on these before b or the matrix changes, the next KSPSolve for b needs no messages. Every
/// rank must call it.
void begin_solution(KSP ksp, Vec b, RankTotals& totals);

/// What `ksp` solves by; null where this is not substructuring.
Substructuring* substructuring_of(KSP ksp);

/// Makes it known to PETSc's options.
void register_substructuring();

}  // namespace trammel
