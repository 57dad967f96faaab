#pragma once

#include <string>
#include <vector>

#include "trammel/outputs.hpp"
#include "trammel/registry.hpp"

namespace trammel {

/// Offers of an entity of a type, besides its markers, by their short names.
struct TypeOffers {
  std::vector<Channel> coordinates;  ///< of a joint
  std::vector<Channel> outputs;
};

/// Builds an entity of the type as an example and asks it: between two sample markers, or in a scene of its plugin. A type
/// that takes other things than markers and values (a beam to slide on, a joint's coordinate) offers nothing here.
TypeOffers offered_by(const Type& type, const Registry& registry);

}  // namespace trammel
