// What entities offer to each other: typed things, and views of living joints.

#include <gtest/gtest.h>

#include <string>

#include "kernel/model_builder.hpp"
#include "small_systems.hpp"
#include "trammel/element_check.hpp"
#include "trammel/joint_site.hpp"

namespace trammel::testing {
namespace {

struct Line {
  static constexpr std::string_view offered_as = "line 1";
  double length = 0;
};
struct Tube {
  static constexpr std::string_view offered_as = "tube 1";
  double radius = 0;
};
/// The same type as another shared library knows it.
struct LineElsewhere {
  static constexpr std::string_view offered_as = "line 1";
  double length = 0;
};

TEST(Offers, are_found_by_name_and_type) {
  Model model;
  ModelBuilder builder(model);
  begin(builder, "crank");
  const auto line = std::make_shared<const Line>(Line{0.7});
  builder.offer("axis", line);
  EXPECT_EQ(builder.find<Line>("crank.axis"), line);
  EXPECT_EQ(builder.find<LineElsewhere>("crank.axis")->length, 0.7);
  EXPECT_EQ(builder.find<Line>("crank.other"), nullptr);
}

TEST(Offers, of_another_type_are_refused_with_both_names) {
  Model model;
  ModelBuilder builder(model);
  begin(builder, "crank");
  builder.offer("axis", std::make_shared<const Line>());
  try {
    builder.find<Tube>("crank.axis");
    FAIL() << "a line was taken for a tube";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "'crank.axis' is offered as 'line 1', and is wanted as 'tube 1'");
  }
}

/// A joint with a history that its residual shows.
struct Ratchet {
  JointSite place;
  struct History {
    static constexpr int version = 1;
    double tooth = 0;

    void serialize(Archive& archive) { archive(tooth); }
  } kept = {};

  const JointSite& site() const { return place; }
  void evaluate(const LocalState&, LocalSystem& out) const { out.residual()[0] = kept.tooth; }
  void commit(const LocalState& x, const StepInfo&) { kept.tooth = x.value(0)[0]; }
  History& history() { return kept; }
};

double tooth_of(const JointView& view, const TestState& s) {
  LocalSystem out{Request{}};
  out.begin(1);
  view.evaluate(s.local(), out);
  return out.residual()[0];
}

std::vector<Block> one_coordinate() {
  std::vector<Block> blocks(1);
  blocks[0].kind = BlockKind::coordinate;
  blocks[0].size = 1;
  return blocks;
}

TEST(JointViews, see_the_living_instance) {
  RangeOf<Ratchet> range;
  for (int i = 0; i < 3; ++i) {
    Ratchet ratchet;
    ratchet.place.size = i;
    range.add(std::move(ratchet), {i}, 1, i);
  }
  const std::shared_ptr<const JointView> first = range.joint(0), last = range.joint(2);
  EXPECT_EQ(&range.joint(2)->site(), &last->site());
  for (int i = 3; i < 100; ++i) range.add(Ratchet{}, {i}, 1, i);  // they move in memory
  TestState s(one_coordinate());
  s.state().value[0] = 5;
  range.commit(2, s.local(), {});
  EXPECT_EQ(tooth_of(*last, s), 5);
  EXPECT_EQ(tooth_of(*first, s), 0);
  EXPECT_EQ(last->site().size, 2);
  EXPECT_EQ(last->stencil()[0], 2);

  range.set_stencil(2, {9, 4}, 2);
  EXPECT_EQ(last->stencil().size(), 2U);
}

}  // namespace
}  // namespace trammel::testing
