#include "series_reader.hpp"

#include <fmt/format.h>
#include <vtkNew.h>
#include <vtkXMLDataElement.h>
#include <vtkXMLPPolyDataReader.h>
#include <vtkXMLPolyDataReader.h>
#include <vtkXMLUtilities.h>

#include <algorithm>
#include <cmath>
#include <fstream>

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

vtkSmartPointer<vtkXMLDataElement> read_xml(const fs::path& file) {
  if (!fs::exists(file)) throw Error(fmt::format("there is no '{}'", file.string()));
  const auto root =
      vtkSmartPointer<vtkXMLDataElement>::Take(vtkXMLUtilities::ReadElementFromFile(file.c_str()));
  if (root == nullptr) throw Error(fmt::format("'{}' is no XML", file.string()));
  return root;
}

/// VTK's reader passes over a piece that is not there.
void need_pieces(const fs::path& file) {
  const auto root = read_xml(file);
  vtkXMLDataElement* pieces = root->FindNestedElementWithName("PPolyData");
  for (int i = 0; pieces != nullptr && i < pieces->GetNumberOfNestedElements(); ++i) {
    const char* source = pieces->GetNestedElement(i)->GetAttribute("Source");
    if (source != nullptr && !fs::exists(file.parent_path() / source))
      throw Error(fmt::format("the piece '{}' of '{}' is missing", source, file.string()));
  }
}

template <class Reader>
vtkSmartPointer<vtkPolyData> read_with(const fs::path& file) {
  if (!fs::exists(file)) throw Error(fmt::format("there is no '{}'", file.string()));
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
  const auto root = read_xml(pvd_);
  vtkXMLDataElement* collection = root->FindNestedElementWithName("Collection");
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
  const double slack = 1e-9 * (times_.back() - times_.front());
  if (!(time >= times_.front() - slack && time <= times_.back() + slack))
    throw Error(fmt::format("there is no instant t = {} s: '{}' holds those from {} to {} s", time,
                            pvd_.string(), times_.front(), times_.back()));
  const auto at = std::min_element(times_.begin(), times_.end(), [time](double a, double b) {
    return std::abs(a - time) < std::abs(b - time);
  });
  return static_cast<std::size_t>(at - times_.begin());
}

Layers SeriesReader::read(std::size_t instant) const {
  Layers layers;
  for (const auto& [name, file] : files_[instant]) {
    const bool in_pieces = file.extension() == ".pvtp";
    if (in_pieces) need_pieces(file);
    layers[name] = in_pieces ? read_with<vtkXMLPPolyDataReader>(file) : read_with<vtkXMLPolyDataReader>(file);
  }
  return layers;
}

SeriesView SeriesReader::view() const {
  const fs::path file = files_.front().begin()->second.parent_path() / "view.xml";
  const auto root = read_xml(file);
  vtkXMLDataElement* camera = root->FindNestedElementWithName("Camera");
  std::array<double, 3> focus{}, position{};
  SeriesView view;
  if (camera == nullptr || camera->GetVectorAttribute("focus", 3, focus.data()) != 3 ||
      camera->GetVectorAttribute("position", 3, position.data()) != 3 ||
      camera->GetVectorAttribute("up", 3, view.up.data()) != 3)
    throw Error(fmt::format("'{}' has no camera with focus, position and up", file.string()));
  for (std::size_t k = 0; k < 3; ++k) view.towards[k] = position[k] - focus[k];
  for (int i = 0; i < root->GetNumberOfNestedElements(); ++i) {
    vtkXMLDataElement* arrow = root->GetNestedElement(i);
    double scale = 0;
    const char* field = arrow->GetAttribute("field");
    if (field != nullptr && arrow->GetScalarAttribute("scale", scale) != 0) view.arrow_scales[field] = scale;
  }
  return view;
}

std::vector<std::string> SeriesReader::names() const {
  fs::path file = pvd_;
  file.replace_filename(pvd_.stem().string() + "_entities.csv");
  std::ifstream in(file);
  if (!in) throw Error(fmt::format("there is no '{}'", file.string()));
  std::vector<std::string> names;
  std::string line;
  std::getline(in, line);  // entity,name,category,type
  while (std::getline(in, line)) {
    // A name with a comma or a quotation mark is quoted, with its own marks doubled.
    std::string name;
    std::size_t at = std::min(line.find(','), line.size() - 1) + 1;
    const bool quoted = at < line.size() && line[at] == '"';
    for (at += quoted ? 1 : 0; at < line.size(); ++at) {
      if (!quoted && line[at] == ',') break;
      if (quoted && line[at] == '"' && line.substr(at + 1, 1) != "\"") break;
      if (quoted && line[at] == '"') ++at;
      name += line[at];
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace trammel::render
