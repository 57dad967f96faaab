#pragma once

#include <string>
#include <vector>

namespace trammel {

/// "a -> b -> a", for messages about names that lead to each other. Of a long chain the beginning and the end are shown.
std::string name_chain(const std::vector<std::string>& names);

}  // namespace trammel
