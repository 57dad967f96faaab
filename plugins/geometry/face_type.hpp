#pragma once

#include <memory>
#include <string>

#include "face_surface.hpp"
#include "files/face_file.hpp"
#include "trammel/registry.hpp"

namespace trammel::geometry {

/// The program that reads faces: `face_files` in the folder above the plugins'.
std::string face_reader();
/// Reads faces as files/face_file.hpp says, in a process of its own, and joins them.
std::shared_ptr<const FaceSurface> load_face_file(const std::string& path, const FacesWanted& wanted,
                                                  bool reversed, const std::string& reader = face_reader());
/// The surface `face_file`.
void add_face_file(Registry& registry);

}  // namespace trammel::geometry
