#pragma once

#include <map>
#include <optional>

#include "trammel/builder.hpp"
#include "trammel/parameters.hpp"

namespace trammel {

/// When a joint lets go for good: at a time, or where the force or the moment that it transmits reaches a limit.
struct ReleaseLaw {
  std::optional<double> at;      ///< [s]
  std::optional<double> force;   ///< [N]
  std::optional<double> moment;  ///< [N m]
  Location where;
};

/// The common parameter `release` of all joints.
Parameter release_parameter();
/// Reads it, and keeps it with the entity for `apply_releases`. Throws Error where it names nothing.
void read_release(const Parameters& in, Builder& builder);
/// The name under which an entity's law is kept.
inline const char* const release_name = "release law";

/// Has the joints named let go: their instances are wrapped. Throws Error where a joint's reaction cannot be read.
void apply_releases(Model& model, const std::map<int, ReleaseLaw>& laws);

}  // namespace trammel
