#include <limits>

#include "trammel/builder.hpp"
#include "trammel/plugin.hpp"

namespace {

using namespace trammel;
using Kind = Parameter::Kind;

/// y' = input - gain y: a lagged force, or the current of a motor.
struct Lag {
  double input, gain;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual()(0) = *x.rate(0) - (input - gain * *x.value(0));
    if (!out.request.tangent) return;
    out.K()(0, 0) = gain;
    out.D()(0, 0) = 1;
  }
};

/// A mass on a spring whose stiffness, or force, is no number from a time on.
struct BrokenSpring {
  double at;
  bool force;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const bool broken = x.time() > at;
    out.residual()(0) = *x.second_rate(0) + *x.value(0) - 1 + (broken && force ? nan : 0.0);
    if (!out.request.tangent) return;
    out.M()(0, 0) = 1;
    out.K()(0, 0) = broken && !force ? nan : 1.0;
  }
};

BlockId unknown(Builder& builder, BlockKind kind, double start = 0) {
  const Measure measure = Measure::length();
  if (kind == BlockKind::state) return builder.add_states("x", {&start, 1}, {&measure, 1}, "m");
  return builder.add_coordinates("x", {&start, 1}, {}, {&measure, 1}, "m");
}

}  // namespace

TRAMMEL_PLUGIN("newton", "1.0") {
  Type lag;
  lag.name = "lag";
  lag.category = Type::Category::body;
  lag.summary = "for tests";
  lag.parameters = {Parameter::make(Kind::real, "input", "m/s", "what the state follows").must(),
                    Parameter::make(Kind::real, "gain", "1/s", "how fast").must(),
                    Parameter::make(Kind::real, "start", "m", "of the state").defaults("0")};
  lag.build = [](const Parameters& in, Builder& b) {
    b.add(Lag{in.real("input"), in.real("gain")}, {unknown(b, BlockKind::state, in.real("start"))});
  };
  registry.add(std::move(lag));

  Type broken;
  broken.name = "broken_spring";
  broken.category = Type::Category::body;
  broken.summary = "for tests";
  broken.parameters = {
      Parameter::make(Kind::real, "at", "s", "when it breaks").defaults("1e9"),
      Parameter::make(Kind::flag, "force", "", "its force, not its stiffness").defaults("no")};
  broken.build = [](const Parameters& in, Builder& b) {
    b.add(BrokenSpring{in.real("at"), in.flag("force")}, {unknown(b, BlockKind::coordinate)});
  };
  registry.add(std::move(broken));
}
