#pragma once

#include <array>

#include "axes.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel::generic_joint {

/// Up to three equations in the relative rotation R, with derivatives by dtheta, R <- R exp(dtheta~). H holds second
/// derivatives in the exponential chart: symmetric.
struct RotationTerms {
  Vec3 C = Vec3::Zero();  ///< [rad]
  Mat3 G = Mat3::Zero();  ///< row i: dC_i/dtheta
  std::array<Mat3, 3> H;  ///< of C_i
};

/// The equations of the locked rotations, with R = R_AB, A the joint frame on the first marker (turned by the rotation
/// offset), B that on the second, x_A ... their axes:
///
///     three locked            z_A.y_B = z_A.x_B = x_A.y_B = 0
///     two locked, a free      a_A.b_B = a_A.c_B = 0                b, c the locked axes
///     one locked              a_A.b_B = 0                          a, b the free axes, a before b
///
/// and with `alternative`, which has no second solution half a turn away,
///
///     three locked            the rotation vector of R: its quaternion's vector part, stretched by t/sin(t/2)
///     two locked, a free      (a_A.b_B, a_A.c_B) t/sin(t), t the angle between a_A and a_B
class RotationEquations {
 public:
  RotationEquations() = default;
  /// `alternative` needs two or three locked rotations.
  RotationEquations(const LockedAxes& axes, bool alternative);

  int count() const { return count_; }
  /// Fills the first count() entries; H where `second` is true.
  void evaluate(const Mat3& R, bool second, RotationTerms& out) const;
  bool has_second_branch() const { return form_ == Form::cosines && count_ >= 2; }
  /// False where R is nearer to a second solution of the equations, half a turn away, than to the one that is meant.
  bool on_branch(const Mat3& R) const;

 private:
  enum class Form { cosines, rotation_vector, swing };
  void cosines(const Mat3& R, bool second, RotationTerms& out) const;
  static void rotation_vector(const Mat3& R, bool second, RotationTerms& out);
  void swing(const Mat3& R, bool second, RotationTerms& out) const;

  struct Pair {
    int a = 0, b = 0;
  };
  Form form_ = Form::cosines;
  int count_ = 0;
  std::array<Pair, 3> pairs_{};  ///< equation i reads R(a, b)
};

}  // namespace trammel::generic_joint
