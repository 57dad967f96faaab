#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trammel/function.hpp"
#include "trammel/signal.hpp"

namespace trammel::generic_joint {

/// Signals as they were at the last accepted state, followed from there by their first and second rate:
/// s(t) = s_n + s'_n (t - t_n) + s''_n (t - t_n)^2/2. So a function of signals becomes one of time inside a step, and a
/// prescribed motion that reads them stays smooth but for errors of third order in the step.
class FollowedSignals {
 public:
  /// Index of a signal; the same for the same one.
  int add(const std::shared_ptr<const Signal>& signal);
  bool empty() const { return readings_.empty(); }

  /// Blocks to be put into the stencil.
  const std::vector<BlockId>& blocks() const { return blocks_; }
  /// Takes the signals at an accepted state, where the blocks stand from index `first` on.
  void update(const LocalState& x, int first);

  double time() const { return time_; }
  Jet at(int signal, double t) const {
    const Jet& s = readings_[static_cast<std::size_t>(signal)].last;
    const double dt = t - time_;
    return {s.value + dt * (s.first + 0.5 * dt * s.second), s.first + dt * s.second, s.second};
  }

  /// Numbers to be saved with a state, and their return.
  std::vector<double> history() const;
  void restore(std::span<const double> history);
  std::size_t history_size() const { return 1 + 3 * readings_.size(); }

 private:
  struct Reading {
    std::shared_ptr<const Signal> signal;
    int first_block = 0;
    Jet last{};
  };
  double time_ = 0;
  std::vector<Reading> readings_;
  std::vector<BlockId> blocks_;
};

/// f(t, s(t)) as a function of time. `indices` are the signals of f in the order in which it reads them.
FunctionPtr followed(FunctionPtr f, std::shared_ptr<const FollowedSignals> signals, std::vector<int> indices);

}  // namespace trammel::generic_joint
