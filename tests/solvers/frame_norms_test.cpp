// Norms of positions and rotations, six numbers at a time.

#include "solvers/newton/frame_norms.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <vector>

namespace trammel {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int frames = 5;

struct Rows {
  std::vector<double> r, of_row, rounding;

  Rows() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> any(-1, 1), positive(0.1, 2);
    for (int block = 0; block < 2 * frames; ++block) {
      const double its_rounding = 0.1 * positive(random);
      for (int k = 0; k < 3; ++k) {
        r.push_back(any(random));
        of_row.push_back(positive(random));
        rounding.push_back(its_rounding);
      }
    }
  }

  FrameResiduals norms() const {
    FrameResiduals norms;
    for (std::size_t k = 0; k < r.size(); k += frame_size)
      norms.take(frame_at(&r[k]).abs() * frame_at(&of_row[k]), frame_at(&rounding[k]));
    return norms;
  }

  /// The same, block by block.
  void add_plainly(FieldNorms& norms) const {
    for (std::size_t block = 0; block < r.size() / 3; ++block) {
      double largest = 0;
      for (std::size_t k = 3 * block; k < 3 * block + 3; ++k)
        take_larger(largest, std::abs(r[k]) * of_row[k]);
      const std::size_t field = block % 2;
      norms.residual[field] = std::max(norms.residual[field], largest);
      norms.beyond_rounding[field] = std::max(norms.beyond_rounding[field], largest - rounding[3 * block]);
    }
  }
};

void expect_same(const Rows& rows) {
  FieldNorms norms, plain;
  rows.norms().add_to(norms);
  rows.add_plainly(plain);
  EXPECT_EQ(norms.residual, plain.residual);
  EXPECT_EQ(norms.beyond_rounding, plain.beyond_rounding);
}

TEST(FrameResiduals, are_those_of_a_loop_over_blocks) {
  expect_same(Rows());
  Rows rounded;
  for (double& rounding : rounded.rounding) rounding *= 1e3;  // none is beyond it
  expect_same(rounded);
}

TEST(FrameResiduals, take_what_is_no_number_for_infinite) {
  for (std::size_t at = 0; at < frames * frame_size; ++at)
    for (const double bad : {nan, -nan, HUGE_VAL, -HUGE_VAL}) {
      Rows rows;
      rows.r[at] = bad;
      expect_same(rows);
      FieldNorms norms;
      rows.norms().add_to(norms);
      const std::size_t field = at / 3 % 2;
      EXPECT_EQ(norms.residual[field], HUGE_VAL) << at;
      EXPECT_EQ(norms.beyond_rounding[field], HUGE_VAL) << at;
      EXPECT_LT(norms.residual[1 - field], 2) << at;
    }
}

TEST(FrameResiduals, keep_what_the_norms_hold_where_it_is_larger) {
  FieldNorms norms;
  norms.residual[FieldNorms::force] = norms.beyond_rounding[FieldNorms::force] = 7;
  Rows().norms().add_to(norms);
  EXPECT_EQ(norms.residual[FieldNorms::force], 7);
  EXPECT_EQ(norms.beyond_rounding[FieldNorms::force], 7);
  EXPECT_LT(norms.residual[FieldNorms::moment], 2);
}

TEST(FrameMaxima, pass_over_what_is_no_number) {
  for (std::size_t bad = 0; bad < 2 * frame_size; ++bad) {
    std::array<double, 2 * frame_size> sizes{1, 5, 2, 7, 3, 4, 6, 0, 2, 9, 8, 1};
    sizes[bad] = nan;
    double largest[2] = {0, 0};
    for (std::size_t k = 0; k < sizes.size(); ++k)
      largest[k / 3 % 2] = std::max(largest[k / 3 % 2], sizes[k]);
    FrameMaxima maxima;
    maxima.take(frame_at(sizes.data()));
    maxima.take(frame_at(sizes.data() + frame_size));
    EXPECT_EQ(maxima.of_positions(), largest[0]) << bad;
    EXPECT_EQ(maxima.of_rotations(), largest[1]) << bad;
  }
}

}  // namespace
}  // namespace trammel
