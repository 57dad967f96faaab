#pragma once

// Generic joints alone, for tests.

#include <gtest/gtest.h>

#include <utility>

#include "generic_joint.hpp"
#include "joint_samples.hpp"
#include "time_functions.hpp"

namespace trammel::generic_joint {

inline LockedAxes axes_of(unsigned bits) {
  LockedAxes axes;
  for (std::size_t k = 0; k < 6; ++k) axes.flag[k] = ((bits >> k) & 1U) != 0;
  return axes;
}

inline std::string text(const LockedAxes& axes) {
  std::string s;
  for (const bool locked : axes.flag) s += locked ? '1' : '0';
  return s;
}

/// Offsets that move all six coordinates; of translations only the locked ones.
inline Offsets lively_offsets(const LockedAxes& axes) {
  Offsets o;
  o.translation = {time_function([](Jet t) { return 0.4 * t * t; }),
                   time_function([](Jet t) { return sin(3.0 * t); }),
                   time_function([](Jet t) { return 0.2 - 0.5 * t; })};
  for (int k = 0; k < 3; ++k)
    if (!axes.translation(k)) o.translation[static_cast<std::size_t>(k)] = nullptr;
  o.rotation = {time_function([](Jet t) { return 0.8 * sin(2.0 * t); }),
                time_function([](Jet t) { return t * t; }),
                time_function([](Jet t) { return 0.3 + cos(t); })};
  return o;
}

inline Definition definition_of(const LockedAxes& axes, const Marker& J0, const Marker& J1) {
  Definition d;
  d.axes = axes;
  d.J0 = J0;
  d.J1 = J1;
  return d;
}

inline Sample<GenericJoint> sample_of(Definition definition) {
  std::vector<Block> blocks = frame_samples(definition.J0, definition.J1);
  GenericJoint joint(std::move(definition));
  if (joint.translation_count() > 0)
    blocks.push_back(sample_block(BlockKind::multiplier, joint.translation_count(), "force"));
  if (joint.rotation_count() > 0)
    blocks.push_back(sample_block(BlockKind::multiplier, joint.rotation_count(), "moment"));
  return {std::move(joint), std::move(blocks)};
}

/// The poses that the free axes allow: translation c_k along free axes k, and turns about the free axes, the first
/// about an axis of A, the last about one of B.
struct FreePose {
  Mat3 R_AB = Mat3::Identity();
  Vec3 p_AB_A = Vec3::Zero();

  FreePose(const LockedAxes& axes, const Vec3& slide, const Vec3& turn) {
    for (int k = 0; k < 3; ++k) {
      if (!axes.translation(k)) p_AB_A[k] = slide[k];
      if (!axes.rotation(k)) R_AB = R_AB * so3::exp(Vec3(turn[k] * Vec3::Unit(k)));
    }
  }
};

/// Puts the second frame where the joint is closed at the pose X_J0U,J1 = `pose`.
inline void close(TestState& s, const GenericJoint& joint, const FreePose& pose) {
  MarkerMotion frame;
  joint.frame().evaluate(s.local(), 0, MotionLevel::pose, frame);
  const Marker& J1 = joint.definition().J1;
  const int position = joint.definition().J0.block_count();
  const Mat3 R_WF = frame.R_WM * pose.R_AB * J1.R_FM().transpose();
  s.set_rotation(position + 1, R_WF);
  const Vec3 p = frame.p_WM + frame.R_WM * pose.p_AB_A - R_WF * J1.p_FM_F();
  std::copy_n(p.data(), 3,
              s.state().value.data() + s.state_offsets()[static_cast<std::size_t>(position)].value);
}

}  // namespace trammel::generic_joint
