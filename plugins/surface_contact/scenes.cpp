// Scenes for `trammel verify`: surfaces of all kinds on one another, and a point on them.

#include <array>
#include <initializer_list>

#include <fmt/format.h>

#include "trammel/joint_scene.hpp"

namespace trammel::surface_contact {
namespace {

/// A surface on body a and one on body b, which stands at `place`, and the contact between them.
JointScene scene(const char* title, const char* one, const char* two, const char* place,
                 const char* own = "") {
  JointScene s;
  s.joint = "surface_contact";
  s.title = title;
  s.text = fmt::format(R"(trammel: 1
bodies:
  a: {{type: rigid_body, mass: 2, inertia: [0.3, 0.4, 0.5], angular_velocity: [0.3, -0.2, 0.4]}}
  b: {{type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.25], position: [{}],
      velocity: [0.05, 0.1, -0.1], angular_velocity: [0.25, -0.1, 0.45]}}
surfaces:
  one: {{on: {{on: a, at: [0.1, -0.2, 0.3], rotation: {{axis: [1, 2, 3], angle: 0.1}}}}, {}}}
  two: {{on: {{on: b, at: [-0.1, 0.05, -0.2], rotation: {{axis: [3, 1, -2], angle: 0.2}}}}, {}}}
joints:
  joint: {{type: surface_contact, between: [one, two], assemble: yes{}}}
)",
                       place, one, two, own);
  s.coordinate = 0.2;
  s.rotation = 0.5;
  return s;
}

constexpr const char* ellipsoid = "type: ellipsoid, semi_axes: [0.5, 0.4, 0.7]";
constexpr const char* nurbs =
    "type: nurbs_surface, degree_u: 6, degree_v: 5, points: ["
    "[[-2, -2, 0.1], [-2, -1, -0.2], [-2, 0, 0], [-2, 1, -0.3], [-2, 2, 0.1], [-2, 3, 0]],"
    "[[-1, -2, 0], [-1, -1, -0.3], [-1, 0, -0.2], [-1, 1, -0.2], [-1, 2, -0.1], [-1, 3, 0]],"
    "[[0, -2, 0.1], [0, -1, -0.3], [0, 0, -0.4], [0, 1, -0.3], [0, 2, 0.2], [0, 3, 0.1]],"
    "[[1, -2, 0.2], [1, -1, -0.2], [1, 0, -0.3], [1, 1, -0.1], [1, 2, 0], [1, 3, 0]],"
    "[[2, -2, 0.1], [2, -1, 0], [2, 0, -0.1], [2, 1, 0], [2, 2, 0.1], [2, 3, 0.3]],"
    "[[3, -2, 0.3], [3, -1, 0.1], [3, 0, 0], [3, 1, 0.2], [3, 2, 0.1], [3, 3, 0]],"
    "[[4, -2, 0.1], [4, -1, 0.2], [4, 0, 0.1], [4, 1, 0], [4, 2, 0.2], [4, 3, 0.1]]], "
    "weights: [[1, 1.2, 1, 0.9, 1, 1], [1, 1, 1.1, 1, 1, 1], [1, 0.8, 1, 1, 1.2, 1], [1, 1, 1, 1.1, 1, 1], "
    "[1, 1, 0.9, 1, 1, 1], [1.1, 1, 1, 1, 1, 0.9], [1, 1, 1, 1, 1, 1]]";
constexpr const char* point = "type: sphere, radius: 0.3";

JointScene point_scene(const char* title, const char* surface, const char* place) {
  JointScene s = scene(title, surface, point, place);
  s.joint = "point_on_surface";
  const std::string from = "type: surface_contact, between: [one, two]";
  s.text.replace(s.text.find(from), from.size(),
                 "type: point_on_surface, between: [one, {on: b, at: [-0.1, 0, -0.2]}]");
  return s;
}

/// A joint that makes its own outlines, between bodies a and b.
JointScene clearance(const char* joint, const char* title, const std::string& shapes, const std::string& own,
                     bool motion = true) {
  JointScene s;
  s.joint = joint;
  s.title = title;
  s.text = fmt::format(R"(trammel: 1
bodies:
  a: {{type: rigid_body, mass: 2, inertia: [0.3, 0.4, 0.5], angular_velocity: [0.3, -0.2, 0.4]}}
  b: {{type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0.3, 0.4],
      velocity: [0.05, 0.1, -0.1], angular_velocity: [0.25, -0.1, 0.45]}}
{}joints:
  joint: {{type: {}, assemble: yes, {}}}
)",
                       shapes, joint, own);
  s.coordinate = 0.2;
  s.rotation = 0.5;
  s.motion = motion;
  return s;
}

}  // namespace
}  // namespace trammel::surface_contact

TRAMMEL_JOINT_SCENES {
  using namespace trammel::surface_contact;
  scenes.push_back(scene("ellipsoid on plane", "type: plane", ellipsoid, "0.3, 0.1, 1.2"));
  scenes.push_back(scene("ellipsoid on ellipsoid", "type: ellipsoid, semi_axes: [1.1, 0.9, 0.8]", ellipsoid,
                         "1.4, 0.6, 0.5"));
  scenes.push_back(scene("ellipsoid in a torus", "type: torus, ring_radius: 3, tube_radius: 1, reversed: yes",
                         "type: ellipsoid, semi_axes: [0.3, 0.4, 0.35]", "3.4, 0.4, 0.1"));
  scenes.push_back(
      scene("ellipsoid on NURBS", nurbs, "type: ellipsoid, semi_axes: [0.3, 0.4, 0.35]", "0.6, 0.5, 0.6"));
  scenes.back().motion = false;  // it leaves over an edge
  scenes.push_back(scene("ellipsoid on cone", "type: cone, radius: 1, half_angle: 0.3, from: -2, to: 2",
                         ellipsoid, "1.7, 0.3, 0.2"));
  const char* plane = ", formulation: sliding_plane";
  for (const auto& [title, one, place] : std::initializer_list<std::array<const char*, 3>>{
           {"sliding_plane, ellipsoid on plane", "type: plane", "0.3, 0.1, 1.2"},
           {"sliding_plane, ellipsoid on ellipsoid", "type: ellipsoid, semi_axes: [1.1, 0.9, 0.8]",
            "1.4, 0.6, 0.5"},
           {"sliding_plane, ellipsoid in a torus",
            "type: torus, ring_radius: 3, tube_radius: 1, reversed: yes", "3.4, 0.4, 0.1"}}) {
    scenes.push_back(scene(title, one, "type: ellipsoid, semi_axes: [0.3, 0.4, 0.35]", place, plane));
    scenes.back().position = 0.1;
    scenes.back().rotation = 0.3;
  }
  trammel::JointScene lying = scene("sliding_plane, ellipsoid on NURBS", nurbs,
                                    "type: ellipsoid, semi_axes: [0.3, 0.4, 0.35]", "0.6, 0.5, 0.6", plane);
  const std::string standing = "axis: [3, 1, -2], angle: 0.2";
  lying.text.replace(lying.text.find(standing), standing.size(),
                     "axis: [1, 0.1, 0], angle: 1.4");  // no pole below
  lying.position = 0.1;
  lying.rotation = 0.3;
  lying.motion = false;
  scenes.push_back(lying);
  trammel::JointScene curves;
  curves.joint = "curve_contact";
  curves.title = "pin in an oval hole";
  curves.text = R"(trammel: 1
bodies:
  a: {type: rigid_body, mass: 2, inertia: [0.3, 0.4, 0.5], angular_velocity: [0.3, -0.2, 0.4]}
  b: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0.3, 0.1],
      velocity: [0.05, 0.1, -0.1], angular_velocity: [0.25, -0.1, 0.45]}
curves:
  hole: {type: nurbs_curve, form: periodic, degree: 6, on: {on: a, rotation: {axis: [1, 2, 3], angle: 0.1}}, points: [
    [2, 0, 0], [1.4, 1, 0], [0, 1.5, 0], [-1.4, 1, 0], [-2, 0, 0], [-1.4, -1, 0], [0, -1.3, 0], [1.4, -1, 0]]}
  pin: {type: helix, on: b, axis: [0, 0, 1], radius: [0.4, 0, 0], pitch: 0, turns: [-3, 3]}
joints:
  joint: {type: curve_contact, between: [hole, pin], assemble: yes}
)";
  curves.coordinate = 0.2;
  curves.rotation = 0.5;
  curves.motion = false;  // in space the pin leaves the plane of its hole
  scenes.push_back(curves);
  const auto wire = [&scenes](const char* title, const char* surface, const char* place) {
    trammel::JointScene s = scene(title, surface, "", place);
    s.joint = "curve_on_surface";
    const std::string contact = "type: surface_contact";
    const std::size_t line = s.text.find("  two: ");
    s.text.replace(
        line, s.text.find('\n', line) + 1 - line,
        "curves:\n  two: {type: nurbs_curve, form: periodic, degree: 6, on: {on: b, rotation: {axis: [3, "
        "1, -2], angle: 0.2}}, points: [[0.5, 0, 0], [0.35, 0.1, 0.3], [0, 0, 0.4], [-0.35, 0.05, 0.25], "
        "[-0.5, 0, 0], [-0.35, 0, -0.3], [0, 0.1, -0.4], [0.35, 0, -0.25]]}\n");
    s.text.replace(s.text.find(contact), contact.size(), "type: curve_on_surface");
    s.motion = false;
    scenes.push_back(s);
  };
  wire("wire on a plane", "type: plane", "0.3, 0.1, 0.8");
  wire("wire in a torus", "type: torus, ring_radius: 3, tube_radius: 1, reversed: yes", "3.4, 0.4, 0.1");
  wire("wire on NURBS", nurbs, "0.6, 0.5, 0.6");
  const char* arms = "{on: a, rotation: {axis: [1, 2, 3], angle: 0.1}}, b";
  scenes.push_back(clearance("clearance_revolute", "oval hole and pin", "",
                             fmt::format("between: [{}], hole: [1.2, 1], pin: [0.5, 0.4]", arms), false));
  scenes.push_back(clearance("clearance_revolute", "a point in a hole", "",
                             fmt::format("between: [{}], hole: 0.5, pin: 0", arms)));
  scenes.push_back(clearance("pin_in_slot", "pin with play", "",
                             fmt::format("between: [{}], length: 1.5, width: 1.2, pin: 0.4", arms), false));
  scenes.push_back(clearance("pin_in_slot", "pin that fits", "",
                             fmt::format("between: [{}], length: 3, width: 0.8, pin: 0.4", arms)));
  scenes.push_back(clearance("clearance_spherical", "ball in an oval socket", "",
                             fmt::format("between: [{}], socket: [1.1, 1.2, 1], ball: 0.3", arms), false));
  scenes.push_back(
      clearance("clearance_spherical", "sliding_plane, ball in a socket", "",
                fmt::format("between: [{}], socket: 1, ball: 0.3, formulation: sliding_plane", arms)));
  scenes.back().position = scenes.back().rotation = 0.2;
  const char* oval =
      "curves:\n  outline: {type: nurbs_curve, form: periodic, degree: 6, on: a, points: ["
      "[2, 0, 0], [1.4, 1, 0], [0, 1.5, 0], [-1.4, 1, 0], [-2, 0, 0], [-1.4, -1, 0], [0, -1.3, 0], [1.4, -1, "
      "0]]}\n";
  for (const char* follower :
       {"follower: roller, roller_radius: 0.3", "follower: flat, face_length: 20", "follower: knife_edge"})
    scenes.push_back(
        clearance("cam", follower, oval, fmt::format("between: [outline, b], {}", follower), false));
  scenes.push_back(clearance("wheel_on_surface", "on a plane", "surfaces:\n  road: {type: plane, on: a}\n",
                             "between: [road, b], radius: 0.4, tread_radius: 0.6, width: 0.3", false));
  scenes.push_back(point_scene("on NURBS", nurbs, "0.6, 0.5, 0.3"));
  scenes.back().motion = false;
  scenes.push_back(
      point_scene("on a torus", "type: torus, ring_radius: 2, tube_radius: 0.6", "2.4, 0.9, 0.5"));
}
