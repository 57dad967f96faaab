// A host built with tomorrow's headers, in which reserved words are fields and interfaces have extensions, runs what an author
// built with today's: what is new is absent there, and all else as it was. See "What may grow" in sdk/README.md.

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <string>

#include "author.hpp"
#include "places.hpp"

namespace trammel {
namespace {

/// Keeps the last residual and stiffness.
struct Kept final : ContributionSink {
  double residual = 0, stiffness = 0;
  void add(int, LocalSystem& contribution) override {
    residual = contribution.residual()[0];
    stiffness = contribution.has_K() ? contribution.K()(0, 0) : 0;
  }
};

struct Library {
  void* handle;
  const Author* author;

  explicit Library(const std::string& when)
      : handle(dlopen((std::string(TRAMMEL_TEST_PLUGIN_DIR) + "/growth_" + when + ".so").c_str(),
                      RTLD_LAZY | RTLD_LOCAL)),
        author(handle == nullptr ? nullptr : static_cast<const Author*>(dlsym(handle, "author"))) {}
};

/// Calls all that the library gives; `grown`: it was built with tomorrow's headers.
void expect_runs(const Author& author, bool grown) {
  const auto range = author.make_range();
  State state;
  state.value = {0.5};
  state.rate = state.acceleration = state.compensation = {0.0};
  const BlockOffset offset{0, 0};
  const BlockOffset* const offsets[] = {&offset};
  const LocalState x(state, &offset);

  Kept kept;
  range->evaluate(0, 1, state, offsets, {.tangent = true}, kept);
  EXPECT_EQ(kept.residual, 2);
  EXPECT_EQ(kept.stiffness, 4);
  EXPECT_EQ(range->entity(0), 11);

  const Energy energy = range->energy(0, x);
  EXPECT_EQ(energy.strain, 0.5);
  EXPECT_EQ(energy.dissipated_power, 0.5);
  EXPECT_EQ(energy.chemical, grown ? 3 : 0);

  StepInfo step;
  step.start = 1;
  step.end = 2;
  step.next_size = 0.125;
  const Review review = range->review(0, x, step);
  EXPECT_EQ(review.verdict, Review::Verdict::cut);
  EXPECT_EQ(review.cut_time, 1.5);
  EXPECT_EQ(review.new_stencil, (std::vector<BlockId>{5, 6}));
  EXPECT_EQ(review.urgency, grown ? 0.125 : 0);

  const std::vector<Row> rows = author.make_rows();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].measure.dimension, Dimension::length);
  EXPECT_EQ(rows[1].weight, grown ? 9 : 0);
  EXPECT_EQ(rows[2].restitution, 0.75);

  MarkerMotion motion;
  author.make_marker()->evaluate(x, 0, MotionLevel::full, motion);
  EXPECT_EQ(motion.p_WM, Vec3(1, 2, 3));
  EXPECT_EQ(motion.J(2, 2), 1);
  EXPECT_EQ(motion.bias[5], 3);
  EXPECT_EQ(motion.stretch, grown ? 0.25 : 0);

  const auto* foresight = dynamic_cast<const Foresight*>(range.get());
  ASSERT_EQ(foresight != nullptr, grown);
  if (grown) {
    EXPECT_EQ(foresight->look_ahead(), 7);
  }
}

TEST(Growth, lets_a_library_of_today_run_under_the_host_of_tomorrow) {
  const Library today("today");
  ASSERT_NE(today.author, nullptr) << dlerror();
  const std::size_t sizes[] = {sizeof(MarkerMotion), sizeof(Energy), sizeof(Review), sizeof(Row)};
  for (std::size_t k = 0; k < std::size(sizes); ++k) EXPECT_EQ(today.author->sizes[k], sizes[k]) << k;
  expect_runs(*today.author, false);
}

TEST(Growth, lets_a_library_of_tomorrow_offer_new_functions) {
  const Library tomorrow("tomorrow");
  ASSERT_NE(tomorrow.author, nullptr) << dlerror();
  expect_runs(*tomorrow.author, true);
}

}  // namespace
}  // namespace trammel
