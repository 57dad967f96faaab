#pragma once

#include <array>

#include "trammel/element.hpp"
#include "trammel/function.hpp"
#include "trammel/marker.hpp"

namespace trammel::load {

/// Three functions of time.
class TimeVector {
 public:
  /// Throws Error where a function reads a signal.
  explicit TimeVector(const std::vector<FunctionPtr>& components);

  bool is_constant() const { return constant_; }
  Vec3 at(double t) const {
    if (constant_) return value_;
    return {component_[0]->at(t).value, component_[1]->at(t).value, component_[2]->at(t).value};
  }

 private:
  std::array<FunctionPtr, 3> component_;
  bool constant_;
  Vec3 value_ = Vec3::Zero();
};

/// How the three components are meant.
struct MarkerLoadOptions {
  bool moment = false;    ///< a moment [N m] rather than a force [N]
  bool follower = false;  ///< components in the marker's axes rather than in the world's
  double weight = 1;      ///< factor of the components: a length where they are given by length
};

/// A force at a marker's origin or a moment at a marker. Stencil: the marker's blocks.
///
/// With the marker's variation J dq and the wrench w (force in world components, moment in marker components):
/// r = -J^T w, K = -d(J^T w)/dq at fixed w - J^T dw/dq.
class MarkerLoad {
 public:
  MarkerLoad(Marker at, TimeVector components, const MarkerLoadOptions& options)
      : at_(std::move(at)), components_(std::move(components)), options_(options) {}

  void evaluate(const LocalState& x, LocalSystem& out) const;
  Energy energy(const LocalState& x) const;
  void outputs(const LocalState& x, const ReactionShares&, OutputSink& sink) const;
  void draw(const LocalState& x, const ReactionShares&, Canvas& canvas) const;

 private:
  Vec3 given(double t) const { return options_.weight * components_.at(t); }
  Vec3 in_world(const LocalState& x, const Mat3& R_WM) const;
  bool conservative() const { return !options_.moment && !options_.follower && components_.is_constant(); }

  Marker at_;
  TimeVector components_;
  MarkerLoadOptions options_;
};

}  // namespace trammel::load
