#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/curve.hpp"

namespace trammel::geometry {

/// Reads edges from a STEP (.step, .stp, .p21) or IGES (.iges, .igs) file, in metres, and joins them into one curve, in
/// whatever order they stand. A name is that of an edge, of a curve, or of a wire of several edges; without names the
/// file must hold one edge or wire alone. Ends that meet with one tangent make a closed curve.
/// Throws Error where the file cannot be read, a name is not there (lists those there are), or the edges do not meet.
std::unique_ptr<Curve> read_curve_file(const std::string& path, const std::vector<std::string>& names);

}  // namespace trammel::geometry
