#pragma once

#include <string>

#include "joint_case.hpp"
#include "trammel/curve.hpp"

namespace trammel::testing {

/// JointCase with a curve `track` fixed in a marker.
class TrackCase : public JointCase {
 public:
  TrackCase(const std::string& on, std::shared_ptr<const Curve> curve, const Vec3& p_WB = Vec3::Zero())
      : JointCase(Mat3::Identity(), Vec3::Zero(), Mat3::Identity(), p_WB) {
    add_curve("track", on, std::move(curve));
  }
  void add_curve(const std::string& name, const std::string& on, std::shared_ptr<const Curve> curve) {
    Type type;
    type.name = "sample";
    type.category = Type::Category::curve;
    builder.begin({name, {}, {}, {}, {}}, type);
    offer_curve(builder, std::move(curve), on == "ground" ? Marker::ground() : model.markers.at(on), {});
  }
  /// Adds the joint J and keeps its ranges.
  void slide(const std::string& own) { add(Type::Category::joint, "curve_sliding", "J", own); }
  /// The range of the instance with a site (the joint), or of the one without (what ties s to eta).
  ElementRange& part(bool joint) {
    for (Model::Range& range : model.ranges)
      if ((range.instances->joint(0) != nullptr) == joint) return *range.instances;
    throw Error("no such part");
  }
  TestState test_state(bool joint) { return TestState(model, part(joint).stencil(0)); }
};

}  // namespace trammel::testing
