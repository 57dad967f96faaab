// What elements have besides `evaluate`, and that nothing else is asked for.

#include <gtest/gtest.h>

#include "small_systems.hpp"
#include "trammel/element.hpp"
#include "trammel/joint.hpp"

namespace trammel {
namespace {

using testing::begin;

struct Plain {
  void evaluate(const LocalState&, LocalSystem&) const {}
};
struct WithEnergy : Plain {
  Energy energy(const LocalState&) const { return {}; }
};
struct Reviewing : Plain {
  Review review(const LocalState&, const StepInfo&) { return Review::keep(); }
};
struct Committing : Plain {
  void commit(const LocalState&, const StepInfo&) {}
};
struct Remembering : Plain {
  struct Memory {
    static constexpr int version = 1;
    void serialize(Archive&) {}
  };
  Memory& history() { return memory; }
  Memory memory;
};

template <class E>
ElementCalls calls_of(E element) {
  RangeOf<E> range;
  range.add(std::move(element), {0}, 1, 0);
  return range.calls();
}

TEST(ElementCalls, are_those_that_the_class_has) {
  const ElementCalls none = calls_of(Plain{});
  EXPECT_FALSE(none.review || none.commit || none.energy || none.constant);
  EXPECT_TRUE(calls_of(WithEnergy{}).energy);
  EXPECT_TRUE(calls_of(Committing{}).commit);
  EXPECT_FALSE(calls_of(Committing{}).review);
  EXPECT_TRUE(calls_of(Remembering{}).commit);  // what was remembered is kept
  // A review may give the element another stencil, which a commit keeps.
  EXPECT_TRUE(calls_of(Reviewing{}).review);
  EXPECT_TRUE(calls_of(Reviewing{}).commit);
}

/// B lies in a plane of A.
template <class Derived>
struct InPlane : Joint<Derived, 1> {
  static constexpr std::array<Dimension, 1> dimensions{Dimension::length};
  void terms(const RelativeState<0>& x, bool, typename InPlane::Terms& out) const {
    out.C[0] = x.p_AB_A[2];
    out.G(0, 2) = 1;
  }
};
struct Simple : InPlane<Simple> {};
struct OnBranch : InPlane<OnBranch> {
  bool on_branch(const RelativeState<0>&) const { return true; }
};
struct OwnReview : InPlane<OwnReview> {
  Review review(const LocalState&, const StepInfo&) { return Review::cut(1); }
};
struct OwnCommit : InPlane<OwnCommit> {
  void commit(const LocalState&, const StepInfo&) {}
};
struct OwnEnergy : InPlane<OwnEnergy> {
  Energy energy(const LocalState&) const { return {}; }
};
struct InTime : InPlane<InTime> {
  static constexpr bool depends_on_time = true;
};

TEST(ElementCalls, of_joints_leave_out_what_the_common_class_would_answer) {
  const ElementCalls simple = calls_of(Simple{});
  EXPECT_FALSE(simple.review || simple.commit || simple.energy);
  EXPECT_TRUE(calls_of(OnBranch{}).review);
  EXPECT_TRUE(calls_of(OnBranch{}).commit);
  EXPECT_TRUE(calls_of(OwnReview{}).review);
  EXPECT_TRUE(calls_of(OwnCommit{}).commit);
  EXPECT_TRUE(calls_of(OwnEnergy{}).energy);
  EXPECT_TRUE(calls_of(InTime{}).energy);
}

/// A force that counts how often it is asked for.
template <bool constant>
struct Push {
  double force;
  int* asked;

  static bool couples(int, int) { return false; }
  bool is_constant() const { return constant; }
  void evaluate(const LocalState&, LocalSystem& out) const {
    ++*asked;
    out.residual()[0] = -force;
  }
};

TEST(ElementCalls, constant_residuals_are_evaluated_once_and_always_counted) {
  int steady = 0, wave = 0;
  Model model;
  ModelBuilder builder(model);
  begin(builder, "points");
  const BlockId p = builder.add_position("p", Vec3(1, 2, 3)), q = builder.add_position("q", Vec3(4, 5, 6));
  builder.add(Push<true>{3, &steady}, {p});
  builder.add(Push<false>{2, &wave}, {q});
  builder.add(testing::Spring{1}, {p, q});
  Layout layout(MPI_COMM_SELF, model, LayoutOptions{});
  Assembler assembler(model, layout);
  State state = layout.initial_state();
  Vec r = layout.create_vector();
  for (int k = 1; k <= 3; ++k) {
    state.value[static_cast<std::size_t>(layout.offset(p).value)] = k;  // the spring's force changes
    ASSERT_TRUE(assembler.residual(state, ConstraintLevel::position, r));
    PetscReal sum = 0;
    VecSum(r, &sum);
    EXPECT_NEAR(sum, -5, 1e-12) << k;  // a spring's forces cancel
    EXPECT_GE(assembler.scales().contribution[static_cast<std::size_t>(BlockKind::position)], 3) << k;
  }
  EXPECT_EQ(wave, 3);
  EXPECT_EQ(steady, 1);
  VecDestroy(&r);
}

}  // namespace
}  // namespace trammel
