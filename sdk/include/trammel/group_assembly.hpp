#pragma once

#include <span>

#include "trammel/export.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"
#include "trammel/relative_group.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// A law of forces in relative motion with its derivatives, as the assembly reads it. All components are in the axes of
/// the first marker, A.
///
/// Rows: for each other marker the force on it and the moment on it about its origin; the forces on the coordinates; the
/// rates of the states; the algebraic equations. Variables: for each other marker (d p_AB_A; dtheta); the coordinates;
/// for each other marker (d/dt p_AB_A; w_AB_A); the coordinates' rates; the states; the algebraic unknowns.
struct LawTermsView {
  int poses, coordinates, states, algebraic;
  const double* values;       ///< one a row
  const double* derivatives;  ///< rows x variables, by rows; null where only values are asked for
  const double* state_rates;  ///< y' at the state that is evaluated
  Reserved<2> reserved{};

  int relative() const { return 6 * poses; }
  int kinematic() const { return relative() + coordinates; }
  int rows() const { return kinematic() + states + algebraic; }
  int variables() const { return 2 * kinematic() + states + algebraic; }
};

/// The relative wrench of a law on its markers but the first, power-conjugate to the group's twist.
TRAMMEL_API Eigen::VectorXd law_wrench(const RelativeGroup& group, const LawTermsView& terms);

/// Adds a law's contribution to its local system: the blocks of the markers, the coordinates, the states, the algebraic
/// unknowns. For tangents the group is evaluated with MotionLevel::full, else with MotionLevel::velocity.
TRAMMEL_API void assemble_law(std::span<const Marker> markers, const LocalState& x,
                              const RelativeGroup& group, const LawTermsView& terms, LocalSystem& out);

/// Strain energy `stored` with its gradient by the law's variables; power that leaves the system is what the forces do
/// not store. `algebraic_rates` of the algebraic unknowns follow from their equations.
TRAMMEL_API Energy law_energy(std::span<const Marker> markers, const LocalState& x,
                              const RelativeGroup& group, const LawTermsView& terms,
                              const double* coordinate_rates, const double* coordinate_accelerations,
                              double stored, const double* stored_gradient);

/// Reports the forces and moments of a law on its markers, in the world: force_on_A, moment_on_A, force_on_B, ...
TRAMMEL_API void report_law(const RelativeGroup& group, const Eigen::VectorXd& wrench, OutputSink& sink);

/// The inertia of an element whose kinetic energy is nu^T M nu / 2, nu the twists of its markers in their own axes
/// (velocity; angular velocity), then the rates of its coordinates. The markers are origins of frames.
TRAMMEL_API void assemble_inertia(const Eigen::MatrixXd& M, int markers, int coordinates, const LocalState& x,
                                  LocalSystem& out);
TRAMMEL_API double kinetic_energy(const Eigen::MatrixXd& M, int markers, int coordinates,
                                  const LocalState& x);

/// Equations of any number of markers at position level with their derivatives by the variables of LawTermsView without
/// rates: poses, then coordinates. The rotation part of H is that of the exponential chart.
struct GroupTermsView {
  int poses, coordinates, equations;
  const double* C;  ///< equations
  const double* G;  ///< equations x variables, by rows
  const double*
      H;  ///< equations, each variables x variables, symmetric; where tangents or bias are asked for
  const double *C_t, *C_tt;  ///< equations
  const double* G_t;         ///< equations x variables
  Reserved<2> reserved{};

  int variables() const { return 6 * poses + coordinates; }
};

/// The relative wrench G^T lambda, and the forces on the coordinates after it.
TRAMMEL_API Eigen::VectorXd group_wrench(const GroupTermsView& terms, const double* lambda);

/// Adds residual, tangents and rates of equations at position level: the blocks of the markers, the coordinates (one
/// block, where there are any), the multipliers.
TRAMMEL_API void assemble_group(std::span<const Marker> markers, const LocalState& x,
                                const RelativeGroup& group, const GroupTermsView& terms, int coordinate_block,
                                int multiplier_block, LocalSystem& out);

/// Equations at velocity level, linear in the twist, between two markers: in the axes of A.
struct VelocityTermsView {
  int equations;
  const double* value;    ///< A v + b
  const double* A;        ///< equations x 6, by (d/dt p_AB_A; w_AB_A)
  const double* by_pose;  ///< equations x 6: of the value by (d p_AB_A; dtheta), (d/dt p_AB_A; w_AB_A) held
  const double*
      A_by_pose;          ///< equations, each 6 x 6: of the row of A (first index) by the pose; for tangents
  const double* by_time;  ///< equations: partial derivative of the value
  Reserved<2> reserved{};
};

/// The relative wrench A^T lambda.
TRAMMEL_API Eigen::VectorXd velocity_wrench(const RelativeGroup& group, const VelocityTermsView& terms,
                                            const double* lambda);

/// Adds residual, tangents and bias of equations at velocity level: the blocks of both markers, the multipliers. For
/// tangents and bias the group is evaluated with MotionLevel::full, else with MotionLevel::velocity.
TRAMMEL_API void assemble_velocity_rows(std::span<const Marker> markers, const LocalState& x,
                                        const RelativeGroup& group, const VelocityTermsView& terms,
                                        int multiplier_block, LocalSystem& out);

}  // namespace trammel
