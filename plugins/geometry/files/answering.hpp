#pragma once

#include <functional>
#include <string>

namespace trammel::geometry {

/// What a program that reads a file does: writes `kind` and what `answer` gives to standard output, or answer_refused and why
/// it cannot, and ends the process. Its computing time and memory are limited by the size of the file: far more than reading
/// takes (some 2 s and 1 GB for 10 MB), far less than the machine has.
[[noreturn]] void answer_and_exit(const std::string& path, char kind,
                                  const std::function<std::string()>& answer);

}  // namespace trammel::geometry
