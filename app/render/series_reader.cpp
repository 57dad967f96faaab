#include "series_reader.hpp"

#include <fmt/format.h>
#include <vtkNew.h>
#include <vtkXMLDataElement.h>
#include <vtkXMLPPolyDataReader.h>
#include <vtkXMLPolyDataReader.h>
#include <vtkXMLUtilities.h>

#include <algorithm>
#include <cmath>

#include "trammel/error.hpp"

namespace trammel::render {

namespace {

namespace fs = std::filesystem;

fs::path find_pvd(const fs::path& where) {
  if (!fs::is_directory(where)) {
    if (fs::exists(where)) return where;
    throw Error(fmt::format("there is no '{}'", where.string()));
  }
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(where))
    if (entry.path().extension() == ".pvd") found.push_back(entry.path());
  if (found.empty()) throw Error(fmt::format("there is no .pvd file in '{}'", where.string()));
  const auto key = [](const fs::path& p) { return std::pair(p.string().size(), p.string()); };
  return *std::min_element(found.begin(), found.end(),
                           [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

template <class Reader>
vtkSmartPointer<vtkPolyData> read_with(const fs::path& file) {
  vtkNew<Reader> reader;
  if (reader->CanReadFile(file.c_str()) == 0) throw Error(fmt::format("cannot read '{}'", file.string()));
  reader->SetFileName(file.c_str());
  reader->Update();
  if (reader->GetErrorCode() != 0)
    throw Error(fmt::format("cannot read '{}' or one of its pieces", file.string()));
  return reader->GetOutput();
}

}  // namespace

SeriesReader::SeriesReader(const fs::path& where) : pvd_(find_pvd(where)) {
  const auto root =
      vtkSmartPointer<vtkXMLDataElement>::Take(vtkXMLUtilities::ReadElementFromFile(pvd_.c_str()));
  vtkXMLDataElement* collection = root == nullptr ? nullptr : root->FindNestedElementWithName("Collection");
  if (collection == nullptr) throw Error(fmt::format("'{}' is no series", pvd_.string()));
  for (int i = 0; i < collection->GetNumberOfNestedElements(); ++i) {
    vtkXMLDataElement* set = collection->GetNestedElement(i);
    double time = 0;
    const char* file = set->GetAttribute("file");
    const char* name = set->GetAttribute("name");
    if (set->GetScalarAttribute("timestep", time) == 0 || file == nullptr || name == nullptr) continue;
    if (times_.empty() || times_.back() != time) {
      times_.push_back(time);
      files_.emplace_back();
    }
    files_.back()[name] = pvd_.parent_path() / file;
  }
  if (times_.empty()) throw Error(fmt::format("'{}' holds no drawing", pvd_.string()));
}

std::size_t SeriesReader::nearest(double time) const {
  const auto at = std::min_element(times_.begin(), times_.end(), [time](double a, double b) {
    return std::abs(a - time) < std::abs(b - time);
  });
  return static_cast<std::size_t>(at - times_.begin());
}

Layers SeriesReader::read(std::size_t instant) const {
  Layers layers;
  for (const auto& [name, file] : files_[instant])
    layers[name] = file.extension() == ".pvtp" ? read_with<vtkXMLPPolyDataReader>(file)
                                               : read_with<vtkXMLPolyDataReader>(file);
  return layers;
}

}  // namespace trammel::render
