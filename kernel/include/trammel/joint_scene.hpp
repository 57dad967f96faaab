#pragma once

#include <string>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/registry.hpp"

namespace trammel {

class Model;
struct JointCheck;

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

/// The scenes that the plugin of a type has for it.
TRAMMEL_API std::vector<JointScene> scenes_of(const Type& type);

/// Checks all that an entity of a model consists of at `states` random states of its scene, as `check_joint` does. Its
/// `freedoms` are those between a body and what the joint is on. Reactions of a joint that stores energy are held against
/// its rate; under a superposed rigid motion every equation and every reaction must turn along.
TRAMMEL_API void check_scene(const Model& model, int entity, const JointScene& scene, int states,
                             JointCheck& into);

/// Compares what an entity gives in two models of one scene, at some random states and bit by bit. Names the first number
/// that differs; empty where none does.
TRAMMEL_API std::string differs_between(const Model& model, const Model& other, int entity,
                                        const JointScene& scene);

}  // namespace trammel

/// Defines the scenes of a plugin's joints. Use at most once in a library, beside TRAMMEL_PLUGIN.
#define TRAMMEL_JOINT_SCENES                                                   \
  extern "C" __attribute__((visibility("default"))) void trammel_joint_scenes( \
      std::vector<::trammel::JointScene>& scenes);                             \
  void trammel_joint_scenes(std::vector<::trammel::JointScene>& scenes)
