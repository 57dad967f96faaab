#pragma once

#include <type_traits>

#include "generic_constraints.hpp"

/// Constraints of the lower pairs on the relative rotation: equations in R_AB and, if there is one, in the angle,
/// which is the joint's first coordinate. The first equation has the index `row`. `in_lanes`: the terms serve for Lanes, too.
namespace trammel::lower_pairs {

/// Nothing.
struct AnyRotation {
  static constexpr int equations = 0, coordinates = 0;
  static constexpr bool has_branches = false, in_lanes = true;
  static constexpr unsigned coordinates_of(int) { return 0; }

  template <class S, class Terms>
  static void terms(const Mat3T<S>&, const std::type_identity_t<S>*, bool, int, Terms&) {}
};

/// R_AB = 1 as 2 q_v = 0 with q = (q_0, q_v) the unit quaternion of R_AB, q_0 >= 0: regular below half a turn, equal
/// to the rotation vector to third order, and zero nowhere else.
struct SameRotation {
  static constexpr int equations = 3, coordinates = 0;
  static constexpr bool has_branches = false, in_lanes = false;
  static constexpr unsigned coordinates_of(int) { return 0; }

  template <class Terms>
  static void terms(const Mat3& R_AB, const double*, bool second, int row, Terms& out) {
    const Quaternion q = so3::quaternion(R_AB);
    const double sign = q.w() < 0 ? -1 : 1;
    out.C.template segment<3>(row) = 2 * sign * q.vec();
    out.G.template block<3, 3>(row, 3) = sign * q.w() * Mat3::Identity() + skew(sign * q.vec());
    if (!second) return;
    for (int i = row; i < row + 3; ++i)
      out.H[static_cast<std::size_t>(i)].template block<3, 3>(3, 3) = -0.25 * out.C[i] * Mat3::Identity();
  }
};

/// g_31 = g_32 = 0 (eqs. 26b, 26c), and with the angle as a coordinate g_11 sin(angle) + g_12 cos(angle) = 0
/// (eq. 26d).
template <bool with_angle>
struct AboutAxis {
  static constexpr int equations = with_angle ? 3 : 2, coordinates = with_angle ? 1 : 0;
  static constexpr bool has_branches = true, in_lanes = true;
  /// The joint's coordinates that the law's equation i depends on, by bits.
  static constexpr unsigned coordinates_of(int i) { return i == 2 ? 1 : 0; }

  template <class S, class Terms>
  static void terms(const Mat3T<S>& R_AB, const std::type_identity_t<S>* angle, bool second, int row,
                    Terms& out) {
    vanishing_rotation(R_AB, 2, 0, second, row, out);
    vanishing_rotation(R_AB, 2, 1, second, row + 1, out);
    if constexpr (with_angle) relative_rotation(R_AB, 2, *angle, second, row + 2, 0, out);
  }
  /// False with the axes opposed, or with the angle half a turn off: there the equations hold too.
  static bool on_branch(const Mat3& R_AB, const double* angle) {
    if constexpr (with_angle) {
      if (turn_side(R_AB, 2, *angle) <= 0) return false;
    }
    return R_AB(2, 2) > 0;
  }
};

}  // namespace trammel::lower_pairs
