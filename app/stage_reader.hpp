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

/// The stages of a case, with those that kinds of plugins stand for. Throws Error with its place, also where there are none.
std::vector<Stage> read_stages(const CaseFile& file, const Registry& registry);

}  // namespace trammel
