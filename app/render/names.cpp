#include "names.hpp"

#include <vtkBillboardTextActor3D.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkRenderer.h>
#include <vtkTextProperty.h>

#include <map>

#include "io/view_style.hpp"

namespace trammel::render {

namespace {

struct Place {
  double sum[3] = {0, 0, 0};
  vtkIdType points = 0;
};

}  // namespace

void add_names(vtkRenderer* renderer, const Layers& drawn, const std::set<std::string>& layers,
               const std::vector<std::string>& names, int size) {
  std::map<std::size_t, Place> places;
  for (const auto& [layer, poly] : drawn) {
    vtkDataArray* entity = poly->GetPointData()->GetArray("entity");
    if (!layers.contains(layer) || entity == nullptr) continue;
    for (vtkIdType i = 0; i < poly->GetNumberOfPoints(); ++i) {
      const auto number = static_cast<std::size_t>(entity->GetComponent(i, 0));
      if (number >= names.size()) continue;
      Place& place = places[number];
      for (int k = 0; k < 3; ++k) place.sum[k] += poly->GetPoint(i)[k];
      ++place.points;
    }
  }
  std::set<std::string> named;
  for (const auto& [number, place] : places) named.insert(names[number]);
  for (const auto& [number, place] : places) {
    // What acts on a joint's coordinate stands where the joint does: of "hinge.angle.spring" and "hinge" the latter is enough.
    if (const auto dot = names[number].find('.');
        dot != std::string::npos && named.contains(names[number].substr(0, dot)))
      continue;
    const auto count = static_cast<double>(place.points);
    vtkNew<vtkBillboardTextActor3D> text;
    text->SetInput(names[number].c_str());
    text->SetPosition(place.sum[0] / count, place.sum[1] / count, place.sum[2] / count);
    text->SetDisplayOffset(0, -7 * size / 2);
    text->GetTextProperty()->SetFontSize(size);
    text->GetTextProperty()->SetColor(view_style::dark.data());
    text->GetTextProperty()->SetJustificationToCentered();
    renderer->AddActor(text);
  }
}

}  // namespace trammel::render
