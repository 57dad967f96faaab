#include "solvers/errors/motion_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

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

}  // namespace

MotionRange::MotionRange(const Layout& layout, const Model& model, double length)
    : layout_(&layout), model_(&model), length_(length > 0 ? length : 1.0) {}

template <class Use>
void MotionRange::each_channel(Use&& use) const {
  each_with_error(*layout_, [&](const UnknownBlock& u, std::size_t packed) {
    if (u.kind == BlockKind::position || u.kind == BlockKind::rotation)
      return use(u, u.kind == BlockKind::position ? lengths : angles, 0, 3, packed);
    for (int k = 0; k < u.size; ++k) {
      const Measure measure = model_->block(u.block).measure(k);
      use(u, measure.is_length() ? lengths : measure.is_angle() ? angles : others, k, 1, packed + at(k));
    }
  });
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
  each_channel([&](const UnknownBlock& u, Kind, int, int, std::size_t packed) {
    if (u.kind == BlockKind::rotation) high_[packed] = 0;
  });
  fastest_.assign(low_.size(), 0.0);
  largest_ = {};
  include(state);
}

void MotionRange::include(const State& state) {
  each_channel([&](const UnknownBlock& u, Kind kind, int first, int size, std::size_t packed) {
    const double* value = &state.value[at(u.offset.value + first)];
    if (u.kind == BlockKind::rotation) {
      const Vec3 v(low_[packed], low_[packed + 1], low_[packed + 2]);
      const Quaternion start(std::sqrt(std::max(0.0, 1 - v.squaredNorm())), v.x(), v.y(), v.z());
      high_[packed] = std::max(high_[packed], start.angularDistance(quaternion_of(value)));
    } else {
      for (int k = 0; k < size; ++k) {
        low_[packed + at(k)] = std::min(low_[packed + at(k)], value[k]);
        high_[packed + at(k)] = std::max(high_[packed + at(k)], value[k]);
      }
    }
    double square = 0;
    for (int k = 0; k < size; ++k) {
      const double v = state.rate[at(u.offset.dof + first + k)];
      square += v * v;
    }
    fastest_[packed] = std::max(fastest_[packed], std::sqrt(square));
    if (kind == others || massless_[packed] != 0) return;
    const Ranges r = ranges(u.kind == BlockKind::rotation ? 0 : size, packed);
    largest_[kind] = std::max(largest_[kind], r.displacement);
    largest_[kinds + kind] = std::max(largest_[kinds + kind], r.velocity);
  });
  MPI_Allreduce(MPI_IN_PLACE, largest_.data(), static_cast<int>(largest_.size()), MPI_DOUBLE, MPI_MAX,
                layout_->comm());
}

MotionRange::Ranges MotionRange::ranges(int size, std::size_t packed) const {
  if (size == 0) return {std::min(high_[packed], std::numbers::pi), fastest_[packed]};
  double square = 0;
  for (std::size_t k = packed; k < packed + at(size); ++k)
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

double MotionRange::rounding(const UnknownBlock& u, Kind kind, int first, int size, const State& end) const {
  double magnitude = kind == lengths ? length_ : kind == angles ? 1.0 : 0.0;
  if (u.kind != BlockKind::rotation)
    for (int k = 0; k < size; ++k)
      magnitude = std::max(magnitude, std::abs(end.value[at(u.offset.value + first + k)]));
  return digits * magnitude;
}

void MotionRange::drop_rounding(LocalError& error, const State& end, double h) const {
  each_channel([&](const UnknownBlock& u, Kind kind, int first, int size, std::size_t packed) {
    const auto velocity = error.velocity.begin() + static_cast<std::ptrdiff_t>(packed);
    double square = 0;
    for (int k = 0; k < size; ++k) square += velocity[k] * velocity[k];
    // Velocities are known to the rounding of displacements over h.
    if (std::sqrt(square) * h <= rounding(u, kind, first, size, end)) std::fill_n(velocity, size, 0.0);
  });
}

void MotionRange::find_smaller(const std::vector<double>& amplitude, double least, double ahead,
                               std::vector<char>& out) const {
  out.assign(amplitude.size(), 0);
  const std::array<double, 2> floors{floor(lengths, false), floor(angles, false)};
  each_channel([&](const UnknownBlock& u, Kind kind, int, int size, std::size_t packed) {
    if (kind == others) return;
    const Ranges own = ranges(u.kind == BlockKind::rotation ? 0 : size, packed);
    const double range = std::max({own.displacement, own.velocity * ahead, floors[kind]});
    double square = 0;
    for (std::size_t k = packed; k < packed + at(size); ++k) square += amplitude[k] * amplitude[k];
    if (std::sqrt(square) < least * range)
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(packed), size, char{1});
  });
}

double MotionRange::judge(std::span<Judged> errors, const State& end, double h, double ahead) const {
  std::array<double, most_judged + 1> largest{};  // the last one is of rounding
  const std::array<double, 2> of_lengths{floor(lengths, false), floor(lengths, true)},
      of_angles{floor(angles, false), floor(angles, true)};
  each_channel([&](const UnknownBlock& u, Kind kind, int first, int size, std::size_t packed) {
    if (massless_[packed] != 0) return;
    const auto norm = [&](std::span<const double> field, std::span<const char> without) {
      double square = 0;
      for (std::size_t k = packed; k < packed + at(size); ++k)
        if (without.empty() || without[k] == 0) square += field[k] * field[k];
      return std::sqrt(square);
    };
    const bool turns = u.kind == BlockKind::rotation;
    const Ranges own = ranges(turns ? 0 : size, packed);
    const std::array<double, 2>& least = kind == lengths ? of_lengths : of_angles;
    const double lost = rounding(u, kind, first, size, end), magnitude = lost / digits;
    const double range = std::max({own.displacement, own.velocity * ahead, kind == others ? 0.0 : least[0]});
    double square = 0;
    for (int k = 0; k < size; ++k) {
      const double acceleration = end.acceleration[at(u.offset.dof + first + k)];
      square += acceleration * acceleration;
    }
    const double speed = std::max({own.velocity, std::sqrt(square) * ahead, kind == others ? 0.0 : least[1]});
    for (std::size_t n = 0; n < errors.size(); ++n) {
      const Judged& its = errors[n];
      if (!its.displacement.empty()) {
        const double moved = its.times * norm(its.displacement, its.without);
        if (moved * h > lost) largest[n] = std::max(largest[n], moved / std::max(range, lost));
      }
      if (!its.velocity.empty() && speed > 0)
        largest[n] = std::max(largest[n], norm(its.velocity, {}) / speed);
    }
    if (range > 0 && kind != others)
      largest.back() =
          std::max(largest.back(), of_rounding * lost / std::max(range, least_range * magnitude));
  });
  MPI_Allreduce(MPI_IN_PLACE, largest.data(), static_cast<int>(largest.size()), MPI_DOUBLE, MPI_MAX,
                layout_->comm());
  for (std::size_t n = 0; n < errors.size(); ++n) errors[n].largest = largest[n];
  return largest.back();
}

NamedNumber MotionRange::worst(const std::vector<double>& displacement) const {
  NamedNumber worst;
  const std::array<double, 2> least{floor(lengths, false), floor(angles, false)};
  each_channel([&](const UnknownBlock& u, Kind kind, int, int size, std::size_t packed) {
    if (massless_[packed] != 0) return;
    double square = 0;
    for (std::size_t k = packed; k < packed + at(size); ++k) square += displacement[k] * displacement[k];
    double range = ranges(u.kind == BlockKind::rotation ? 0 : size, packed).displacement;
    if (kind != others) range = std::max(range, least[kind]);
    if (!(range > 0) || !(std::sqrt(square) > worst.number * range)) return;
    worst.number = std::sqrt(square) / range;
    worst.where = model_->block_name(u.block);
  });
  return largest_of_ranks(std::move(worst), layout_->comm());
}

}  // namespace trammel
