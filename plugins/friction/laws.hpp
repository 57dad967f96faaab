#pragma once

#include <cmath>

#include "normal_force.hpp"
#include "trammel/element.hpp"
#include "trammel/outputs.hpp"

namespace trammel::friction {

/// mu(v) = mu_k + (mu_s - mu_k) exp(-(v / v_s)^2), the Stribeck curve; mu_s = mu_k makes it a constant.
struct StribeckCurve {
  double kinetic = 0, still = 0, velocity = 1;

  double at(double v) const { return kinetic + (still - kinetic) * fall(v); }
  double slope(double v) const { return -2 * v / (velocity * velocity) * (still - kinetic) * fall(v); }

 private:
  double fall(double v) const { return std::exp(-(v / velocity) * (v / velocity)); }
};

/// A force -(N mu(q') tanh(q' / v_r) + c q') on the coordinate: Coulomb's law with its jump at rest replaced by a steep
/// slope. It does not stick: under a steady load of less than N mu(0) it creeps with a rate of at most about v_r.
class Coulomb {
 public:
  struct Law {
    StribeckCurve coefficient;
    double regularization = 0;  ///< v_r, rate
    double viscous = 0;         ///< c, force per rate
  };

  Coulomb(CoordinateTarget target, const Law& law, NormalForce normal)
      : target_(std::move(target)), law_(law), normal_(std::move(normal)) {}

  bool couples(int row, int) const { return row == normal_.block(); }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int row = normal_.column() + target_.component;
    const double v = rate(x), t = std::tanh(v / law_.regularization), mu = law_.coefficient.at(v);
    if (!out.request.tangent) {
      out.residual()[row] = normal_.at(x) * mu * t + law_.viscous * v;
      return;
    }
    const double N = normal_.add_gradient(x, row, mu * t, out);
    out.residual()[row] = N * mu * t + law_.viscous * v;
    out.D()(row, row) +=
        N * (law_.coefficient.slope(v) * t + mu * (1 - t * t) / law_.regularization) + law_.viscous;
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    e.dissipated_power = force(x, normal_.at(x)) * rate(x);
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    const double N = normal_.at(x), F = force(x, N);
    sink.scalar("force", target_.force_unit, -F);
    sink.scalar("level", target_.force_unit, N);
    sink.scalar("dissipated_power", "W", F * rate(x));
  }

 private:
  double rate(const LocalState& x) const { return x.rate(normal_.block())[target_.component]; }
  double force(const LocalState& x, double N) const {
    const double v = rate(x);
    return N * law_.coefficient.at(v) * std::tanh(v / law_.regularization) + law_.viscous * v;
  }

  CoordinateTarget target_;
  Law law_;
  NormalForce normal_;
};

/// Canudas de Wit, Olsson, Astrom, Lischinsky, IEEE Trans. Autom. Control 40 (1995) 419, per unit of normal force:
///
///     z' = v - s0 |v| z / mu(v),    force on the coordinate  -(N (s0 z + s1 z') + c v)
///
/// with v = q' and the bristles' deflection z a first-order state. Stencil: that of the normal force, then z.
class LuGre {
 public:
  struct Law {
    StribeckCurve coefficient;
    double stiffness = 0;  ///< s0, 1/q
    double damping = 0;    ///< s1, 1/rate
    double viscous = 0;    ///< c, force per rate
  };

  LuGre(CoordinateTarget target, const Law& law, NormalForce normal)
      : target_(std::move(target)), law_(law), normal_(std::move(normal)) {}

  bool couples(int row, int column) const {
    const int state = static_cast<int>(normal_.blocks().size());
    return row == normal_.block() || (row == state && (column == state || column == normal_.block()));
  }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int row = normal_.column() + target_.component, state = normal_.dofs();
    const double v = rate(x);
    const Bristle b(law_, v, deflection(x));
    const double shear = law_.stiffness * b.z + law_.damping * b.flow;
    out.residual()[state] = x.rate(state_block())[0] - b.flow;
    if (!out.request.tangent) {
      out.residual()[row] = normal_.at(x) * shear + law_.viscous * v;
      return;
    }
    const double N = normal_.add_gradient(x, row, shear, out);
    out.residual()[row] = N * shear + law_.viscous * v;
    auto K = out.K();
    auto D = out.D();
    K(row, state) += N * (law_.stiffness + law_.damping * b.by_z);
    D(row, row) += N * law_.damping * b.by_v + law_.viscous;
    D(state, state) = 1;
    K(state, state) = -b.by_z;
    D(state, row) = -b.by_v;
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    e.dissipated_power = force(x, normal_.at(x)) * rate(x);
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    const double N = normal_.at(x), F = force(x, N);
    sink.scalar("force", target_.force_unit, -F);
    sink.scalar("level", target_.force_unit, N);
    sink.scalar("deflection", target_.unit, deflection(x));
    sink.scalar("dissipated_power", "W", F * rate(x));
  }

 private:
  /// z' = flow, with its derivatives.
  struct Bristle {
    double z, flow, by_v, by_z;
    Bristle(const Law& law, double v, double deflection) : z(deflection) {
      const double mu = law.coefficient.at(v), pull = law.stiffness * std::abs(v) / mu;
      flow = v - pull * z;
      by_z = -pull;
      const double sign = v > 0 ? 1 : v < 0 ? -1 : 0;
      by_v = 1 - law.stiffness * z / mu * (sign - std::abs(v) / mu * law.coefficient.slope(v));
    }
  };

  int state_block() const { return static_cast<int>(normal_.blocks().size()); }
  double rate(const LocalState& x) const { return x.rate(normal_.block())[target_.component]; }
  double deflection(const LocalState& x) const { return x.value(state_block())[0]; }
  double force(const LocalState& x, double N) const {
    const Bristle b(law_, rate(x), deflection(x));
    return N * (law_.stiffness * b.z + law_.damping * b.flow) + law_.viscous * rate(x);
  }

  CoordinateTarget target_;
  Law law_;
  NormalForce normal_;
};

}  // namespace trammel::friction
