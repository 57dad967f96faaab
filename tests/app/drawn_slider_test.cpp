// What a run records for ParaView: the slider stands on its curve, or on its beam, in every picture.

#include <gtest/gtest.h>
#include <vtkDataArray.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "command.hpp"
#include "drawn_piece.hpp"
#include "places.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {
namespace {

using testing::read_piece;
namespace fs = std::filesystem;

Vec3 point(vtkPolyData& poly, vtkIdType i) { return Eigen::Map<const Vec3>(poly.GetPoint(i)); }

/// The numbers that the field `entity` holds, by the name of the thing.
int number_of(const std::string& entities, const std::string& name) {
  std::istringstream lines(entities);
  for (std::string line; std::getline(lines, line);)
    if (const auto comma = line.find(','); line.compare(comma + 1, name.size() + 1, name + ",") == 0)
      return std::stoi(line);
  return -1;
}

std::vector<Vec3> points_of(vtkPolyData& poly, int entity) {
  std::vector<Vec3> points;
  vtkDataArray* of = poly.GetPointData()->GetArray("entity");
  for (vtkIdType i = 0; i < poly.GetNumberOfPoints(); ++i)
    if (static_cast<int>(of->GetTuple1(i)) == entity) points.push_back(point(poly, i));
  return points;
}

/// Distance of a point from the drawn lines of one entity, and the largest distance of a smooth line from its
/// chords, of which an element may have one.
struct Line {
  double distance = 1e300, bulge = 0;
};

Line nearest(vtkPolyData& poly, int entity, const Vec3& p) {
  Line line;
  double longest = 0, turn = 0;
  vtkDataArray* of = poly.GetPointData()->GetArray("entity");
  const vtkNew<vtkIdList> ids;
  Vec3 before = Vec3::Zero();
  for (vtkIdType c = 0; c < poly.GetNumberOfCells(); ++c) {
    poly.GetCellPoints(c, ids);
    if (ids->GetNumberOfIds() < 2 || static_cast<int>(of->GetTuple1(ids->GetId(0))) != entity) continue;
    for (vtkIdType k = 0; k + 1 < ids->GetNumberOfIds(); ++k) {
      const Vec3 a = point(poly, ids->GetId(k)), d = point(poly, ids->GetId(k + 1)) - a;
      const double part = std::clamp((p - a).dot(d) / d.squaredNorm(), 0.0, 1.0);
      line.distance = std::min(line.distance, (p - a - part * d).norm());
      longest = std::max(longest, d.norm());
      if (!before.isZero()) turn = std::max(turn, std::atan2(before.cross(d).norm(), before.dot(d)));
      before = d;
    }
  }
  line.bulge = longest * turn / 8;  // of an arc that turns so much from chord to chord
  return line;
}

struct Slide {
  const char *file, *settings;
  const char *on, *slider, *joint;  ///< names in the case
  double beside;                    ///< how far the drawn line may be off the slider's besides its chords [m]
  double travel;                    ///< least distance that the slider goes [m]
};

class DrawnSlider : public ::testing::TestWithParam<Slide> {};

TEST_P(DrawnSlider, is_on_its_track_at_every_instant) {
  const Slide& slide = GetParam();
  const testing::Workplace here;
  const testing::Outcome run = here.shell("trammel run " TRAMMEL_SOURCE_DIR "/cases/" +
                                          std::string(slide.file) + " -o out " + slide.settings);
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string entities = here.read("out/out_entities.csv");
  const int on = number_of(entities, slide.on), slider = number_of(entities, slide.slider),
            joint = number_of(entities, slide.joint);
  std::set<std::string> instants;
  for (const fs::directory_entry& entry : fs::directory_iterator(here / "out/out_vtk"))
    if (const std::string name = entry.path().filename(); name.ends_with("_joints_0.vtp"))
      instants.insert(name.substr(0, name.find('_')));
  ASSERT_GT(instants.size(), 15U);
  std::vector<Vec3> way;
  for (const std::string& instant : instants) {
    const auto layer = [&](const char* name) { return read_piece(here / ("out/out_vtk/" + instant + name)); };
    const auto curves = layer("_curves_0.vtp"), joints = layer("_joints_0.vtp"),
               bodies = layer("_bodies_0.vtp");
    const std::vector<Vec3> glyph = points_of(*joints, joint), shape = points_of(*bodies, slider);
    ASSERT_GT(glyph.size(), 1U);  // the joint's place, then its sleeve
    ASSERT_FALSE(shape.empty());
    Vec3 low = shape.front(), high = low;
    for (const Vec3& p : shape) low = low.cwiseMin(p), high = high.cwiseMax(p);
    const Line line = nearest(*curves, on, glyph.front());
    EXPECT_LT(line.distance, line.bulge + slide.beside) << instant;
    // Shapes are drawn with facets, symmetric to their middle.
    EXPECT_LT((0.5 * (low + high) - glyph.front()).norm(), 1e-6) << instant;
    way.push_back(glyph.front());
  }
  double travel = 0;
  for (std::size_t i = 1; i < way.size(); ++i) travel += (way[i] - way[i - 1]).norm();
  EXPECT_GT(travel, slide.travel);
}

// The drawn beam is that of its nodes: it lacks the bend of the split element, F l^3/192EI = 5e-7 m, and that of a
// moment which varies along the element, less than 1e-6 m.
INSTANTIATE_TEST_SUITE_P(
    Cases, DrawnSlider,
    ::testing::Values(Slide{"helix_bead/case.yaml", "--set frames=10", "wire", "bead", "slide", 1e-9, 2},
                      Slide{"spinning_hoop/case.yaml", "--set frames=50", "hoop", "bead", "slide", 1e-9, 0.1},
                      Slide{"sliding_bead/case.yaml", "--set frames=50", "rod", "bead", "slide", 2e-6, 0.5}),
    [](const auto& slide) {
      const std::string file = slide.param.file;
      return file.substr(0, file.find('/'));
    });

}  // namespace
}  // namespace trammel
