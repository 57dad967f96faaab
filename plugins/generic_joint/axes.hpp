#pragma once

#include <array>
#include <string>

namespace trammel::generic_joint {

/// Which axes are locked: translation along x, y, z, then rotation about x, y, z.
struct LockedAxes {
  std::array<bool, 6> flag{true, true, true, true, true, true};

  bool translation(int k) const { return flag[static_cast<std::size_t>(k)]; }
  bool rotation(int k) const { return flag[static_cast<std::size_t>(3 + k)]; }
  int translations() const { return flag[0] + flag[1] + flag[2]; }
  int rotations() const { return flag[3] + flag[4] + flag[5]; }
  bool all_translations() const { return translations() == 3; }
  /// The n-th free (or locked) axis of rotation, counted from 0.
  int rotation_that_is(bool locked, int n) const {
    for (int k = 0; k < 3; ++k)
      if (rotation(k) == locked && n-- == 0) return k;
    return -1;
  }

  /// The joint that the flags amount to.
  enum class Kind {
    rigid,
    revolute,
    prismatic,
    cylindrical,
    planar,
    universal,
    spherical,
    free,
    other,
  };
  Kind kind() const;
  /// "revolute", "prismatic", ...
  static const char* name(Kind kind);
};

inline LockedAxes::Kind LockedAxes::kind() const {
  const int slides = 3 - translations(), turns = 3 - rotations();
  const auto free_slide = [this] { return flag[0] ? (flag[1] ? 2 : 1) : 0; };
  if (slides == 0) {
    constexpr Kind kinds[] = {Kind::rigid, Kind::revolute, Kind::universal, Kind::spherical};
    return kinds[turns];
  }
  if (slides == 1 && turns == 0) return Kind::prismatic;
  if (slides == 1 && turns == 1 && rotation_that_is(false, 0) == free_slide()) return Kind::cylindrical;
  if (slides == 2 && turns == 1 && translation(rotation_that_is(false, 0))) return Kind::planar;
  return slides == 3 && turns == 3 ? Kind::free : Kind::other;
}

inline const char* LockedAxes::name(Kind kind) {
  static constexpr const char* names[] = {"rigid",     "revolute",  "prismatic", "cylindrical", "planar",
                                          "universal", "spherical", "free",      "other"};
  return names[static_cast<int>(kind)];
}

}  // namespace trammel::generic_joint
