// Rotations that are turned several at a time.

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "solvers/newton/rotation_update.hpp"
#include "trammel/lie.hpp"
#include "trammel/state.hpp"

namespace trammel {
namespace {

/// Rotations one after the other in arrays like State::value, with random increments of up to `largest` rad.
struct Rotations {
  static constexpr int size = 13;
  std::vector<RotationAt> at;
  std::vector<Vec3> theta;
  std::vector<double> base, value;

  Rotations(int count, double largest, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> any(-1, 1);
    const auto vector = [&] { return Vec3(any(random), any(random), any(random)); };
    for (int i = 0; i < count; ++i) {
      at.push_back({i, size * i});
      theta.push_back(largest * any(random) * vector().normalized());
      base.resize(base.size() + size);
      set_rotation(base.data() + at.back().value, so3::exp_quaternion(Vec3(3 * vector())));
    }
    value.assign(base.size(), -7);
  }
  const double* of(int i) const { return value.data() + at[static_cast<std::size_t>(i)].value; }
};

TEST(RotationUpdate, turns_by_the_exponential_of_small_and_large_increments) {
  for (const double largest : {1e-9, 0.2, 3.1}) {
    Rotations all(11, largest, 4);  // two groups, and three that are left
    turn_rotations(all.at, all.theta, all.base.data(), all.value.data());
    for (int i = 0; i < 11; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Quaternion expected =
          quaternion_of(all.base.data() + all.at[k].value) * so3::exp_quaternion(all.theta[k]);
      const Eigen::Map<const Mat3> R(all.of(i));
      EXPECT_LT((R - expected.normalized().toRotationMatrix()).cwiseAbs().maxCoeff(), 1e-15) << largest;
      EXPECT_LT((quaternion_of(all.of(i)).coeffs() - expected.normalized().coeffs()).norm(), 1e-15);
    }
  }
}

TEST(RotationUpdate, has_the_same_bits_whatever_stands_beside) {
  Rotations all(8, 0.2, 9);
  all.theta[6] = Vec3(1, 2, -0.5);  // no series serves its group
  turn_rotations(all.at, all.theta, all.base.data(), all.value.data());
  const std::vector<double> together = all.value;
  for (const RotationAt& one : all.at)
    turn_rotations(std::span(&one, 1), all.theta, all.base.data(), all.value.data());
  EXPECT_EQ(all.value, together);
}

}  // namespace
}  // namespace trammel
