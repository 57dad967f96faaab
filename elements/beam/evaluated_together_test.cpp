// Several elements at once give what each gives alone.

#include <array>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "beam_element.hpp"
#include "tangent_check.hpp"
#include "trammel/error.hpp"
#include "trammel/index.hpp"

namespace trammel::beam {
namespace {

using trammel::testing::Draw;
using trammel::testing::ProbeState;

constexpr int together = BeamElement::together;

/// The constants of an element, of a bent beam whose section's mass has its centre beside the axis or on it.
std::shared_ptr<const ElementConstants> constants(bool damped, bool massive, bool offset,
                                                  double length = 0.7) {
  Section section;
  section.stiffness = diagonal_stiffness(30, {20, 15}, 3, {4, 5});
  section.stiffness(0, 4) = section.stiffness(4, 0) = 2;
  section.mass.density = massive ? 2 : 0;
  if (offset) section.mass.first = Vec3(0, 0.2, -0.1);
  if (massive) section.mass.inertia = Vec3(0.5, 0.3, 0.3).asDiagonal();
  Damping damping;
  if (damped) damping.times << 0.1, 0.2, 0.3, 0.1, 0.2, 0.15;
  const auto axis = offset ? arc_axis({0, 0, 0}, {1, 0, 0}, {0, 0, -1}, length, nullptr)
                           : straight_axis({0, 0, 0}, {length, 0, 0}, nullptr, 0);
  return discretize(*axis, SectionAlongSpan(section), damping, {0, 1}).elements[0];
}

/// `count` elements, each with nodes of its own, turned by `angle` [rad] along their length.
struct Elements {
  RangeOf<BeamElement> range;
  std::vector<BeamElement> alone;
  ProbeState state;
  std::vector<const BlockOffset*> offsets;

  Elements(int count, const std::function<std::shared_ptr<const ElementConstants>(int)>& constants_of,
           const std::function<double(int)>& angle, unsigned seed = 3) {
    Draw draw(seed);
    for (int i = 0; i < count; ++i) {
      alone.emplace_back(constants_of(i), BeamElement::Place{});
      range.add(alone.back(), {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3}, 12, 0);
      const Mat3 R = draw.rotation();
      const Vec3 p = draw.vector(2);
      state.position(p, draw.vector(), draw.vector()).rotation(R, draw.vector(), draw.vector());
      state.position(p + R * Vec3(0.7, 0, 0) + draw.vector(0.1), draw.vector(), draw.vector());
      state.rotation(R * so3::exp(Vec3(angle(i) * draw.vector().normalized())), draw.vector(), draw.vector());
    }
    for (int i = 0; i < count; ++i) offsets.push_back(&state.local().offset(4 * i));
  }
  LocalState local(int i) const { return {state.state(), offsets[at(i)]}; }
  /// What element i gives alone.
  LocalSystem alone_at(int i, const Request& request = {}) const {
    LocalSystem out(request);
    out.begin(12);
    alone[at(i)].evaluate(local(i), out);
    return out;
  }
  bool are_evaluated_together() const {
    std::vector<const BeamElement*> elements;
    std::vector<LocalState> x;
    std::vector<LocalSystem> systems(together, LocalSystem(Request{}));
    std::vector<LocalSystem*> out;
    for (int i = 0; i < together; ++i) {
      elements.push_back(&alone[at(i)]);
      x.push_back(local(i));
      systems[at(i)].begin(12);
      out.push_back(&systems[at(i)]);
    }
    return BeamElement::evaluate_residuals(elements, x, out);
  }
  void evaluate(const Request& request, ContributionSink& sink) const {
    range.evaluate(0, range.size(), state.state(), offsets, request, sink);
  }
};

/// Contributions in the order in which they come.
class Kept final : public ContributionSink {
 public:
  std::vector<std::pair<int, LocalSystem>> all;
  void add(int i, LocalSystem& contribution) override { all.emplace_back(i, contribution); }
};

void expect_near(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected) {
  EXPECT_LT((found - expected).lpNorm<Eigen::Infinity>(), 1e-13 * (1 + expected.lpNorm<Eigen::Infinity>()));
}

/// Damped, massive, with an offset; whether all elements have the same constants.
class Together : public ::testing::TestWithParam<std::tuple<bool, bool, bool, bool>> {
 protected:
  static std::function<std::shared_ptr<const ElementConstants>(int)> constants_of_elements() {
    const auto [damped, massive, offset, same] = GetParam();
    if (same) return [shared = constants(damped, massive, offset)](int) { return shared; };
    const auto flags = GetParam();
    // Where one of them lacks something, too.
    return [flags](int i) {
      const auto [its_damped, its_massive, its_offset, _] = flags;
      return constants(its_damped && i != 1, its_massive && i != 2, its_offset && i % 2 == 0, 0.7 + 0.1 * i);
    };
  }
};

constexpr std::array angles{0.0, 1e-12, 1e-4, 0.01, 0.19};

TEST_P(Together, elements_have_the_residuals_that_they_have_alone) {
  for (const double angle : angles)
    for (const int left : {0, 1, 2, 3}) {
      SCOPED_TRACE(fmt::format("turned by {}, {} left over", angle, left));
      const Elements elements(together + left, constants_of_elements(), [&](int) { return angle; });
      ASSERT_TRUE(elements.are_evaluated_together());
      Kept kept;
      elements.evaluate(Request{}, kept);
      ASSERT_EQ(kept.all.size(), at(elements.range.size()));
      for (int i = 0; i < elements.range.size(); ++i) {
        auto& [number, found] = kept.all[at(i)];
        EXPECT_EQ(number, i);
        expect_near(found.residual(), elements.alone_at(i).residual());
      }
    }
}

TEST_P(Together, elements_have_the_tangents_that_they_have_alone) {
  for (const double angle : angles)
    for (const bool stiffness : {true, false}) {
      SCOPED_TRACE(fmt::format("turned by {}, stiffness {}", angle, stiffness));
      const Elements elements(2 * together + 2, constants_of_elements(), [&](int) { return angle; });
      const Request request{.tangent = true, .stiffness = stiffness};
      Kept kept;
      elements.evaluate(request, kept);
      ASSERT_EQ(kept.all.size(), at(elements.range.size()));
      for (int i = 0; i < elements.range.size(); ++i) {
        auto& [number, found] = kept.all[at(i)];
        LocalSystem alone = elements.alone_at(i, request);
        EXPECT_EQ(number, i);
        expect_near(found.residual(), alone.residual());
        expect_near(found.K(), alone.K());
        expect_near(found.D(), alone.D());
        expect_near(found.M(), alone.M());
      }
    }
}

TEST_P(Together, elements_have_the_energies_that_they_have_alone) {
  class Energies final : public EnergySink {
   public:
    std::vector<Energy> all;
    void add(int i, const Energy& energy) override {
      EXPECT_EQ(at(i), all.size());
      all.push_back(energy);
    }
  };
  for (const double angle : angles) {
    const Elements elements(2 * together + 3, constants_of_elements(), [&](int) { return angle; });
    Energies found;
    elements.range.energies(0, elements.range.size(), elements.state.state(), elements.offsets, found);
    ASSERT_EQ(found.all.size(), at(elements.range.size()));
    for (int i = 0; i < elements.range.size(); ++i) {
      const Energy exact = elements.alone[at(i)].energy(elements.local(i));
      const double bound = 1e-13 * (1 + exact.strain + exact.kinetic + exact.dissipated_power);
      EXPECT_NEAR(found.all[at(i)].strain, exact.strain, bound);
      EXPECT_NEAR(found.all[at(i)].kinetic, exact.kinetic, bound);
      EXPECT_NEAR(found.all[at(i)].dissipated_power, exact.dissipated_power, bound);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Beam, Together,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool(), ::testing::Bool(),
                                            ::testing::Bool()));

TEST(BeamElement, is_evaluated_alone_where_it_turns_far) {
  const auto shared = constants(true, true, true);
  const Request with_tangents{.tangent = true};
  for (int odd = 0; odd < together; ++odd) {
    const Elements turned(
        together, [&](int) { return shared; }, [&](int i) { return i == odd ? 0.3 : 0.01; });
    EXPECT_FALSE(turned.are_evaluated_together());
    Kept kept;
    turned.evaluate(Request{}, kept);
    turned.evaluate(with_tangents, kept);
    ASSERT_EQ(kept.all.size(), at(2 * together));
    for (int i = 0; i < together; ++i) {
      EXPECT_EQ(kept.all[at(i)].second.residual(), turned.alone_at(i).residual());
      EXPECT_EQ(kept.all[at(together + i)].second.K(), turned.alone_at(i, with_tangents).K());
    }
  }
}

TEST(BeamElement, is_named_where_it_rejects_a_step_in_a_group) {
  const auto shared = constants(false, true, false);
  const Elements elements(
      2 * together, [&](int) { return shared; }, [](int i) { return i == together + 1 ? 3.1 : 0.01; });
  Kept kept;
  EXPECT_THROW(elements.evaluate(Request{}, kept), RejectStep);
  EXPECT_EQ(kept.all.size(), at(together + 1));
}

}  // namespace
}  // namespace trammel::beam
