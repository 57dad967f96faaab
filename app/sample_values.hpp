#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trammel/registry.hpp"

namespace trammel {

/// A value that a parameter may have, as a case writes it: its example, or one guessed from its kind and range; none
/// where neither is to be had.
std::optional<std::string> sample_value(const Parameter& parameter);

/// Values with which a type is built to be looked at: names and texts.
struct JointSample {
  std::vector<std::pair<std::string, std::string>> values;
  std::string title;  ///< what differs from the first sample: "coordinate: no"; empty for the first
};

/// The samples of a joint type: with examples and guesses for what must be given, then with each of its own flags the
/// other way round. `given` replaces values. Throws Error where a required parameter has neither example nor guess.
std::vector<JointSample> joint_samples(const Type& type,
                                       const std::vector<std::pair<std::string, std::string>>& given = {});

/// The joint as an entry of a case, between these markers; open at the start where the type allows it.
std::string joint_entry(const Type& type, const JointSample& sample, const std::string& between);

/// True where the type connects two markers.
bool connects_markers(const Type& type);

}  // namespace trammel
