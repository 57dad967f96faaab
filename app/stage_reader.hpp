#pragma once

#include <string>
#include <vector>

#include "io/case_file.hpp"
#include "solvers/stages.hpp"

namespace trammel {

/// A kind of stage and its parameters, for messages and `trammel describe`.
struct StageType {
  std::string name;
  std::string summary;
  std::vector<Parameter> parameters;
};

const std::vector<StageType>& stage_types();

/// The stages of a case. Throws Error with its place, also where there are none.
std::vector<Stage> read_stages(const CaseFile& file);

}  // namespace trammel
