#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trammel/builder.hpp"
#include "trammel/element_check.hpp"
#include "trammel/export.hpp"

namespace trammel {

/// Two free frames between which joints are put alone, to be checked.
struct SampleFrames {
  Frame a, b;
};

/// The entity "bodies" that holds the sample markers, and its type.
TRAMMEL_API Entity sample_entity();
TRAMMEL_API Type sample_body();

/// Adds the frames A and B to the present entity, `sample_entity`, with markers of all kinds: "bodies.a" and "bodies.b" at
/// their origins, "bodies.a_arm" and "bodies.b_arm" with an offset and a rotation, "bodies.still" on the ground, and
/// "bodies.a_moving", "bodies.b_moving" and "bodies.moving", functions of time on A, on B and on the ground.
TRAMMEL_API SampleFrames add_sample_markers(Builder& builder, const Mat3& R_WA = Mat3::Identity(),
                                            const Vec3& p_WA = Vec3::Zero(),
                                            const Mat3& R_WB = Mat3::Identity(),
                                            const Vec3& p_WB = Vec3::Zero());

/// Pairs of these markers as a case writes them: with arms (the first), at the origins, with the ground on either side,
/// moving in time.
TRAMMEL_API const std::vector<std::string>& sample_marker_pairs();

/// The gradient of an instance's constraints in its kinematic blocks: rows of B of position-level constraints, then
/// those of A of velocity-level ones.
TRAMMEL_API Eigen::MatrixXd constraint_gradient(const ElementRange& range, int instance, const TestState& at);

/// The state after the superposed rigid motion p <- Q p + c of all frames, with the velocity v and the angular velocity
/// w (about the world's origin, world components) at this instant. Multipliers and coordinates stay.
TRAMMEL_API TestState carried(TestState at, const Mat3& Q, const Vec3& c, const Vec3& v, const Vec3& w);

/// Moves a state by least changes until the constraints hold, then its velocities. False where that does not converge.
TRAMMEL_API bool close(const ElementRange& range, int instance, TestState& at);

/// How far a joint is from objective at a state in which its constraints and their rates hold: by how much they are
/// violated after a random superposed rigid motion (rates relative to the largest velocity or 1), and the resultant of
/// the reactions, relative to the largest of them or 1.
TRAMMEL_API double objectivity_error(const ElementRange& range, int instance, const TestState& closed,
                                     std::uint64_t seed);

/// Result of the check of a joint between two markers at random states.
struct JointCheck {
  struct Worst {
    double error = 0;
    std::string where;  ///< the entry, the markers and the number of the state
    std::string pose;   ///< of marker B relative to A there, where the joint has markers

    void take(double found, const std::string& at, const std::string& relative_pose = {}) {
      if (found > error || !(found == found)) error = found, where = at, pose = relative_pose;
    }
  };

  static constexpr std::size_t states_repeated = 6;  ///< of those looked at: evaluations are repeated there
  static constexpr double close_look =
      1e-9;  ///< relative error of a derivative beyond which steps are reduced

  int states = 0;                              ///< looked at so far
  int closed = 0;                              ///< of them closed, and moved as a rigid body
  int equations = 0, kinematic = 0, rank = 0;  ///< between the first pair of markers; the least rank
  Worst gradient, stiffness, rate, bias, objectivity, power;
  Worst other;             ///< D, M, blocks declared not to couple
  std::string unrepeated;  ///< a number that evaluations of one state do not agree on, and where; or empty
  std::string beside_a_thread;  ///< a result that is another while a thread draws, and where; or empty

  /// Degrees of freedom that it leaves between two free frames.
  int degrees_of_freedom() const { return kinematic - 6 - rank; }
};

/// The pose of marker B relative to A of an instance with a `site()`, in words; empty where it has none.
TRAMMEL_API std::string relative_pose(const ElementRange& range, int instance, const TestState& at);

/// Checks an instance at the disturbed states `first`, `first + by`, ... up to `count` around `start`, with rotations up
/// to pi. `pair` says which of `sample_marker_pairs` it stands between: the rank and the objectivity are those of a
/// joint between two free frames.
TRAMMEL_API void check_joint(const ElementRange& range, int instance, const TestState& start,
                             std::size_t pair, int first, int count, int by, JointCheck& into);

}  // namespace trammel
