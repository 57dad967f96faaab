#pragma once

#include "solvers/linear/timings.hpp"

namespace trammel {

/// Decides whether a step starts with the existing tangent. A tangent is kept until a step with it takes more
/// iterations than the average step since it was made, including its own cost. The next 1, 2, 4 ... 64 tangents are
/// replaced one step earlier; then a longer life is tried.
class KeptTangent {
 public:
  /// Of a new tangent, in iterations, where its factorization takes few operations; and that of one whose factorization takes `work`.
  static constexpr int least_cost = 3;
  static int cost_of(const LinearWork& work);

  explicit KeptTangent(int cost = least_cost) : cost_(cost) {}
  int cost() const { return cost_; }
  void set_cost(int cost) { cost_ = cost; }

  bool worth_keeping() const {
    return solves_ > 0 && last_ * solves_ <= cost_ + more_ && (waiting_ == 0 || solves_ < limit_);
  }
  /// After a solve that took `iterations`; `kept`: it began with the kept tangent; `renewed`: it made a new
  /// one.
  void solved(int iterations, bool kept, bool renewed);
  /// A new one was made between two solves.
  void renewed() {
    solves_ = 1;
    more_ = last_ = 0;
  }

 private:
  int cost_;
  int solves_ = 0, first_ = 0;  ///< steps since the tangent was made, and iterations of the first one
  int more_ = 0, last_ = 0;     ///< iterations beyond those, in all and in the last step
  int limit_ = 1;               ///< steps after which a tangent is renewed, while `waiting_`
  int waiting_ = 0, wait_ = 0;  ///< tangents given up after `limit_` steps: to come, in all
};

}  // namespace trammel
