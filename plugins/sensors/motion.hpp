#pragma once

#include <optional>

#include "trammel/element.hpp"
#include "trammel/marker.hpp"
#include "trammel/relative_motion.hpp"
#include "trammel/signal.hpp"

namespace trammel::sensors {

/// Reports the motion of a marker as an observer fixed in another marker sees it. It has no residual.
/// Stencil: the blocks of `relative_to`, of `of`, of `axes`.
class MotionSensor {
 public:
  /// `axes`: whose axes the vectors are given in; absent: those of `relative_to`. `p_start`: the position p_AB_A at
  /// the start, from which displacements are counted [m].
  MotionSensor(Marker relative_to, Marker of, std::optional<Marker> axes, const Vec3& p_start)
      : observer_(std::move(relative_to)), of_(std::move(of)), axes_(std::move(axes)), p_start_(p_start) {}

  static bool couples(int, int) { return false; }
  void evaluate(const LocalState&, LocalSystem&) const {}
  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const;

 private:
  Marker observer_, of_;
  std::optional<Marker> axes_;
  Vec3 p_start_;
};

/// Reports the value of a signal with its first and second rate. Stencil: the signal's blocks.
class SignalSensor {
 public:
  SignalSensor(std::shared_ptr<const Signal> signal, std::string name)
      : signal_(std::move(signal)), name_(std::move(name)), unit_(signal_->unit()) {}

  static bool couples(int, int) { return false; }
  void evaluate(const LocalState&, LocalSystem&) const {}
  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const;

 private:
  std::shared_ptr<const Signal> signal_;
  std::string name_, unit_;
};

}  // namespace trammel::sensors
