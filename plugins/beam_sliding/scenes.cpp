// Scenes for `trammel verify`: every contact on beams of all kinds, and at borders and ends.

#include <fmt/format.h>

#include "trammel/joint_scene.hpp"

namespace trammel::beam_sliding {
namespace {

/// A beam of three elements, 2.1 m long, and a body near it.
struct Beam {
  const char* title;
  const char* axis;
  const char* section;
  const char* place;  ///< of the body
};

constexpr const char* plain = "{EA: 6e4, GA: [3e4, 2.5e4], GJ: 6e3, EI: [8e3, 1e4]}";
constexpr const char* coupled =
    "[[6e4, 4e3, -3e3, 2e3, 1e3, -1e3], [4e3, 3e4, 2e3, 1e3, -2e3, 1e3], [-3e3, 2e3, 2.5e4, -1e3, 1e3, 2e3], "
    "[2e3, 1e3, -1e3, 6e3, 1e3, -500], [1e3, -2e3, 1e3, 1e3, 8e3, 700], [-1e3, 1e3, 2e3, -500, 700, 1e4]]";

constexpr Beam straight{"straight beam", "from: [0, 0, 0], to: [2.1, 0, 0], bending: constant", plain,
                        "1.0, 0.2, -0.15"};
constexpr Beam twisted{"twisted beam, bending: linear",
                       "from: [0, 0, 0], to: [2.1, 0, 0], twist: 1.2, bending: linear", coupled,
                       "1.0, 0.2, -0.15"};
constexpr Beam curved{
    "curved and twisted beam",
    "from: [0, 0, 0], curve: {tangent: [1, 0, 0], length: 2.1, curvature: [0.9, -0.6, 0.8]}, bending: linear",
    coupled, "0.8254, 0.4781, 0.255"};

JointScene scene(const char* contact, const Beam& beam) {
  JointScene s;
  s.joint = "beam_sliding";
  s.title = fmt::format("{}, {}", contact, beam.title);
  const std::string pitch = std::string(contact) == "screw" ? ", pitch: 1.7" : "";
  s.text = fmt::format(R"(trammel: 1
sections:
  rod: {{stiffness: {}, mass: {{rhoA: 1, J: [0.05, 0.03, 0.02]}}}}
bodies:
  rod: {{type: beam, section: rod, {}, elements: 3, angular_velocity: [0.3, -0.2, 0.4]}}
  b: {{type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.25], position: [{}],
      velocity: [0.05, 0.1, -0.1], angular_velocity: [0.25, -0.1, 0.45]}}
joints:
  joint: {{type: beam_sliding, contact: {}{}, beam: rod, slider: {{on: b, at: [0.05, -0.2, 0.15]}}, assemble: yes,
          spring: {{s: {{stiffness: 5, rest: 1.05}}}}}}
)",
                       beam.section, beam.axis, beam.place, contact, pitch);
  s.position = 0.1;
  s.rotation = 0.4;
  s.coordinate = 0.2;
  s.multiplier = 1000;
  s.in_world = {"joint.force"};
  return s;
}

/// With the slider held at a place of the straight beam; what surrounds it still changes.
JointScene at(const char* contact, const char* where, double s, const char* name) {
  const std::string place = fmt::format("{} - 0.05, 0.2, -0.15", s);
  const Beam beam{where, straight.axis, twisted.section, place.c_str()};
  JointScene one = scene(contact, beam);
  one.title = fmt::format("{}, {}", contact, name);
  one.coordinate = 0;
  one.motion = false;
  return one;
}

}  // namespace
}  // namespace trammel::beam_sliding

TRAMMEL_JOINT_SCENES {
  using namespace trammel::beam_sliding;
  for (const char* contact : {"point", "prismatic", "cylindrical", "screw"})
    for (const Beam* beam : {&straight, &twisted, &curved}) scenes.push_back(scene(contact, *beam));
  for (const char* contact : {"point", "prismatic", "cylindrical", "screw"}) {
    scenes.push_back(at(contact, "", 0.7, "at a node"));
    scenes.push_back(at(contact, "", 0, "at an end"));
  }
}
