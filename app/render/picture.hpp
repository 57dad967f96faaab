#pragma once

#include <vtkBoundingBox.h>

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "framing.hpp"
#include "io/drawing/view_style.hpp"
#include "series_reader.hpp"

namespace trammel::render {

struct PictureOptions {
  int width = 1280, height = 800;
  /// From where the camera looks, as a direction from the middle of the scene, and what points up; absent: as in ParaView.
  std::optional<std::array<double, 3>> from, up;
  double zoom = 1;
  /// Length of the longest arrow by the diagonal of the scene, 0: no arrows; absent: the scale of the run, as in ParaView.
  std::optional<double> arrow;
  std::string colour;              ///< a colouring or a field; empty: what ParaView shows first; "none"
  std::set<std::string> hide;      ///< layers that are not drawn
  std::set<std::string> named;     ///< layers whose things have their names beside them
  std::vector<std::string> names;  ///< by entity
  std::string caption;
};

/// Settings shared by several pictures: the region that they show and the range of their colours.
class Extent {
 public:
  /// Keeps a reference to the options.
  /// Throws Error where the directions of the view are none.
  Extent(const PictureOptions& options, SeriesView view);
  /// Throws Error where `options.colour` names no field of points.
  void add(const Layers& layers);

  const vtkBoundingBox& box() const { return box_; }
  const ViewAxes& axes() const { return axes_; }
  /// Of all that was added; with room for a legend or without.
  const Framing& framing(bool with_legend) const { return with_legend ? beside_legend_ : whole_; }
  /// The length of the longest vector of a field at joints and loads.
  double longest(const std::string& field) const;
  /// How beams are coloured, with the range of its numbers; absent: in one colour. Throws Error where nothing that was added
  /// has the field that is asked for.
  struct Colouring {
    std::string title, unit;
    double low = 0, high = 0;
  };
  std::optional<Colouring> colouring() const;

 private:
  void add_arrows(vtkPolyData* poly);
  void add_point(const Vector& point) {
    whole_.add(point);
    beside_legend_.add(point);
  }

  const PictureOptions* options_;
  SeriesView view_;
  ViewAxes axes_;
  Framing whole_, beside_legend_;
  std::map<std::string, double> longest_;
  vtkBoundingBox box_;
  std::vector<Colouring> found_;
  std::set<std::string> fields_;
};

/// Draws instants over each other, the last one in full colours with its forces, and writes a PNG file. Needs a
/// display. Throws Error.
void write_picture(const std::vector<Layers>& instants, const PictureOptions& options, const SeriesView& view,
                   const Extent& extent, const std::filesystem::path& file);

}  // namespace trammel::render
