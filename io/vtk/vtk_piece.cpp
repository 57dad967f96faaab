#include "io/vtk/vtk_piece.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "io/vtk/field_labels.hpp"
#include "trammel/error.hpp"
#include "trammel/glyph.hpp"

namespace trammel {

namespace {

constexpr int every_bit = std::numeric_limits<float>::digits;
constexpr double largest_single = std::numeric_limits<float>::max();

/// To the nearest number in single precision of so many bits.
float rounded(double value, int bits) {
  const auto single =
      static_cast<float>(std::isfinite(value) ? std::clamp(value, -largest_single, largest_single) : value);
  const int dropped = std::numeric_limits<float>::digits - bits;
  if (dropped <= 0 || !std::isfinite(single)) return single;
  const auto raw = std::bit_cast<std::uint32_t>(single);
  const std::uint32_t kept = (raw + (1U << (dropped - 1))) & ~((1U << dropped) - 1U);
  const auto result = std::bit_cast<float>(kept);
  return std::isfinite(result) ? result : single;
}

/// The largest magnitude of these that are finite, and whether all of them are.
std::pair<double, bool> largest_of(std::span<const double> values) {
  if (values.empty()) return {0, true};
  const double largest = Eigen::Map<const Eigen::ArrayXd>(values.data(), std::ssize(values))
                             .abs()
                             .maxCoeff<Eigen::PropagateNaN>();
  if (std::isfinite(largest)) return {largest, true};
  double finite = 0;
  for (const double value : values)
    if (std::isfinite(value)) finite = std::max(finite, std::abs(value));
  return {finite, false};
}

/// Rounds values to so many binary digits of the largest of them, and to so many bits. Digits below are rounding errors, and details
/// that no picture shows; they do not compress.
void to_single(std::span<const double> values, int digits, int bits, std::vector<float>& to) {
  to.resize(values.size());
  const auto [largest, finite] = largest_of(values);
  const double step =
      largest == 0 ? 0 : std::ldexp(1.0, std::ilogb(std::min(largest, largest_single)) - (digits - 1));
  const double to_step = 0x1.8p52 * step;  // adding this rounds a value to a multiple of the step
  if (!finite || largest > largest_single / 2) {
    for (std::size_t i = 0; i < values.size(); ++i) to[i] = rounded((values[i] + to_step) - to_step, bits);
    return;
  }
  // Without branches, so that the compiler takes several numbers at a time.
  const int dropped = std::numeric_limits<float>::digits - bits;
  const std::uint32_t half = dropped > 0 ? 1U << (dropped - 1) : 0, mask = ~((1U << dropped) - 1U);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto single = static_cast<float>((values[i] + to_step) - to_step);
    to[i] = std::bit_cast<float>((std::bit_cast<std::uint32_t>(single) + half) & mask);
  }
}

/// Whether the components are quantities of their own (a normal force and shear forces), and not of one vector in the world.
bool has_own_scales(const LayerField& field) {
  return field.components > 1 && !field.names.empty() && !std::ranges::equal(field.names, world_axes);
}

/// Numbers of points and offsets as the files have them.
void to_indices(std::span<const std::int64_t> values, std::vector<std::int32_t>& to) {
  to.resize(values.size());
  std::ranges::transform(values, to.begin(),
                         [](std::int64_t value) { return static_cast<std::int32_t>(value); });
}

std::string array_element(std::string_view type, std::string_view name, int components, std::size_t offset) {
  return fmt::format(
      "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
      "offset=\"{}\"",
      type, xml_text(name), components, offset);
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += c;
    }
  return out;
}

Coordinates coordinates_for(const DrawingExtent& extent) {
  constexpr double precision = std::numeric_limits<float>::epsilon();
  double farthest = 0;
  for (std::size_t k = 0; k < 3; ++k)
    farthest = std::max({farthest, std::abs(extent.low[k]), std::abs(extent.high[k])});
  return precision * farthest <= 1e-6 * extent.diagonal() ? Coordinates::in_single_precision
                                                          : Coordinates::in_double_precision;
}

void VtkPieceWriter::field_to_single(std::span<const double> values, const LayerField& field, int digits) {
  const int bits = field.components > 1 ? field_bits : digits;
  if (!has_own_scales(field)) return to_single(values, digits, bits, numbers_);
  const auto width = static_cast<std::size_t>(field.components);
  numbers_.resize(values.size());
  for (std::size_t k = 0; k < width; ++k) {
    component_.clear();
    for (std::size_t i = k; i < values.size(); i += width) component_.push_back(values[i]);
    to_single(component_, digits, bits, of_component_);
    for (std::size_t i = 0; i < of_component_.size(); ++i) numbers_[k + i * width] = of_component_[i];
  }
}

std::string VtkPieceWriter::text(LayerDrawing& drawing, const std::vector<LayerField>& fields,
                                 Coordinates coordinates) {
  constexpr auto largest = std::numeric_limits<std::int32_t>::max();
  // VTK counts the cells of a poly data in this order, and writes them in another.
  const std::array<std::pair<const char*, const LayerDrawing::Cells*>, 4> kinds{
      {{"Verts", &drawing.vertices},
       {"Lines", &drawing.lines},
       {"Strips", &drawing.strips},
       {"Polys", &drawing.polygons}}};
  for (const auto& [name, kind] : kinds)
    if (kind->connectivity.size() > static_cast<std::size_t>(largest))
      throw Error(fmt::format("a drawing of {} corners of cells is larger than a file of VTK can be here",
                              kind->connectivity.size()));
  arrays_.clear();
  const std::string plain = "/>\n";
  const auto index_array = [&](std::string_view name, std::span<const std::int32_t> values) {
    return array_element("Int32", name, 1, arrays_.add(values)) + plain;
  };

  std::string points = "      <PointData>\n";
  for (const LayerField& field : fields) {
    LayerDrawing::Field& own = drawing.field(field.name).second;
    own.components = field.components;
    own.values.resize(drawing.size_of(own), 0.0);
    const bool whole = field.components == 1 && drawing.rings.empty();  // coordinates, arc lengths
    field_to_single(own.values, field, whole ? every_bit : field_digits);
    if (own.by_ring) spread(drawing, static_cast<std::size_t>(field.components), numbers_, spread_);
    points += array_element("Float32", field.name, field.components,
                            arrays_.add(std::span<const float>(own.by_ring ? spread_ : numbers_))) +
              end_of_array("DataArray", field);
  }
  points += index_array("entity", drawing.entity) + "      </PointData>\n";

  indices_.clear();
  for (const auto* kind : {&drawing.vertices, &drawing.lines, &drawing.polygons, &drawing.strips})
    indices_.insert(indices_.end(), kind->entity.begin(), kind->entity.end());
  points += "      <CellData>\n" + index_array("entity", indices_) + "      </CellData>\n      <Points>\n";
  if (coordinates == Coordinates::in_single_precision) {
    to_single(drawing.points, every_bit, every_bit, numbers_);
    points += array_element("Float32", "Points", 3, arrays_.add_coordinates(numbers_)) + plain;
  } else {
    points +=
        array_element("Float64", "Points", 3, arrays_.add(std::span<const double>(drawing.points))) + plain;
  }
  points += "      </Points>\n";

  std::string counts, cells;
  for (const auto& [name, kind] : kinds) {
    counts += fmt::format(" NumberOf{}=\"{}\"", name, kind->entity.size());
    to_indices(kind->connectivity, indices_);
    cells += fmt::format("      <{}>\n", name) + index_array("connectivity", indices_);
    to_indices(std::span(kind->offsets).subspan(1), indices_);
    cells += index_array("offsets", indices_) + fmt::format("      </{}>\n", name);
  }
  return fmt::format(
             "<?xml version=\"1.0\"?>\n"
             "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"{}\" header_type=\"UInt64\" "
             "compressor=\"vtkZLibDataCompressor\">\n  <PolyData>\n    <Piece NumberOfPoints=\"{}\"{}>\n",
             std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian", drawing.point_count(),
             counts) +
         points + cells + "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n   _" +
         arrays_.bytes() + "\n  </AppendedData>\n</VTKFile>\n";
}

std::string vtk_piece(LayerDrawing& drawing, const std::vector<LayerField>& fields, Coordinates coordinates) {
  return VtkPieceWriter().text(drawing, fields, coordinates);
}

std::string vtk_pieces(const std::vector<LayerField>& fields, Coordinates coordinates,
                       const std::vector<std::string>& sources) {
  std::string text =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PPolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
      "compressor=\"vtkZLibDataCompressor\">\n  <PPolyData GhostLevel=\"0\">\n    <PPointData>\n";
  for (const LayerField& field : fields)
    text += fmt::format("      <PDataArray type=\"Float32\" Name=\"{}\" NumberOfComponents=\"{}\"{}",
                        xml_text(field.name), field.components, end_of_array("PDataArray", field));
  text += fmt::format(
      "      <PDataArray type=\"Int32\" Name=\"entity\"/>\n    </PPointData>\n"
      "    <PCellData>\n      <PDataArray type=\"Int32\" Name=\"entity\"/>\n    </PCellData>\n"
      "    <PPoints>\n      <PDataArray type=\"{}\" Name=\"Points\" NumberOfComponents=\"3\"/>\n    "
      "</PPoints>\n",
      coordinates == Coordinates::in_single_precision ? "Float32" : "Float64");
  for (const std::string& source : sources)
    text += fmt::format("    <Piece Source=\"{}\"/>\n", xml_text(source));
  return text + "  </PPolyData>\n</VTKFile>\n";
}

}  // namespace trammel
