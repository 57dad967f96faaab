#pragma once

#include <string>
#include <vector>

#include "nurbs_definition.hpp"

namespace trammel::geometry {

/// The program that reads curves: `curve_files` in the folder above the plugins'.
std::string curve_reader();

/// Reads a curve from a STEP or IGES file as files/curve_file.hpp says, in a process of its own, since Open CASCADE
/// crashes on some damaged files. Throws Error where the file is refused, where the process crashes or exceeds its limit
/// of computing time, and where it cannot be started.
NurbsDefinition load_curve_file(const std::string& path, const std::vector<std::string>& names,
                                const std::string& reader = curve_reader());

}  // namespace trammel::geometry
