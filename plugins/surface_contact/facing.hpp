#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "patch_tree.hpp"
#include "trammel/archive.hpp"

namespace trammel::surface_contact {

/// A possible contact point: the ends of a common normal of two shapes along which the gap between them has a local minimum.
struct Facing {
  std::array<double, 4> at{};  ///< u1, v1, u2, v2; of curves eta1, 0, eta2, 0
  double gap = 0;              ///< along the normal of the first shape [m]; negative where they overlap
  Vec3 point_1 = Vec3::Zero(), point_2 = Vec3::Zero();  ///< [m], axes of the first
  Vec3 normal = Vec3::Zero();  ///< of the first, out of its material, axes of the first

  void serialize(Archive& archive) { archive(at, gap, point_1, point_2, normal); }
};

/// Two shapes that may touch, and the trees of their parts.
class ShapePair {
 public:
  virtual ~ShapePair() = default;

  /// The facing near a guess of its parameters, by Newton's method. Empty if the method moves a parameter by more than `room`
  /// or beyond an edge of a shape, or if the gap is no local minimum where it converges.
  virtual std::optional<Facing> near(const RelativePlacement& at, const std::array<double, 4>& guess,
                                     const std::array<double, 4>& room) const = 0;
  /// The points and the normal at any parameters, also if they are not those of a common normal. The gap is not set.
  virtual Facing ends(const RelativePlacement& at, const std::array<double, 4>& parameters) const = 0;
  /// The lengths of the parameters' ranges.
  virtual std::array<double, 4> ranges() const = 0;

  const PatchTree& one() const { return one_; }
  const PatchTree& two() const { return two_; }
  /// The smaller of the two extents [m].
  double size() const { return std::min(one_.extent(), two_.extent()); }

  /// All facings with a gap below `distance`, found with the trees and sorted by the gap. `known`: facings at this pose; those
  /// with a gap below `distance` are in the result, and are not looked for again.
  std::vector<Facing> all(const RelativePlacement& at, double distance, std::vector<Facing> known = {}) const;
  /// Whether two facings have the same end points.
  bool same(const Facing& a, const Facing& b) const;

 protected:
  template <class Shape>
  ShapePair(const Shape& one, const Shape& two) : one_(one), two_(two) {}
  virtual PatchTree::Query query(const RelativePlacement& at, double distance) const = 0;
  /// The parameters after Newton's first step from the middles of two cells, without an evaluation of the shapes; the middles
  /// themselves if the cells are bent so much that this step means little.
  virtual std::array<double, 4> first_step(const RelativePlacement& at, const ShapeCell& a,
                                           const ShapeCell& b) const;

 private:
  PatchTree one_, two_;
};

/// Two surfaces.
class SurfaceShapes final : public ShapePair {
 public:
  SurfaceShapes(std::shared_ptr<const Surface> one, std::shared_ptr<const Surface> two);

  std::optional<Facing> near(const RelativePlacement& at, const std::array<double, 4>& guess,
                             const std::array<double, 4>& room) const override;
  Facing ends(const RelativePlacement& at, const std::array<double, 4>& parameters) const override;
  std::array<double, 4> ranges() const override;

 private:
  PatchTree::Query query(const RelativePlacement& at, double distance) const override;
  std::array<double, 4> first_step(const RelativePlacement& at, const ShapeCell& a,
                                   const ShapeCell& b) const override;

  std::shared_ptr<const Surface> one_, two_;
};

/// Two curves seen along an axis.
class CurveShapes final : public ShapePair {
 public:
  /// `axis`: unit vector in the axes of the first. `sense`: 1 if the tangents are parallel in contact, -1 if antiparallel.
  /// `side`: 1 if the second curve lies on the side of the first to which axis x tangent points, else -1.
  CurveShapes(std::shared_ptr<const Curve> one, std::shared_ptr<const Curve> two, const Vec3& axis,
              double sense, double side);

  std::optional<Facing> near(const RelativePlacement& at, const std::array<double, 4>& guess,
                             const std::array<double, 4>& room) const override;
  Facing ends(const RelativePlacement& at, const std::array<double, 4>& parameters) const override;
  std::array<double, 4> ranges() const override;

 private:
  PatchTree::Query query(const RelativePlacement& at, double distance) const override;

  std::shared_ptr<const Curve> one_, two_;
  Vec3 axis_;
  double sense_, side_;
};

}  // namespace trammel::surface_contact
