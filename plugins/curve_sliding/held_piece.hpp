#pragma once

#include <optional>
#include <span>
#include <vector>

#include "moving_frame.hpp"
#include "trammel/curve.hpp"
#include "trammel/review.hpp"

namespace trammel::curve_sliding {

/// The parameters at which a second derivative of the curve, or of its moving frame where there is one, jumps. On a closed
/// curve first() stands for both ends.
std::vector<double> rough_breaks(const Curve& curve, const MovingFrame* frame);

/// The piece of a curve, from one rough break to the next, that second derivatives are taken from in equations at
/// acceleration level.
///
/// Where a step ends on a rough break, the second derivative before it may lead behind it and the one behind it before it:
/// Newton's method finds no solution. So a step keeps the piece that it began in. Once it has converged beyond that, it
/// is solved again with the piece found there, and goes on in that direction only.
class HeldPiece {
 public:
  HeldPiece(const Curve& curve, std::vector<double> breaks);

  bool holds(double eta) const { return !piece_ || (eta >= piece_->from && eta <= piece_->to); }
  /// The parameter inside the piece that is nearest to eta.
  double inside(double eta) const;

  Review review(double eta);
  void commit(double eta);
  void reject();

  std::vector<double> history() const;
  void restore(std::span<const double> history);

 private:
  struct Piece {
    double from = 0, to = 0;
  };
  Piece piece_at(double eta) const;

  std::vector<double> breaks_;
  double first_ = 0, period_ = 0;  ///< 0: open
  std::optional<Piece> piece_, committed_;
  int direction_ = 0;  ///< of the changes in this step
};

}  // namespace trammel::curve_sliding
