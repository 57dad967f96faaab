#include "patch_tree.hpp"

#include <algorithm>
#include <cmath>

#include <unsupported/Eigen/BVH>

namespace trammel::surface_contact {

namespace {

constexpr double most_turn = 0.3;    // of the directions of a cell from their mean [rad]
constexpr int surface_halvings = 4;  // of a patch, at most
constexpr int curve_parts = 16;      // of a curve, at least
constexpr int curve_halvings = 12;
constexpr double cone_margin = 1.25;  // of a cone beyond its samples

/// The cone around samples of directions; of half a sphere where they have no mean.
template <class Directions>
void set_cone(const Directions& samples, ShapeCell& cell) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& d : samples) sum += d;
  if (!sum.allFinite() || !(sum.norm() > 1e-3 * static_cast<double>(samples.size()))) {
    cell.direction = Vec3::UnitZ();
    cell.angle = 4;
    return;
  }
  cell.direction = sum.normalized();
  double most = 0;
  for (const Vec3& d : samples)
    most = std::max(most, std::acos(std::clamp(d.dot(cell.direction), -1.0, 1.0)));
  cell.angle = cone_margin * most + 1e-6;
}

ShapeCell surface_cell(const Surface& surface, const SurfacePatch& patch) {
  ShapeCell cell{{patch.first.u, patch.first.v}, {patch.last.u, patch.last.v}, patch.box, {}, 0, {}};
  std::array<Vec3, 9> normals;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      normals[static_cast<std::size_t>(3 * i + j)] =
          surface.normal({patch.first.u + 0.5 * i * (patch.last.u - patch.first.u),
                          patch.first.v + 0.5 * j * (patch.last.v - patch.first.v)});
  set_cone(normals, cell);
  surface.evaluate({0.5 * (patch.first.u + patch.last.u), 0.5 * (patch.first.v + patch.last.v)}, 2,
                   cell.middle);
  return cell;
}

void divide(const Surface& surface, const SurfacePatch& patch, int halvings, std::vector<ShapeCell>& out) {
  const ShapeCell cell = surface_cell(surface, patch);
  if (cell.angle <= most_turn || halvings == 0) {
    out.push_back(cell);
    return;
  }
  const double u = 0.5 * (patch.first.u + patch.last.u), v = 0.5 * (patch.first.v + patch.last.v);
  for (int k = 0; k < 4; ++k) {
    const bool right = k % 2 == 1, up = k / 2 == 1;
    SurfacePatch part = surface.sampled_patch({right ? u : patch.first.u, up ? v : patch.first.v},
                                              {right ? patch.last.u : u, up ? patch.last.v : v});
    part.box = part.box.intersection(patch.box);  // both hold it
    divide(surface, part, halvings - 1, out);
  }
}

void divide(const Curve& curve, double first, double last, int halvings, std::vector<ShapeCell>& out) {
  constexpr int parts = 4;
  ShapeCell cell{{first, 0}, {last, 0}, {}, {}, 0, {}};
  const double h = (last - first) / parts;
  std::array<Vec3, parts + 1> tangents;
  double off = 0;
  for (int k = 0; k <= parts; ++k) {
    // At a break the derivatives of the other piece would count.
    const double inside = std::clamp(first + k * h, first + 1e-9 * h, last - 1e-9 * h);
    CurvePoint c;
    curve.evaluate(inside, 3, c);
    cell.box.extend(c.d[0]);
    tangents[static_cast<std::size_t>(k)] = c.d[1].normalized();
    off = std::max(off, 0.125 * h * h * (c.d[2].norm() + 0.5 * h * c.d[3].norm()));
  }
  off += 1e-8 * cell.box.diagonal().norm();
  cell.box.min().array() -= off;
  cell.box.max().array() += off;
  set_cone(tangents, cell);
  if (cell.angle <= most_turn || halvings == 0) {
    out.push_back(cell);
    return;
  }
  divide(curve, first, 0.5 * (first + last), halvings - 1, out);
  divide(curve, 0.5 * (first + last), last, halvings - 1, out);
}

}  // namespace

struct PatchTree::Tree {
  std::vector<ShapeCell> cells;
  Eigen::KdBVH<double, 3, const ShapeCell*> boxes;
};

PatchTree::PatchTree(const Surface& surface) {
  std::vector<ShapeCell> cells;
  for (const SurfacePatch& patch : surface.patches()) divide(surface, patch, surface_halvings, cells);
  take(std::move(cells));
}

PatchTree::PatchTree(const Curve& curve) {
  std::vector<ShapeCell> cells;
  const auto breaks = curve.breaks();
  const double whole = curve.last() - curve.first();
  for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
    if (!(breaks[i + 1] > breaks[i])) continue;
    const double length = breaks[i + 1] - breaks[i];
    const int parts = std::max(1, static_cast<int>(std::ceil(curve_parts * length / whole)));
    for (int k = 0; k < parts; ++k)
      divide(curve, breaks[i] + k * length / parts, breaks[i] + (k + 1) * length / parts, curve_halvings,
             cells);
  }
  take(std::move(cells));
}

PatchTree::~PatchTree() = default;

std::size_t PatchTree::size() const { return tree_->cells.size(); }

void PatchTree::take(std::vector<ShapeCell> cells) {
  Eigen::AlignedBox3d all;
  for (const ShapeCell& cell : cells) {
    all.extend(cell.box);
    reach_ = std::max(reach_, cell.box.min().cwiseAbs().cwiseMax(cell.box.max().cwiseAbs()).norm());
  }
  extent_ = all.isEmpty() ? 0 : all.diagonal().norm();
  tree_ = std::make_unique<Tree>();
  tree_->cells = std::move(cells);
  std::vector<const ShapeCell*> pointers;
  std::vector<Eigen::AlignedBox3d> boxes;
  for (const ShapeCell& cell : tree_->cells) pointers.push_back(&cell), boxes.push_back(cell.box);
  tree_->boxes.init(pointers.begin(), pointers.end(), boxes.begin(), boxes.end());
}

std::vector<std::pair<const ShapeCell*, const ShapeCell*>> PatchTree::near(const PatchTree& one,
                                                                           const PatchTree& two,
                                                                           const Query& query, long* boxes) {
  struct Intersector {
    const Query& query;
    Mat3 to_plane;  ///< without the component along the axis
    Mat3 spread;    ///< of half the sides of a box of the second shape onto the axes of the first
    std::vector<std::pair<const ShapeCell*, const ShapeCell*>> found;
    long compared = 0;

    bool near(const Eigen::AlignedBox3d& a, const Eigen::AlignedBox3d& b) {
      ++compared;
      const Vec3 apart = query.at.p_AB_A + query.at.R_AB * b.center() - a.center();
      const Vec3 half_a = 0.5 * a.sizes(), half_b = 0.5 * b.sizes();
      if (query.axis == nullptr) {
        const Vec3 gap = (apart.cwiseAbs() - half_a - spread * half_b).cwiseMax(0.0);
        return gap.squaredNorm() <= query.distance * query.distance;
      }
      // Along an axis in any direction: between the balls around the boxes.
      return (to_plane * apart).norm() <= query.distance + half_a.norm() + half_b.norm();
    }
    bool intersectVolumeVolume(const Eigen::AlignedBox3d& a, const Eigen::AlignedBox3d& b) {
      return near(a, b);
    }
    bool intersectVolumeObject(const Eigen::AlignedBox3d& a, const ShapeCell* b) { return near(a, b->box); }
    bool intersectObjectVolume(const ShapeCell* a, const Eigen::AlignedBox3d& b) { return near(a->box, b); }
    bool intersectObjectObject(const ShapeCell* a, const ShapeCell* b) {
      if (!near(a->box, b->box)) return false;
      const double angle = a->angle + b->angle;
      const double along = query.sense * a->direction.dot(query.at.R_AB * b->direction);
      if (angle >= 3.14 || along >= std::cos(angle)) found.emplace_back(a, b);
      return false;
    }
  };
  Intersector walk{query, Mat3::Identity(), query.at.R_AB.cwiseAbs(), {}, 0};
  if (query.axis != nullptr) walk.to_plane -= *query.axis * query.axis->transpose();
  Eigen::BVIntersect(one.tree_->boxes, two.tree_->boxes, walk);
  if (boxes != nullptr) *boxes += walk.compared;
  return std::move(walk.found);
}

}  // namespace trammel::surface_contact
