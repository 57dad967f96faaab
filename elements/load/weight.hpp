#pragma once

#include <memory>

#include "applied.hpp"

namespace trammel::load {

/// The acceleration of gravity: a vector times a function of time.
struct Gravity {
  Vec3 acceleration = Vec3::Zero();  ///< world components [m/s^2]
  FunctionPtr factor;                ///< absent: 1

  bool is_constant() const { return !factor || factor->is_constant(); }
  Vec3 at(double t) const {
    if (!factor) return acceleration;
    return factor->at(t).value * acceleration;
  }
  /// Energy of a mass at p with the velocity v.
  Energy energy(double t, double mass, const Vec3& p, const Vec3& v) const {
    Energy e;
    const Vec3 force = mass * at(t);
    if (is_constant())
      e.potential = -force.dot(p);
    else
      e.dissipated_power = -force.dot(v);
    return e;
  }
};

/// The weight of a mass at the origin of a position block. Stencil: that block.
class PointWeight {
 public:
  PointWeight(std::shared_ptr<const Gravity> gravity, double mass)
      : gravity_(std::move(gravity)), mass_(mass) {}

  static bool couples(int, int) { return false; }
  bool is_constant() const { return gravity_->is_constant(); }
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual() = -mass_ * gravity_->at(x.time());
  }
  Energy energy(const LocalState& x) const {
    return gravity_->energy(x.time(), mass_, x.position(0), x.velocity(0));
  }

 private:
  std::shared_ptr<const Gravity> gravity_;
  double mass_;
};

/// The weight of a mass at a marker's origin. Stencil: the marker's blocks.
class MarkerWeight {
 public:
  MarkerWeight(std::shared_ptr<const Gravity> gravity, Marker at, double mass)
      : gravity_(std::move(gravity)), at_(std::move(at)), mass_(mass) {}

  void evaluate(const LocalState& x, LocalSystem& out) const;
  Energy energy(const LocalState& x) const;

 private:
  std::shared_ptr<const Gravity> gravity_;
  Marker at_;
  double mass_;
};

}  // namespace trammel::load
