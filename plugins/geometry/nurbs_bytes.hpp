#pragma once

#include <string>
#include <string_view>

#include "nurbs_definition.hpp"

namespace trammel::geometry {

/// A spline as bytes, for another process on the same machine.
std::string to_bytes(const NurbsDefinition& spline);
/// The spline that `bytes` hold. Throws Error where they are not a whole spline.
NurbsDefinition from_bytes(std::string_view bytes);

}  // namespace trammel::geometry
