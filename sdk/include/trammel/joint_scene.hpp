#pragma once

#include <string>
#include <vector>

namespace trammel {

/// A small case in which `trammel verify` looks at a joint that needs more than two markers to stand between: a curve, a
/// beam, other joints. Its plugin offers it:
///
///     TRAMMEL_JOINT_SCENES {
///       scenes.push_back({.joint = "my_slider", .title = "on a helix", .text = R"(trammel: 1
///     bodies: ...
///     joints: {joint: {type: my_slider, ...}}
///     )"});
///     }
struct JointScene {
  std::string joint;  ///< the type that is looked at
  std::string title;  ///< what is special about this scene
  std::string text;   ///< the case, without stages; the joint's name in it is `joint`
  // How far the states that are looked at are from the start, at random, after the whole moved as a rigid body.
  double position = 1;       ///< position blocks [m]
  double rotation = 3;       ///< rotation blocks [rad]
  double coordinate = 1;     ///< coordinates, in their units
  double multiplier = 1;     ///< multipliers
  double difference = 1e-3;  ///< step of the differences
  /// Multipliers that are vectors in the world's axes, by the ends of their blocks' names: they turn with the whole, and
  /// where equations depend on them their turning counts in the rates.
  std::vector<std::string> in_world{};
  bool motion = true;  ///< look at the drift in motion, too
};

}  // namespace trammel

/// Defines the scenes of a plugin's joints. Use at most once in a library, beside TRAMMEL_PLUGIN.
#define TRAMMEL_JOINT_SCENES                                                   \
  extern "C" __attribute__((visibility("default"))) void trammel_joint_scenes( \
      std::vector<::trammel::JointScene>& scenes);                             \
  void trammel_joint_scenes(std::vector<::trammel::JointScene>& scenes)
