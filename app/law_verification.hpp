#pragma once

#include <string>
#include <utility>
#include <vector>

#include "joint_verification.hpp"
#include "trammel/law_check.hpp"
#include "trammel/registry.hpp"

namespace trammel {

class ModelBuilder;

/// Bounds beyond which a law of forces fails.
struct LawBounds {
  double derivative = 1e-8;    ///< relative, of every difference test
  double objectivity = 1e-11;  ///< relative
  double power = 1e-7;         ///< relative, against differences of the energy
};

/// Result of the verification of an element type, or of a type of element on a coordinate; `failures` in words.
struct ForceVerdict {
  std::string type;
  std::string not_checked;  ///< why, or empty
  bool has_markers = true;
  LawCheck check;
  std::vector<std::string> failures;
};

/// Builds a type alone, between sample markers or on a sample coordinate, and looks at it.
ForceVerdict verify_law(const Type& type, const JointVerification& how, const LawBounds& bounds);

/// The failure of a type that gives two results at one state; `found`: what differs.
std::string results_differ(const std::string& found);

/// The failure of a type whose `draw`, `outputs` and `evaluate` disturb each other on two threads; `found`: what differs.
std::string threads_disagree(const std::string& found);

/// How many markers a type stands between, by its parameter `between`; 0 where it has none.
int count_markers(const Type& type);

/// Markers for a type to stand between, as a case lists them: sample_marker_pairs, or one list of free ones where it takes
/// more, those after the second from add_further_frames.
std::vector<std::string> sample_markers(const Type& type);
/// Adds the entity "further" with free frames for that many markers in all.
void add_further_frames(ModelBuilder& builder, int count);

}  // namespace trammel
