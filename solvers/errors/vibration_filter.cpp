#include "solvers/errors/vibration_filter.hpp"

#include <cmath>
#include <utility>

#include "kernel/collective_errors.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {
// Steps longer than this part of the time leave vibrations to ErrorFilter.
constexpr double longest = 0.25;
// Times after which a tangent is in use: contacts that last longer vibrate more slowly.
constexpr double old_enough = 3;
// A tangent for a time that is so many times too long is made anew.
constexpr double too_slow = 1.5;
// Steps between two looks at the vibrations that are there.
constexpr int between_looks = 4;
}  // namespace

bool VibrationFilter::takes_step() const { return step_ <= longest * time_; }

void VibrationFilter::reset() {
  drop();
  for (Tangent& each : tangents_) each = Tangent();
}

int VibrationFilter::make(double at, double time) {
  const int place = ready_ == 0 ? 1 : 0;
  Tangent& out = tangents_[place];
  const Layout& layout = equations_.assembler().layout();
  if (!out.ksp) {
    TRAMMEL_PETSC(KSPCreate(layout.comm(), out.ksp.fill()));
    set_default_solver(out.ksp.get(), layout.ranks(), &timings_.substructuring);
    TRAMMEL_PETSC(KSPSetFromOptions(out.ksp.get()));
    out.J = OwnedMat(equations_.create_matrix(!reads_once(out.ksp.get())));
  }
  // Increments of rotations are small in steps that are filtered.
  const std::vector<Mat3> T(layout.unknowns().size(), Mat3::Identity());
  LocalFault fault;
  equations_.tangent(out.J.get(), alpha_.of_step(time), T, fault);
  if (!equations_.assembler().agree(fault)) return Tangent::none;
  TRAMMEL_PETSC(KSPSetOperators(out.ksp.get(), out.J.get(), out.J.get()));
  const double begin = MPI_Wtime();
  bool broken = false;
  const bool made = factorize(out.ksp.get(), broken);
  ++timings_.factorizations;
  timings_.factorization += MPI_Wtime() - begin;
  out.made = at;
  out.time = time;
  out.row_scale = equations_.rate_stiffness();
  if (broken) out = Tangent();
  return made ? place : Tangent::none;
}

bool VibrationFilter::filter(ErrorFilter& by, const Tangent& tangent, std::span<ErrorFilter::Field> fields) {
  const ErrorFilter::Solve solve_all = [&](std::span<const Vec> b, std::span<const Vec> y) {
    return solve(tangent.ksp.get(), b, y);
  };
  return by.filter(alpha_.of_step(tangent.time).acceleration, tangent.row_scale, solve_all, fields);
}

void VibrationFilter::apply(ErrorFilter& by, Vec x, double start, LocalError& error) {
  if (!takes_step()) return;
  if (ready_ == Tangent::none ? latest_ == Tangent::none : tangents_[ready_].time > too_slow * time_) {
    // Steps have become short: the state from which this one begins is as old as the longer steps before.
    const OwnedVec unmoved(equations_.create_vector());
    TRAMMEL_PETSC(VecZeroEntries(unmoved.get()));
    drop();
    // The solution includes what a form of the constraints has added to that of the equations.
    State solution = equations_.solution();
    if (equations_.move_to(unmoved.get())) ready_ = make(start, time_);
    equations_.move_to(x);
    std::swap(equations_.solution(), solution);
  }
  if (ready_ == Tangent::none) return;
  const Tangent& tangent = tangents_[ready_];
  error.vibrating.resize(error.velocity.size());
  ErrorFilter::Field fields[]{{&error.displacement, alpha_.of_step(tangent.time).velocity, &displacement_},
                              {&error.velocity, 0, &filtered_}};
  if (!filter(by, tangent, fields)) return;
  for (std::size_t i = 0; i < filtered_.size(); ++i)
    error.vibrating[i] = std::abs(error.displacement[i] - displacement_[i]) +
                         tangent.time * std::abs(error.velocity[i] - filtered_[i]);
  error.displacement.swap(displacement_);
  error.velocity.swap(filtered_);
  error.without_vibrations = true;
  error.c_a = alpha_.of_step(tangent.time).acceleration;
  error.vibration.clear();
  if (looked_ % between_looks == 0) find_vibration(by, tangent, error);
}

void VibrationFilter::find_vibration(ErrorFilter& by, const Tangent& tangent, LocalError& error) {
  accelerations_.clear();
  const std::vector<double>& all = equations_.trial().acceleration;
  each_with_error(equations_.assembler().layout(), [&](const UnknownBlock& u, std::size_t) {
    for (std::size_t k = at(u.offset.dof); k < at(u.offset.dof + u.size); ++k)
      accelerations_.push_back(is_kinematic(u.kind) ? all[k] : 0.0);
  });
  // Of a mode of the frequency W and the acceleration a the first leaves a W^2 / (c_a + W^2), the second of that 1 / (c_a + W^2): of
  // fast ones a / W^2.
  ErrorFilter::Field field[]{{&accelerations_, 0, &filtered_}};
  if (!filter(by, tangent, field)) return;
  for (std::size_t i = 0; i < filtered_.size(); ++i) accelerations_[i] -= filtered_[i];
  if (!filter(by, tangent, field)) return;
  const double c_a = alpha_.of_step(tangent.time).acceleration;
  error.vibration.resize(filtered_.size());
  for (std::size_t i = 0; i < filtered_.size(); ++i) error.vibration[i] = std::abs(filtered_[i]) / c_a;
}

void VibrationFilter::accepted(double end, bool event) {
  ++looked_;
  // After an event stiffness may just have arisen: the next tangent must become old enough first.
  if (event || !takes_step()) drop();
  if (!event && !takes_step()) return;
  if (latest_ != Tangent::none) {
    if (end - tangents_[latest_].made < old_enough * tangents_[latest_].time) return;
    ready_ = latest_;
  }
  latest_ = make(end, time_);
}

}  // namespace trammel
