#include "trammel/coordinate_glyph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <tuple>
#include <vector>

#include <Eigen/QR>

#include "trammel/error.hpp"
#include "trammel/joint_site.hpp"

namespace trammel {

namespace {

const Vec3 e1 = Vec3::UnitX(), e2 = Vec3::UnitY(), e3 = Vec3::UnitZ();
/// Where what stands beside the axis of a length does, so that neither a look along e1 nor one along e2 hides it.
const Vec3 side = (e1 + e2).normalized();

/// Two strokes that meet at `tip`, where a line that points along `along` ends; `across` is perpendicular, both of length 1.
void draw_tip(const Glyph& glyph, const MarkerMotion& frame, const Vec3& tip, const Vec3& along,
              const Vec3& across) {
  constexpr double length = 0.16, half_width = 0.09;
  const std::array<Vec3, 3> strokes{tip - length * along + half_width * across, tip,
                                    tip - length * along - half_width * across};
  glyph.line(frame, strokes);
}

/// An arrow around the axis at a height, or along it at a distance; with a second tip at its other end where asked for.
void draw_arrow(const Glyph& glyph, const CoordinateAxis& axis, double height, bool two_tips) {
  if (axis.turns) {
    constexpr double radius = 0.45, turns = 0.7;
    glyph.arc(axis.frame, height * e3, e1, e2, radius, turns);
    const double end = 2 * std::numbers::pi * turns;
    const Vec3 out = std::cos(end) * e1 + std::sin(end) * e2;
    draw_tip(glyph, axis.frame, height * e3 + radius * out, e3.cross(out), out);
    if (two_tips) draw_tip(glyph, axis.frame, height * e3 + radius * e1, -e2, e1);
    return;
  }
  constexpr double half = 0.6, beside = 0.45;
  const std::array<Vec3, 2> shaft{beside * side - half * e3, beside * side + half * e3};
  glyph.line(axis.frame, shaft);
  draw_tip(glyph, axis.frame, shaft[1], e3, side);
  if (two_tips) draw_tip(glyph, axis.frame, shaft[0], -e3, side);
}

}  // namespace

void draw_coordinate_spring(const Glyph& glyph, const CoordinateAxis& axis) {
  if (!axis.turns) {
    glyph.arc(axis.frame, -0.6 * e3, e1, e2, 0.3, 5, 1.2);  // around the joint
    return;
  }
  // A spiral at one end of the pin.
  constexpr double turns = 2.75, first = 0.14, last = 0.42, height = -0.4;
  constexpr int pieces = 40;
  std::vector<Vec3> points;
  for (int i = 0; i <= pieces; ++i) {
    const double part = static_cast<double>(i) / pieces, angle = 2 * std::numbers::pi * turns * part;
    points.push_back(std::lerp(first, last, part) * (std::cos(angle) * e1 + std::sin(angle) * e2) +
                     height * e3);
  }
  glyph.line(axis.frame, points);
}

void draw_coordinate_damper(const Glyph& glyph, const CoordinateAxis& axis) {
  if (axis.turns) {
    // A drum on the pin, and the arm that holds it.
    glyph.tube(axis.frame, -0.75 * e3, -0.5 * e3, 0.32);
    glyph.plate(axis.frame, -0.625 * e3, 0.3 * e1, 0.1 * e3);
    const std::array<Vec3, 2> arm{Vec3(0, 0.32, -0.625), Vec3(0, 0.6, -0.625)};
    glyph.line(axis.frame, arm);
    return;
  }
  // A cylinder with its piston, beside the joint.
  const Vec3 beside = -0.45 * side;
  glyph.tube(axis.frame, beside - 0.5 * e3, beside + 0.15 * e3, 0.13);
  glyph.rod(axis.frame, beside - 0.12 * e3, beside - 0.06 * e3, 0.11);
  glyph.rod(axis.frame, beside - 0.1 * e3, beside + 0.6 * e3, 0.04);
}

void draw_coordinate_motor(const Glyph& glyph, const CoordinateAxis& axis) {
  if (axis.turns) {
    glyph.rod(axis.frame, 0.5 * e3, 1.0 * e3, 0.3);
    glyph.box(axis.frame, Vec3(0, -0.3, 0.75), Vec3(0.5, 0.1, 0.4));  // its foot
  } else {
    glyph.rod(axis.frame, 0.45 * side - 0.6 * e3, 0.45 * side + 0.1 * e3, 0.12);
  }
  draw_arrow(glyph, axis, 0.4, false);
}

void draw_coordinate_force(const Glyph& glyph, const CoordinateAxis& axis) {
  draw_arrow(glyph, axis, 0.4, false);
}

void draw_coordinate_motion(const Glyph& glyph, const CoordinateAxis& axis) {
  draw_arrow(glyph, axis, 0.4, true);
}

void CoordinateGlyph::add(const CoordinateSite& site, Builder& builder, Shape shape) {
  if (!site.target.measure.is_angle() && !site.target.measure.is_length()) return;
  CoordinateGlyph glyph;
  std::tie(glyph.joint_, glyph.stencil_) = builder.joint(site.joint);
  const auto at = std::ranges::find(glyph.stencil_, site.block);
  if (glyph.joint_ == nullptr || at == glyph.stencil_.end()) return;
  for (const BlockId id : glyph.stencil_) {
    const Block& block = builder.block(id);
    glyph.parts_.push_back({block.kind == BlockKind::multiplier, glyph.dofs_, block.size});
    glyph.dofs_ += block.size;
  }
  glyph.coordinate_ =
      glyph.parts_[static_cast<std::size_t>(at - glyph.stencil_.begin())].first + site.target.component;
  glyph.turns_ = site.target.measure.is_angle();
  glyph.shape_ = std::move(shape);
  std::vector<BlockId> stencil = glyph.stencil_;
  builder.add(std::move(glyph), std::move(stencil));
}

void CoordinateGlyph::draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
  // A joint whose blocks change during the run reads others by now.
  if (!std::ranges::equal(joint_->stencil(), stencil_)) return;
  const JointSite& site = joint_->site();
  MarkerMotion A, B;
  site.A.evaluate(x, 0, MotionLevel::jacobian, A);
  site.B.evaluate(x, site.A.block_count(), MotionLevel::jacobian, B);
  CoordinateAxis axis;
  axis.turns = turns_;
  if (!find_axis(x, A, B, axis)) return;
  const Glyph glyph(canvas, A, axis.frame, site.size);
  if (glyph.shown()) shape_(glyph, axis);
}

bool CoordinateGlyph::find_axis(const LocalState& x, const MarkerMotion& A, const MarkerMotion& B,
                                CoordinateAxis& out) const {
  thread_local LocalSystem system{Request{true, false, false}};
  system.begin(dofs_);
  try {
    joint_->evaluate(x, system);
  } catch (const RejectStep&) {
    return false;
  }
  // A is held and B moves, or the other way round where B is fixed.
  const JointSite& site = joint_->site();
  const bool of_B = B.dofs > 0;
  const MarkerMotion& moved = of_B ? B : A;
  const int first = of_B ? A.dofs : 0;
  std::vector<int> rows;
  for (const Part& part : parts_)
    for (int k = 0; part.is_multiplier && k < part.size; ++k) rows.push_back(part.first + k);
  // Identified parts of the two frames move together.
  const auto is_held = [&](Eigen::Index column) {
    if (moved.dofs < 6) return column < 3 && site.shares_position;
    return column < 3 ? site.shares_position : column < 6 && site.shares_rotation;
  };
  const auto K = system.K();
  Eigen::MatrixXd G(static_cast<Eigen::Index>(rows.size()), moved.dofs);
  Eigen::VectorXd by_coordinate(static_cast<Eigen::Index>(rows.size()));
  for (Eigen::Index i = 0; i < G.rows(); ++i) {
    const int row = rows[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < G.cols(); ++j)
      G(i, j) = is_held(j) ? 0.0 : K(row, first + static_cast<int>(j));
    by_coordinate[i] = K(row, coordinate_);
  }
  if (!G.allFinite() || !by_coordinate.allFinite() || G.size() == 0) return false;
  const Eigen::VectorXd motion = G.completeOrthogonalDecomposition().solve(-by_coordinate);
  Vec6 variation = Vec6::Zero();
  for (Eigen::Index j = 0; j < motion.size(); ++j) variation += motion[j] * moved.J.col(j);
  if (!of_B) variation = -variation;
  const Vec3 along = turns_ ? Vec3(moved.R_WM * variation.tail<3>()) : Vec3(variation.head<3>());
  if (!(along.norm() > 1e-9)) return false;

  Mat3& R = out.frame.R_WM;
  R.col(2) = along.normalized();
  Eigen::Index across = 0;
  (A.R_WM.transpose() * R.col(2)).cwiseAbs().minCoeff(&across);
  R.col(0) = (A.R_WM.col(across) - A.R_WM.col(across).dot(R.col(2)) * R.col(2)).normalized();
  R.col(1) = R.col(2).cross(R.col(0));
  out.frame.p_WM = B.p_WM;
  return true;
}

}  // namespace trammel
