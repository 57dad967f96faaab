#pragma once

#include "trammel/joint_assembly.hpp"

namespace trammel::detail {

/// Relative force and moment of a joint's multipliers.
struct RelativeWrench {
  Vec3 f = Vec3::Zero();  ///< in the axes of A, or of the world
  Vec3 m = Vec3::Zero();  ///< in those of B
  bool turns = false;     ///< whether there is a moment
};

inline JointWrenches wrenches_on_markers(const RelativePose& at, const RelativeWrench& w, bool in_world) {
  const Vec3 force = in_world ? w.f : Vec3(at.A.R_WM * w.f);
  Vec3 moment_on_A = Vec3::Zero();
  if (w.turns) moment_on_A -= at.R_AB * w.m;
  if (!in_world) moment_on_A -= at.p_AB_A.cross(w.f);
  JointWrenches on;
  on.on_A << -force, moment_on_A;
  on.on_B << force, w.m;
  return on;
}

/// How the equations of the displacement are written; `any`: nothing is known of any equation.
enum class Displacement { in_world, in_A, any };

/// The equations of a joint, as the assembly goes through them. Where the numbers of those of the displacement and of the
/// rotation are known, loops over them are unrolled; where the whole structure is (`constant`), so are the tests of it.
template <Displacement kind, int displacements = Eigen::Dynamic, int rotations = Eigen::Dynamic,
          const JointStructure* constant = nullptr>
class JointEquations {
 public:
  static constexpr bool any = kind == Displacement::any;
  using Row3 = Eigen::Matrix<double, 1, 3>;
  using Strided3 = Eigen::Map<const Mat3, 0, Eigen::OuterStride<>>;

  JointEquations(const JointTermsView& view, const JointStructure& of, const JointRows& at)
      : terms(view), rows(at), nc(view.coordinates), variables(view.variables()), structure_(of) {}

  Eigen::Map<const Row3> by_displacement(int i) const {
    return Eigen::Map<const Row3>(terms.G + i * variables);
  }
  Eigen::Map<const Row3> by_rotation(int i) const {
    return Eigen::Map<const Row3>(terms.G + i * variables + 3);
  }
  double by_coordinate(int i, int k) const { return terms.G[i * variables + 6 + k]; }
  /// The block of equation i's second derivatives from (row, column) on, by rows of `variables`.
  const double* second(int i, int row, int column) const {
    return terms.H + (i * variables + row) * variables + column;
  }
  Strided3 second_block(int i, int row, int column) const {
    return Strided3(second(i, column, row), Eigen::OuterStride<>(variables));  // symmetric
  }
  Eigen::Map<const Row3> second_row(int i, int k, int column) const {
    return Eigen::Map<const Row3>(second(i, 6 + k, column));
  }
  /// Equations of the displacement, and of the rotation.
  int nd() const {
    if constexpr (any || displacements >= 0)
      return any ? 0 : displacements;
    else
      return structure().displacements;
  }
  int nr() const {
    if constexpr (any || rotations >= 0)
      return any ? 0 : rotations;
    else
      return structure().rotations;
  }
  /// The component in the first of those of the displacement.
  int first() const { return displacements == 3 ? 0 : structure().first; }
  /// Whether equation i depends on the rotation.
  bool turns(int i) const { return any || (i >= nd() && i < nd() + nr()); }

  /// Calls f(i, lambda, row) for the equations that are evaluated.
  template <class F>
  void for_each_row(F&& f, bool of_displacement = true, bool of_rotation = true) const {
    if constexpr (any) {
      for (int i = 0; i < terms.equations; ++i) f(i, rows.any.lambda[i], rows.any.row + i);
    } else {
      const auto group = [&f](const RowsAt& at, int from, int count) {
        if (at)
          for (int i = 0; i < count; ++i) f(from + i, at.lambda[i], at.row + i);
      };
      if (of_displacement) group(rows.displacement, 0, nd());
      if (of_rotation) group(rows.rotation, nd(), nr());
      group(rows.tie, nd() + nr(), structure().ties);
    }
  }
  /// The same for groups of equations of which any depends on coordinates.
  template <class F>
  void for_each_row_with_coordinates(F&& f) const {
    if constexpr (any)
      for_each_row(f);
    else
      for_each_row(f, structure().displacement_coordinates != 0, structure().rotation_coordinates != 0);
  }
  /// Calls f(k) for the coordinates that equation i depends on.
  template <class F>
  void for_each_coordinate(int i, F&& f) const {
    if constexpr (any)
      for (int k = 0; k < nc; ++k) f(k);
    else
      for_each_bit(structure().rows[i].coordinates, f);
  }
  /// Calls f(k) for the coordinates that equation i has second derivatives by.
  template <class F>
  void for_each_curved(int i, F&& f) const {
    if constexpr (any)
      for (int k = 0; k < nc; ++k) f(k);
    else
      for_each_bit(curved(i), f);
  }

  /// Calls f(k, h), h the row of second derivatives by coordinate k and the rotation, times the multipliers.
  template <class F>
  void for_each_curved_rotation(F&& f) const {
    unsigned mask = 0;
    for (int i = 0; i < nr(); ++i) mask |= curved(nd() + i);
    for_each_bit(mask, [&](int k) {
      Row3 h = Row3::Zero();
      for (int i = 0; i < nr(); ++i)
        if (((curved(nd() + i) >> static_cast<unsigned>(k)) & 1U) != 0)
          h += rows.rotation.lambda[i] * second_row(nd() + i, k, 3);
      f(k, h);
    });
  }

  RelativeWrench wrench() const {
    RelativeWrench w;
    w.turns = any || nr() > 0;
    if constexpr (any) {
      for (int i = 0; i < terms.equations; ++i) {
        w.f += rows.any.lambda[i] * by_displacement(i).transpose();
        w.m += rows.any.lambda[i] * by_rotation(i).transpose();
      }
    } else {
      if (rows.displacement)
        for (int i = 0; i < nd(); ++i) w.f[first() + i] = rows.displacement.lambda[i];
      if (rows.rotation)
        for (int i = 0; i < nr(); ++i) w.m += rows.rotation.lambda[i] * by_rotation(nd() + i).transpose();
    }
    return w;
  }

  const JointTermsView& terms;
  const JointRows& rows;
  const int nc, variables;

 private:
  const JointStructure& structure() const {
    if constexpr (constant != nullptr)
      return *constant;
    else
      return structure_;
  }
  unsigned curved(int i) const { return structure().rows[i].coordinates & structure().rows[i].curved; }
  template <class F>
  void for_each_bit(unsigned mask, F&& f) const {
    // Where the sparsity is known, this leaves the calls alone.
    for (int k = 0; k < nc; ++k)
      if (((mask >> static_cast<unsigned>(k)) & 1U) != 0) f(k);
  }

  const JointStructure& structure_;
};

}  // namespace trammel::detail
