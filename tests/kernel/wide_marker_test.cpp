// Joints on markers of more columns than lie in place.

#include <gtest/gtest.h>

#include <memory>

#include "kernel/model_builder.hpp"
#include "modal_point.hpp"
#include "small_systems.hpp"
#include "trammel/constraint.hpp"
#include "trammel/element_check.hpp"
#include "trammel/joint_check.hpp"

namespace trammel {
namespace {

/// Point B on an ellipsoid about A, and one angle between the two: all of R_AB, p_AB_A enter.
class Ellipsoid : public Constraint<Ellipsoid, 2> {
 public:
  template <class S>
  void residual(const Relative<S>& x, Residual<S>& C) const {
    const Vec3T<S> q = x.p_AB_A.cwiseQuotient(Vec3T<S>(S(1.0), S(2.0), S(1.5)));
    C[0] = dot(q, q) - 1.0;
    C[1] = atan2(x.R_AB(1, 0), x.R_AB(0, 0)) + 0.3 * x.R_AB(2, 1) * x.p_AB_A[2];
  }
};

/// B stays on the first axis of A, with the sparsity of its rows declared.
class Rail : public Joint<Rail, 2> {
 public:
  static constexpr std::array<RowSparsity, 2> sparsity{RowSparsity::of_displacement(1),
                                                       RowSparsity::of_displacement(2)};
  void terms(const RelativeState<0>& x, bool, Terms& out) const { out.C << x.p_AB_A[1], x.p_AB_A[2]; }
};

constexpr int modes = 40;

/// A joint between a frame and a point that 40 modes move.
template <class J>
struct OnModes {
  Model model;
  explicit OnModes(bool modes_first) {
    ModelBuilder builder(model);
    testing::begin(builder, "bodies");
    const Frame a = builder.add_frame("a", so3::exp(Vec3(0.2, 0.1, 0.4)), Vec3(1, 0, 0.3));
    auto point = std::make_shared<testing::ModalPoint<modes>>();
    point->frame = builder.add_frame("b", so3::exp(Vec3(-0.3, 0.5, 0.1)), Vec3(0.4, 1, 0));
    const std::vector<double> zeros(modes, 0.0);
    const std::vector<Measure> sizes(modes, Measure::nominal(1));
    point->amplitudes = builder.add_coordinates("modes", zeros, zeros, sizes, "");
    const Marker frame = Marker::on_frame(a, so3::exp(Vec3(0.5, 0, 0)), Vec3(0.1, 0.2, 0.3)),
                 wide = Marker::on_shape(point).offset(so3::exp(Vec3(0, 0.3, 0)), Vec3(0, 0.1, -0.2));
    testing::begin(builder, "joint");
    J joint;
    joint.set_site({modes_first ? wide : frame, modes_first ? frame : wide});
    std::vector<BlockId> stencil = joint.site().blocks();
    stencil.push_back(builder.add_multiplier("lambda", rows_of(Dimension::length, 2)));
    builder.add(std::move(joint), std::move(stencil));
  }
};

template <class J>
void expect_exact() {
  for (const bool modes_first : {false, true}) {
    const OnModes<J> on(modes_first);
    const ElementRange& range = *on.model.ranges.back().instances;
    TestState start(on.model, range.stencil(0));
    EXPECT_EQ(start.dofs(), 6 + 6 + modes + 2);
    const CheckedTerm worst = worst_derivative(range, 0, start, 5);
    EXPECT_LT(worst.relative(), 1e-8) << worst.what;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      TestState s = start;
      s.disturb(seed);
      EXPECT_NEAR(power_error(range, 0, s), 0, 1e-8);
      EXPECT_LT(resultant(s, evaluate(range, 0, s, {}).residual).norm(), 1e-11);
    }
  }
}

TEST(WideMarker, makes_a_joint_on_forty_modes_exact) {
  expect_exact<Ellipsoid>();
  expect_exact<Rail>();
}

}  // namespace
}  // namespace trammel
