#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/export.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {

/// Where the numbers of one block lie in a rank's State.
struct BlockOffset {
  std::int32_t value = 0;  ///< offset into State::value
  std::int32_t dof = 0;    ///< offset into State::rate, State::acceleration and a residual by offset
};

using BlockPlace [[deprecated("now BlockOffset")]] = BlockOffset;

/// Doubles that a block takes in State::value: a rotation keeps its matrix (column-major) and its quaternion
/// (w, x, y, z), so that no element computes one from the other.
constexpr int value_size(BlockKind kind, int size) { return kind == BlockKind::rotation ? 13 : size; }

/// Values of the blocks that one rank knows (its own and its ghosts), at one instant.
///
/// `value` is the configuration; `rate` is the velocity (inertial for a position, body-frame for a rotation, y' for
/// a state); `acceleration` its rate. Algebraic unknowns and multipliers have a value only. `compensation` is what rounding took from the sum that a
/// position is: the position is value + compensation, and a stiff element reads its length from both.
struct State {
  double time = 0;
  std::vector<double> value;
  std::vector<double> rate;
  std::vector<double> acceleration;
  std::vector<double> compensation;  ///< by BlockOffset::dof; zero for all but positions
  /// Memory of the time integration, of roots alone: its algorithmic accelerations, and y' of first-order states.
  std::vector<double> algorithmic;
  /// Values from which a method predicts the next step, of roots alone.
  std::vector<double> predictor;

  /// Every field but `value`, which lies by BlockOffset::value; these lie by BlockOffset::dof.
  static constexpr auto fields_by_dof();
};

constexpr auto State::fields_by_dof() {
  return std::array{&State::rate, &State::acceleration, &State::compensation, &State::algorithmic,
                    &State::predictor};
}

/// Sets the numbers of a rotation block, matrix and quaternion.
inline void set_rotation(double* value, const Quaternion& q_WB) {
  Eigen::Map<Mat3> R_WB(value);
  R_WB = q_WB.toRotationMatrix();
  value[9] = q_WB.w();
  value[10] = q_WB.x();
  value[11] = q_WB.y();
  value[12] = q_WB.z();
}

/// The quaternion of a rotation block's numbers.
inline Quaternion quaternion_of(const double* value) {
  return Quaternion(value[9], value[10], value[11], value[12]);
}

/// Sets value + compensation to the sum of x, its own compensation and d, without rounding (Knuth's two-sum).
template <class S>
void set_sum(S& value, S& compensation, S x, S x_compensation, S d) {
  const S add = d + x_compensation;
  const S sum = x + add;
  const S added = sum - x;
  compensation = (x - (sum - added)) + (add - added);
  value = sum;
}

/// Adds d to the place p + compensation.
template <class S>
void add_to_place(Vec3T<S>& p, Vec3T<S>& compensation, const std::type_identity_t<Vec3T<S>>& d) {
  for (int i = 0; i < 3; ++i) set_sum(p[i], compensation[i], p[i], compensation[i], d[i]);
}

/// Appends a block's initial values and rates to a state, at its end, with accelerations of zero.
TRAMMEL_API void append_initial(const Block& block, State& state);

using ConstVectorMap = Eigen::Map<const Eigen::VectorXd>;

/// The blocks of one instance's stencil, in the order in which the instance declared them.
class LocalState {
 public:
  LocalState(const State& state, const BlockOffset* offsets) : state_(&state), offsets_(offsets) {}

  double time() const { return state_->time; }

  /// p_WB_W of position block k [m].
  Eigen::Map<const Vec3> position(int k) const { return Eigen::Map<const Vec3>(value(k)); }
  /// R_WB of rotation block k.
  Eigen::Map<const Mat3> rotation(int k) const { return Eigen::Map<const Mat3>(value(k)); }
  /// Unit quaternion of rotation block k.
  Quaternion quaternion(int k) const { return quaternion_of(value(k)); }
  /// Rounding error (compensation) of position block k [m].
  Eigen::Map<const Vec3> compensation(int k) const {
    return Eigen::Map<const Vec3>(state_->compensation.data() + offsets_[k].dof);
  }
  /// From position block j to position block k [m], without the rounding of places far from the origin.
  Vec3 p_between(int j, int k) const {
    return (position(k) - position(j)) + (compensation(k) - compensation(j));
  }
  /// Velocity of position block k (inertial components) or of rotation block k (body-frame w_WB_B).
  Eigen::Map<const Vec3> velocity(int k) const { return Eigen::Map<const Vec3>(rate(k)); }
  Eigen::Map<const Vec3> acceleration(int k) const {
    return Eigen::Map<const Vec3>(state_->acceleration.data() + offsets_[k].dof);
  }

  /// Raw numbers of block k: coordinates, states, algebraic unknowns or multipliers; their rates; their second rates.
  const double* value(int k) const { return state_->value.data() + offsets_[k].value; }
  const double* rate(int k) const { return state_->rate.data() + offsets_[k].dof; }
  const double* second_rate(int k) const { return state_->acceleration.data() + offsets_[k].dof; }

  const BlockOffset& offset(int k) const { return offsets_[k]; }
  /// Other blocks of the same state.
  LocalState at_offsets(const BlockOffset* offsets) const { return {*state_, offsets}; }

 private:
  const State* state_;
  const BlockOffset* offsets_;
};

}  // namespace trammel
