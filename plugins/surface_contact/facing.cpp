#include "facing.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "common_normal.hpp"
#include "curve_meeting.hpp"

namespace trammel::surface_contact {

namespace {

constexpr int most_iterations = 20;
constexpr double converged = 1e-12;  // of a step, by the ranges
constexpr double roam = 1.5;         // of a cell: how far from its middle Newton's method may go
constexpr double foreseen = 0.1;   // of a cell: a first step that ends so near to a known facing leads to it
constexpr double most_bend = 0.4;  // of the directions of a cell from their mean [rad], for such a first step
constexpr double same_point = 1e-6;  // by the smaller shape's extent

using Numbers = std::array<double, 4>;

/// Whether parameters lie in a cell, a little widened; those of periodic shapes in any period.
bool in_cell(const ShapeCell& cell, double x, double y, double period_x, double period_y) {
  const auto inside = [](double low, double high, double z, double period) {
    const double margin = 0.05 * (high - low), middle = 0.5 * (low + high);
    return std::abs(std::remainder(z - middle, period)) <= 0.5 * (high - low) + margin;
  };
  return inside(cell.first[0], cell.last[0], x, period_x) && inside(cell.first[1], cell.last[1], y, period_y);
}

/// Whether the gap has a minimum where the shape operators (positive where a surface bends towards its own normal) are A and B and
/// the first surface is moved along its normal by the gap.
bool is_least(const Eigen::Matrix2d& A, const Eigen::Matrix2d& B, double gap) {
  const Eigen::Matrix2d moved = Eigen::Matrix2d::Identity() - gap * A;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> stretch(moved, Eigen::EigenvaluesOnly);
  if (!(stretch.eigenvalues()[0] > 0)) return false;
  const Eigen::Matrix2d H = -(A * moved.inverse() + B);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> bend(0.5 * (H + H.transpose()),
                                                            Eigen::EigenvaluesOnly);
  return bend.eigenvalues()[0] > 0;
}

}  // namespace

bool ShapePair::same(const Facing& a, const Facing& b) const {
  const double near = same_point * size();
  return (a.point_1 - b.point_1).norm() < near && (a.point_2 - b.point_2).norm() < near;
}

Numbers ShapePair::first_step(const RelativePlacement&, const ShapeCell& a, const ShapeCell& b) const {
  Numbers middle{};
  for (std::size_t k = 0; k < 2; ++k) {
    middle[k] = 0.5 * (a.first[k] + a.last[k]);
    middle[2 + k] = 0.5 * (b.first[k] + b.last[k]);
  }
  return middle;
}

std::vector<Facing> ShapePair::all(const RelativePlacement& at, double distance,
                                   std::vector<Facing> known) const {
  std::vector<Facing> found = std::move(known);
  const Numbers range = ranges();
  for (const auto& [a, b] : PatchTree::near(one_, two_, query(at, distance))) {
    const bool held = std::ranges::any_of(found, [&, one = a, two = b](const Facing& f) {
      return in_cell(*one, f.at[0], f.at[1], range[0], range[1]) &&
             in_cell(*two, f.at[2], f.at[3], range[2], range[3]);
    });
    if (held) continue;
    const Numbers middle = ShapePair::first_step(at, *a, *b), guess = first_step(at, *a, *b);
    Numbers length{}, room{};
    for (std::size_t k = 0; k < 2; ++k) {
      length[k] = a->last[k] - a->first[k];
      length[2 + k] = b->last[k] - b->first[k];
    }
    bool inside = true;
    for (std::size_t k = 0; k < 4; ++k) {
      inside = inside && std::abs(guess[k] - middle[k]) <= roam * length[k];
      room[k] = roam * length[k] + std::abs(guess[k] - middle[k]);
    }
    // Newton's method from there would find what is found already.
    const auto leads_to = [&](const Facing& f) {
      for (std::size_t k = 0; k < 4; ++k)
        if (!(std::abs(std::remainder(f.at[k] - guess[k], range[k])) <= foreseen * length[k])) return false;
      return true;
    };
    if (!inside || (guess != middle && std::ranges::any_of(found, leads_to))) continue;
    const std::optional<Facing> next = near(at, guess, room);
    if (!next || !(next->gap < distance)) continue;
    if (std::ranges::none_of(found, [&](const Facing& f) { return same(f, *next); })) found.push_back(*next);
  }
  std::erase_if(found, [&](const Facing& f) { return !(f.gap < distance); });
  std::ranges::sort(found, {}, &Facing::gap);
  return found;
}

SurfaceShapes::SurfaceShapes(std::shared_ptr<const Surface> one, std::shared_ptr<const Surface> two)
    : ShapePair(*one, *two), one_(std::move(one)), two_(std::move(two)) {}

std::array<double, 4> SurfaceShapes::ranges() const {
  return {one_->u().length(), one_->v().length(), two_->u().length(), two_->v().length()};
}

PatchTree::Query SurfaceShapes::query(const RelativePlacement& at, double distance) const {
  return {at, distance, -1, nullptr};
}

Numbers SurfaceShapes::first_step(const RelativePlacement& at, const ShapeCell& a, const ShapeCell& b) const {
  const Numbers middle = ShapePair::first_step(at, a, b);
  if (std::max(a.angle, b.angle) > most_bend) return middle;
  NormalSystem system;
  system.p = a.middle;
  system.q = b.middle;
  system.set_equations(at.R_AB, at.p_AB_A);
  const Eigen::Vector4d step = system.by_parameters.partialPivLu().solve(-system.F);
  if (!step.allFinite()) return middle;
  return {middle[0] + step[0], middle[1] + step[1], middle[2] + step[2], middle[3] + step[3]};
}

Facing SurfaceShapes::ends(const RelativePlacement& at, const Numbers& x) const {
  Facing out;
  out.at = x;
  out.point_1 = one_->point({x[0], x[1]});
  out.point_2 = at.p_AB_A + at.R_AB * two_->point({x[2], x[3]});
  out.normal = one_->normal({x[0], x[1]});
  return out;
}

std::optional<Facing> SurfaceShapes::near(const RelativePlacement& at, const Numbers& guess,
                                          const Numbers& room) const {
  const SurfacePair pair{*one_, *two_, at.R_AB, at.p_AB_A};
  const Numbers range = ranges();
  const Eigen::Vector4d start(guess.data()), most(room.data()), by(range.data());
  Eigen::Vector4d x = start;
  NormalSystem system;
  for (int i = 0;; ++i) {
    if (i == most_iterations) return std::nullopt;
    system.set(pair, x);
    const Eigen::Vector4d step = system.by_parameters.partialPivLu().solve(-system.F);
    x += step;
    if (!((x - start).cwiseAbs().array() <= most.array()).all()) return std::nullopt;
    if (step.cwiseQuotient(by).cwiseAbs().maxCoeff() < converged) break;
  }
  const SurfaceParameters one{x[0], x[1]}, two{x[2], x[3]};
  if (one_->beyond(one) > 0 || two_->beyond(two) > 0) return std::nullopt;
  Facing out = ends(at, {x[0], x[1], x[2], x[3]});
  if (!(out.normal.dot(at.R_AB * two_->normal(two)) < 0)) return std::nullopt;
  out.gap = (out.point_2 - out.point_1).dot(out.normal);
  const SurfaceCurvatures a = one_->curvatures(one), b = two_->curvatures(two);
  Eigen::Matrix<double, 3, 2> basis;
  basis << a.least_direction, a.most_direction;
  const Vec3 least = at.R_AB * b.least_direction, greatest = at.R_AB * b.most_direction;
  const Eigen::Vector2d l = basis.transpose() * least, m = basis.transpose() * greatest;
  if (!is_least(Eigen::Vector2d(a.least, a.most).asDiagonal(),
                b.least * l * l.transpose() + b.most * m * m.transpose(), out.gap))
    return std::nullopt;
  return out;
}

CurveShapes::CurveShapes(std::shared_ptr<const Curve> one, std::shared_ptr<const Curve> two, const Vec3& axis,
                         double sense, double side)
    : ShapePair(*one, *two),
      one_(std::move(one)),
      two_(std::move(two)),
      axis_(axis),
      sense_(sense),
      side_(side) {}

std::array<double, 4> CurveShapes::ranges() const {
  return {one_->last() - one_->first(), 1, two_->last() - two_->first(), 1};
}

PatchTree::Query CurveShapes::query(const RelativePlacement& at, double distance) const {
  return {at, distance, sense_, &axis_};
}

Facing CurveShapes::ends(const RelativePlacement& at, const Numbers& x) const {
  CurvePoint c;
  one_->evaluate(x[0], 1, c);
  Facing out;
  out.at = x;
  out.point_1 = c.d[0];
  out.point_2 = at.p_AB_A + at.R_AB * two_->point(x[2]);
  out.point_2 -= axis_ * axis_.dot(out.point_2 - out.point_1);
  out.normal = side_ * axis_.cross(c.d[1]).normalized();
  return out;
}

std::optional<Facing> CurveShapes::near(const RelativePlacement& at, const Numbers& guess,
                                        const Numbers& room) const {
  const Numbers range = ranges();
  Eigen::Vector2d x(guess[0], guess[2]);
  for (int i = 0;; ++i) {
    if (i == most_iterations) return std::nullopt;
    // d . t1 = 0 and m . R t2 = 0, d and all else in the plane.
    const Meeting here = meeting(*one_, *two_, x[0], x[1]);
    const Vec3 whole = at.p_AB_A + at.R_AB * here.two.d[0] - here.one.d[0];
    const Vec3 d = whole - axis_ * axis_.dot(whole), t2 = at.R_AB * here.t2.d[0];
    const SurfaceVector<2> m = turned(axis_, here.t1);
    Eigen::Matrix2d J;
    J << d.dot(here.t1.by(1, 0)) - here.one.d[1].dot(here.t1.d[0]),
        (at.R_AB * here.two.d[1]).dot(here.t1.d[0]), m.by(1, 0).dot(t2),
        m.d[0].dot(at.R_AB * here.t2.by(1, 0));
    const Eigen::Vector2d step = -J.inverse() * Eigen::Vector2d(d.dot(here.t1.d[0]), m.d[0].dot(t2));
    x += step;
    if (!(std::abs(x[0] - guess[0]) <= room[0] && std::abs(x[1] - guess[2]) <= room[2])) return std::nullopt;
    if (std::max(std::abs(step[0]) / range[0], std::abs(step[1]) / range[2]) < converged) break;
  }
  if (!is_inside(*one_, x[0]) || !is_inside(*two_, x[1])) return std::nullopt;
  const Meeting there = meeting(*one_, *two_, x[0], x[1]);
  if (!(sense_ * there.t1.d[0].dot(at.R_AB * there.t2.d[0]) > 0)) return std::nullopt;
  Facing out = ends(at, {x[0], 0, x[1], 0});
  out.gap = (out.point_2 - out.point_1).dot(out.normal);
  // The curvature of the first curve, moved along its normal by the gap, against that of the second.
  const double k1 = curvature(axis_, there.one.d[1], there.one.d[2]), stretch = 1 - k1 * side_ * out.gap;
  const double k2 = sense_ * curvature(axis_, at.R_AB * there.two.d[1], at.R_AB * there.two.d[2]);
  if (!(stretch > 0) || !(side_ * (k2 - k1 / stretch) > 0)) return std::nullopt;
  return out;
}

}  // namespace trammel::surface_contact
