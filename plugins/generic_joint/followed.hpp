#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trammel/archive.hpp"
#include "trammel/function.hpp"
#include "trammel/signal.hpp"

namespace trammel::generic_joint {

/// Values of signals at the last accepted state.
struct SignalReadings {
  double time = 0;
  std::vector<std::array<double, 3>> last;  ///< value, rate and second rate of each

  void serialize(Archive& archive) { archive(time, last); }
};

/// Signals as they were at the last accepted state, followed from there by their first and second rate:
/// s(t) = s_n + s'_n (t - t_n) + s''_n (t - t_n)^2/2. So a function of signals becomes one of time inside a step, and a
/// prescribed motion that reads them stays smooth but for errors of third order in the step. A rate that a signal does not
/// know counts as zero.
class FollowedSignals {
 public:
  /// Index of a signal; the same for the same one.
  int add(const std::shared_ptr<const Signal>& signal, const std::string& name);
  bool empty() const { return signals_.empty(); }

  /// Blocks to be put into the stencil.
  const std::vector<BlockId>& blocks() const { return blocks_; }
  /// Takes the signals at an accepted state, where the blocks stand from index `first` on.
  void update(const LocalState& x, int first);

  /// The first signal that did not know its first or second rate at the last `update`, and cannot be the motion of
  /// anything; empty where all did.
  std::string without_rates() const;

  double time() const { return readings_.time; }
  Jet at(int signal, double t) const {
    const auto& [value, rate, second_rate] = readings_.last[static_cast<std::size_t>(signal)];
    const double dt = t - readings_.time;
    return {value + dt * (rate + 0.5 * dt * second_rate), rate + dt * second_rate, second_rate};
  }

  /// Belong to the history of the joint whose functions read the signals.
  const SignalReadings& readings() const { return readings_; }
  void set_readings(const SignalReadings& readings) { readings_ = readings; }

 private:
  struct Followed {
    std::shared_ptr<const Signal> signal;
    std::string name;
    int first_block = 0;
    bool knows_rates = true;
  };
  std::vector<Followed> signals_;
  SignalReadings readings_;
  std::vector<BlockId> blocks_;
};

/// f(t, s(t)) as a function of time. `indices` are the signals of f in the order in which it reads them.
FunctionPtr followed(FunctionPtr f, std::shared_ptr<const FollowedSignals> signals, std::vector<int> indices);

}  // namespace trammel::generic_joint
