#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "trammel/builder.hpp"
#include "trammel/coordinate_element.hpp"
#include "trammel/element_range.hpp"
#include "trammel/export.hpp"
#include "trammel/glyph.hpp"
#include "trammel/linear_algebra.hpp"

namespace trammel {

/// Where the glyph of what acts on a joint's coordinate stands.
struct CoordinateAxis {
  /// Origin: that of the joint's marker B. e3: the coordinate's axis, to the side to which the coordinate grows. e1 and e2 stay
  /// with A where they can.
  MarkerMotion frame;
  bool turns = false;  ///< the coordinate is an angle about the axis; else a length along it
};

/// Shapes of what acts on a joint's coordinate, in the axes of `CoordinateAxis`: along or around e3, clear of the joint's own
/// glyph.
TRAMMEL_API void draw_coordinate_spring(const Glyph& glyph,
                                        const CoordinateAxis& axis);  ///< a coil, a spiral
TRAMMEL_API void draw_coordinate_damper(const Glyph& glyph,
                                        const CoordinateAxis& axis);  ///< a dashpot, a drum
TRAMMEL_API void draw_coordinate_motor(const Glyph& glyph,
                                       const CoordinateAxis& axis);  ///< a motor with an arrow
TRAMMEL_API void draw_coordinate_force(const Glyph& glyph, const CoordinateAxis& axis);  ///< an arrow
TRAMMEL_API void draw_coordinate_motion(const Glyph& glyph,
                                        const CoordinateAxis& axis);  ///< an arrow with two tips

/// Draws a glyph at a joint for what acts on one of its coordinates. It has no residual and couples nothing; its stencil is the
/// joint's. The axis follows from the joint's equations: the motion of B seen from A where this coordinate grows and the joint's
/// others stay.
class TRAMMEL_API CoordinateGlyph {
 public:
  using Shape = std::function<void(const Glyph&, const CoordinateAxis&)>;

  /// Adds the glyph to the present entity. Does nothing where the joint offers no view of itself (JointView), or
  /// where the coordinate is neither an angle nor a length.
  static void add(const CoordinateSite& site, Builder& builder, Shape shape);

  static bool couples(int, int) { return false; }
  void evaluate(const LocalState&, LocalSystem&) const {}
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const;

 private:
  struct Part {
    bool is_multiplier = false;
    int first = 0, size = 0;  ///< rows in the joint's local system
  };
  CoordinateGlyph() = default;
  bool find_axis(const LocalState& x, const MarkerMotion& A, const MarkerMotion& B,
                 CoordinateAxis& out) const;

  std::shared_ptr<const JointView> joint_;
  std::vector<BlockId> stencil_;
  std::vector<Part> parts_;  ///< by block of the stencil
  int dofs_ = 0;
  int coordinate_ = 0;  ///< the coordinate's row
  bool turns_ = false;
  Shape shape_;
};

}  // namespace trammel
