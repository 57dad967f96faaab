#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trammel/element.hpp"
#include "trammel/function.hpp"
#include "trammel/marker.hpp"
#include "trammel/signal.hpp"

namespace trammel::spring {

/// The force in a spring-damper, tension positive, with its derivatives.
struct Tension {
  double force = 0;
  double by_length = 0;
  double by_rate = 0;
};

/// F = preload + k (L - L0) + c L', and besides a function of time and of what the spring knows of itself.
struct Law {
  double stiffness = 0;    ///< k [N/m]
  double damping = 0;      ///< c [N s/m]
  double rest_length = 0;  ///< L0 [m]
  double preload = 0;      ///< [N]
  FunctionPtr function;    ///< [N]; absent: none

  /// Signals of others that the function reads, in its order. Throws Error where it reads of itself anything but
  /// `self.length`, `self.elongation` and `self.rate`.
  std::vector<std::string> others() const;
  /// At the values of `others()`; gives the force's derivatives by them where that is wanted.
  Tension at(double t, double length, double rate, const SignalNumbers& others = {},
             SignalNumbers* by_others = nullptr) const;
  double strain_energy(double length) const;
  /// Power that leaves the system here [W]: that of the damping, and the whole power of a force by a function.
  double dissipated_power(double t, double length, double rate, const SignalNumbers& others = {}) const;
  /// True where F / L stays finite as L goes to 0.
  bool passes_through_zero() const { return rest_length == 0 && preload == 0 && !function; }
};

/// A spring and a damper along the line between the origins of two markers. Stencil: the blocks of A, then of B, then those of
/// the signals that its function reads; their derivatives enter r like F_L.
///
/// With d = p_B - p_A, L = |d|, n = d / L, and J the difference of the markers' translational Jacobians:
///   r = F J^T n
///   K = J^T (F/L (1 - n n^T) + F_L n n^T) J + F d(J^T n)/dq at fixed n + F_rate J^T n dL'/dq
///   D = F_rate J^T n n^T J
class SpringDamper {
 public:
  SpringDamper(Marker a, Marker b, Law law, double radius,
               std::vector<std::shared_ptr<const Signal>> others = {})
      : a_(std::move(a)),
        b_(std::move(b)),
        law_(std::move(law)),
        radius_(radius),
        others_(std::move(others)) {
    int first = a_.block_count() + b_.block_count();
    for (const auto& signal : others_) {
      first_of_others_.push_back(first);
      first += static_cast<int>(signal->blocks().size());
    }
  }

  bool couples(int row, int) const { return row < a_.block_count() + b_.block_count(); }

  void evaluate(const LocalState& x, LocalSystem& out) const;
  Energy energy(const LocalState& x) const;
  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const;
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const;

 private:
  /// Both markers and the line between them.
  struct Line {
    MarkerMotion A, B;
    Vec3 n = Vec3::Zero();  ///< zero where the origins meet
    double length = 0;
    double rate = 0;
  };
  void find(const LocalState& x, MotionLevel level, Line& line) const;
  using Values = std::vector<SignalValue>;
  /// The signals of others, with their derivatives in `values`.
  SignalNumbers read(const LocalState& x, Values& values) const;
  SignalNumbers read(const LocalState& x) const;

  Marker a_, b_;
  Law law_;
  double radius_;  ///< of the coil drawn [m]; 0: a line; below 0: by the size of the model
  std::vector<std::shared_ptr<const Signal>> others_;
  std::vector<int> first_of_others_;  ///< of each: its first block in the stencil
};

}  // namespace trammel::spring
