// Scenes for `trammel verify`: formulas of all that they may read.

#include <fmt/format.h>

#include "trammel/joint_scene.hpp"

namespace trammel::formula {
namespace {

/// Two bodies with arms, and the joint between them.
JointScene scene(const char* title, const char* own) {
  JointScene s;
  s.joint = "formula";
  s.title = title;
  s.text = fmt::format(R"(trammel: 1
bodies:
  a: {{type: rigid_body, mass: 2, inertia: [0.3, 0.4, 0.5], angular_velocity: [0.3, -0.2, 0.4]}}
  b: {{type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.35, -0.1, 0.7],
      velocity: [0.05, 0.1, -0.1], angular_velocity: [0.25, -0.1, 0.45]}}
joints:
  joint:
    type: formula
    between: [{{on: a, at: [0.3, -0.2, 0.5], rotation: {{axis: [1, 2, 3], angle: 0.4}}}}, {{on: b, at: [-0.1, 0, -0.2]}}]
    assemble: yes
{})",
                       own);
  return s;
}

}  // namespace
}  // namespace trammel::formula

TRAMMEL_JOINT_SCENES {
  using trammel::formula::scene;
  scenes.push_back(scene("a bowl", R"(    parameters: {a: 0.5, b: 0.8}
    equations:
      - {zero: p.z - p.x^2/(2*a) - p.y^2/(2*b), measures: length}
)"));
  scenes.push_back(scene("a revolute joint", R"(    coordinates: {angle: {measures: angle}}
    equations:
      - {zero: p.x, measures: length}
      - {zero: p.y, measures: length}
      - {zero: p.z, measures: length}
      - {zero: R.zx, measures: angle}
      - {zero: R.zy, measures: angle}
      - {zero: R.xx*sin(angle) + R.xy*cos(angle), measures: angle}
)"));
  scenes.push_back(scene("a support, with a gap", R"(    equations:
      - {gap: "sqrt(p.x^2 + p.y^2 + p.z^2) - 0.2", measures: length}
)"));
  scenes.push_back(scene("a curve of a coordinate", R"(    coordinates: {s: {measures: length}}
    equations:
      - {zero: p.x - s, measures: length}
      - {zero: p.y - 0.3*sin(2*s), measures: length}
      - {zero: p.z - 0.2*cos(s), measures: length}
)"));
  scenes.push_back(scene("a skate, at velocity level", R"(    equations:
      - {zero: R.xy*v.x + R.yy*v.y + R.zy*v.z, measures: velocity}
)"));
  scenes.push_back(scene("a wheel, at both levels", R"(    parameters: {radius: 0.3}
    coordinates: {roll: {measures: angle}}
    equations:
      - {zero: p.z - radius, measures: length}
      - {zero: R.xx*v.x + R.yx*v.y + R.zx*v.z - radius*roll_rate, measures: velocity}
      - {zero: R.xy*v.x + R.yy*v.y + R.zy*v.z, measures: velocity}
)"));
}
