#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "trammel/curve.hpp"
#include "trammel/surface.hpp"

namespace trammel::surface_contact {

/// The pose of marker B in marker A: x_A = p_AB_A + R_AB x_B.
struct RelativePlacement {
  Mat3 R_AB = Mat3::Identity();
  Vec3 p_AB_A = Vec3::Zero();
};

/// A part of a shape, in the axes of the shape: its range of parameters (a curve uses the first parameter only), a box that
/// contains it, and a cone that contains its directions (the normals of a surface, the tangents of a curve).
struct ShapeCell {
  std::array<double, 2> first{}, last{};
  Eigen::AlignedBox3d box;
  Vec3 direction;    ///< the axis of the cone, unit length
  double angle = 0;  ///< half its opening [rad]
  SurfacePoint
      middle;  ///< of a surface: the point at the middle of the ranges, with derivatives up to second order
};

/// A tree of boxes over the cells of a shape. Cells are halved until their directions differ by at most about 0.3 rad, or until
/// halving no longer helps.
class PatchTree {
 public:
  /// From the patches of a surface, divided where their normals differ much.
  explicit PatchTree(const Surface& surface);
  /// From the pieces of a curve between its breaks, divided where their tangents differ much.
  explicit PatchTree(const Curve& curve);
  ~PatchTree();
  PatchTree(const PatchTree&) = delete;
  PatchTree& operator=(const PatchTree&) = delete;

  std::size_t size() const;
  /// The largest distance of the shape from the origin of its axes [m].
  double reach() const { return reach_; }
  /// The diagonal of the box around the whole shape [m].
  double extent() const { return extent_; }

  /// The pairs of cells that near() looks for.
  struct Query {
    RelativePlacement at;
    double distance = 0;  ///< between the boxes, at most [m]
    double sense = -1;    ///< 1: the directions must be parallel, -1: antiparallel
    const Vec3* axis =
        nullptr;  ///< unit vector in the axes of the first along which distances do not count; null: none
  };
  /// The pairs of cells of two shapes that fulfil `query`. `boxes` counts the pairs of boxes that were compared.
  static std::vector<std::pair<const ShapeCell*, const ShapeCell*>> near(const PatchTree& one,
                                                                         const PatchTree& two,
                                                                         const Query& query,
                                                                         long* boxes = nullptr);

 private:
  struct Tree;

  void take(std::vector<ShapeCell> cells);

  std::unique_ptr<Tree> tree_;
  double reach_ = 0, extent_ = 0;
};

}  // namespace trammel::surface_contact
