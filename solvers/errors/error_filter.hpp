#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "kernel/assembler.hpp"
#include "solvers/errors/alpha_error.hpp"
#include "solvers/errors/local_error.hpp"
#include "solvers/errors/nonzero_matrix.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "solvers/newton/newton.hpp"

namespace trammel {

/// What the equations of a step leave of its local errors.
///
/// Errors e estimated from accelerations are those of free bodies. Constraints and stiffness take part of them back within the
/// step: J^-1 (c_a M + c_v D) e remains of those of displacements, J^-1 c_a M e of those of velocities. J is the tangent of the
/// step, c_v = dv/dx and c_a = dv'/dx. Nothing remains along position constraints, and of a mode of the frequency Omega the part
/// 1/(1 + Omega^2/c_a); constraints of velocities, A v + b = 0, take back nothing of displacements. (docs/steps_by_accuracy.md.)
class ErrorFilter {
 public:
  explicit ErrorFilter(Assembler& assembler) : assembler_(assembler) {}

  /// How accelerations change in a step, by their sum of squares weighted with the diagonal of M. Zero where that is not known.
  struct Change {
    double faster = 0;         ///< than in the steps before, so many times
    double of_velocities = 0;  ///< the change over the velocities at the end of the step [1/s]
  };
  /// Where accelerations change so many times faster than in the steps before, their errors remain as they are: stiffness that has
  /// just arisen may soon be gone.
  static constexpr double sudden = 4;

  /// Of a step that ends at `end`. `errors`, `time` and `a`: as AlphaError::estimate has them. Collective.
  Change change(const State& end, const AlphaError& errors, double time, std::span<const double> a);
  /// Filters the errors of kinematic blocks in the step for which `change` was called last. `newton` has solved its equations.
  /// Those of coordinates without mass remain as they are, and all where there is no tangent for this step. Collective.
  /// `row_scale`: as for `filter`, of this tangent.
  void apply(const StepCoefficients& step, double row_scale, Newton& newton, LocalError& error);
  /// Solves J y = b for each b; false if this fails.
  using Solve = std::function<bool(std::span<const Vec> b, std::span<const Vec> y)>;
  /// Errors e, in the order of LocalError, and what remains of them.
  struct Field {
    const std::vector<double>* e = nullptr;
    double c_v = 0;
    std::vector<double>* out = nullptr;
    bool fine = false;  ///< all that remains is finite
  };
  static constexpr std::size_t most_fields = 2;
  /// Finds J^-1 (c_a M + c_v D) e of the kinematic numbers of each field, with M and D of `change`. Others remain.
  /// The right-hand side has c_v A e in the rows of velocity constraints, which J has multiplied by `row_scale`. False where some have no
  /// value. Collective.
  bool filter(double c_a, double row_scale, const Solve& solve, std::span<Field> fields);
  /// Discards M and D: before a checkpoint, or after a change of the pattern. The next call makes them again.
  void drop() {
    M_.reset();
    D_.reset();
    all_.reset();
  }

 private:
  /// `numbers`: of a LocalError.
  bool prepare(const State& end, std::size_t numbers);
  bool assemble(const State& end, double mass, double damping, NonzeroMatrix& out);
  /// Puts the kinematic numbers of `e` into free_.
  void take(const std::vector<double>& e, double times);
  void push(double c_a, double row_scale, const Field& field, Vec pushed, Vec right);
  /// Takes what remains from the solution.
  void take_rest(Vec solution, Field& field) const;
  /// `use(its place in a local vector, its place in a LocalError)` of the owned numbers of kinematic blocks.
  template <class Use>
  void each_kinematic(Use&& use) const;

  Assembler& assembler_;
  NonzeroMatrix M_, D_;
  OwnedMat all_;                             ///< what these are made from
  std::vector<double> mass_;                 ///< the diagonal of M, in the order of LocalError
  OwnedVec free_;                            ///< zero in rows that are not written
  std::array<OwnedVec, most_fields> right_;  ///< likewise
  std::array<OwnedVec, most_fields> pushed_;
  std::vector<double> displacement_, velocity_;
  int age_ = 0;  ///< steps since M and D were made
};

}  // namespace trammel
