#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/error.hpp"
#include "trammel/marker.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// One named thing of a case: a body, a joint, a load, a sensor.
struct Entity {
  std::string name;
  SharedText category;
  SharedText type;
  SharedText plugin;
  Location where;
  double evaluation_cost = 0;  ///< as in Type
  Reserved<3> reserved{};

  /// "crank.start" for "start", a part of the entity "crank"; its own name for "".
  std::string full_name(std::string_view part) const {
    return part.empty() ? name : std::string(name).append(".").append(part);
  }
};

/// A body's mass concentrated for loads that act on mass (gravity).
struct MassPoint {
  Marker centre;
  double mass = 0;  ///< [kg]
  int entity = -1;
  Reserved<2> reserved{};
};

/// A scalar coordinate of a joint, on which springs, motions and friction act.
struct JointCoordinate {
  std::string name;  ///< "angle"
  std::string unit;
  BlockId block = no_block;
  int component = 0;
  Reserved<2> reserved{};
};

/// One term of a linear relation between coordinates: factor times a component of a coordinate block.
struct CoordinateTerm {
  BlockId block = no_block;
  int component = 0;
  double factor = 0;
};

/// A sensor that reports what something else does. (A sensor with instances of its own reports their outputs.)
struct SensorReference {
  enum class What {
    outputs,  ///< the outputs of all instances of `of`
    energy,  ///< kinetic, strain, potential and total energy and dissipated power, of `of` or of the whole model
  };
  int sensor = -1;  ///< entity of the sensor
  int of = -1;      ///< entity that it reports; -1: the whole model
  What what = What::outputs;
  std::vector<std::string> channels;  ///< names of the outputs wanted; empty: all
  Reserved<2> reserved{};
};

}  // namespace trammel
