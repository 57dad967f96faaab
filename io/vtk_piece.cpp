#include "io/vtk_piece.hpp"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFloatArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkTypeInt32Array.h>
#include <vtkXMLPolyDataWriter.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "io/address_space.hpp"
#include "io/field_labels.hpp"
#include "trammel/error.hpp"

namespace trammel {

namespace {

constexpr int keep_ours = 1;  // VTK shall not free the numbers
constexpr int every_bit = std::numeric_limits<float>::digits;

vtkSmartPointer<vtkDataArray> in_double(const std::string& name, int components,
                                        std::vector<double>& values) {
  auto array = vtkSmartPointer<vtkDoubleArray>::New();
  array->SetName(name.c_str());
  array->SetNumberOfComponents(components);
  array->SetArray(values.data(), static_cast<vtkIdType>(values.size()), keep_ours);
  return array;
}

constexpr double largest_single = std::numeric_limits<float>::max();

float in_range(double value) {
  return static_cast<float>(std::isfinite(value) ? std::clamp(value, -largest_single, largest_single)
                                                 : value);
}

/// To the nearest number of so many bits.
float rounded(float value, int bits) {
  const int dropped = std::numeric_limits<float>::digits - bits;
  if (dropped <= 0 || !std::isfinite(value)) return value;
  const auto raw = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t kept = (raw + (1U << (dropped - 1))) & ~((1U << dropped) - 1U);
  const auto result = std::bit_cast<float>(kept);
  return std::isfinite(result) ? result : value;
}

/// The step between the numbers of single precision around the largest of these. It is a power of two.
double step_at_largest(std::span<const double> values) {
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  if (largest == 0) return 0;
  return std::ldexp(1.0,
                    std::ilogb(std::min(largest, largest_single)) - (std::numeric_limits<float>::digits - 1));
}

/// Rounds values to multiples of `step` and to so many bits. Digits below are rounding errors, which do not compress.
vtkSmartPointer<vtkDataArray> in_single(const std::string& name, int components,
                                        const std::vector<double>& values, double step, int bits) {
  auto array = vtkSmartPointer<vtkFloatArray>::New();
  array->SetName(name.c_str());
  array->SetNumberOfComponents(components);
  array->SetNumberOfValues(static_cast<vtkIdType>(values.size()));
  float* to = array->GetPointer(0);
  const double to_step = 0x1.8p52 * step;  // adding this rounds a value to a multiple of the step
  for (std::size_t i = 0; i < values.size(); ++i)
    to[i] = rounded(in_range((values[i] + to_step) - to_step), bits);
  return array;
}

vtkSmartPointer<vtkIntArray> entities(std::vector<std::int32_t>& values) {
  auto array = vtkSmartPointer<vtkIntArray>::New();
  array->SetName("entity");
  array->SetArray(values.data(), static_cast<vtkIdType>(values.size()), keep_ours);
  return array;
}

vtkSmartPointer<vtkCellArray> cells(const LayerDrawing::Cells& from) {
  const auto copy = [](const std::vector<std::int64_t>& values) {
    auto array = vtkSmartPointer<vtkTypeInt32Array>::New();
    array->SetNumberOfValues(static_cast<vtkIdType>(values.size()));
    std::ranges::transform(values, array->GetPointer(0),
                           [](std::int64_t value) { return static_cast<std::int32_t>(value); });
    return array;
  };
  constexpr auto largest = std::numeric_limits<std::int32_t>::max();
  if (from.connectivity.size() > static_cast<std::size_t>(largest))
    throw Error(fmt::format("a drawing of {} corners of cells is larger than a file of VTK can be here",
                            from.connectivity.size()));
  auto array = vtkSmartPointer<vtkCellArray>::New();
  array->SetData(copy(from.offsets), copy(from.connectivity));
  return array;
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

namespace {

/// More than VTK allocates for this drawing: its own arrays, compressed blocks, and the text with its copies.
std::size_t bytes_for(const LayerDrawing& drawing, const std::vector<LayerField>& fields) {
  constexpr std::size_t copies = 3, besides = std::size_t{32} << 20;
  std::size_t numbers = drawing.points.size() + drawing.entity.size();
  for (const LayerField& field : fields)
    numbers += drawing.point_count() * static_cast<std::size_t>(field.components);
  for (const auto* kind : {&drawing.vertices, &drawing.lines, &drawing.polygons, &drawing.strips})
    numbers += kind->offsets.size() + kind->connectivity.size() + kind->entity.size();
  return copies * numbers * sizeof(double) + besides;
}

}  // namespace

std::string vtk_piece(LayerDrawing& drawing, const std::vector<LayerField>& fields, Coordinates coordinates) {
  require_address_space(bytes_for(drawing, fields));  // VTK crashes where it gets no memory
  vtkObject::GlobalWarningDisplayOff();               // what goes wrong is an exception with our own message
  vtkNew<vtkPoints> points;
  points->SetData(coordinates == Coordinates::in_single_precision
                      ? in_single("Points", 3, drawing.points, step_at_largest(drawing.points), every_bit)
                      : in_double("Points", 3, drawing.points));
  vtkNew<vtkPolyData> poly;
  poly->SetPoints(points);
  poly->SetVerts(cells(drawing.vertices));
  poly->SetLines(cells(drawing.lines));
  poly->SetPolys(cells(drawing.polygons));
  poly->SetStrips(cells(drawing.strips));
  for (const LayerField& field : fields) {
    LayerDrawing::Field& own = drawing.fields[field.name];
    own.components = field.components;
    own.values.resize(drawing.point_count() * static_cast<std::size_t>(field.components), 0.0);
    const auto array = in_single(field.name, field.components, own.values, step_at_largest(own.values),
                                 field.components > 1 ? field_bits : every_bit);
    label_array(*array, field);
    poly->GetPointData()->AddArray(array);
  }
  poly->GetPointData()->AddArray(entities(drawing.entity));
  // VTK counts the cells of a poly data in this order.
  std::vector<std::int32_t> of_cells = drawing.vertices.entity;
  for (const auto* kind : {&drawing.lines, &drawing.polygons, &drawing.strips})
    of_cells.insert(of_cells.end(), kind->entity.begin(), kind->entity.end());
  poly->GetCellData()->AddArray(entities(of_cells));

  vtkNew<vtkXMLPolyDataWriter> writer;
  writer->SetInputData(poly);
  writer->SetDataModeToAppended();
  writer->EncodeAppendedDataOff();
  writer->SetCompressorTypeToZLib();
  writer->SetCompressionLevel(
      4);  // higher ones take longer and save nothing, lower ones give files larger by a tenth
  writer->SetHeaderTypeToUInt64();
  writer->SetIdTypeToInt32();
  writer->WriteToOutputStringOn();
  if (writer->Write() == 0)
    throw Error(fmt::format("VTK cannot write a drawing (its error code: {})", writer->GetErrorCode()));
  return writer->GetOutputString();
}

std::string vtk_pieces(const std::vector<LayerField>& fields, Coordinates coordinates,
                       const std::vector<std::string>& sources) {
  std::string text =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PPolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
      "compressor=\"vtkZLibDataCompressor\">\n  <PPolyData GhostLevel=\"0\">\n    <PPointData>\n";
  for (const LayerField& field : fields)
    text += fmt::format("      <PDataArray type=\"Float32\" Name=\"{}\" NumberOfComponents=\"{}\"{}",
                        xml_text(field.name), field.components, end_of_array(field));
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
