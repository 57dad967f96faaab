#include "colouring.hpp"

#include <vtkDoubleArray.h>
#include <vtkPointData.h>

#include <cmath>

#include "io/drawing/view_style.hpp"

namespace trammel::render {

namespace {

/// The norm of some components of a field; of one component its value.
template <class Wanted>
vtkSmartPointer<vtkDataArray> norm_of(vtkDataArray* field, const std::string& title, Wanted&& wanted) {
  auto values = vtkSmartPointer<vtkDoubleArray>::New();
  values->SetName(title.c_str());
  values->SetNumberOfTuples(field->GetNumberOfTuples());
  int count = 0, only = 0;
  for (int k = 0; k < field->GetNumberOfComponents(); ++k)
    if (wanted(k)) ++count, only = k;
  for (vtkIdType i = 0; i < field->GetNumberOfTuples(); ++i) {
    double square = 0;
    for (int k = 0; k < field->GetNumberOfComponents(); ++k)
      if (wanted(k)) square += field->GetComponent(i, k) * field->GetComponent(i, k);
    values->SetValue(i, count == 1 ? field->GetComponent(i, only) : std::sqrt(square));
  }
  return values;
}

}  // namespace

std::vector<PointNumber> offered_numbers(vtkPolyData* layer) {
  std::vector<PointNumber> numbers;
  for (const view_style::Colouring& c : view_style::colourings) {
    vtkDataArray* field = layer->GetPointData()->GetArray(std::string(c.field).c_str());
    if (field == nullptr || field->GetNumberOfComponents() != 3) continue;
    const std::string title(c.title);
    numbers.push_back({title, std::string(c.unit), norm_of(field, title, [&](int k) {
                         return c.components[static_cast<std::size_t>(k)];
                       })});
  }
  return numbers;
}

PointNumber number_called(vtkPolyData* layer, const std::string& title) {
  for (PointNumber& offered : offered_numbers(layer))
    if (offered.title == title) return offered;
  vtkDataArray* field = layer->GetPointData()->GetArray(title.c_str());
  if (field == nullptr) return {};
  return {title, "", norm_of(field, title, [](int) { return true; })};
}

}  // namespace trammel::render
