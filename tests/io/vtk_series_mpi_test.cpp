// The series for ParaView, read back by VTK's parallel readers and compared with what was drawn.

#include "drawn_piece.hpp"
#include "drawn_scene.hpp"
#include "io/vtk/vtk_series.hpp"
#include "trammel/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>
#include <vtkXMLDataElement.h>
#include <vtkXMLUtilities.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

namespace trammel {
namespace {

using ::testing::ElementsAre;
using testing::fresh_folder;
using ::testing::HasSubstr;
using testing::line_of_bodies;
using testing::read_piece;
namespace fs = std::filesystem;

constexpr int bodies = 9;

struct Scene {
  Model model;
  std::unique_ptr<Layout> layout;
  std::unique_ptr<Assembler> assembler;
  State state;

  explicit Scene(int count = bodies) {
    line_of_bodies(model, count);
    layout = std::make_unique<Layout>(PETSC_COMM_WORLD, model, LayoutOptions{});
    assembler = std::make_unique<Assembler>(model, *layout);
    state = layout->initial_state();
  }
  bool first() const { return layout->rank() == 0; }
};

struct DataSet {
  double time;
  int part;
  std::string name;
  fs::path file;
};

std::vector<DataSet> read_pvd(const fs::path& pvd) {
  const auto root =
      vtkSmartPointer<vtkXMLDataElement>::Take(vtkXMLUtilities::ReadElementFromFile(pvd.c_str()));
  if (root == nullptr) throw Error("no .pvd: " + pvd.string());
  vtkXMLDataElement* collection = root->FindNestedElementWithName("Collection");
  std::vector<DataSet> sets;
  for (int i = 0; i < collection->GetNumberOfNestedElements(); ++i) {
    vtkXMLDataElement* e = collection->GetNestedElement(i);
    double time = -1;
    int part = -1;
    e->GetScalarAttribute("timestep", time);
    e->GetScalarAttribute("part", part);
    sets.push_back({time, part, e->GetAttribute("name"), pvd.parent_path() / e->GetAttribute("file")});
  }
  return sets;
}

/// Points of a layer with their values of a field, by entity.
std::map<int, std::vector<std::vector<double>>> by_entity(vtkPolyData* poly, const char* field) {
  std::map<int, std::vector<std::vector<double>>> found;
  vtkDataArray* entity = poly->GetPointData()->GetArray("entity");
  vtkDataArray* values = poly->GetPointData()->GetArray(field);
  if (entity == nullptr || values == nullptr) return found;
  for (vtkIdType i = 0; i < poly->GetNumberOfPoints(); ++i) {
    std::vector<double> row(3);
    poly->GetPoint(i, row.data());
    for (int c = 0; c < values->GetNumberOfComponents(); ++c) row.push_back(values->GetComponent(i, c));
    found[static_cast<int>(entity->GetTuple1(i))].push_back(row);
  }
  return found;
}

/// A coordinate, as single precision holds it beside others of up to 9 m.
auto near(double value) { return ::testing::DoubleNear(value, 5e-7); }

TEST(VtkSeries, reads_back_points_and_fields_of_every_rank) {
  Scene scene;
  const fs::path folder = fresh_folder("vtk_series");
  VtkSeries series(*scene.assembler, folder, "line");
  for (const double time : {0.0, 0.25, 0.5}) {
    scene.state.time = time;
    series.record(scene.state);
  }
  series.record(scene.state);  // the same time again is no frame
  series.drain();
  EXPECT_EQ(series.frames(), 3);
  EXPECT_GT(series.bytes(), 1000);
  if (!scene.first()) return;

  const std::vector<DataSet> sets = read_pvd(folder / "line.pvd");
  ASSERT_EQ(sets.size(), 12U);  // three times, four layers: the joints came with the last frame
  EXPECT_EQ(sets[0].name, "curves");
  EXPECT_EQ(sets[1].name, "bodies");
  EXPECT_EQ(sets[2].name, "joints");
  EXPECT_EQ(sets[3].name, "forces");
  for (std::size_t i = 0; i < sets.size(); ++i) {
    EXPECT_EQ(sets[i].time, 0.25 * static_cast<double>(i / 4));
    EXPECT_EQ(sets[i].part, static_cast<int>(i % 4));
    EXPECT_TRUE(fs::exists(sets[i].file)) << sets[i].file;
  }

  const auto curves = read_piece(sets[4].file);
  EXPECT_EQ(curves->GetPoints()->GetDataType(), VTK_FLOAT);
  EXPECT_EQ(curves->GetNumberOfLines(), bodies);
  const auto strain = by_entity(curves, "strain"), arc = by_entity(curves, "arc");
  ASSERT_EQ(strain.size(), static_cast<std::size_t>(bodies));
  for (int i = 0; i < bodies; ++i) {
    const double x = i, y = 0.1 * i;
    const double n = i % 2 == 1 ? 1 : 0;  // even bodies draw no strain: zeros
    EXPECT_THAT(strain.at(i),
                ElementsAre(ElementsAre(x, near(y), 0, n, 2 * n, 3 * n),
                            ElementsAre(near(x + 0.4), near(y), 0, 4 * n, 5 * n, 6 * n),
                            ElementsAre(near(x + 0.8), near(y + 0.1), 0, 7 * n, 8 * n, (9 + i) * n)));
    EXPECT_THAT(arc.at(i)[2][3], near(0.8));
  }

  const auto boxes = read_piece(sets[5].file);
  EXPECT_EQ(boxes->GetNumberOfPoints(), 8 * bodies);
  EXPECT_EQ(boxes->GetNumberOfPolys(), 6 * bodies);
  ASSERT_NE(boxes->GetCellData()->GetArray("entity"), nullptr);
  std::map<int, int> faces;
  for (vtkIdType i = 0; i < boxes->GetNumberOfCells(); ++i)
    ++faces[static_cast<int>(boxes->GetCellData()->GetArray("entity")->GetTuple1(i))];
  EXPECT_EQ(faces.size(), static_cast<std::size_t>(bodies));
  for (const auto& [entity, count] : faces) EXPECT_EQ(count, 6) << entity;

  EXPECT_EQ(read_piece(sets[2].file)->GetNumberOfPoints(), 0);
  EXPECT_EQ(read_piece(sets[10].file)->GetNumberOfPoints(), bodies);
  const auto forces = by_entity(read_piece(sets[3].file), "force");
  ASSERT_EQ(forces.size(), 5U);
  for (const auto& [entity, rows] : forces)
    EXPECT_THAT(rows, ElementsAre(ElementsAre(entity, near(0.1 * entity), 0, 0, 0, 10.0 * (entity + 1))));

  std::ifstream names(folder / "line_entities.csv");
  std::string line;
  std::getline(names, line);
  std::getline(names, line);
  EXPECT_EQ(line, "0,body0,body,plain");
}

TEST(VtkSeries, can_be_moved_with_its_folder) {
  Scene scene;
  const fs::path folder = fresh_folder("vtk_moved"), moved = fresh_folder("vtk_moved_there");
  VtkSeries series(*scene.assembler, folder, "line");
  series.record(scene.state);
  if (!scene.first()) return;
  fs::remove_all(moved);
  fs::rename(folder, moved);
  for (const DataSet& set : read_pvd(moved / "line.pvd"))
    EXPECT_GT(read_piece(set.file)->GetNumberOfPoints(), 0);
}

TEST(VtkSeries, has_no_piece_of_ranks_with_nothing_to_draw) {
  Scene scene(1);
  const fs::path folder = fresh_folder("vtk_one_body");
  VtkSeries series(*scene.assembler, folder, "one");
  series.record(scene.state);
  if (!scene.first()) return;
  const std::vector<DataSet> sets = read_pvd(folder / "one.pvd");
  EXPECT_EQ(read_piece(sets[0].file)->GetNumberOfPoints(), 3);
  int pieces = 0;
  for (const auto& entry : fs::directory_iterator(folder / "one_vtk"))
    pieces += entry.path().extension() == ".vtp" ? 1 : 0;
  EXPECT_EQ(pieces, 3);
}

/// Draws one line that ends nowhere, and one between points that have no place, with a force without an end.
struct Endless {
  void evaluate(const LocalState&, LocalSystem&) const {}
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
    const Vec3 nowhere = Vec3::Constant(HUGE_VAL);
    const std::array<double, 6> force{0, HUGE_VAL, 0, 0, 0, 0};
    for (const Vec3& end : {Vec3(x.position(0)), nowhere}) {
      canvas.polyline(end == nowhere ? Canvas::Layer::sections : Canvas::Layer::curves,
                      std::array{end, nowhere});
      canvas.field("section force", force, 3);
    }
  }
};

TEST(VtkSeries, keeps_layers_behind_one_with_infinite_numbers) {
  Model model;
  const std::vector<Frame> frames = line_of_bodies(model, 1);
  ModelBuilder builder(model);
  testing::begin_entity(builder, "endless", Type::Category::element);
  builder.add(Endless(), {frames[0].position});
  Layout layout(PETSC_COMM_WORLD, model, LayoutOptions{});
  Assembler assembler(model, layout);
  const fs::path folder = fresh_folder("vtk_endless");
  VtkSeries series(assembler, folder, "one");
  series.record(layout.initial_state());
  if (layout.rank() != 0) return;
  std::vector<std::string> layers;
  for (const DataSet& set : read_pvd(folder / "one.pvd")) layers.push_back(set.name);
  EXPECT_THAT(layers, ElementsAre("curves", "sections", "bodies", "forces"));
  for (const SeriesLayer& layer : series.layers()) {
    EXPECT_TRUE(std::isfinite(layer.extent.diagonal())) << layer.name;
    EXPECT_EQ(layer.extent.shear, 0) << layer.name;
  }
}

TEST(VtkSeries, begins_again_when_the_time_is_set_back) {
  Scene scene;
  const fs::path folder = fresh_folder("vtk_back");
  VtkSeries series(*scene.assembler, folder, "line");
  for (const double time : {0.0, 1.0, 0.0, 0.5}) {
    scene.state.time = time;
    series.record(scene.state);
  }
  series.drain();
  EXPECT_EQ(series.frames(), 4);
  EXPECT_THAT(series.times(), ElementsAre(0.0, 0.5));
  if (!scene.first()) return;
  EXPECT_EQ(read_pvd(folder / "line_1.pvd").back().time, 1.0);
  EXPECT_EQ(read_pvd(folder / "line.pvd").back().time, 0.5);
}

TEST(VtkSeries, deletes_the_frames_of_an_older_series) {
  Scene scene;
  const fs::path folder = fresh_folder("vtk_again");
  for (const int frames : {3, 1}) {
    VtkSeries series(*scene.assembler, folder, "line");
    for (int i = 0; i < frames; ++i) {
      scene.state.time = i;
      series.record(scene.state);
    }
  }
  if (!scene.first()) return;
  EXPECT_TRUE(fs::exists(folder / "line_vtk/000000_curves.pvtp"));
  EXPECT_FALSE(fs::exists(folder / "line_vtk/000001_curves.pvtp"));
}

TEST(VtkSeries, lists_all_frames_except_at_most_two) {
  Scene scene;
  const fs::path folder = fresh_folder("vtk_behind");
  VtkSeries series(*scene.assembler, folder, "line");
  constexpr int frames = 12;
  for (int i = 0; i < frames; ++i) {
    scene.state.time = i;
    series.record(scene.state);
    if (!scene.first()) continue;
    // What is listed is whole.
    const std::vector<DataSet> sets = read_pvd(folder / "line.pvd");
    EXPECT_GE(sets.back().time, i < 1 ? i : i - 2);
    for (const DataSet& set : sets) {
      if (set.time != sets.back().time || set.file.extension() != ".pvtp") continue;
      EXPECT_GE(read_piece(set.file)->GetNumberOfPoints(), set.name == "forces" ? 5 : bodies);
    }
  }
  series.drain();
  if (scene.first()) {
    EXPECT_EQ(read_pvd(folder / "line.pvd").back().time, frames - 1);
  }
}

TEST(VtkSeries, gives_one_error_on_all_ranks_for_a_frame_that_cannot_be_written) {
  Scene scene;
  const fs::path folder = fresh_folder("vtk_lost");
  VtkSeries series(*scene.assembler, folder, "line");
  series.record(scene.state);
  MPI_Barrier(PETSC_COMM_WORLD);
  if (scene.first()) fs::remove_all(folder / "line_vtk");
  MPI_Barrier(PETSC_COMM_WORLD);
  std::string found;
  try {
    scene.state.time = 1;
    series.record(scene.state);
    series.drain();
  } catch (const Error& e) {
    found = e.what();
  }
  EXPECT_THAT(found, HasSubstr("cannot write '" + (folder / "line_vtk/000001_").string()));
  EXPECT_THAT(found, HasSubstr("': No such file or directory"));
  if (scene.first()) {
    EXPECT_EQ(read_pvd(folder / "line.pvd").back().time, 0);
  }
}

TEST(VtkSeries, gives_one_error_on_all_ranks_for_a_folder_that_cannot_be_written) {
  Scene scene;
  const fs::path folder = fresh_folder("vtk_refused");
  if (scene.first()) std::ofstream(folder / "line_vtk") << "a file in the way";
  MPI_Barrier(PETSC_COMM_WORLD);
  try {
    VtkSeries series(*scene.assembler, folder, "line");
    FAIL() << "nothing was refused";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("cannot write '" + (folder / "line_vtk").string() + "': "));
  }
}

}  // namespace
}  // namespace trammel
