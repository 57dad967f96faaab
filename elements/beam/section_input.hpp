#pragma once

#include <vector>

#include "section.hpp"
#include "trammel/parameters.hpp"

namespace trammel::beam {

/// Parameters of a section in a case, for the check of the input and for the manual.
std::vector<Parameter> section_parameters();

/// Reads the parameter `name` of a beam: a section, or {stations: [{at, ...}, ...]}. Throws Error at its
/// place where it is incomplete, contradictory or not sound.
SectionAlongSpan read_section(const Parameters& in, std::string_view name);

}  // namespace trammel::beam
