#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/element_range.hpp"
#include "trammel/export.hpp"
#include "trammel/joint_scene.hpp"
#include "trammel/registry.hpp"

namespace trammel {

struct JointCheck;

/// All that an entity of a model consists of.
struct EntityInstances {
  struct Instance {
    const ElementRange* range = nullptr;
    int number = 0;
  };
  int entity = -1;
  std::vector<Instance> instances;
  std::function<const Block&(BlockId)> block;  ///< of the model
};

/// The scenes that the plugin of a type has for it.
TRAMMEL_API std::vector<JointScene> scenes_of(const Type& type);

/// Checks all that an entity of a model consists of at `states` random states of its scene, as `check_joint` does. Its
/// `degrees of freedom` are those between a body and what the joint is on. Reactions of a joint that stores energy are held against
/// its rate; under a superposed rigid motion every equation and every reaction must turn along.
TRAMMEL_API void check_scene(const EntityInstances& joint, const JointScene& scene, int states,
                             JointCheck& into);

/// Compares what an entity gives in two models of one scene, at some random states and bit by bit. Names the first number
/// that differs; empty where none does.
TRAMMEL_API std::string differs_between(const EntityInstances& joint, const EntityInstances& other,
                                        const JointScene& scene);

}  // namespace trammel
