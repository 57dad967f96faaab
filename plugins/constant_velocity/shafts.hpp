#pragma once

#include "trammel/glyph.hpp"

namespace trammel::constant_velocity {

/// Draws the joint's ball, a shaft of A that comes along its e3, and one of B that leaves along its own.
inline void draw_shafts(const Glyph& glyph) {
  glyph.ball(glyph.B, Vec3::Zero(), 0.25);
  glyph.rod(glyph.A, {0, 0, -0.6}, {0, 0, -0.2}, 0.1);
  glyph.rod(glyph.B, {0, 0, 0.2}, {0, 0, 0.6}, 0.1);
}

}  // namespace trammel::constant_velocity
