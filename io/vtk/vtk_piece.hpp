#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/drawing/vtk_drawing.hpp"
#include "io/vtk/appended_arrays.hpp"

namespace trammel {

/// A field of a layer, as all ranks agree on it.
struct LayerField {
  std::string name;
  int components = 1;
  std::string unit{};                ///< "" where none is given
  std::vector<std::string> names{};  ///< of the components; empty where they have none

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, components, unit, names);
  }
};

/// How coordinates are written.
enum class Coordinates { in_single_precision, in_double_precision };
/// Fields are in single precision. Those with several components, and all on sections, are rounded to so many binary digits of their
/// largest number (an error of 4e-6 of it), and those with several components to so many bits of each number: rounding noise cannot be
/// compressed, and a picture shows three digits.
inline constexpr int field_digits = 18, field_bits = 17;

/// Single precision where it tells a millionth of the drawing's size. Drawings far from the origin need double precision.
Coordinates coordinates_for(const DrawingExtent& extent);

/// Turns drawings of one layer into .vtp files (VTK XML PolyData; appended raw binary, compressed by zlib), one after the other. What
/// is the same in the next drawing is not compressed again.
class VtkPieceWriter {
 public:
  /// The text of a file. Fields that the drawing lacks are zeros, and `entity` is a field of points and of cells. Throws Error
  /// where the drawing is too large.
  std::string text(LayerDrawing& drawing, const std::vector<LayerField>& fields, Coordinates coordinates);

 private:
  /// Sets numbers_.
  void field_to_single(std::span<const double> values, const LayerField& field, int digits);

  AppendedArrays arrays_;
  std::vector<float> numbers_, spread_, of_component_;
  std::vector<double> component_;
  std::vector<std::int32_t> indices_;
};

/// The text of one file.
std::string vtk_piece(LayerDrawing& drawing, const std::vector<LayerField>& fields, Coordinates coordinates);

/// The text of the .pvtp file that joins pieces.
std::string vtk_pieces(const std::vector<LayerField>& fields, Coordinates coordinates,
                       const std::vector<std::string>& sources);

/// Text as it stands in an attribute of XML.
std::string xml_text(std::string_view text);

}  // namespace trammel
