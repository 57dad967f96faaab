#include "names.hpp"

#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkRenderer.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>

#include <algorithm>
#include <array>
#include <map>

#include "io/drawing/view_style.hpp"

namespace trammel::render {

namespace {

struct Place {
  double sum[3] = {0, 0, 0};
  vtkIdType points = 0;
};

/// A rectangle of the picture, in pixels: left, right, bottom, top.
using Area = std::array<double, 4>;

bool overlap(const Area& a, const Area& b) {
  return a[0] < b[1] && b[0] < a[1] && a[2] < b[3] && b[2] < a[3];
}

/// The area moved down until it is clear of the others.
Area below(Area area, const std::vector<Area>& others) {
  for (bool moved = true; moved;) {
    moved = false;
    for (const Area& other : others)
      if (overlap(area, other)) {
        const double height = area[3] - area[2];
        area[3] = other[2];
        area[2] = area[3] - height;
        moved = true;
      }
  }
  return area;
}

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
  std::vector<Area> taken;
  for (const auto& [number, place] : places) {
    // What acts on a joint's coordinate stands where the joint does: of "hinge.angle.spring" and "hinge" the latter is enough.
    if (const auto dot = names[number].find('.');
        dot != std::string::npos && named.contains(names[number].substr(0, dot)))
      continue;
    const auto count = static_cast<double>(place.points);
    std::array<double, 3> at{place.sum[0] / count, place.sum[1] / count, place.sum[2] / count};
    renderer->WorldToView(at[0], at[1], at[2]);
    renderer->ViewToNormalizedViewport(at[0], at[1], at[2]);
    renderer->NormalizedViewportToViewport(at[0], at[1]);
    vtkNew<vtkTextActor> text;
    text->SetInput(names[number].c_str());
    text->GetTextProperty()->SetFontSize(size);
    text->GetTextProperty()->SetColor(view_style::dark.data());
    std::array<double, 4> box{};
    text->GetBoundingBox(renderer, box.data());
    const double width = box[1] - box[0], height = 1.2 * size, top = at[1] - 3 * size;
    const Area area = below({at[0] - width / 2, at[0] + width / 2, top - height, top}, taken);
    taken.push_back(area);
    text->SetPosition(area[0], area[2]);
    renderer->AddActor2D(text);
  }
}

}  // namespace trammel::render
