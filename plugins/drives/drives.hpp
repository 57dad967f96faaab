#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/bound_function.hpp"
#include "trammel/coordinate_element.hpp"
#include "trammel/element.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"

namespace trammel::drives {

/// A permanent-magnet DC motor behind a gear of ratio n, with the current i as a first-order state:
///
///     L i' + R i + k n q' = u(t, signals),    force on the coordinate  n k i - n^2 J q'' - n^2 b q'
///
/// Local system: the coordinate's block, the state, the blocks that the voltage u reads.
class DcMotor {
 public:
  struct Data {
    double inductance = 0;  ///< L [H]
    double resistance = 0;  ///< R [Ohm]
    double constant = 0;    ///< k [N m/A] = [V s/rad]
    double gear = 1;        ///< n, turns of the rotor for one of the coordinate
    double inertia = 0;     ///< J of the rotor [kg m^2]
    double friction = 0;    ///< b of the rotor [N m s/rad]
  };

  DcMotor(CoordinateTarget target, const Data& data, BoundFunction voltage)
      : target_(std::move(target)), data_(data), voltage_(std::move(voltage)) {}

  static bool couples(int row, int column) { return row <= 1 && (row == 1 || column <= 1); }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int q = target_.component, i = target_.size;
    const Data& d = data_;
    const double kn = d.constant * d.gear, n2 = d.gear * d.gear;
    const double current = *x.value(1);
    auto r = out.residual();
    double u = 0;
    if (out.request.tangent) {
      u = voltage_.add_gradient(x, 2, i + 1, i, -1 / d.inductance, out);
      auto K = out.K();
      auto D = out.D();
      K(q, i) = -kn;
      D(q, q) = n2 * d.friction;
      out.M()(q, q) = n2 * d.inertia;
      K(i, i) += d.resistance / d.inductance;
      D(i, i) += 1;
      D(i, q) += kn / d.inductance;
    } else {
      u = voltage_.at(x, 2);
    }
    r[q] = n2 * (d.inertia * x.second_rate(0)[q] + d.friction * target_.rate(x)) - kn * current;
    r[i] = *x.rate(1) - (u - d.resistance * current - kn * target_.rate(x)) / d.inductance;
  }

  /// The energy of the magnetic field counts as strain energy.
  Energy energy(const LocalState& x) const {
    Energy e;
    const double current = *x.value(1), w = data_.gear * target_.rate(x);
    e.kinetic = 0.5 * data_.inertia * w * w;
    e.strain = 0.5 * data_.inductance * current * current;
    e.dissipated_power =
        data_.resistance * current * current + data_.friction * w * w - voltage_.at(x, 2) * current;
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    const double current = *x.value(1), u = voltage_.at(x, 2);
    const double w = data_.gear * target_.rate(x), w_rate = data_.gear * x.second_rate(0)[target_.component];
    sink.scalar("current", "A", current);
    sink.scalar("voltage", "V", u);
    sink.scalar("power", "W", u * current);
    sink.scalar("force", target_.force_unit,
                data_.gear * (data_.constant * current - data_.inertia * w_rate - data_.friction * w));
  }

 private:
  CoordinateTarget target_;
  Data data_;
  BoundFunction voltage_;
};

/// A servo whose force y follows its command with a first-order lag, the command limited to +-limit:
///
///     T y' + y = sat(command(t, signals)),    force on the coordinate  y
///
/// Local system: the coordinate's block, the state y, the blocks that the command reads.
class Servo {
 public:
  struct Data {
    double lag = 0;    ///< T [s]
    double limit = 0;  ///< of the force
  };

  Servo(CoordinateTarget target, const Data& data, BoundFunction command)
      : target_(std::move(target)), data_(data), command_(std::move(command)) {}

  static bool couples(int row, int column) { return row == 1 || (row == 0 && column == 1); }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int q = target_.component, y = target_.size;
    const double asked = command_.at(x, 2), force = *x.value(1);
    out.residual()[q] = -force;
    out.residual()[y] = *x.rate(1) - (saturated(asked) - force) / data_.lag;
    if (!out.request.tangent) return;
    if (std::abs(asked) < data_.limit) command_.add_gradient(x, 2, y + 1, y, -1 / data_.lag, out);
    out.K()(q, y) = -1;
    out.K()(y, y) += 1 / data_.lag;
    out.D()(y, y) += 1;
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    e.dissipated_power = -*x.value(1) * target_.rate(x);
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    const double asked = command_.at(x, 2), force = *x.value(1);
    sink.scalar("force", target_.force_unit, force);
    sink.scalar("command", target_.force_unit, asked);
    sink.scalar("saturated", "", std::abs(asked) < data_.limit ? 0 : 1);
    sink.scalar("power", "W", force * target_.rate(x));
  }

 private:
  double saturated(double asked) const { return std::clamp(asked, -data_.limit, data_.limit); }

  CoordinateTarget target_;
  Data data_;
  BoundFunction command_;
};

}  // namespace trammel::drives
