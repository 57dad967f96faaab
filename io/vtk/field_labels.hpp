#pragma once

#include <string>
#include <string_view>

namespace trammel {

struct LayerField;

/// The rest of an element of XML that describes an array ("DataArray", "PDataArray"), after its attributes so far: the names of the
/// components and the unit, as VTK keeps them.
std::string end_of_array(std::string_view element, const LayerField& field);

/// A field's components, name, unit and names of components on one line, and back. A control character in a name becomes a space.
std::string field_line(const LayerField& field);
LayerField field_of_line(const std::string& line);

}  // namespace trammel
