#pragma once

#include <optional>
#include <string>

#include "trammel/coordinate_element.hpp"
#include "trammel/element.hpp"
#include "trammel/function.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"

namespace trammel::coordinates {

/// A jump of a function of time: of its value, or of its rate.
struct Jump {
  double time = 0;
  double size = 0;
  bool of_rate = false;
};

/// The jump that f makes in (from, to), where it makes one. A jump is told from a steep slope by halving: what is left
/// of f(b) - f(a) - (b - a)(f'(a) + f'(b))/2 falls with the interval where f is continuous, and stays where it is not.
std::optional<Jump> find_jump(const Function& f, double from, const Jet& at_from, double to,
                              const Jet& at_to);

/// q = f(t). Local system: the coordinate's block, one multiplier. The actuator's force on the coordinate is -lambda.
class Motion {
 public:
  Motion(CoordinateTarget target, FunctionPtr f, std::string name)
      : target_(std::move(target)), f_(std::move(f)), name_(std::move(name)) {}

  static bool couples(int row, int column) { return row != column; }

  /// Throws Error where f jumps between the last accepted state and x while things move.
  void evaluate(const LocalState& x, LocalSystem& out) const;

  void commit(const LocalState& x, const StepInfo&) {
    history_.last = f_->motion_at(x.time());
    history_.time = x.time();
    history_.was_moving = target_.rate(x) != 0;
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    e.dissipated_power = *x.value(1) * f_->motion_at(x.time()).first;
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    sink.scalar("force", target_.force_unit, -*x.value(1));
    sink.scalar("power", "W", -*x.value(1) * target_.rate(x));
    sink.scalar("prescribed", target_.unit, f_->at(x.time()).value);
  }

  /// The last accepted state.
  struct History {
    static constexpr int version = 1;
    std::optional<double> time;
    Jet last{};
    bool was_moving = false;

    void serialize(Archive& archive) { archive(time, last.value, last.first, last.second, was_moving); }
  };
  History& history() { return history_; }

 private:
  CoordinateTarget target_;
  FunctionPtr f_;
  std::string name_;
  History history_;
};

}  // namespace trammel::coordinates
