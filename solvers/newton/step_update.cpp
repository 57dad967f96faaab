// The trial of a step by its increment, with the norms that belong to it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/newton/frame_norms.hpp"
#include "solvers/newton/step_equations.hpp"
#include "solvers/newton/unknown_runs.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

void take(double& norm, double largest) { norm = std::max(norm, largest); }

// Frames whose numbers stay in the first cache until their rotations are turned.
constexpr int frames_at_once = 32;

}  // namespace

bool StepEquations::update(const double* x) {
  norms_ = {};
  too_far_ = -1;
  auto rotation = rotations_.begin();
  const auto turn_before = [&](int last) {
    const auto begin = rotation;
    while (rotation != rotations_.end() && rotation->unknown < last) ++rotation;
    turn_rotations({begin, rotation}, turned_, base_->value.data(), trial_.value.data());
  };
  for (const BlockRun& run : runs_) {
    switch (run.of) {
      case BlockRun::Of::frames:
        for (int first = run.first; first < run.last; first += 2 * frames_at_once) {
          const int last = std::min(first + 2 * frames_at_once, run.last);
          move_frames(run, first, last, x);
          turn_before(last);
        }
        break;
      case BlockRun::Of::multipliers:
      case BlockRun::Of::velocity_multipliers:
        RunNumbers(trial_.value.data() + run.value, run.size) =
            stiffness_ * ConstRunNumbers(x + run.local, run.size);
        break;
      case BlockRun::Of::others:
        for (int i = run.first; i < run.last; ++i) move_block(i, x);
        turn_before(run.last);
        break;
    }
  }
  assembler_.layout().update_shared(trial_);
  return too_far_ < 0;
}

void StepEquations::move_frames(const BlockRun& run, int first, int last, const double* x) {
  const StepCoefficients c = coefficients_;
  const int frame = (first - run.first) / 2, number = frame_size * frame, place = frame_values * frame;
  const double* from = x + run.local + number;
  const double *v0 = rate_offset_.data() + run.dof + number,
               *a0 = acceleration_offset_.data() + run.dof + number;
  const double *base = base_->value.data() + run.value + place,
               *rest = base_->compensation.data() + run.dof + number;
  double *rate = trial_.rate.data() + run.dof + number,
         *acceleration = trial_.acceleration.data() + run.dof + number;
  double *value = trial_.value.data() + run.value + place,
         *compensation = trial_.compensation.data() + run.dof + number;
  FrameMaxima sizes, accelerations;
  double angular = 0;
  for (int i = first, k = 0, n = 0; i < last; i += 2, k += frame_size, n += frame_values) {
    const FrameNumbers dx = frame_at(from + k);
    sizes.take(dx.abs());
    const FrameNumbers v = c.velocity * dx + frame_at(v0 + k);
    Eigen::Map<FrameNumbers>{rate + k} = v;
    const FrameNumbers speed = v.abs();
    const double fastest = largest_of_three(speed[3], speed[4], speed[5]);
    const FrameNumbers a = c.acceleration * dx + frame_at(a0 + k);
    Eigen::Map<FrameNumbers>{acceleration + k} = a;
    const FrameNumbers faster = a.abs();
    accelerations.take(faster);
    angular = std::max(angular, largest_of_three(faster[3], faster[4], faster[5]) + fastest * fastest);
    for (int j = 0; j < 3; ++j) set_sum(value[n + j], compensation[k + j], base[n + j], rest[k + j], dx[j]);
    turn(i + 1, turns_.empty() ? Vec3(dx.tail<3>()) : turns_[at(i + 1)]);
  }
  take(norms_.size[FieldNorms::displacement], sizes.of_positions());
  take(norms_.size[FieldNorms::rotation], scales_.length * sizes.of_rotations());
  take(norms_.acceleration, accelerations.of_positions());
  take(norms_.angular_acceleration, angular);
}

void StepEquations::turn(int i, const Vec3& theta) {
  // Beyond half a turn the increment is not the only one that leads there.
  if (!(theta.squaredNorm() < std::numbers::pi * std::numbers::pi)) too_far_ = i;
  turned_[at(i)] = theta;
}

void StepEquations::move_block(int i, const double* x) {
  const UnknownBlock& u = assembler_.layout().unknowns()[at(i)];
  if (u.size == 0) return;
  if (is_kinematic(u.kind)) return move_kinematic(i, u, x);
  const double* from = x + u.local;
  double* value = trial_.value.data() + u.offset.value;
  if (is_multiplier(u.kind))
    for (int k = 0; k < u.size; ++k) value[k] = stiffness_ * from[k];
  else if (u.kind == BlockKind::algebraic)
    move_algebraic(u, from, value);
  else
    move_states(i, u, from, value);
}

void StepEquations::move_algebraic(const UnknownBlock& u, const double* from, double* value) {
  const double* base = base_->value.data() + u.offset.value;
  double& size = norms_.size[FieldNorms::algebraic_increment];
  for (int k = 0; k < u.size; ++k) {
    const std::size_t place = at(u.local + k);
    const double increment = algebraic_column_[place] * from[k];
    value[k] = base[k] + increment;
    const double its_size = std::max({typical_[place], std::abs(base[k]), std::abs(value[k])});
    metres_[place] = algebraic_column_[place] / its_size;
    size = std::max(size, std::abs(increment) / its_size);
  }
}

void StepEquations::move_states(int i, const UnknownBlock& u, const double* from, double* value) {
  const double per_time = coefficients_.state_rate;
  const double* base = base_->value.data() + u.offset.value;
  const double* v0 = rate_offset_.data() + u.offset.dof;
  double* rate = trial_.rate.data() + u.offset.dof;
  double &size = norms_.size[FieldNorms::state_increment], &largest = norms_.state_rate;
  double far = 0;
  for (int k = 0; k < u.size; ++k) {
    const std::size_t place = at(u.local + k);
    value[k] = base[k] + from[k];
    rate[k] = per_time * from[k] + v0[k];
    // A state larger than its nominal size is compared with its own magnitude.
    const double its_size = std::max({typical_[place], std::abs(base[k]), std::abs(value[k])});
    metres_[place] = of_row_[place] = 1 / its_size;
    size = std::max(size, std::abs(from[k]) / its_size);
    // The rate that changes y by itself in a step counts: a state that stands still has no other scale.
    largest = std::max({largest, std::abs(rate[k]) / its_size, per_time * std::abs(value[k]) / its_size});
    far = std::max(far, std::abs(value[k]) / typical_[place]);
  }
  known_to_[at(i)] =
      rounding_[at(u.local)] + std::numeric_limits<double>::epsilon() * state_gain_[at(i)] * far;
}

void StepEquations::move_kinematic(int i, const UnknownBlock& u, const double* x) {
  const StepCoefficients& c = coefficients_;
  const double* from = x + u.local;
  const double *v0 = rate_offset_.data() + u.offset.dof, *a0 = acceleration_offset_.data() + u.offset.dof;
  const double* metres = metres_.from(u.local);
  double *rate = trial_.rate.data() + u.offset.dof, *acceleration = trial_.acceleration.data() + u.offset.dof;
  double size = 0, fastest = 0, speed = 0;
  for (int k = 0; k < u.size; ++k) {
    const double v = c.velocity * from[k] + v0[k], a = c.acceleration * from[k] + a0[k];
    size = std::max(size, std::abs(from[k]) * metres[k]);
    fastest = std::max(fastest, std::abs(a));
    speed = std::max(speed, std::abs(v));
    rate[k] = v;
    acceleration[k] = a;
  }
  const double* mu = u.stabilizing_local >= 0 ? x + u.stabilizing_local : nullptr;
  if (u.kind == BlockKind::rotation) {
    Vec3 theta(from[0], from[1], from[2]);
    if (mu != nullptr) theta -= Eigen::Map<const Vec3>(mu);
    turn(i, turns_.empty() ? theta : turns_[at(i)]);
    take(norms_.angular_acceleration, fastest + speed * speed);
    take(norms_.size[FieldNorms::rotation], size);
    return;
  }
  const bool position = u.kind == BlockKind::position;
  const double* base = base_->value.data() + u.offset.value;
  double* value = trial_.value.data() + u.offset.value;
  const double* base_compensation = base_->compensation.data() + u.offset.dof;
  double* compensation = trial_.compensation.data() + u.offset.dof;
  for (int k = 0; k < u.size; ++k) {
    const double moved = from[k] - (mu != nullptr ? mu[k] : 0.0);
    if (position)
      set_sum(value[k], compensation[k], base[k], base_compensation[k], moved);
    else
      value[k] = base[k] + moved;
  }
  take(norms_.size[position ? FieldNorms::displacement : FieldNorms::coordinate], size);
  if (position) return take(norms_.acceleration, fastest);
  const double* typical = typical_.from(u.local);
  for (int k = 0; k < u.size; ++k)
    take(norms_.generalized_acceleration, std::abs(acceleration[k]) / typical[k]);
}

}  // namespace trammel
