#include "io/vtk_piece.hpp"

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkTypeInt64Array.h>
#include <vtkXMLPolyDataWriter.h>

#include "trammel/error.hpp"

namespace trammel {

namespace {

constexpr int keep_ours = 1;  // VTK shall not free the numbers

vtkSmartPointer<vtkDoubleArray> numbers(const std::string& name, int components,
                                        std::vector<double>& values) {
  auto array = vtkSmartPointer<vtkDoubleArray>::New();
  array->SetName(name.c_str());
  array->SetNumberOfComponents(components);
  array->SetArray(values.data(), static_cast<vtkIdType>(values.size()), keep_ours);
  return array;
}

vtkSmartPointer<vtkIntArray> entities(std::vector<std::int32_t>& values) {
  auto array = vtkSmartPointer<vtkIntArray>::New();
  array->SetName("entity");
  array->SetArray(values.data(), static_cast<vtkIdType>(values.size()), keep_ours);
  return array;
}

vtkSmartPointer<vtkCellArray> cells(LayerDrawing::Cells& from) {
  const auto wrap = [](std::vector<std::int64_t>& values) {
    auto array = vtkSmartPointer<vtkTypeInt64Array>::New();
    array->SetArray(reinterpret_cast<vtkTypeInt64*>(values.data()), static_cast<vtkIdType>(values.size()),
                    keep_ours);
    return array;
  };
  auto array = vtkSmartPointer<vtkCellArray>::New();
  array->SetData(wrap(from.offsets), wrap(from.connectivity));
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

std::string vtk_piece(LayerDrawing& drawing, const std::vector<LayerField>& fields) {
  vtkNew<vtkPoints> points;
  points->SetData(numbers("Points", 3, drawing.points));
  vtkNew<vtkPolyData> poly;
  poly->SetPoints(points);
  poly->SetVerts(cells(drawing.vertices));
  poly->SetLines(cells(drawing.lines));
  poly->SetPolys(cells(drawing.polygons));
  for (const LayerField& field : fields) {
    LayerDrawing::Field& own = drawing.fields[field.name];
    own.components = field.components;
    own.values.resize(drawing.point_count() * static_cast<std::size_t>(field.components), 0.0);
    poly->GetPointData()->AddArray(numbers(field.name, field.components, own.values));
  }
  poly->GetPointData()->AddArray(entities(drawing.entity));
  // VTK counts the cells of a poly data in this order.
  std::vector<std::int32_t> of_cells = drawing.vertices.entity;
  for (const auto* kind : {&drawing.lines, &drawing.polygons})
    of_cells.insert(of_cells.end(), kind->entity.begin(), kind->entity.end());
  poly->GetCellData()->AddArray(entities(of_cells));

  vtkNew<vtkXMLPolyDataWriter> writer;
  writer->SetInputData(poly);
  writer->SetDataModeToAppended();
  writer->EncodeAppendedDataOff();
  writer->SetCompressorTypeToZLib();
  writer->SetCompressionLevel(3);
  writer->SetHeaderTypeToUInt64();
  writer->WriteToOutputStringOn();
  if (writer->Write() == 0)
    throw Error(fmt::format("VTK cannot write a drawing (its error code: {})", writer->GetErrorCode()));
  return writer->GetOutputString();
}

std::string vtk_pieces(const std::vector<LayerField>& fields, const std::vector<std::string>& sources) {
  std::string text =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PPolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
      "compressor=\"vtkZLibDataCompressor\">\n  <PPolyData GhostLevel=\"0\">\n    <PPointData>\n";
  for (const LayerField& field : fields)
    text += fmt::format("      <PDataArray type=\"Float64\" Name=\"{}\" NumberOfComponents=\"{}\"/>\n",
                        xml_text(field.name), field.components);
  text +=
      "      <PDataArray type=\"Int32\" Name=\"entity\"/>\n    </PPointData>\n"
      "    <PCellData>\n      <PDataArray type=\"Int32\" Name=\"entity\"/>\n    </PCellData>\n"
      "    <PPoints>\n      <PDataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"/>\n    "
      "</PPoints>\n";
  for (const std::string& source : sources)
    text += fmt::format("    <Piece Source=\"{}\"/>\n", xml_text(source));
  return text + "  </PPolyData>\n</VTKFile>\n";
}

}  // namespace trammel
