#pragma once

#include <string>
#include <vector>

#include "../shapes/occt_curve.hpp"

namespace trammel::geometry {

/// Reads edges from a STEP (.step, .stp, .p21) or IGES (.iges, .igs) file, in metres, and joins them into one spline, in
/// whatever order they stand. A name is that of an edge, of a curve, or of a wire of several edges; without names the
/// file must hold one edge or wire alone. Ends that meet with one tangent make a closed curve.
/// Throws Error where the file cannot be read, breaks the rules of its format or has shapes without units, a name is not
/// there (lists those there are), or the edges do not meet. Open CASCADE may crash on a damaged file, so call this in a
/// process of its own (../curve_process.hpp).
NurbsDefinition read_spline_file(const std::string& path, const std::vector<std::string>& names);

}  // namespace trammel::geometry
