#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trammel/joint_check.hpp"
#include "trammel/registry.hpp"

namespace trammel {

/// Bounds beyond which a joint fails.
struct JointBounds {
  double derivative = 1e-8;    ///< relative, of every difference test
  double objectivity = 1e-11;  ///< relative
  double power = 1e-10;        ///< relative
  double drift = 1e-7;         ///< of a position equation over the motion [m or rad]
};

/// Result of the verification of a joint type; `failures` in words.
struct JointVerdict {
  std::string type;
  bool absolute = false;
  int degrees_of_freedom_stated = -1;
  std::string not_checked;  ///< why, or empty
  JointCheck check;
  std::string coordinates;                     ///< names of those that it offers
  std::array<std::optional<double>, 3> drift;  ///< of index 3, 2 and 1
  bool at_rest = false;  ///< nothing moved where the drift was looked at: it says nothing
  std::vector<std::string> failures;
};

struct JointVerification {
  int states = 100;  ///< random ones, for each sample of a type
  bool motion = true;
  double until = 10, step = 0.01;  ///< of the motion [s]
  JointBounds bounds;
  /// Parameters of the joints that replace examples, names and texts.
  std::vector<std::pair<std::string, std::string>> given;
};

/// Builds the joint between sample markers and between two free bodies, and looks at it.
JointVerdict verify_joint(const Type& type, const Registry& registry, const JointVerification& how);

/// Looks at a joint in the scenes that its plugin offers (trammel/joint_scene.hpp), one verdict each; none where it
/// offers none.
std::vector<JointVerdict> verify_scenes(const Type& type, const Registry& registry,
                                        const JointVerification& how);

}  // namespace trammel
