#pragma once

#include "trammel/registry.hpp"

namespace trammel::geometry {

/// The surface `face_file`: its file is read as files/face_file.hpp says, in a process of its own.
void add_face_file(Registry& registry);

}  // namespace trammel::geometry
