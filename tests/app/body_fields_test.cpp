// The velocities of rigid bodies in the files for ParaView.

#include <gtest/gtest.h>
#include <vtkDataArray.h>
#include <vtkPointData.h>

#include "command.hpp"
#include "drawn_piece.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {
namespace {

// With three equal moments of inertia and no force it moves along a straight line and turns at a constant rate.
TEST(BodyFields, of_a_turning_body_are_those_of_a_rigid_motion) {
  const testing::Workplace here;
  here.write("case.yaml", R"(trammel: 1
bodies:
  brick: {type: rigid_body, mass: 3, inertia: [2, 2, 2], position: [0.5, -1, 2], velocity: [1, -2, 0.5],
          angular_velocity: [0.3, -1, 2], shape: {type: box, size: [0.4, 0.6, 1]}}
stages:
  - {type: dynamic, until: 0.5, step: 0.01}
output: {vtk: {every: 50}}
)");
  const testing::Outcome run = here.shell("trammel run case.yaml -o out");
  ASSERT_EQ(run.status, 0) << run.err;
  const Vec3 v(1, -2, 0.5), w(0.3, -1, 2);
  for (const int frame : {0, 1}) {
    const auto drawn =
        testing::read_piece(here / ("out/out_vtk/00000" + std::to_string(frame) + "_bodies_0.vtp"));
    ASSERT_GE(drawn->GetNumberOfPoints(), 8);
    const auto value = [&](const char* name, vtkIdType i) {
      return Vec3(Eigen::Map<const Vec3>(drawn->GetPointData()->GetArray(name)->GetTuple3(i)));
    };
    const Vec3 centre = Vec3(0.5, -1, 2) + 0.5 * frame * v;
    // Vectors have 17 bits, and w is no frame's axis: 1e-5 of 4 m/s and 12 m/s^2.
    for (vtkIdType i = 0; i < drawn->GetNumberOfPoints(); ++i) {
      const Vec3 arm = Vec3(Eigen::Map<const Vec3>(drawn->GetPoint(i))) - centre;
      EXPECT_NEAR(arm.norm(), 0.5 * Vec3(0.4, 0.6, 1).norm(), 1e-5);
      EXPECT_LT((value("velocity", i) - v - w.cross(arm)).norm(), 5e-5) << frame << " " << i;
      EXPECT_LT((value("acceleration", i) - w.cross(w.cross(arm))).norm(), 1.5e-4) << frame << " " << i;
      EXPECT_LT((value("angular velocity", i) - w).norm(), 3e-5);
    }
  }
}

}  // namespace
}  // namespace trammel
