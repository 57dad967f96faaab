#include "trammel/law_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "law_samples.hpp"
#include "trammel/coordinate_law.hpp"
#include "trammel/force_law.hpp"

namespace trammel {
namespace {

using ::testing::HasSubstr;

template <class E>
LawCheck checked(const Sample<E>& sample) {
  LawCheck check;
  check_law(sample.range, 0, sample.test_state, ", alone", true, 0, 12, 1, check);
  return check;
}

/// A damped spring with a lag.
class Lagging : public ForceLaw<Lagging, 1> {
 public:
  static constexpr std::array<FormulaNumber, 1> state_names{{{"lag", "m", Measure::length()}}};

  template <class S>
  void wrench(const Relative<S>& x, Wrench<S>& w) const {
    w.force = x.p_AB_A * (-3.0) - x.R_AB.col(0) * (2.0 * x.y[0]) - x.v_AB_A * abs(x.v_AB_A[1]);
    w.rate[0] = dot(x.R_AB.col(0), x.v_AB_A) - 0.5 * x.y[0];
  }
  template <class S>
  S stored(const Relative<S>& x) const {
    return 1.5 * x.p_AB_A.squaredNorm() + x.y[0] * x.y[0];
  }
};

TEST(LawCheck, accepts_correct_laws) {
  const LawCheck check = checked(placed(Lagging(), tilted_markers(2), {{BlockKind::state, 1}}));
  EXPECT_EQ(check.states, 12);
  EXPECT_LT(check.derivative.error, 1e-8) << check.derivative.where;
  EXPECT_LT(check.power.error, 1e-8) << check.power.where;
  EXPECT_LT(check.objectivity.error, 1e-12) << check.objectivity.where;
  EXPECT_EQ(check.unrepeated, "");
  EXPECT_FALSE(check.has_inertia);
}

/// An element by hand that gives a spring between two points, with faults to choose.
class Spoilt {
 public:
  enum class Fault { none, tangent, energy, pushes_alone, remembers };
  explicit Spoilt(Fault fault) : fault_(fault) {}

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Vec3 d = x.position(2) - x.position(0);
    auto r = out.residual();
    r.segment<3>(0) = -3 * d;
    r.segment<3>(6) = 3 * d;
    if (fault_ == Fault::pushes_alone) r[0] += 0.1;
    if (fault_ == Fault::remembers) r[6] += 1e-15 * ++calls_;
    if (!out.request.tangent) return;
    auto K = out.K();
    const double k = fault_ == Fault::tangent ? 3.01 : 3;
    for (int i = 0; i < 3; ++i) {
      K(i, i) = K(6 + i, 6 + i) = 3;
      K(i, 6 + i) = -k;
      K(6 + i, i) = -3;
    }
  }
  Energy energy(const LocalState& x) const {
    Energy e;
    e.strain = (fault_ == Fault::energy ? 1.6 : 1.5) * (x.position(2) - x.position(0)).squaredNorm();
    return e;
  }

 private:
  Fault fault_;
  mutable int calls_ = 0;
};

LawCheck spoilt(Spoilt::Fault fault) {
  return checked(Sample<Spoilt>(Spoilt(fault), blocks_for(tilted_markers(2), {})));
}

TEST(LawCheck, finds_each_fault) {
  using enum Spoilt::Fault;
  const LawCheck right = spoilt(none);
  EXPECT_LT(right.derivative.error, 1e-8);
  EXPECT_LT(right.power.error, 1e-8);
  EXPECT_LT(right.objectivity.error, 1e-12);
  EXPECT_EQ(right.unrepeated, "");
  const LawCheck by_tangent = spoilt(tangent);
  EXPECT_GT(by_tangent.derivative.error, 1e-3);
  EXPECT_THAT(by_tangent.derivative.where, HasSubstr("'A position' by 'B position', alone, state"));
  EXPECT_GT(spoilt(energy).power.error, 1e-3);
  EXPECT_GT(spoilt(pushes_alone).objectivity.error, 1e-3);
  EXPECT_THAT(spoilt(remembers).unrepeated, HasSubstr("'B position', row 1, evaluated twice in turn"));
}

}  // namespace
}  // namespace trammel
