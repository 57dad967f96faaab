#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "joint_samples.hpp"
#include "plain_case.hpp"
#include "time_functions.hpp"
#include "trammel/joint_check.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel::testing {

/// Two free frames and markers of all kinds, between which the joints of a plugin are built by their names. Nothing
/// of a joint is compiled into the test.
class JointCase : public PlainCase {
 public:
  Frame a, b;

  explicit JointCase(const Mat3& R_WA = Mat3::Identity(), const Vec3& p_WA = Vec3::Zero(),
                     const Mat3& R_WB = Mat3::Identity(), const Vec3& p_WB = Vec3::Zero()) {
    registry.set_source("plugin", "");
    trammel_register(registry);
    builder.begin(sample_entity(), sample_body());
    const SampleFrames frames = add_sample_markers(builder, R_WA, p_WA, R_WB, p_WB);
    a = frames.a;
    b = frames.b;
  }

  /// Builds the joint J and returns its instance alone, at the model's start.
  TestState joint(const std::string& type, const std::string& text) {
    add(Type::Category::joint, type, "J", text);
    return TestState(model, range().stencil(0));
  }
  std::string message(const std::string& type, const std::string& text) {
    return PlainCase::message(Type::Category::joint, type, text);
  }
  const ElementRange& range() const { return *model.ranges.back().instances; }
  ElementRange& range() { return *model.ranges.back().instances; }
};

inline const std::vector<std::string>& marker_pairs() { return sample_marker_pairs(); }
using trammel::carried;

/// Row of the first block of a kind.
inline int first_row(const TestState& s, BlockKind kind) {
  for (std::size_t k = 0; k < s.blocks().size(); ++k)
    if (s.blocks()[k].kind == kind) return s.offset(static_cast<int>(k));
  return s.dofs();
}

/// Index of the block of this name.
inline int block_named(const TestState& s, const std::string& name) {
  for (std::size_t k = 0; k < s.blocks().size(); ++k)
    if (s.blocks()[k].name == name) return static_cast<int>(k);
  throw Error("no block '" + name + "'");
}

/// Checks of every joint: exact derivatives, power, objectivity where it is closed, and a rank of B that leaves
/// `degrees_of_freedom`. A joint written in `relative` motion must be objective in any position.
inline void expect_sound_joint(const std::string& type, const std::string& own, int degrees_of_freedom,
                               bool relative = true, int states = 8) {
  JointCheck check;
  for (std::size_t pair = 0; pair < marker_pairs().size(); ++pair) {
    JointCase c;
    const std::string text = "{between: " + marker_pairs()[pair] + ", assemble: yes" + own + "}";
    const TestState start = c.joint(type, text);
    check_joint(c.range(), 0, start, pair, 0, states, 1, check);
    if (pair > 0 || !relative) continue;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      TestState s = start;
      s.disturb(seed);
      const Evaluation e = evaluate(c.range(), 0, s, {false, true, false});
      EXPECT_LT(resultant(s, e.residual).norm(), 1e-11) << type;
      const TestState moved =
          carried(s, so3::exp(Vec3(2, -1, 0.5)), Vec3(3, 1, -2), Vec3(0.3, -1, 2), Vec3(1, 2, -0.7));
      const Evaluation f = evaluate(c.range(), 0, moved, {false, true, false});
      const int m = check.equations;
      EXPECT_LT((e.residual.tail(m) - f.residual.tail(m)).norm(), 1e-12) << type;
      EXPECT_LT((e.rate.tail(m) - f.rate.tail(m)).norm(), 1e-11) << type;
    }
  }
  for (const auto& [worst, bound] :
       {std::pair(&check.gradient, 1e-8), std::pair(&check.stiffness, 1e-8), std::pair(&check.rate, 1e-8),
        std::pair(&check.bias, 1e-8), std::pair(&check.other, 1e-8), std::pair(&check.power, 1e-10),
        std::pair(&check.objectivity, 1e-11)})
    EXPECT_LT(worst->error, bound) << type << own << ", " << worst->where;
  EXPECT_GT(check.closed, states / 2) << type << own;
  EXPECT_EQ(check.rank, check.equations) << type << own;
  EXPECT_EQ(check.degrees_of_freedom(), degrees_of_freedom) << type << own;
}

}  // namespace trammel::testing
