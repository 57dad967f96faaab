#pragma once

#include <string>
#include <vector>

#include "kernel/layout.hpp"
#include "solvers/ranks/rank_bytes.hpp"

namespace trammel {

/// Errors of multipliers that steps cause directly, coefficient * h^2 lambda'', from the multipliers of the last accepted
/// steps. They do not add up over the steps (docs/steps_by_accuracy.md).
///
/// A channel is the multipliers of one block, as forces: those of angles over the model's length. Its range is the diagonal of
/// the box that they stayed in since the start of the stage; at least a tenth of the largest range or magnitude of a channel.
class ReactionError {
 public:
  /// `coefficient`: ConstraintForm::reaction_error; 0: there is nothing to estimate. `radius`: of the method.
  /// `length`: of the model [m].
  ReactionError(const Layout& layout, const Model& model, double coefficient, double radius, double length);

  /// Discards the multipliers of the steps before: forces have jumped.
  void forget() { nodes_.clear(); }
  /// Takes the multipliers of `now`, the end of a step of size h [s] or a start. Returns the largest estimated error of
  /// a channel as a fraction of its range; 0 before the third call. Collective.
  double take(const State& now, double h);
  /// The channel with this error: "rod reaction"; empty if there is none. Collective.
  std::string worst() const;

  /// What `take` would return.
  double judge(const State& trial, double h) const {
    ReactionError with = *this;
    return with.take(trial, h);
  }

  /// Writes (collective) or reads.
  void serialize(Archive& archive);

 private:
  /// Multipliers of the blocks that this rank owns, in the layout's order [N].
  struct Node {
    double time = 0;
    std::vector<double> forces;
  };
  template <class Use>
  void each_channel(Use&& use) const;
  Node node(const State& now) const;

  static constexpr std::size_t most_nodes = 5;

  const Layout* layout_;
  const Model* model_;
  double coefficient_, weight_, length_;
  std::vector<Node> nodes_;         ///< the newest last
  std::vector<double> low_, high_;  ///< bounds of the multipliers [N]
  double error_ = 0;                ///< the largest of a channel of this rank, as `take` found it
  int worst_ = -1;                  ///< its block, as a number of the layout's unknowns
  double largest_ = 0;              ///< range or magnitude of a channel, over all ranks [N]
};

}  // namespace trammel
