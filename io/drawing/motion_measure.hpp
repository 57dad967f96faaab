#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel/assembler.hpp"
#include "trammel/archive.hpp"

namespace trammel {

/// Data for the orientation of the view of a run: the direction of gravity and the directions in which bodies move.
/// Displacements are those of the positions that are unknowns, each from its first recorded value.
class MotionMeasure {
 public:
  explicit MotionMeasure(Assembler& assembler) : assembler_(&assembler) {}

  /// Includes a state of the run. Throws Error, on all ranks, if a load rejects the state. Collective.
  void add(const State& state);

  /// Writes the data that a continued run needs, complete on rank 0. Collective.
  void write(Archive& archive) const;
  /// Reads them, on any number of ranks.
  void read(Archive& archive);

  /// The weight of the whole model [N], from the loads of type `gravity`, in the first state in which it is not
  /// zero; zero if there is none. The same on every rank.
  const Vec3& weight() const { return weight_; }
  /// Sum of d d^T over displacements d and states [m^2]. The same on every rank.
  const Mat3& displacements() const { return displacements_; }

 private:
  Vec3 weight_at(const State& state);

  Assembler* assembler_;
  const Vec3& start_of(BlockId block, std::size_t number, const Vec3& now);

  std::unordered_map<BlockId, Vec3> start_;
  std::vector<std::pair<BlockId, Vec3>> in_order_;  ///< of `start_`, as the last state had them
  Vec3 weight_ = Vec3::Zero();
  Mat3 displacements_ = Mat3::Zero();
};

}  // namespace trammel
