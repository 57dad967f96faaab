#pragma once

#include <span>

#include "trammel/lanes.hpp"
#include "trammel/local_system.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// The local states of several elements of one class: what LocalState gives of one element, here of one in each lane. All of them have
/// stencils of the same kinds of blocks.
class LocalStateLanes {
 public:
  /// `x`: one for each lane, all at the same State.
  explicit LocalStateLanes(std::span<const LocalState> x) : x_(x) {}

  double time() const { return x_[0].time(); }
  Vec3T<Lanes> position(int k) const {
    return read<Vec3T<Lanes>>([k](const LocalState& x) { return x.position(k).data(); });
  }
  Mat3T<Lanes> rotation(int k) const {
    return read<Mat3T<Lanes>>([k](const LocalState& x) { return x.rotation(k).data(); });
  }
  Vec3T<Lanes> compensation(int k) const {
    return read<Vec3T<Lanes>>([k](const LocalState& x) { return x.compensation(k).data(); });
  }
  Vec3T<Lanes> velocity(int k) const {
    return read<Vec3T<Lanes>>([k](const LocalState& x) { return x.velocity(k).data(); });
  }
  Vec3T<Lanes> acceleration(int k) const {
    return read<Vec3T<Lanes>>([k](const LocalState& x) { return x.acceleration(k).data(); });
  }
  /// The first `n` raw numbers of block k.
  template <int n>
  Eigen::Matrix<Lanes, n, 1> values(int k) const {
    return read<Eigen::Matrix<Lanes, n, 1>>([k](const LocalState& x) { return x.value(k); });
  }
  /// Number `i` of block k, and its rate.
  Lanes value(int k, int i) const {
    return lanes_of([&](std::size_t lane) { return of_first(x_[lane]).value(k)[i]; });
  }
  Lanes rate(int k, int i) const {
    return lanes_of([&](std::size_t lane) { return of_first(x_[lane]).rate(k)[i]; });
  }

 private:
  // By the state of the first: the compiler does not know that it is the same, and would look it up for each lane.
  LocalState of_first(const LocalState& x) const { return x_[0].at_offsets(&x.offset(0)); }
  template <class Matrix, class Of>
  Matrix read(Of&& of) const {
    return read_lanes<Matrix>([&](std::size_t lane) { return of(of_first(x_[lane])); });
  }

  std::span<const LocalState> x_;
};

/// Sets rows of the residuals of several local systems, from `row` on.
template <class Rows>
void write_residuals(const Rows& rows, int row, std::span<LocalSystem* const> out) {
  write_lanes(rows, [&](std::size_t k) { return out[k]->residual().data() + row; });
}
/// The same of their rates.
template <class Rows>
void write_rates(const Rows& rows, int row, std::span<LocalSystem* const> out) {
  write_lanes(rows, [&](std::size_t k) { return out[k]->rate().data() + row; });
}
/// Sets all numbers of a tangent of several local systems, &LocalSystem::K, D or M.
template <class Tangent>
void write_tangents(const Tangent& all, MatrixMap (LocalSystem::*of)(), std::span<LocalSystem* const> out) {
  write_lanes(all, [&](std::size_t k) { return (out[k]->*of)().data(); });
}

}  // namespace trammel
