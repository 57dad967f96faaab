#pragma once

#include <string>
#include <vector>

#include "trammel/parameters.hpp"

namespace trammel::geometry {

/// The path that the parameter `file` gives; a relative one counts from the folder of the case.
std::string file_path(const Parameters& in);
/// The names that a parameter gives, one or a list; `what`: "an edge". None where it is absent.
std::vector<std::string> names_in_file(const Parameters& in, const char* parameter, const char* what);

}  // namespace trammel::geometry
