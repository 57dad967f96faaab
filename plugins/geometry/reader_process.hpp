#pragma once

#include <string>
#include <vector>

namespace trammel::geometry {

/// The path of a file in the folder above the plugins'.
std::string beside_plugins(const char* name);

/// What a program answers that reads a file, the first of its arguments, in a process of its own, since Open CASCADE crashes on
/// some damaged files; the answer must be of the kind given (files/answer.hpp), which is cut off. Throws Error where the file is
/// refused, where the process crashes or exceeds its limit of computing time, and where it cannot be started.
std::string read_by_process(const std::string& program, const std::vector<std::string>& arguments, char kind);

}  // namespace trammel::geometry
