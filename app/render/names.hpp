#pragma once

#include <set>
#include <string>
#include <vector>

#include "series_reader.hpp"

class vtkRenderer;

namespace trammel::render {

/// Writes the name of each thing that is drawn on one of these layers below it, and names that would overlap below each other. The
/// camera and the size of the picture are final. `names`: by entity; `size`: of letters, in pixels.
void add_names(vtkRenderer* renderer, const Layers& drawn, const std::set<std::string>& layers,
               const std::vector<std::string>& names, int size);

}  // namespace trammel::render
