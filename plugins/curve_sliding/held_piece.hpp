#pragma once

#include <optional>
#include <vector>

#include "moving_frame.hpp"
#include "trammel/archive.hpp"
#include "trammel/curve.hpp"
#include "trammel/review.hpp"

namespace trammel::curve_sliding {

/// The parameters at which a second derivative of the curve, or of its moving frame where there is one, jumps. On a closed
/// curve first() represents both ends.
std::vector<double> rough_breaks(const Curve& curve, const MovingFrame* frame);

/// A part of a curve, by its parameter.
struct CurvePiece {
  double from = 0, to = 0;

  void serialize(Archive& archive) { archive(from, to); }
};

/// The piece of a curve, from one rough break to the next, that second derivatives are taken from in equations at
/// acceleration level: part of a history.
struct HeldPiece {
  std::optional<CurvePiece> piece;  ///< none before the first step
  int direction = 0;                ///< of the changes in this step

  bool holds(double eta) const { return !piece || (eta >= piece->from && eta <= piece->to); }
  /// The parameter inside the piece that is nearest to eta.
  double inside(double eta) const;

  void serialize(Archive& archive) { archive(piece, direction); }
};

/// The pieces of a curve between its rough breaks.
///
/// Where a step ends on a rough break, the second derivative before it may lead behind it and the one after it before it:
/// Newton's method finds no solution. So a step keeps the piece that it began in. Once it has converged beyond that, it
/// is solved again with the piece found there, and goes on in that direction only.
class CurvePieces {
 public:
  CurvePieces(const Curve& curve, std::vector<double> breaks);

  Review review(HeldPiece& held, double eta) const;
  void commit(HeldPiece& held, double eta) const;

 private:
  CurvePiece piece_at(double eta) const;

  std::vector<double> breaks_;
  double first_ = 0, period_ = 0;  ///< 0: open
};

}  // namespace trammel::curve_sliding
