#pragma once

#include <array>
#include <cstddef>

#include "trammel/marker.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// JointTerms of any size, as the assembly of a joint reads them; n = 6 + coordinates. Matrices by rows.
struct JointTermsView {
  int equations, coordinates;
  const double* C;           ///< equations
  const double* G;           ///< equations x n
  const double* H;           ///< equations, each n x n, symmetric; read where tangents or bias are asked for
  const double *C_t, *C_tt;  ///< equations
  const double* G_t;         ///< equations x n
  bool is_linear_in_displacement = false;  ///< H has no entries in the rows and columns of the displacement
  Reserved<2> reserved{};

  int variables() const { return 6 + coordinates; }
};

/// The arguments of one equation of a joint. The assembly reads and adds no other entries.
struct RowSparsity {
  static constexpr int none = -1, any = -2;

  /// 0 to 2: the equation is this component of the displacement, plus a function of the coordinates. `none`: it does
  /// not depend on the displacement. `any`: nothing is known of it.
  int displacement = any;
  bool rotation = true;        ///< it depends on R_AB
  unsigned coordinates = ~0U;  ///< bit k: it depends on coordinate k
  unsigned curved = ~0U;       ///< bit k: it has second derivatives by coordinate k

  /// Component k of the displacement, plus a function of `coordinates`, linear in all that are not `curved`.
  static constexpr RowSparsity of_displacement(int k, unsigned coordinates = 0, unsigned curved = 0) {
    return {k, false, coordinates, curved};
  }
  /// A function of the relative rotation and of `coordinates`.
  static constexpr RowSparsity of_rotation(unsigned coordinates = 0) {
    return {none, true, coordinates, coordinates};
  }
  /// A function of `coordinates` alone, linear in all that are not `curved`.
  static constexpr RowSparsity of_coordinates(unsigned coordinates, unsigned curved = 0) {
    return {none, false, coordinates, curved};
  }
};

/// The equations of a joint by what they depend on: first components of the displacement that follow each other, then
/// equations of the rotation, then those of the coordinates alone. Without `rows` nothing is known of them.
struct JointStructure {
  const RowSparsity* rows = nullptr;
  int displacements = 0, rotations = 0, ties = 0;  ///< how many
  int first = 0;                                   ///< the first component of the displacement
  unsigned displacement_coordinates = 0;           ///< those that any equation of the displacement depends on
  unsigned rotation_coordinates = 0;               ///< and any of the rotation
  bool in_world = false;                           ///< components of p_WB - p_WA = 0 in the axes of the world
  Reserved<2> reserved{};
};

/// The pose of marker B relative to A, with the motions of both. The assembly reads R_AB where an equation is one of the
/// rotation, or in the axes of A.
struct RelativePose {
  const MarkerMotion& A;
  const MarkerMotion& B;
  Mat3 R_AB;
  Vec3 p_AB_A;
};

/// Multipliers of consecutive equations, and the row of the first in the local system. Without multipliers the equations
/// are not evaluated.
struct RowsAt {
  const double* lambda = nullptr;
  int row = 0;
  explicit operator bool() const { return lambda != nullptr; }
};

/// The rows of a joint in its local system, by what they depend on.
struct JointRows {
  RowsAt displacement, rotation, tie;  ///< by JointStructure
  RowsAt any;                          ///< of which nothing is known
  int coordinate_row = 0;
  const double* coordinate_rates = nullptr;
  Reserved<2> reserved{};
};

namespace detail {

/// How many equations from `first` on are of one kind.
template <std::size_t n, class Kind>
constexpr int leading_rows(const std::array<RowSparsity, n>& rows, int first, Kind kind) {
  int count = 0;
  for (auto i = static_cast<std::size_t>(first); i < n && kind(rows[i]); ++i) ++count;
  return count;
}

/// The structure of the equations of a joint J that declares its `sparsity`.
template <class J>
struct StructureOf {
  static constexpr JointStructure value = [] {
    JointStructure s;
    s.rows = J::sparsity.data();
    s.displacements =
        leading_rows(J::sparsity, 0, [](const RowSparsity& r) { return r.displacement >= 0 && !r.rotation; });
    s.rotations = leading_rows(J::sparsity, s.displacements, [](const RowSparsity& r) {
      return r.displacement == RowSparsity::none && r.rotation;
    });
    s.ties = leading_rows(J::sparsity, s.displacements + s.rotations, [](const RowSparsity& r) {
      return r.displacement == RowSparsity::none && !r.rotation;
    });
    s.first = s.displacements > 0 ? s.rows[0].displacement : 0;
    s.in_world = J::meets;
    for (int i = 0; i < s.displacements; ++i) s.displacement_coordinates |= s.rows[i].coordinates;
    for (int i = 0; i < s.rotations; ++i) s.rotation_coordinates |= s.rows[s.displacements + i].coordinates;
    return s;
  }();

  static_assert(value.displacements + value.rotations + value.ties == J::equation_count,
                "equations of components of the displacement come first, then those of the rotation, then "
                "those of the coordinates alone");
  static_assert([] {
    for (int i = 0; i < value.displacements; ++i)
      if (value.rows[i].displacement != value.first + i) return false;
    return value.first + value.displacements <= 3;
  }());
};

}  // namespace detail

}  // namespace trammel
