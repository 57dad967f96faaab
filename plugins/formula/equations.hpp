#pragma once

#include <span>
#include <string>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/formula.hpp"
#include "trammel/inline_vector.hpp"
#include "trammel/joint_assembly.hpp"
#include "trammel/linear_algebra.hpp"
#include "trammel/row.hpp"

namespace trammel::formula {

/// Coordinates of a joint that need no memory of their own where it is evaluated.
inline constexpr int inline_coordinates = 8;

/// Variables of a joint's equations, and their indices in the list of values: p = p_AB_A; the entries of R_AB,
/// row by row; v = d/dt p_AB_A; w = w_AB_A; t; the coordinates; their rates.
struct Variables {
  static constexpr int p = 0, R = 3, v = 12, w = 15, t = 18, c = 19;
  int coordinates = 0;

  int rate() const { return c + coordinates; }
  int count() const { return c + 2 * coordinates; }
  bool is_velocity(int variable) const { return (variable >= v && variable < t) || variable >= rate(); }
  bool needs_rotation(int variable) const {
    return (variable >= R && variable < v) || (variable >= w && variable < t);
  }
  static std::vector<std::string> names(std::span<const std::string> coordinates);
};

/// The relative state that the equations are evaluated at.
struct RelativeValues {
  InlineVector<double, Variables::c + 2 * inline_coordinates> all;
  Mat3 R_AB = Mat3::Identity();
  Vec3 w_AB_B = Vec3::Zero();

  /// `twist` is (d/dt p_AB_A; w_AB_B); null where no velocity is read. `c` and `c_rate` are the coordinates.
  RelativeValues(const Variables& variables, const Mat3& R, const Vec3& p_AB_A, const Vec6* twist,
                 const double* c, const double* c_rate, double t);
  std::span<const double> span() const { return {all.data(), all.size()}; }
};

/// Equations at velocity level: e = A nu + b with the twist and the rates of the coordinates, nu = (d/dt p_AB_A; w_AB_B;
/// c'), n of them. Matrices by rows; derivatives by z = (zeta; c) as in JointTerms.
struct VelocityTerms {
  int equations = 0, n = 0;
  const double* e;     ///< equations
  const double* A;     ///< equations x n
  const double* by_z;  ///< equations x n: de/dz at fixed nu
  const double* A_z;   ///< equations, each n x n: d(A_i)/dz, rows by nu; read where tangents are asked for
  const double* e_t;   ///< equations: at fixed nu and z

  const double* row(const double* matrix, int i) const { return matrix + i * n; }
};

/// The equations of one joint, read from its case.
class Equations {
 public:
  struct Equation {
    FormulaPtr formula;
    Measure measure;
    bool is_gap = false;  ///< kept at or above zero, by pressing only
  };

  Equations(int coordinates, std::vector<Equation> position, std::vector<Equation> velocity);

  const Variables& variables() const { return variables_; }
  int coordinates() const { return variables_.coordinates; }
  const std::vector<Equation>& position() const { return position_; }
  const std::vector<Equation>& velocity() const { return velocity_; }
  bool position_reads_time() const;
  bool reads_rotation() const;

  // The views point to memory of the thread, overwritten by its next call. Throw RejectStep where something is not finite.
  JointTermsView position_terms(const RelativeValues& x, bool second) const;
  VelocityTerms velocity_terms(const RelativeValues& x, bool second) const;

 private:
  /// How a variable that a formula reads depends on z and nu.
  struct Reading {
    enum class Kind {
      straight,  ///< entry `index` of z
      rotation,  ///< R_AB(i, j)
      time,      ///< t
      velocity,  ///< entry `index` of nu
      spin       ///< component `index` of w_AB_A
    };
    Kind kind;
    int index = 0, i = 0, j = 0;
  };
  using Readings = std::vector<Reading>;

  Readings readings_of(const Formula& formula) const;

  Variables variables_;
  std::vector<Equation> position_, velocity_;
  std::vector<Readings> position_readings_, velocity_readings_;
};

}  // namespace trammel::formula
