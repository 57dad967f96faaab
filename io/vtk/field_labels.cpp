#include "io/vtk/field_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "io/vtk/vtk_piece.hpp"

namespace trammel {

std::string end_of_array(std::string_view element, const LayerField& field) {
  std::string text;
  for (std::size_t k = 0; k < field.names.size(); ++k)
    text += fmt::format(" ComponentName{}=\"{}\"", k, xml_text(field.names[k]));
  if (field.unit.empty()) return text + "/>\n";
  return text + fmt::format(
                    ">\n          <InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">{}"
                    "</InformationKey>\n        </{}>\n",
                    xml_text(field.unit), element);
}

std::string field_line(const LayerField& field) {
  std::vector<std::string> parts{std::to_string(field.components), field.name, field.unit};
  parts.insert(parts.end(), field.names.begin(), field.names.end());
  std::string line;
  for (std::string& part : parts) {
    std::replace_if(
        part.begin(), part.end(), [](unsigned char c) { return c < ' '; }, ' ');
    line += (line.empty() ? "" : "\t") + part;
  }
  return line;
}

LayerField field_of_line(const std::string& line) {
  std::istringstream in(line);
  LayerField field;
  std::string part;
  std::getline(in, part, '\t');
  field.components = std::stoi(part);
  std::getline(in, field.name, '\t');
  std::getline(in, field.unit, '\t');
  while (std::getline(in, part, '\t')) field.names.push_back(part);
  return field;
}

}  // namespace trammel
