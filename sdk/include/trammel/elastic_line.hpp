#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {

/// A slender elastic body as joints that slide along it see it: section triads at nodes (t1 is the tangent), joined by
/// pieces of constant strain, X(s) = X_1 exp(s e) with e = (Gamma, kappa), Gamma including t1. A body offers it with
/// `Builder::offer("elastic line", std::make_shared<const ElasticLine>(...))`.
struct ElasticLine {
  static constexpr std::string_view offered_as = "elastic line 1";
  /// Section forces (N, M) = stiffness (e - reference), in section components.
  struct Law {
    Vec6 reference = Vec6::Zero();
    Mat6 stiffness = Mat6::Identity();  ///< of the section: symmetric, positive definite
    /// The moment varies linearly along a piece: one of length z has besides the compliance z^2/12 t1~^T C_mm t1~ of
    /// the force, C_mm that of the section to moments.
    bool linear_moment = false;
  };
  /// Something that slides along: the block of its arc length, which counts from `from` at this line's start.
  struct Slider {
    std::string name;
    BlockId s = no_block;
    double from = 0;
    bool turns = false;  ///< it holds rotations
  };
  std::vector<Frame> nodes;
  std::vector<double> s;                         ///< arc lengths of the nodes in the reference shape [m]
  std::vector<std::shared_ptr<const Law>> laws;  ///< of the pieces between them
  std::shared_ptr<std::vector<Slider>> sliders = std::make_shared<std::vector<Slider>>();  ///< known so far
  /// Makes moments vary linearly along every piece, of the laws and of the body itself; to be called while the model is
  /// built, by what slides along. Empty where the body's user has chosen.
  std::function<void()> let_moments_vary;
};

}  // namespace trammel
