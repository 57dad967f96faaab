#pragma once

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <span>

#include "trammel/bound_function.hpp"
#include "trammel/coordinate_element.hpp"
#include "trammel/element.hpp"
#include "trammel/function.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"

namespace trammel::coordinates {

/// A force -k (q - q_rest) - preload on the coordinate.
class LinearSpring {
 public:
  LinearSpring(CoordinateTarget target, double stiffness, double rest, double preload = 0)
      : target_(std::move(target)), stiffness_(stiffness), rest_(rest), preload_(preload) {}

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int i = target_.component;
    out.residual()[i] = tension(x);
    if (out.request.tangent) out.K()(i, i) = stiffness_;
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    const double stretch = target_.value(x) - rest_;
    e.strain = (0.5 * stiffness_ * stretch + preload_) * stretch;
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    sink.scalar("force", target_.force_unit, -tension(x));
  }

 private:
  double tension(const LocalState& x) const { return stiffness_ * (target_.value(x) - rest_) + preload_; }

  CoordinateTarget target_;
  double stiffness_, rest_, preload_;
};

/// A force -f(q, t) on the coordinate. Its energy is the integral of f from rest to q at the present time.
class LawSpring {
 public:
  LawSpring(CoordinateTarget target, FunctionPtr law, double rest)
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
    // A law that changes with time does work where nothing moves.
    const auto change = [this, &x](double q) { return at(x.time(), q).dt; };
    using Quadrature = boost::math::quadrature::gauss_kronrod<double, 15>;
    const double q = target_.value(x);
    e.strain = Quadrature::integrate(force, rest_, q, 6, 1e-10);
    e.dissipated_power = -Quadrature::integrate(change, rest_, q, 6, 1e-10);
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    sink.scalar("force", target_.force_unit, -at(x.time(), target_.value(x)).value);
  }

 private:
  FunctionValue at(double t, double q) const {
    FunctionValue f;
    law_->evaluate(t, std::span(&q, law_->signals().size()), f);
    return f;
  }

  CoordinateTarget target_;
  FunctionPtr law_;
  double rest_;
};

/// A force -c q' on the coordinate.
class Damper {
 public:
  Damper(CoordinateTarget target, double damping) : target_(std::move(target)), damping_(damping) {}

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int i = target_.component;
    out.residual()[i] = damping_ * target_.rate(x);
    if (out.request.tangent) out.D()(i, i) = damping_;
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    e.dissipated_power = damping_ * target_.rate(x) * target_.rate(x);
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    sink.scalar("force", target_.force_unit, -damping_ * target_.rate(x));
  }

 private:
  CoordinateTarget target_;
  double damping_;
};

/// A force `sign` times f on the coordinate, f a function of time, signals and rates of coordinates: an actuator
/// (sign +1), or a damper by a law (sign -1). Stencil: the coordinate's block, then those that f reads.
class FunctionForce {
 public:
  FunctionForce(CoordinateTarget target, BoundFunction f, double sign)
      : target_(std::move(target)), f_(std::move(f)), sign_(sign) {}

  static bool couples(int row, int) { return row == 0; }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int i = target_.component;
    const double f = out.request.tangent ? f_.add_gradient(x, 1, target_.size, i, -sign_, out) : f_.at(x, 1);
    out.residual()[i] = -sign_ * f;
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    e.dissipated_power = -force(x) * target_.rate(x);
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    const double f = force(x);
    sink.scalar("force", target_.force_unit, f);
    sink.scalar("power", "W", f * target_.rate(x));
  }

 private:
  double force(const LocalState& x) const { return sign_ * f_.at(x, 1); }

  CoordinateTarget target_;
  BoundFunction f_;
  double sign_;
};

}  // namespace trammel::coordinates
