#pragma once

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include <string>
#include <vector>

namespace trammel::render {

/// A number at the points of a layer by which it can be coloured.
struct PointNumber {
  std::string title, unit;
  vtkSmartPointer<vtkDataArray> values;
};

/// The numbers that ParaView's view offers for a layer (view_style::colourings), in their order.
std::vector<PointNumber> offered_numbers(vtkPolyData* layer);

/// One of these by its title, or a field by its name, of vectors their length; no values where there is none.
PointNumber number_called(vtkPolyData* layer, const std::string& title);

}  // namespace trammel::render
