#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "discretization.hpp"
#include "trammel/element.hpp"

namespace trammel::beam {

/// One finite element of a beam: an instance of the stencil (position 1, rotation 1, position 2, rotation 2).
class BeamElement {
 public:
  struct Place {
    int index = 0;  ///< from 0
    bool first = false, last = false;
    double s_first = 0;  ///< arc length of its first node [m]
    int pieces = 4;      ///< straight pieces that it is drawn with where it is curved
  };

  BeamElement(std::shared_ptr<const ElementConstants> constants, const Place& place)
      : constants_(std::move(constants)), place_(place) {}

  /// Throws RejectStep where the two triads differ by more than 170 degrees.
  void evaluate(const LocalState& x, LocalSystem& out) const;
  /// How many elements the functions for several at once take.
  static constexpr int together = 4;
  /// The residuals of several elements at once. False, and nothing done, where one turns by more than 0.2 rad along its length.
  static bool evaluate_residuals(std::span<const BeamElement* const> elements, std::span<const LocalState> x,
                                 std::span<LocalSystem* const> out);
  /// The same with tangents.
  static bool evaluate_tangents(std::span<const BeamElement* const> elements, std::span<const LocalState> x,
                                std::span<LocalSystem* const> out);
  /// Their energies, where evaluate_residuals gives their residuals.
  static bool energies(std::span<const BeamElement* const> elements, std::span<const LocalState> x,
                       std::span<Energy> out);
  Energy energy(const LocalState& x) const;
  void outputs(const LocalState& x, const ReactionContributions& contributions, OutputSink& sink) const;
  void draw(const LocalState& x, const ReactionContributions& contributions, Canvas& canvas) const;

 private:
  void end_outputs(const std::string& name, const Mat3& R, const Vec3& force, const Vec3& moment,
                   OutputSink& sink) const;
  /// `forces`: section force and moment at each pose; `velocities`: of the axis there.
  void draw_section(const std::vector<Pose>& poses, const Vec6& strain, const std::vector<Vec6>& forces,
                    const std::vector<Vec3>& velocities, Canvas& canvas) const;

  static std::array<const ElementConstants*, together> constants_of(
      std::span<const BeamElement* const> elements);

  std::shared_ptr<const ElementConstants> constants_;
  Place place_;
};

}  // namespace trammel::beam
