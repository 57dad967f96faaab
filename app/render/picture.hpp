#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "series_reader.hpp"

namespace trammel::render {

struct PictureOptions {
  int width = 1280, height = 800;
  /// From where the camera looks, as a direction from the middle of the scene; absent: chosen by the shape of the scene.
  std::optional<std::array<double, 3>> from;
  std::optional<std::array<double, 3>> up;
  double zoom = 1;
  double arrow = 0.15;  ///< length of the longest arrow, by the diagonal of the scene; 0: no arrows
  std::string caption;
};

/// Draws instants over each other, the last one in full colours with its forces, and writes a PNG file. Needs a
/// display. Throws Error.
void write_picture(const std::vector<Layers>& instants, const PictureOptions& options,
                   const std::filesystem::path& file);

}  // namespace trammel::render
