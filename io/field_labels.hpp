#pragma once

#include <string>

class vtkDataArray;

namespace trammel {

struct LayerField;

/// Gives an array the unit of a field (the key UNITS_LABEL) and the names of its components.
void label_array(vtkDataArray& array, const LayerField& field);

/// The same as the end of the element PDataArray: attributes, each after a space, and the unit inside.
std::string end_of_array(const LayerField& field);

/// A field's components, name, unit and names of components on one line, and back. A control character in a name becomes a space.
std::string field_line(const LayerField& field);
LayerField field_of_line(const std::string& line);

}  // namespace trammel
