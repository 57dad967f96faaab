#pragma once

#include "trammel/body_canvas.hpp"
#include "trammel/element.hpp"

namespace trammel::point_mass {

/// A particle on one position block: r = m a.
class Particle {
 public:
  Particle(double mass, double radius) : mass_(mass), radius_(radius) {}

  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual() = mass_ * x.acceleration(0);
    if (out.request.tangent) out.M().diagonal().setConstant(mass_);
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    e.kinetic = 0.5 * mass_ * x.velocity(0).squaredNorm();
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    sink.vector("position", "m", x.position(0));
    sink.vector("velocity", "m/s", x.velocity(0));
    sink.vector("momentum", "kg m/s", mass_ * x.velocity(0));
    sink.scalar("kinetic_energy", "J", energy(x).kinetic);
  }

  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
    if (!(radius_ > 0)) return;
    BodyMotion motion;
    motion.p_WB = x.position(0);
    motion.v_WB = x.velocity(0);
    motion.a_WB = x.acceleration(0);
    BodyCanvas(canvas, motion).sphere(Canvas::Layer::bodies, motion.p_WB, radius_);
  }

 private:
  double mass_;
  double radius_;  ///< of the sphere drawn
};

}  // namespace trammel::point_mass
