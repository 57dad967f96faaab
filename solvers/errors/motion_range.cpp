#include "solvers/errors/motion_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "trammel/index.hpp"

namespace trammel {

namespace {

// The range of any channel counts as at least this fraction of the largest range of its kind.
constexpr double least_part = 0.1;
// For the least range of a length, a rotation counts as a displacement of this fraction of the model's length per
// radian; and the reverse.
constexpr double of_other_kind = 0.1;
// Rounding error of a step, as a fraction of a position.
constexpr double digits = 16 * std::numeric_limits<double>::epsilon();

// Fraction of this rounding error that accumulates, because its sign alternates.
constexpr double of_rounding = 1.0 / 16;
// A motion may still cover more than this part of the model.
constexpr double least_range = 1e-3;

/// `without`: of numbers that do not count; all do where it is null.
double norm(const double* numbers, int size, const char* without = nullptr) {
  double square = 0;
  for (int k = 0; k < size; ++k)
    if (without == nullptr || without[k] == 0) square += numbers[k] * numbers[k];
  return std::sqrt(square);
}

}  // namespace

MotionRange::MotionRange(const Layout& layout, const Model& model, double length)
    : layout_(&layout), model_(&model), length_(length > 0 ? length : 1.0) {
  std::vector<Channel> channels;
  each_with_error(layout, [&](const UnknownBlock& u, std::size_t packed) {
    Channel its{u.block,         lengths, u.kind == BlockKind::rotation, 3, packed, at(u.offset.value),
                at(u.offset.dof)};
    if (u.kind == BlockKind::position || u.kind == BlockKind::rotation) {
      its.kind = its.turns ? angles : lengths;
      return channels.push_back(its);
    }
    its.size = 1;
    for (int k = 0; k < u.size; ++k) {
      const Measure measure = model.block(u.block).measure(k);
      its.kind = measure.is_length() ? lengths : measure.is_angle() ? angles : others;
      channels.push_back(its);
      ++its.packed;
      ++its.value;
      ++its.dof;
    }
  });
  channels_ = std::make_shared<const std::vector<Channel>>(std::move(channels));
}

void MotionRange::begin(const State& state, std::vector<char> massless) {
  low_.clear();
  massless_.clear();
  each_with_error(*layout_, [&](const UnknownBlock& u, std::size_t) {
    for (int k = 0; k < u.size; ++k) massless_.push_back(massless[at(u.offset.dof + k)]);
    const double* value = &state.value[at(u.offset.value)];
    if (u.kind == BlockKind::rotation) {
      // The first orientation, as a vector of its quaternion with a scalar part that is not negative.
      const double sign = value[9] < 0 ? -1 : 1;
      for (int k = 0; k < 3; ++k) low_.push_back(sign * value[10 + k]);
    } else {
      low_.insert(low_.end(), value, value + u.size);
    }
  });
  high_ = low_;
  for (const Channel& its : *channels_)
    if (its.turns) high_[its.packed] = 0;
  fastest_.assign(low_.size(), 0.0);
  largest_ = {};
  include(state);
}

void MotionRange::include(const State& state) {
  for (const Channel& its : *channels_) {
    const std::size_t packed = its.packed;
    const double* value = &state.value[its.value];
    if (its.turns) {
      const Vec3 v(low_[packed], low_[packed + 1], low_[packed + 2]);
      const Quaternion start(std::sqrt(std::max(0.0, 1 - v.squaredNorm())), v.x(), v.y(), v.z());
      high_[packed] = std::max(high_[packed], start.angularDistance(quaternion_of(value)));
    } else {
      for (int k = 0; k < its.size; ++k) {
        low_[packed + at(k)] = std::min(low_[packed + at(k)], value[k]);
        high_[packed + at(k)] = std::max(high_[packed + at(k)], value[k]);
      }
    }
    fastest_[packed] = std::max(fastest_[packed], norm(&state.rate[its.dof], its.size));
    if (its.kind == others || massless_[packed] != 0) continue;
    const Ranges r = ranges(its);
    largest_[its.kind] = std::max(largest_[its.kind], r.displacement);
    largest_[kinds + its.kind] = std::max(largest_[kinds + its.kind], r.velocity);
  }
  MPI_Allreduce(MPI_IN_PLACE, largest_.data(), static_cast<int>(largest_.size()), MPI_DOUBLE, MPI_MAX,
                layout_->comm());
}

MotionRange::Ranges MotionRange::ranges(const Channel& its) const {
  const std::size_t packed = its.packed;
  if (its.turns) return {std::min(high_[packed], std::numbers::pi), fastest_[packed]};
  double square = 0;
  for (std::size_t k = packed; k < packed + at(its.size); ++k)
    square += (high_[k] - low_[k]) * (high_[k] - low_[k]);
  return {std::sqrt(square), fastest_[packed]};
}

double MotionRange::floor(Kind kind, bool of_velocity) const {
  const std::size_t from = of_velocity ? kinds : 0;
  const double length = largest_[from + lengths], angle = largest_[from + angles];
  if (kind == lengths) return least_part * std::max(length, of_other_kind * length_ * angle);
  if (kind == angles) return least_part * std::max(angle, of_other_kind * length / length_);
  return 0;
}

double MotionRange::time() const {
  double shortest = std::numeric_limits<double>::infinity();
  for (const Kind kind : {lengths, angles})
    if (largest_[kinds + kind] > 0) shortest = std::min(shortest, largest_[kind] / largest_[kinds + kind]);
  return shortest;
}

double MotionRange::rounding(const Channel& its, const State& end) const {
  double magnitude = its.kind == lengths ? length_ : its.kind == angles ? 1.0 : 0.0;
  if (!its.turns)
    for (int k = 0; k < its.size; ++k)
      magnitude = std::max(magnitude, std::abs(end.value[its.value + at(k)]));
  return digits * magnitude;
}

void MotionRange::drop_rounding(LocalError& error, const State& end, double h) const {
  for (const Channel& its : *channels_) {
    double* const velocity = &error.velocity[its.packed];
    // Velocities are known to the rounding of displacements over h.
    if (norm(velocity, its.size) * h <= rounding(its, end)) std::fill_n(velocity, its.size, 0.0);
  }
}

void MotionRange::find_smaller(const std::vector<double>& amplitude, double least, double ahead,
                               std::vector<char>& out) const {
  out.assign(amplitude.size(), 0);
  const std::array<double, 2> floors{floor(lengths, false), floor(angles, false)};
  for (const Channel& its : *channels_) {
    if (its.kind == others) continue;
    const Ranges own = ranges(its);
    const double range = std::max({own.displacement, own.velocity * ahead, floors[its.kind]});
    if (norm(&amplitude[its.packed], its.size) < least * range)
      std::fill_n(&out[its.packed], its.size, char{1});
  }
}

double MotionRange::judge(std::span<Judged> errors, const State& end, double h, double ahead) const {
  std::array<double, most_judged + 1> largest{};  // the last one is of rounding
  const std::array<double, kinds> least_displacement{floor(lengths, false), floor(angles, false), 0},
      least_velocity{floor(lengths, true), floor(angles, true), 0};
  for (const Channel& its : *channels_) {
    const std::size_t packed = its.packed;
    if (massless_[packed] != 0) continue;
    const Ranges own = ranges(its);
    const double lost = rounding(its, end), magnitude = lost / digits;
    const double range = std::max({own.displacement, own.velocity * ahead, least_displacement[its.kind]});
    const double speed = std::max(
        {own.velocity, norm(&end.acceleration[its.dof], its.size) * ahead, least_velocity[its.kind]});
    for (std::size_t n = 0; n < errors.size(); ++n) {
      const Judged& error = errors[n];
      if (!error.displacement.empty()) {
        const char* const without = error.without.empty() ? nullptr : &error.without[packed];
        const double moved = error.times * norm(&error.displacement[packed], its.size, without);
        if (moved * h > lost) largest[n] = std::max(largest[n], moved / std::max(range, lost));
      }
      if (!error.velocity.empty() && speed > 0)
        largest[n] = std::max(largest[n], norm(&error.velocity[packed], its.size) / speed);
    }
    if (range > 0 && its.kind != others)
      largest.back() =
          std::max(largest.back(), of_rounding * lost / std::max(range, least_range * magnitude));
  }
  MPI_Allreduce(MPI_IN_PLACE, largest.data(), static_cast<int>(largest.size()), MPI_DOUBLE, MPI_MAX,
                layout_->comm());
  for (std::size_t n = 0; n < errors.size(); ++n) errors[n].largest = largest[n];
  return largest.back();
}

NamedNumber MotionRange::worst(const std::vector<double>& displacement) const {
  NamedNumber worst;
  const std::array<double, kinds> least{floor(lengths, false), floor(angles, false), 0};
  for (const Channel& its : *channels_) {
    if (massless_[its.packed] != 0) continue;
    const double moved = norm(&displacement[its.packed], its.size),
                 range = std::max(ranges(its).displacement, least[its.kind]);
    if (!(range > 0) || !(moved > worst.number * range)) continue;
    worst.number = moved / range;
    worst.where = model_->block_name(its.block);
  }
  return largest_of_ranks(std::move(worst), layout_->comm());
}

}  // namespace trammel
