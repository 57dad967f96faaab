#include "laws.hpp"

#include <gtest/gtest.h>

#include "joint_samples.hpp"
#include "trammel/constraint.hpp"

namespace trammel::friction {
namespace {

/// A cylindrical joint with its angle and its slide, by one formula.
class Sliding : public Constraint<Sliding, 6, 2> {
 public:
  static constexpr std::array<CoordinateName, 2> coordinate_names{
      {{"angle", "rad", Measure::angle()}, {"slide", "m", Measure::length()}}};

  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    C << x.p_AB_A[0], x.p_AB_A[1], x.p_AB_A[2] - x.c[1], x.R_AB(2, 0), x.R_AB(2, 1),
        x.R_AB(0, 0) * sin(x.c[0]) + x.R_AB(0, 1) * cos(x.c[0]);
  }
};

/// The joint between two turned frames, and the blocks of its stencil: A, B, coordinates, multipliers.
struct Place {
  JointSample<Sliding> sample{Sliding(), tilted_marker(0), tilted_marker(1)};
  std::vector<int> sizes;
  std::vector<BlockId> stencil;

  Place() {
    for (std::size_t k = 0; k < sample.test_state.blocks().size(); ++k) {
      stencil.push_back(static_cast<BlockId>(k));
      sizes.push_back(sample.test_state.blocks()[k].size);
    }
  }
  NormalForce normal(const Bearing& bearing) const {
    return {JointReaction(sample.range.joint(0), stencil, sizes, {}), 4, sizes, bearing};
  }
  std::vector<Block> blocks(bool state) const {
    std::vector<Block> all(sample.test_state.blocks().begin(), sample.test_state.blocks().end());
    if (state) all.push_back(sample_block(BlockKind::state, 1, "deflection"));
    return all;
  }
};

const Place& place() {
  static const Place one;
  return one;
}

std::vector<Bearing> bearings() {
  Bearing plain, long_one, thrust, key, flat;
  long_one.length = 0.3;
  long_one.radius = 0.05;
  thrust.radius = 0.02;
  thrust.thrust_radius = 0.04;
  thrust.preload = 0.7;
  key.key_radius = 0.2;
  key.length = 0.4;
  flat.axial = true;
  return {plain, long_one, thrust, key, flat};
}

const CoordinateTarget slide{1, 2, Measure::length(), "m", "N"};
const StribeckCurve curve{0.3, 0.5, 0.8};

template <class E>
void expect_exact_and_lossy(const Sample<E>& sample, int row) {
  const CheckedTerm worst = worst_derivative(sample.range, 0, sample.test_state, 10);
  EXPECT_LT(worst.relative(), 1e-8) << worst.what;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    TestState s = sample.test_state;
    s.disturb(seed);
    const Evaluation e = evaluate(sample.range, 0, s, {});
    EXPECT_NEAR(sample.range.energy(0, s.local()).dissipated_power, e.residual[row] * s.velocities()[row],
                1e-12);
    RecordedOutputs outputs;
    sample.range.outputs(0, s.local(), {}, outputs);
    EXPECT_NEAR(outputs.scalars.at("force"), -e.residual[row], 1e-12);
    EXPECT_GE(outputs.scalars.at("level"), 0);
  }
}

TEST(Friction, uses_the_reaction_of_the_joint) {
  const Place& p = place();
  const JointReaction reaction(p.sample.range.joint(0), p.stencil, p.sizes, {});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    TestState s = p.sample.test_state;
    s.disturb(seed);
    RecordedOutputs outputs;
    p.sample.range.outputs(0, s.local(), {}, outputs);
    const Marker marker = tilted_marker(1);
    MarkerMotion B;
    marker.evaluate(s.local(), 2, MotionLevel::pose, B);
    const Vec6 wrench = reaction.evaluate(s.local(), nullptr);
    EXPECT_LT((B.R_WM * wrench.head<3>() - outputs.vectors.at("force_world")).norm(), 1e-12);
    EXPECT_LT((B.R_WM * wrench.tail<3>() - outputs.vectors.at("moment_world")).norm(), 1e-12);
  }
}

TEST(Friction, of_coulomb_has_exact_derivatives_for_all_bearings) {
  for (const Bearing& bearing : bearings()) {
    const Coulomb::Law law{curve, 0.4, 0.1};
    const Sample<Coulomb> sample(Coulomb(slide, law, place().normal(bearing)), place().blocks(false));
    expect_exact_and_lossy(sample, 13);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      TestState s = sample.test_state;
      s.disturb(seed);
      EXPECT_GE(sample.range.energy(0, s.local()).dissipated_power, 0);
    }
  }
}

TEST(Friction, of_lugre_has_exact_derivatives) {
  const LuGre::Law law{curve, 3, 0.6, 0.1};
  for (const Bearing& bearing : {bearings()[1], bearings()[3]}) {
    const Sample<LuGre> sample(LuGre(slide, law, place().normal(bearing)), place().blocks(true));
    expect_exact_and_lossy(sample, 13);
  }
}

TEST(Friction, accepts_a_function_as_its_level) {
  const auto level = [](double value) {
    return BoundFunction(constant_function(value), std::vector<BoundFunction::Source>{}, {});
  };
  const std::vector<Block> blocks{sample_block(BlockKind::coordinate, 2, "coordinates")};
  const Coulomb::Law law{curve, 0.4, 0};
  const Sample<Coulomb> brake(Coulomb(slide, law, NormalForce(slide, 0, level(3))), blocks);
  expect_exact_and_lossy(brake, 1);
  TestState s = brake.test_state;
  s.state().rate[1] = 50;
  EXPECT_NEAR(evaluate(brake.range, 0, s, {}).residual[1], 0.9, 1e-12);
  s.state().rate[1] = -50;
  EXPECT_NEAR(evaluate(brake.range, 0, s, {}).residual[1], -0.9, 1e-12);
  const Sample<Coulomb> none(Coulomb(slide, law, NormalForce(slide, 0, level(-3))), blocks);
  EXPECT_EQ(evaluate(none.range, 0, s, {}).residual[1], 0);
}

TEST(Friction, takes_its_level_from_the_two_ends_of_a_bearing) {
  Bearing bearing;
  bearing.length = 0.5;
  Vec6 wrench, gradient;
  wrench << 0, 0, 7, 0, 3, 9;  // a moment of 3 about e2: +-6 N along e1 at the ends
  EXPECT_NEAR(bearing.level(wrench, gradient), 12, 1e-14);
  wrench << 20, 0, 7, 0, 3, 9;
  EXPECT_NEAR(bearing.level(wrench, gradient), 16 + 4, 1e-14);
  bearing.length = 0;
  bearing.thrust_radius = 0.1;
  bearing.radius = 0.2;
  EXPECT_NEAR(bearing.level(wrench, gradient), 4 + 0.7, 1e-14);
  wrench.setZero();
  EXPECT_EQ(bearing.level(wrench, gradient), 0);
  EXPECT_TRUE(gradient.allFinite());
}

TEST(Friction, of_lugre_tends_to_its_Stribeck_curve) {
  const LuGre::Law law{curve, 3, 0.6, 0};
  const std::vector<Block> blocks{sample_block(BlockKind::coordinate, 2, "coordinates"),
                                  sample_block(BlockKind::state, 1, "deflection")};
  const auto level = BoundFunction(constant_function(2), std::vector<BoundFunction::Source>{}, {});
  const Sample<LuGre> sample(LuGre(slide, law, NormalForce(slide, 0, level)), blocks);
  for (const double v : {0.2, -0.7}) {
    TestState s = sample.test_state;
    s.state().rate[1] = v;
    s.state().value[2] = curve.at(v) / law.stiffness * (v < 0 ? -1 : 1);
    const Evaluation e = evaluate(sample.range, 0, s, {});
    EXPECT_NEAR(e.residual[2], 0, 1e-15);
    EXPECT_NEAR(e.residual[1], 2 * curve.at(v) * (v < 0 ? -1 : 1), 1e-14);
  }
}

}  // namespace
}  // namespace trammel::friction
