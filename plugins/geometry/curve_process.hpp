#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/curve.hpp"

namespace trammel::geometry {

/// Reads a curve from a STEP or IGES file as files/curve_file.hpp says, by a library of its own, `curve_files.so` in the
/// folder above the plugins'. It is loaded at the first file, since Open CASCADE's readers take a quarter of a second to
/// load. Throws Error where it is missing.
std::unique_ptr<Curve> load_curve_file(const std::string& path, const std::vector<std::string>& names);

}  // namespace trammel::geometry
