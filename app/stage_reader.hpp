#pragma once

#include <string>
#include <vector>

#include "io/case/case_file.hpp"
#include "solvers/newton/stages.hpp"

namespace trammel {

/// A kind of stage and its parameters, for messages and `trammel describe`.
struct StageType {
  std::string name;
  std::string summary;
  std::vector<Parameter> parameters;
};

const std::vector<StageType>& stage_types();

/// The stages of a case. Kinds that plugins add are replaced by the stages that they consist of. Throws Error with
/// its place, also if the case has no stages.
std::vector<Stage> read_stages(const CaseFile& file, const Registry& registry);

}  // namespace trammel
