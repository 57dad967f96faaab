#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "trammel/builder.hpp"
#include "trammel/export.hpp"
#include "trammel/parameters.hpp"
#include "trammel/registry.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// One component q of a joint's coordinates, on which a spring, a motion or a friction acts. Its block is the first
/// of the stencil.
struct CoordinateTarget {
  int component = 0;
  int size = 1;            ///< of the block
  Measure measure;         ///< of q
  std::string unit;        ///< of q: "rad" or "m"
  std::string force_unit;  ///< power-conjugate to q': "N m" or "N"

  double value(const LocalState& x) const { return x.value(0)[component]; }
  double rate(const LocalState& x) const { return x.rate(0)[component]; }
};

/// Where an element on a coordinate hangs.
struct CoordinateSite {
  CoordinateTarget target;
  BlockId block = no_block;
  int joint = -1;          ///< entity
  std::string joint_name;  ///< "hinge"
  std::string name;        ///< "hinge.angle", of the coordinate's signal
};

using AttachmentPlace [[deprecated("now CoordinateSite")]] = CoordinateSite;

/// Reads `of` and `coordinate` of an element on a coordinate. Throws Error that offers the coordinates that the joint has.
TRAMMEL_API CoordinateSite read_coordinate_site(const Parameters& in, Builder& builder);

/// A coordinate of a joint as an element on a coordinate sees it, by the names that the case gives.
TRAMMEL_API CoordinateTarget coordinate_target(const JointCoordinate& coordinate, const Builder& builder);

/// A type of element on a coordinate. Its `build` reads the value in the case from the parameter `value`: 10 of
/// `spring: {angle: 10}`. `keys` describe it where it may be a map, for `trammel describe`.
TRAMMEL_API Type coordinate_element_type(std::string name, std::string summary, std::string value,
                                         std::function<void(const Parameters&, Builder&)> build,
                                         std::vector<Parameter> keys = {});

/// The former names of the two functions above.
[[deprecated("now read_coordinate_site")]] inline CoordinateSite read_attachment_place(const Parameters& in,
                                                                                       Builder& builder) {
  return read_coordinate_site(in, builder);
}
[[deprecated("now coordinate_element_type")]] inline Type attachment_type(
    std::string name, std::string summary, std::string value,
    std::function<void(const Parameters&, Builder&)> build, std::vector<Parameter> keys = {}) {
  return coordinate_element_type(std::move(name), std::move(summary), std::move(value), std::move(build),
                                 std::move(keys));
}

}  // namespace trammel
