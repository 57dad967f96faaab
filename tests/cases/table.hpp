#pragma once

#include <string>
#include <vector>

#include "judgement.hpp"

namespace trammel::cases {

/// One line a verdict under a header, columns aligned.
std::string table(const std::vector<Verdict>& verdicts);

}  // namespace trammel::cases
