#pragma once

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <span>

#include "trammel/element.hpp"
#include "trammel/function.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"

namespace trammel::coordinates {

/// Component of a coordinate block, which is the first block of the stencil.
struct Target {
  int component = 0;
  int size = 1;  ///< of the block
  std::string unit;
  std::string force_unit;  ///< "N m" for an angle, "N" for a length

  double value(const LocalState& x) const { return x.value(0)[component]; }
  double rate(const LocalState& x) const { return x.rate(0)[component]; }
};

/// q = f(t). Local system: the coordinate's block, one multiplier. The actuator's force on the coordinate is -lambda.
class Motion {
 public:
  Motion(Target target, FunctionPtr f) : target_(std::move(target)), f_(std::move(f)) {}

  static bool couples(int row, int column) { return row != column; }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int i = target_.component, row = target_.size;
    const Jet f = f_->motion_at(x.time());
    out.residual()[i] = *x.value(1);
    out.residual()[row] = target_.value(x) - f.value;
    if (out.request.tangent) {
      auto K = out.K();
      K(row, i) = K(i, row) = 1;
    }
    if (out.request.rates) {
      out.rate()[row] = target_.rate(x) - f.first;
      if (out.request.tangent) out.rate_gradient();
    }
    if (out.request.bias) out.bias()[row] = -f.second;
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    e.lost_power = *x.value(1) * target_.rate(x);
    return e;
  }

  void outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const {
    sink.scalar("force", target_.force_unit, -*x.value(1));
    sink.scalar("power", "W", -*x.value(1) * target_.rate(x));
    sink.scalar("prescribed", target_.unit, f_->at(x.time()).value);
  }

 private:
  Target target_;
  FunctionPtr f_;
};

/// A force -k (q - q_rest) on the coordinate.
class LinearSpring {
 public:
  LinearSpring(Target target, double stiffness, double rest)
      : target_(std::move(target)), stiffness_(stiffness), rest_(rest) {}

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int i = target_.component;
    out.residual()[i] = stiffness_ * (target_.value(x) - rest_);
    if (out.request.tangent) out.K()(i, i) = stiffness_;
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    const double stretch = target_.value(x) - rest_;
    e.strain = 0.5 * stiffness_ * stretch * stretch;
    return e;
  }

  void outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const {
    sink.scalar("force", target_.force_unit, -stiffness_ * (target_.value(x) - rest_));
  }

 private:
  Target target_;
  double stiffness_, rest_;
};

/// A force -f(q, t) on the coordinate. Its energy is the integral of f from rest to q at the present time.
class LawSpring {
 public:
  LawSpring(Target target, FunctionPtr law, double rest)
      : target_(std::move(target)), law_(std::move(law)), rest_(rest) {}

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int i = target_.component;
    const FunctionValue f = at(x.time(), target_.value(x));
    out.residual()[i] = f.value;
    if (out.request.tangent) out.K()(i, i) = f.signals() > 0 ? f.gradient[0] : 0;
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    const auto force = [this, &x](double q) { return at(x.time(), q).value; };
    e.strain = boost::math::quadrature::gauss_kronrod<double, 15>::integrate(force, rest_, target_.value(x),
                                                                             6, 1e-10);
    return e;
  }

  void outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const {
    sink.scalar("force", target_.force_unit, -at(x.time(), target_.value(x)).value);
  }

 private:
  FunctionValue at(double t, double q) const {
    FunctionValue f;
    law_->evaluate(t, std::span(&q, law_->signals().size()), f);
    return f;
  }

  Target target_;
  FunctionPtr law_;
  double rest_;
};

/// A force -c q' on the coordinate.
class Damper {
 public:
  Damper(Target target, double damping) : target_(std::move(target)), damping_(damping) {}

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int i = target_.component;
    out.residual()[i] = damping_ * target_.rate(x);
    if (out.request.tangent) out.D()(i, i) = damping_;
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    e.lost_power = damping_ * target_.rate(x) * target_.rate(x);
    return e;
  }

  void outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const {
    sink.scalar("force", target_.force_unit, -damping_ * target_.rate(x));
  }

 private:
  Target target_;
  double damping_;
};

}  // namespace trammel::coordinates
