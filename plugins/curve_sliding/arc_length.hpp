#pragma once

#include <memory>

#include "trammel/curve.hpp"
#include "trammel/element.hpp"
#include "trammel/local_system.hpp"
#include "trammel/state.hpp"

namespace trammel::curve_sliding {

/// Ties the arc length s to the parameter eta, eq. (35): at position level, s - S(eta) = 0 with S by quadrature, or at
/// velocity level, s' - |c'(eta)| eta' = 0, as the text has it. Stencil: the block [eta, s], the multiplier (or velocity
/// multiplier).
class ArcLength {
 public:
  ArcLength(std::shared_ptr<const Curve> curve, bool at_velocity_level)
      : curve_(std::move(curve)), at_velocity_level_(at_velocity_level) {}

  static bool couples(int row, int column) { return row == 0 || column == 0; }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double eta = x.value(0)[0], eta_rate = x.rate(0)[0], s_rate = x.rate(0)[1], lambda = x.value(1)[0];
    CurvePoint c;
    curve_->evaluate(eta, 2, c);
    const double speed = c.d[1].norm(), by_eta = c.d[1].dot(c.d[2]) / speed;

    auto r = out.residual();
    r[0] = -speed * lambda;
    r[1] = lambda;
    r[2] = at_velocity_level_ ? s_rate - speed * eta_rate : x.value(0)[1] - curve_->arc_length(eta);
    if (out.request.tangent) {
      auto K = out.K();
      K(0, 0) = -by_eta * lambda;
      K(0, 2) = -speed;
      K(1, 2) = 1;
      if (at_velocity_level_) {
        auto D = out.D();
        K(2, 0) = -by_eta * eta_rate;
        D(2, 0) = -speed;
        D(2, 1) = 1;
      } else {
        K(2, 0) = -speed;
        K(2, 1) = 1;
      }
    }
    if (out.request.rates && !at_velocity_level_) {
      out.rate()[2] = s_rate - speed * eta_rate;
      if (out.request.tangent) out.rate_gradient()(2, 0) = -by_eta * eta_rate;
    }
    if (out.request.bias) out.bias()[2] = -by_eta * eta_rate * eta_rate;
  }

 private:
  std::shared_ptr<const Curve> curve_;
  bool at_velocity_level_;
};

}  // namespace trammel::curve_sliding
