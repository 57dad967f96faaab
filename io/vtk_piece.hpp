#pragma once

#include <string>
#include <vector>

#include "io/vtk_drawing.hpp"

namespace trammel {

/// A field of a layer, as all ranks agree on it.
struct LayerField {
  std::string name;
  int components = 1;
};

/// A drawing as the text of a .vtp file (VTK XML PolyData; appended raw binary, compressed by zlib). Fields that the
/// drawing lacks are zeros, and `entity` is a field of points and of cells. Throws Error where VTK cannot.
std::string vtk_piece(LayerDrawing& drawing, const std::vector<LayerField>& fields);

/// The text of the .pvtp file that joins pieces.
std::string vtk_pieces(const std::vector<LayerField>& fields, const std::vector<std::string>& sources);

/// Text as it stands in an attribute of XML.
std::string xml_text(std::string_view text);

}  // namespace trammel
