// Scenes for `trammel verify`: curves of all kinds, every orientation and frame, near knots and ends.

#include <fmt/format.h>

#include "trammel/joint_scene.hpp"

namespace trammel::curve_sliding {
namespace {

/// A curve on body a, the body b near its first point or where `place` says, and the joint between them.
JointScene scene(const char* title, const char* curve, const char* own, const char* place, double reach) {
  JointScene s;
  s.joint = "curve_sliding";
  s.title = title;
  s.text = fmt::format(R"(trammel: 1
bodies:
  a: {{type: rigid_body, mass: 2, inertia: [0.3, 0.4, 0.5], angular_velocity: [0.3, -0.2, 0.4]}}
  b: {{type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.25], position: [{}],
      velocity: [0.05, 0.1, -0.1], angular_velocity: [0.25, -0.1, 0.45]}}
curves:
  track: {{on: {{on: a, at: [0.1, -0.2, 0.3], rotation: {{axis: [1, 2, 3], angle: 0.4}}}}, {}}}
  beside: {{type: helix, on: {{on: a, at: [0.1, -0.2, 0.3], rotation: {{axis: [1, 2, 3], angle: 0.4}}}},
           axis: [0.1, 0.2, 1], radius: [0.3, 0, -0.03], pitch: 0.6, turns: [0, 2]}}
joints:
  joint: {{type: curve_sliding, between: [track, {{on: b, at: [-0.1, 0, -0.2]}}], assemble: yes{}}}
)",
                       place, curve, own);
  s.coordinate = reach;
  return s;
}

constexpr const char* closed =
    "type: nurbs_curve, form: periodic, degree: 9, knots: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], "
    "weights: [1, 1.3, 1, 0.8, 1, 1, 1.2, 1, 1, 0.9, 1, 1], points: [[2, 0, 0], [1.7, 1, 0.6], [1, 1.7, "
    "0.4], "
    "[0, 2, -0.6], [-1, 1.7, -0.9], [-1.7, 1, 0.2], [-2, 0, 1], [-1.7, -1, 0.8], [-1, -1.7, -0.3], [0, -2, "
    "-0.8], "
    "[1, -1.7, -0.2], [1.7, -1, 0.4]]";
constexpr const char* open =
    "type: nurbs_curve, degree: 9, knots: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2], "
    "points: [[-2, 0.5, 0], [-1.6, 0, 0.6], [-1.1, -0.4, 0.3], [-0.7, -0.3, -0.4], [-0.3, 0.2, -0.5], [0, "
    "0.4, 0], "
    "[0.3, 0.2, 0.5], [0.7, -0.3, 0.4], [1.1, -0.4, -0.3], [1.6, 0, -0.6], [2, 0.5, 0]]";
constexpr const char* ellipse = "type: ellipse, major: [1.5, 0, 0.2], minor: [0, 0.9, 0]";
constexpr const char* helix =
    "type: helix, axis: [0.2, 0.1, 1], radius: [1, 0, -0.2], pitch: 0.7, turns: [-1, 2]";
constexpr const char* line = "type: line, from: [-3, 1, 0.5], to: [4, 0, 1]";
constexpr const char* outside = "2.1, 0.3, 0.6";

}  // namespace
}  // namespace trammel::curve_sliding

TRAMMEL_JOINT_SCENES {
  using namespace trammel::curve_sliding;
  const char* locked = ", orientation: locked, axes: taken";
  scenes.push_back(scene("free, rational periodic curve", closed, "", outside, 1));
  scenes.push_back(scene("free, open curve near a knot", open, "", "0.1, 0.2, 0.5", 0.01));
  scenes.push_back(scene("free, at the end", open, "", "2.6, 0.8, 0.6", 0));
  scenes.back().motion = false;
  scenes.back().difference = 3e-4;  // the fourth derivative jumps there
  scenes.push_back(scene("free, ellipse", ellipse, "", "1.2, 0.7, 0.5", 0.05));
  scenes.push_back(scene("free, line", line, "", "0.5, 0.6, 0.9", 1));
  scenes.push_back(scene("free, arc_length: velocity", closed, ", arc_length: velocity", outside, 1));
  scenes.push_back(scene("locked, rational periodic curve", closed, locked, outside, 1));
  scenes.push_back(scene("locked, helix", helix, locked, "1.2, 0.1, 0.5", 1));
  scenes.push_back(scene("locked, line", line, locked, "0.5, 0.6, 0.9", 1));
  scenes.push_back(
      scene("locked, frame: up", closed, ", orientation: locked, frame: up, up: [0, 0, 1]", outside, 1));
  scenes.push_back(scene("locked, frame: guide", closed, ", orientation: locked, frame: guide, guide: beside",
                         outside, 1));
  scenes.push_back(
      scene("locked, frame: frenet", helix, ", orientation: locked, frame: frenet", "1.2, 0.1, 0.5", 1));
  scenes.push_back(scene("locked, arc_length: velocity", closed,
                         ", orientation: locked, arc_length: velocity", outside, 1));
  scenes.push_back(
      scene("about_tangent, rational periodic curve", closed, ", orientation: about_tangent", outside, 1));
}
