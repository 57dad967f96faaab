#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernel/layout.hpp"
#include "solvers/errors/alpha_coefficients.hpp"
#include "solvers/errors/local_error.hpp"
#include "solvers/ranks/rank_bytes.hpp"

namespace trammel {

/// Local errors of generalized-alpha from the algorithmic accelerations a of the last steps.
///
/// The local error of displacements is h^3 (kappa v'' + w x w' / 12), with the last term for rotations only (body
/// frame), and that of velocities is h^3 kappa_v v'''. The derivatives are divided differences of a, which belongs
/// to times that are (alpha_m - alpha_f) h after the states. They are smoothed (smoothed_difference), because stiff
/// modes, and constraints after a disturbance, oscillate from step to step.
///
/// Where forces change within a part of a step, as at a stop that is met a little too late or at a steep wall, derivatives from longer
/// steps before do not show it. The velocities of the whole step then contain up to gamma h times the unexpected part of a.
class AlphaError {
 public:
  AlphaError(const Layout& layout, const AlphaCoefficients& alpha, double radius)
      : layout_(&layout), alpha_(alpha), weight_(radius > least_weight ? radius : least_weight) {}

  /// Discards the data of the steps before.
  void forget() { nodes_.clear(); }
  /// Discards all values but the last: derivatives may jump here.
  void forget_before() {
    if (nodes_.size() > 1) nodes_.erase(nodes_.begin(), nodes_.end() - 1);
  }
  /// Whether the values of as many steps as it uses are there.
  bool full() const { return nodes_.size() == most_nodes; }
  bool empty() const { return nodes_.empty(); }
  /// The time of the last values [s], and the numbers of a LocalError. Precondition: not empty.
  double last_time() const { return nodes_.back().time; }
  std::size_t numbers() const { return nodes_.back().a.size(); }
  /// Accelerations `a` at `time` [s], by BlockOffset::dof.
  void add(double time, std::span<const double> a);
  /// Computes the local error `out` of a step of size h that ends at the state `end` with the algorithmic
  /// accelerations `a`, which belong to `time` [s]. `faster`: accelerations change in it so many times faster than in the steps before
  /// (infinity where it ends at an event). Precondition: `add` was called at least once.
  void estimate(double h, double time, const State& end, std::span<const double> a, double faster,
                LocalError& out) const;
  /// The rates of change of accelerations over the last steps, the newest first, each as a weighted sum of squares. `a`, `time`: as for
  /// `estimate`; `weights`: by the order of LocalError. Of this rank.
  std::vector<double> changes(double time, std::span<const double> a, std::span<const double> weights) const;
  double node_time(double end, double h) const { return end + alpha_.time_shift() * h; }

  /// Writes (collective) or reads.
  void serialize(Archive& archive) {
    std::size_t count = nodes_.size();
    archive(count);
    nodes_.resize(count);
    for (Node& node : nodes_) {
      archive(node.time);
      serialize_by_block(archive, *layout_, node.a);
    }
  }

 private:
  /// Accelerations of the blocks that this rank owns, in the layout's order, which changes of the pattern keep.
  struct Node {
    double time = 0;
    std::vector<double> a;
  };
  static constexpr double least_weight = 0.5;
  static constexpr std::size_t most_nodes = 4;

  const Layout* layout_;
  AlphaCoefficients alpha_;
  double weight_;
  /// The sum of `weights` times an acceleration, the newest one given and those before it with the number `packed` of a node.
  double weigh(std::span<const double> weights, double newest, std::size_t packed) const;
  /// Errors of velocities are at least `most` times their unexpected accelerations.
  void include_unexpected(std::span<const double> times, std::span<const double> a, double most,
                          LocalError& out) const;
  /// Accelerations by BlockOffset::dof as those of a node.
  void pack(std::span<const double> a, std::vector<double>& to) const;

  std::vector<Node> nodes_;  ///< the newest last
};

}  // namespace trammel
