#pragma once

#include <memory>

#include "held_piece.hpp"
#include "trammel/curve.hpp"
#include "trammel/element.hpp"
#include "trammel/local_system.hpp"
#include "trammel/state.hpp"

namespace trammel::curve_sliding {

/// Ties the arc length s to the parameter eta at velocity level, as eq. (35) has it: s' - |c'(eta)| eta' = 0. Stencil: the
/// block [eta, s], the velocity multiplier.
class ArcRate {
 public:
  explicit ArcRate(std::shared_ptr<const Curve> curve)
      : curve_(std::move(curve)), pieces_(*curve_, rough_breaks(*curve_, nullptr)) {}

  static bool couples(int row, int column) { return row == 0 || column == 0; }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double eta = x.value(0)[0], eta_rate = x.rate(0)[0], s_rate = x.rate(0)[1], lambda = x.value(1)[0];
    CurvePoint c;
    curve_->evaluate(eta, 2, c);
    const double speed = c.d[1].norm(), by_eta = c.d[1].dot(c.d[2]) / speed;
    auto r = out.residual();
    r[0] = -speed * lambda;
    r[1] = lambda;
    r[2] = s_rate - speed * eta_rate;
    if (out.request.tangent) {
      auto K = out.K();
      auto D = out.D();
      K(0, 0) = -by_eta * lambda;
      K(0, 2) = -speed;
      K(1, 2) = 1;
      K(2, 0) = -by_eta * eta_rate;
      D(2, 0) = -speed;
      D(2, 1) = 1;
    }
    if (!out.request.bias) return;
    CurvePoint held;
    curve_->evaluate(history_.piece.inside(eta), 2, held);
    out.bias()[2] = -c.d[1].dot(held.d[2]) / speed * eta_rate * eta_rate;
  }

  Review review(const LocalState& x, const StepInfo&) {
    return pieces_.review(history_.piece, x.value(0)[0]);
  }
  void commit(const LocalState& x, const StepInfo&) { pieces_.commit(history_.piece, x.value(0)[0]); }

  struct History {
    static constexpr int version = 1;
    HeldPiece piece;

    void serialize(Archive& archive) { archive(piece); }
  };
  History& history() { return history_; }

 private:
  std::shared_ptr<const Curve> curve_;
  CurvePieces pieces_;
  History history_;
};

}  // namespace trammel::curve_sliding
