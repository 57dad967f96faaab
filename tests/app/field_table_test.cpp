// The tables of fields in docs/results.md, against the files that runs write.

#include <gtest/gtest.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkInformation.h>
#include <vtkInformationStringKey.h>
#include <vtkPointData.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "command.hpp"
#include "drawn_piece.hpp"

namespace trammel {
namespace {

namespace fs = std::filesystem;

const std::set<std::string> all_layers{"curves", "sections", "bodies", "joints", "forces", "markers"};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + at.size();
  }
  return parts;
}

/// What stands between backticks.
std::vector<std::string> quoted(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t from = text.find('`'); from != std::string::npos;) {
    const std::size_t to = text.find('`', from + 1);
    found.push_back(text.substr(from + 1, to - from - 1));
    from = text.find('`', to + 1);
  }
  return found;
}

/// A field of the page: `<n>` in its name stands for a number, `<coordinate>` for a name that the case gives.
struct Documented {
  std::string layer, name, unit;
  std::vector<std::string> components;
  bool found = false;

  bool fits(const std::string& on, const std::string& field) const {
    if (on != layer) return false;
    if (name.find('<') == std::string::npos) return field == name;
    std::string pattern = std::regex_replace(name, std::regex(R"(\.)"), R"(\.)");
    pattern = std::regex_replace(pattern, std::regex("<n>"), "[0-9]+");
    pattern = std::regex_replace(pattern, std::regex("<coordinate>"), "[A-Za-z][A-Za-z0-9]*");
    return std::regex_match(field, std::regex(pattern));
  }
};

/// The rows of the table with this heading, as cells.
std::vector<std::vector<std::string>> rows_of(const std::string& page, const std::string& heading) {
  std::vector<std::vector<std::string>> rows;
  const std::size_t begin = page.find("\n" + heading + "\n");
  EXPECT_NE(begin, std::string::npos) << heading;
  if (begin == std::string::npos) return rows;
  std::istringstream lines(page.substr(begin + heading.size() + 2));
  std::string line;
  std::getline(lines, line);  // the line below the heading
  while (std::getline(lines, line) && line.starts_with("|")) {
    std::vector<std::string> cells = split(line, "|");
    rows.emplace_back(cells.begin() + 1, cells.end() - 1);
  }
  return rows;
}

std::vector<Documented> documented() {
  const std::string page = testing::contents_of(TRAMMEL_SOURCE_DIR "/docs/results.md");
  std::vector<Documented> fields;
  const auto add = [&](const std::vector<std::string>& layers, const std::string& names,
                       const std::vector<std::string>& components, const std::string& units) {
    const std::vector<std::string> each = quoted(names), unit = split(units, ", ");
    EXPECT_FALSE(each.empty()) << names;
    EXPECT_TRUE(unit.size() == 1 || unit.size() == each.size()) << names;
    for (std::size_t i = 0; i < each.size(); ++i)
      for (const std::string& layer : layers)
        fields.push_back({layer, each[i], unit[unit.size() == 1 ? 0 : i], components});
  };
  std::vector<std::string> layers;
  for (const auto& row : rows_of(page, "| layer | field | components | unit | what it is |")) {
    EXPECT_EQ(row.size(), 5U);
    if (row.size() != 5) continue;
    if (!row[0].empty()) layers = quoted(row[0]);
    if (row[0] == "all") layers.assign(all_layers.begin(), all_layers.end());
    add(layers, row[1], row[2].empty() ? std::vector<std::string>{} : split(row[2], ", "), row[3]);
  }
  for (const auto& row : rows_of(page, "| number | unit | what it is |")) {
    EXPECT_EQ(row.size(), 3U);
    if (row.size() == 3) add({"joints"}, row[0], {}, row[1]);
  }
  // Last, because a name that a case gives would fit others too.
  for (const auto& row : rows_of(page, "| coordinate | unit | of |")) {
    EXPECT_EQ(row.size(), 3U);
    if (row.size() != 3) continue;
    for (const std::string& name : quoted(row[0])) {
      const std::string unit = row[1].empty() ? "1" : row[1];
      fields.push_back({"joints", name, row[1], {}});
      fields.push_back({"joints", name + "_rate", unit + "/s", {}});
      fields.push_back({"joints", name + "_acceleration", unit + "/s^2", {}});
    }
  }
  return fields;
}

/// Compares the fields of one drawing with the page.
void compare(vtkPolyData& drawn, const std::string& layer, const std::string& where,
             std::vector<Documented>& page) {
  vtkPointData& fields = *drawn.GetPointData();
  for (int k = 0; k < fields.GetNumberOfArrays(); ++k) {
    vtkDataArray* array = fields.GetArray(k);
    ASSERT_NE(array, nullptr) << where;
    const std::string name = array->GetName();
    const auto row =
        std::ranges::find_if(page, [&](const Documented& field) { return field.fits(layer, name); });
    const char* unit = array->GetInformation()->Get(vtkDataArray::UNITS_LABEL());
    const int components = array->GetNumberOfComponents();
    std::string text = layer + ": '" + name + "' [" + (unit == nullptr ? "" : unit) + "]";
    std::vector<std::string> names;
    for (int c = 0; c < components && components > 1; ++c) {
      const char* component = array->GetComponentName(c);
      names.emplace_back(component == nullptr ? "(none)" : component);
      text += " " + names.back();
    }
    if (row == page.end()) {
      ADD_FAILURE() << where << " has a field that the page lacks: " << text;
      continue;
    }
    row->found = true;
    EXPECT_EQ(row->unit, unit == nullptr ? "" : unit) << where << ", " << text;
    EXPECT_EQ(row->components, names) << where << ", " << text;
  }
  vtkCellData& of_cells = *drawn.GetCellData();
  ASSERT_EQ(of_cells.GetNumberOfArrays(), 1) << where;
  EXPECT_STREQ(of_cells.GetArray(0)->GetName(), "entity");
}

/// Adds the types of the things in a run.
void add_types(const std::string& entities, std::set<std::string>& types) {
  std::istringstream lines(entities);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) types.insert(line.substr(line.rfind(',') + 1));
}

/// The types whose things may draw, as `trammel list` gives them.
std::set<std::string> listed_types(const testing::Workplace& here) {
  std::set<std::string> types;
  std::istringstream lines(here.shell("trammel list").out);
  const std::regex row(R"((\w+) +(bodies|joints|elements|loads|joints: coordinate)  .*)");
  std::smatch found;
  for (std::string line; std::getline(lines, line) && !line.empty();)
    if (std::regex_match(line, found, row)) types.insert(found[1]);
  return types;
}

/// What the cases below lack.
constexpr const char* other_types = R"(trammel: 1
sections:
  bar: {shape: {type: rectangle, width: 0.1, height: 0.2}, material: {E: 2e11, nu: 0.3, rho: 1000}}
bodies:
  beam: {type: beam, section: bar, from: [0, 0, 0], to: [1, 0, 0], elements: 2, up: [0, 0, 1]}
  wheel: {type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [0, 2, 0]}
  arm: {type: rigid_body, mass: 1, inertia: [1, 1, 1], position: [0, 3, 0]}
joints:
  clamp: {type: fixed, between: [ground, beam.start]}
  hinge: {type: revolute, between: [ground, wheel], axis: [0, 0, 1], position: [0, 2, 0], initial: {angle: 0.1},
          initial_rate: {angle: 1}, counter: {angle: {at: [1]}}, stop: {angle: {from: -1, to: 1, stiffness: 1}},
          servo: {angle: {command: 1, limit: 2, lag: 0.1}}}
  cross: {type: perpendicular_axes, between: [ground, arm], axis: [0, 0, 1], axis_B: [1, 0, 0]}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81]}
  pull: {type: force, on: beam.end, force: [0, 0, 1]}
  turn: {type: moment, on: beam.end, moment: [0, 0, 1]}
  snow: {type: distributed, on: beam, force: [0, 0, -1]}
stages:
  - {type: dynamic, until: 0.002, step: 0.001}
output: {vtk: {every: 1}}
)";

struct CaseRun {
  const char *file, *settings;
};
constexpr CaseRun runs[] = {
    {"docs/glyphs/case.yaml", ""},
    {"cases/ball_in_socket/case.yaml", "--set until=0.002"},
    {"cases/ball_in_socket/sliding_plane.yaml", "--set until=0.002"},
    {"cases/block_on_incline/case.yaml", "--set until=0.002"},
    {"cases/cam_follower/flat.yaml", "--set until=0.002"},
    {"cases/cardan/case.yaml", "--set until=0.01"},
    {"cases/dc_motor/case.yaml", "--set until=0.002"},
    {"cases/elliptic_trammel/case.yaml", "--set until=0.002"},
    {"cases/four_bar_clearance/oval.yaml", "--set until=0.002"},
    {"cases/incline_friction/case.yaml", "--set until=0.002"},
    {"cases/pendulum/case.yaml", "--set until=0.01"},
    {"cases/pin_in_slot/case.yaml", "--set until=0.002"},
    {"cases/planetary_gear/case.yaml", "--set until=0.004"},
    {"cases/saddle_particle/case.yaml", "--set until=0.002"},
    {"cases/turning_skate/case.yaml", "--set until=0.002"},
    {"cases/wheel_on_rail/case.yaml", "--set until=0.002"},
    {"cases/wheel_on_rail/ring.yaml", "--set until=0.002"},
};

// Every field of every file is in the tables with its unit and the names of its components, and every row of them is in a file. The
// runs have all types of bodies, joints, elements and loads.
TEST(FieldTable, of_the_page_is_what_runs_write) {
  const testing::Workplace here;
  std::vector<Documented> page = documented();
  std::set<std::string> types;
  const auto read = [&](const std::string& run) {
    add_types(here.read(run + "/" + run + "_entities.csv"), types);
    int files = 0;
    for (const auto& entry : fs::directory_iterator(here / (run + "/" + run + "_vtk"))) {
      const std::string file = entry.path().stem().string();
      if (entry.path().extension() != ".pvtp") continue;
      ++files;
      compare(*testing::read_piece(entry.path()), file.substr(file.find('_') + 1), run + " " + file, page);
    }
    EXPECT_GT(files, 0) << run;
  };
  int number = 0;
  for (const CaseRun& run : runs) {
    const std::string folder = "run" + std::to_string(number++);
    const testing::Outcome done = here.shell(std::string("trammel run '" TRAMMEL_SOURCE_DIR "/") + run.file +
                                             "' -q -o " + folder + " " + run.settings);
    ASSERT_EQ(done.status, 0) << run.file << "\n" << done.err;
    read(folder);
  }
  const testing::Outcome done = here.run(other_types);
  ASSERT_EQ(done.status, 0) << done.err;
  read("out");

  for (const Documented& field : page) EXPECT_TRUE(field.found) << field.layer << ": " << field.name;
  const std::set<std::string> all = listed_types(here);
  EXPECT_GT(all.size(), 45U);
  for (const std::string& type : all) EXPECT_TRUE(types.contains(type)) << type;
}

}  // namespace
}  // namespace trammel
