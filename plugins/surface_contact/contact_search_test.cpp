#include <cmath>
#include <numbers>
#include <random>

#include "clearance_joints.hpp"
#include "contact_case.hpp"
#include "contact_search.hpp"
#include "curvature_jumps.hpp"
#include "outlines.hpp"
#include "trammel/lie.hpp"

namespace trammel::surface_contact {
namespace {

using ::testing::HasSubstr;
using testing::Paraboloid;

/// (u, v, a cos(2 pi u) cos(2 pi v)): one top in each unit of u, where |v| < 0.4.
class Bumps final : public Surface {
 public:
  static constexpr double height = 0.05;
  Bumps(double from, double to) {
    set_domain({.first = from, .last = to}, {.first = -0.4, .last = 0.4}, false);
  }

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override {
    constexpr double k = 2 * std::numbers::pi;
    const auto wave = [](double x, int i) {
      return std::cos(k * x + 0.5 * i * std::numbers::pi) * std::pow(k, i);
    };
    for (int i = 0; i <= derivatives; ++i)
      for (int j = 0; i + j <= derivatives; ++j)
        out.by(i, j) = Vec3(i == 0 ? u : 1, j == 0 ? v : 1, height * wave(u, i) * wave(v, j))
                           .cwiseProduct(Vec3(i + j < 2 && j == 0, i + j < 2 && i == 0, 1));
  }
};

/// A plane that looks down on bumps, with the slope s along e1, and touches the bump at u = 0.
RelativePlacement board(double slope) {
  constexpr double k = 2 * std::numbers::pi;
  const double x = -std::asin(slope / (Bumps::height * k)) / k;
  const double at_0 = Bumps::height * std::cos(k * x) - slope * x;
  return {so3::exp(Vec3(0, -std::atan(slope), 0)), Vec3(0.5, 0, at_0 + 0.5 * slope)};
}

/// (u, v, c u^2 / 2) where u > 0, and a plane beside it; its patches meet at u = 0 and at v = 0.
class HalfTrough final : public Surface {
 public:
  explicit HalfTrough(double curvature) : curvature_(curvature) {
    set_domain({.first = -1, .last = 1}, {.first = -1, .last = 1}, false);
  }
  std::vector<SurfacePatch> patches() const override {
    std::vector<SurfacePatch> all;
    for (const double u : {-1.0, 0.0})
      for (const double v : {-1.0, 0.0}) all.push_back(sampled_patch({u, v}, {u + 1, v + 1}));
    return all;
  }

 protected:
  void at(double u, double v, int derivatives, SurfacePoint& out) const override {
    for (Vec3& d : out.d) d.setZero();
    const double c = u > 0 ? curvature_ : 0;
    out.d[0] = Vec3(u, v, 0.5 * c * u * u);
    if (derivatives < 1) return;
    out.by(1, 0) = Vec3(1, 0, c * u);
    out.by(0, 1) = Vec3::UnitY();
    if (derivatives > 1) out.by(2, 0) = Vec3(0, 0, c);
  }

 private:
  double curvature_;
};

TEST(CurvatureJumps, of_a_surface_are_where_its_second_fundamental_form_jumps) {
  const HalfTrough trough(2), plane(0);
  EXPECT_EQ(CurvatureJumps(plane, 0).size(), 0U);
  EXPECT_EQ(CurvatureJumps(trough, 1).size(), 0U);
  const CurvatureJumps jumps(trough, 0);
  ASSERT_EQ(jumps.size(), 1U);
  const StepInfo step{.start = 2, .end = 2.1};
  const auto review = jumps.cut({-0.03, 1}, {0.07, 1}, step, step.size());
  ASSERT_TRUE(review.has_value());
  EXPECT_NEAR(review->cut_time, 2.03, 2e-7 * step.size());
  EXPECT_GT(review->cut_time, 2.03);
  EXPECT_FALSE(jumps.cut({0.01, 1}, {0.11, 1}, step, step.size()).has_value());
}

TEST(PatchTree, misses_no_pair_of_cells_that_are_near) {
  const Bumps bumps(-3, 3);
  TurnedArcShape shape;
  shape.p = 0.5;
  shape.a = shape.b = 0.2;
  const TurnedArc ring(shape, false);
  const PatchTree one(bumps), two(ring);
  std::mt19937 numbers(1);
  std::uniform_real_distribution<double> any(-1, 1);
  const auto number = [&] { return any(numbers); };
  for (int k = 0; k < 20; ++k) {
    const RelativePlacement at{so3::exp(3 * Vec3(number(), number(), number())),
                               Vec3(2 * number(), number(), 0.4 + 0.3 * number())};
    const auto pairs = PatchTree::near(one, two, {at, 0.05, -1, nullptr});
    // Points of both that are near, and whose normals are against each other, lie in one of the pairs.
    for (int i = 0; i < 20000; ++i) {
      const SurfaceParameters x{3 * number(), 0.4 * number()},
          y{std::numbers::pi * (1 + number()), 0.5 * std::numbers::pi * number()};
      const Vec3 apart = at.p_AB_A + at.R_AB * ring.point(y) - bumps.point(x);
      if (apart.norm() > 0.05 || bumps.normal(x).dot(at.R_AB * ring.normal(y)) > -0.9999) continue;
      const bool held = std::ranges::any_of(pairs, [&](const auto& pair) {
        const auto in = [](const ShapeCell& c, const SurfaceParameters& z) {
          return z.u >= c.first[0] && z.u <= c.last[0] && z.v >= c.first[1] && z.v <= c.last[1];
        };
        return in(*pair.first, x) && in(*pair.second, y);
      });
      EXPECT_TRUE(held) << k;
    }
    long boxes = 0;
    PatchTree::near(one, two, {at, 0.05, -1, nullptr}, &boxes);
    EXPECT_LT(boxes, 0.5 * static_cast<double>(one.size() * two.size())) << k;
  }
}

TEST(ShapePair, finds_all_places_where_surfaces_face_each_other) {
  const auto bumps = std::make_shared<Bumps>(-0.6, 1.6);
  const auto plane = std::make_shared<Paraboloid>(0, 0, true);
  const SurfaceShapes shapes(bumps, plane);
  for (const double slope : {0.0, 0.01, 0.1}) {
    RelativePlacement at = board(slope);
    at.p_AB_A.z() += 0.01;
    const std::vector<Facing> all = shapes.all(at, 0.3);
    ASSERT_EQ(all.size(), 2U) << slope;
    // The tangent points of bumps are one period apart, and the gap grows by the slope.
    const double turn = 1 / std::sqrt(1 + slope * slope);
    EXPECT_NEAR(all[0].gap, 0.01 * turn, 1e-13) << slope;
    EXPECT_NEAR(all[1].gap, (0.01 + slope) * turn, 1e-13) << slope;
    EXPECT_NEAR(std::abs(all[1].at[0] - all[0].at[0]), 1, 1e-12) << slope;
    EXPECT_NEAR(all[0].at[1], 0, 1e-12);
  }
  // Nothing beyond the distance.
  RelativePlacement far = board(0.1);
  far.p_AB_A.z() += 0.01;
  EXPECT_EQ(shapes.all(far, 0.05).size(), 1U);
}

TEST(ShapePair, finds_what_newtons_method_finds_from_every_pair_of_cells) {
  const auto bumps = std::make_shared<Bumps>(-3, 3);
  TurnedArcShape shape;
  shape.p = 0.5;
  shape.a = shape.b = 0.2;
  const SurfaceShapes shapes(bumps, std::make_shared<TurnedArc>(shape, false));
  std::mt19937 numbers(2);
  std::uniform_real_distribution<double> any(-1, 1);
  constexpr double distance = 0.2;
  std::size_t all_found = 0;
  for (int k = 0; k < 200; ++k) {
    // One by one: compilers differ in the order in which they evaluate arguments.
    std::array<double, 6> drawn{};
    for (double& x : drawn) x = any(numbers);
    const RelativePlacement at{so3::exp(3 * Vec3(drawn[0], drawn[1], drawn[2])),
                               Vec3(2 * drawn[3], 0.4 * drawn[4], 0.5 + 0.3 * drawn[5])};
    std::vector<Facing> expected;
    for (const auto& [a, b] : PatchTree::near(shapes.one(), shapes.two(), {at, distance, -1, nullptr})) {
      std::array<double, 4> guess{}, room{};
      for (std::size_t i = 0; i < 2; ++i) {
        guess[i] = 0.5 * (a->first[i] + a->last[i]);
        guess[2 + i] = 0.5 * (b->first[i] + b->last[i]);
        room[i] = 1.5 * (a->last[i] - a->first[i]);
        room[2 + i] = 1.5 * (b->last[i] - b->first[i]);
      }
      const std::optional<Facing> next = shapes.near(at, guess, room);
      if (!next || !(next->gap < distance)) continue;
      if (std::ranges::none_of(expected, [&](const Facing& f) { return shapes.same(f, *next); }))
        expected.push_back(*next);
    }
    const std::vector<Facing> found = shapes.all(at, distance);
    EXPECT_EQ(found.size(), expected.size()) << k;
    for (const Facing& f : expected)
      EXPECT_TRUE(std::ranges::any_of(found, [&](const Facing& g) { return shapes.same(f, g); })) << k;
    // Those that are known are not lost.
    EXPECT_EQ(shapes.all(at, distance, found).size(), found.size()) << k;
    all_found += found.size();
  }
  EXPECT_GT(all_found, 130U);
}

TEST(ShapePair, finds_both_walls_of_a_slot_and_no_far_side) {
  const auto slot = std::make_shared<Stadium>(PlaneAxes{}, 0.3, 0.1);
  const auto pin = std::make_shared<Ellipse>(PlaneAxes{}, 0.02, 0.02);
  const CurveShapes shapes(slot, pin, Vec3::UnitZ(), 1, 1);
  const std::vector<Facing> all = shapes.all({Mat3::Identity(), Vec3(0.03, 0.01, 0.4)}, 1.0);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_NEAR(all[0].gap, 0.07, 1e-13);
  EXPECT_NEAR(all[1].gap, 0.09, 1e-13);
  EXPECT_NEAR(all[0].point_1.y(), 0.1, 1e-13);
}

/// The board tips over from the bump at u = 0 to that at u = 1, at t = 1, when it is level.
struct Tipping {
  std::shared_ptr<const Bumps> bumps;
  SurfaceShapes shapes;
  explicit Tipping(double to = 1.4)
      : bumps(std::make_shared<Bumps>(-0.4, to)), shapes(bumps, std::make_shared<Paraboloid>(0, 0, true)) {}

  static double slope(double t) { return 0.05 * (1 - t) * (2 - t); }
  static RelativeMovement at(double t) {
    constexpr double h = 1e-5;
    const RelativePlacement before = board(slope(t - h)), after = board(slope(t + h));
    RelativeMovement m{board(slope(t)), (after.p_AB_A - before.p_AB_A) / (2 * h), {}};
    m.angular_velocity = so3::log(before.R_AB.transpose() * after.R_AB) / (2 * h);
    return m;
  }
  Facing contact(double t) const { return *shapes.near(at(t).at, {-0.01, 0, -0.5, 0}, {0.3, 0.3, 0.3, 0.3}); }
};

TEST(ContactSearch, cuts_the_step_where_another_place_closes) {
  Tipping tipping;
  ContactSearch search;
  search.begin(tipping.shapes, Tipping::at(0.5), tipping.contact(0.5), {.step = 0.2}, "they");
  ContactSearch trial = search;
  EXPECT_FALSE(trial.review(tipping.shapes, Tipping::at(0.7), tipping.contact(0.7),
                            {.start = 0.5, .end = 0.7}, "they"));
  EXPECT_FALSE(trial.commit(Tipping::at(0.7), tipping.contact(0.7), {.start = 0.5, .end = 0.7}));
  search = trial;
  double end = 1.1;
  for (int cuts = 0;; ++cuts) {
    ASSERT_LT(cuts, 6);
    trial = search;
    const std::optional<Review> review = trial.review(tipping.shapes, Tipping::at(end), tipping.contact(end),
                                                      {.start = 0.7, .end = end}, "they");
    ASSERT_TRUE(review);
    if (review->rows) break;
    ASSERT_LT(review->cut_time, end);
    end = review->cut_time;
  }
  EXPECT_NEAR(end, 1, 1e-7);
  const std::optional<Facing> to =
      trial.commit(Tipping::at(end), tipping.contact(end), {.start = 0.7, .end = end});
  ASSERT_TRUE(to);
  EXPECT_NEAR(to->at[0], 1, 1e-6);
  EXPECT_NEAR(to->gap, 0, 1e-9);
  EXPECT_EQ(trial.jumps(), 1);
  ASSERT_EQ(trial.others().size(), 1U);
  EXPECT_NEAR(trial.others()[0].at[0], 0, 1e-6);
}

TEST(ContactSearch, refuses_two_places_at_once) {
  Tipping tipping;
  ContactSearch search;
  search.begin(tipping.shapes, Tipping::at(1), tipping.contact(1), {.step = 0.1}, "they");
  try {
    search.review(tipping.shapes, Tipping::at(1.1), tipping.contact(1.1), {.start = 1, .end = 1.1}, "they");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("they touch at two places at once"));
  }
  ContactSearch late;
  try {
    late.begin(tipping.shapes, Tipping::at(1.2), tipping.contact(1.2), {.step = 0.1}, "they");
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("overlap by 0.00"));
    EXPECT_THAT(e.what(), HasSubstr("at another place than their contact point, at [1."));
  }
}

/// A search whose contact has just jumped from the bump at u = 0 to that at u = 1, of a board that turns with `spin` (slope per
/// second); and the board when it touches the bump at u = 1 and overlaps that at u = 0 by about s.
struct Jumped : Tipping {
  ContactSearch search;

  explicit Jumped(double spin) {
    search.begin(shapes, Tipping::at(0.7), Tipping::contact(0.7), {.step = 0.3}, "they");
    const RelativeMovement level = Tipping::at(1);
    const StepInfo step{.start = 0.7, .end = 1};
    const std::optional<Review> review = search.review(shapes, level, Tipping::contact(1), step, "they");
    EXPECT_TRUE(review && review->rows);
    EXPECT_TRUE(search.commit(level, Tipping::contact(1), step));
    search.begin(shapes, at(0, spin), contact(0), {.why = Begin::Why::restart, .step = 0.3}, "they");
  }
  static RelativeMovement at(double s, double spin) {
    RelativeMovement m{board(s), {}, {}};
    m.at.p_AB_A.z() -= s;
    constexpr double h = 1e-5;
    m.velocity = Vec3(0, 0, -0.5 * spin);
    m.angular_velocity = so3::log(board(s - h).R_AB.transpose() * board(s + h).R_AB) / (2 * h) * spin;
    return m;
  }
  Facing contact(double s) const { return *shapes.near(at(s, 0).at, {1, 0, 0.5, 0}, {0.3, 0.3, 0.3, 0.3}); }
  std::optional<Review> review(double s, double spin, const StepInfo& step) {
    return search.review(shapes, at(s, spin), contact(s), step, "they");
  }
};

TEST(ContactSearch, does_not_jump_back_by_rounding) {
  for (const double overlap : {1e-16, 1e-13, 1e-11, 1e-10}) {
    Jumped jumped(0.1);
    const StepInfo tiny{.start = 1, .end = 1 + 1e-9};
    EXPECT_FALSE(jumped.review(overlap, 0.1, tiny)) << overlap;
    EXPECT_FALSE(jumped.search.commit(Jumped::at(overlap, 0.1), jumped.contact(overlap), tiny)) << overlap;
    // Later it opens.
    const StepInfo next{.start = 1 + 1e-9, .end = 1.1};
    EXPECT_FALSE(jumped.review(-0.01, -0.1, next)) << overlap;
  }
}

TEST(ContactSearch, refuses_two_places_where_the_one_that_was_left_closes) {
  Jumped jumped(0.1);
  try {
    jumped.review(1e-4, 0.1, {.start = 1, .end = 1.001});
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("they touch at two places at once"));
  }
}

TEST(ContactSearch, jumps_back_after_the_gap_has_opened) {
  Jumped jumped(-0.1);
  const StepInfo opens{.start = 1, .end = 1.1};
  EXPECT_FALSE(jumped.review(-0.01, -0.1, opens));
  EXPECT_FALSE(jumped.search.commit(Jumped::at(-0.01, 0.1), jumped.contact(-0.01), opens));
  // From there the overlap grows by 0.1 m a second: it is level at t = 1.2.
  double end = 1.25;
  for (int cuts = 0;; ++cuts) {
    ASSERT_LT(cuts, 8);
    const ContactSearch before = jumped.search;
    const double s = 0.1 * (end - 1.2);
    const StepInfo step{.start = 1.1, .end = end};
    const std::optional<Review> review = jumped.review(s, 0.1, step);
    ASSERT_TRUE(review);
    if (review->rows) break;
    end = review->cut_time;
    jumped.search = before;
  }
  EXPECT_NEAR(end, 1.2, 1e-9);
  EXPECT_TRUE(jumped.search.commit(Jumped::at(0, 0.1), jumped.contact(0), {.start = 1.1, .end = end}));
  EXPECT_EQ(jumped.search.jumps(), 2);
}

TEST(ContactSearch, cuts_a_step_in_which_the_place_that_was_left_opens_and_closes) {
  Jumped jumped(-0.1);
  const std::optional<Review> review = jumped.review(1e-3, 0.1, {.start = 1, .end = 1.2});
  ASSERT_TRUE(review);
  EXPECT_FALSE(review->rows);
  EXPECT_NEAR(review->cut_time, 1.1, 1e-12);
}

TEST(ContactSearch, walks_the_trees_only_when_the_distance_is_used_up) {
  Tipping tipping;
  ContactSearch search;
  double t = 0.2;
  constexpr double h = 0.002;
  search.begin(tipping.shapes, Tipping::at(t), tipping.contact(t), {.step = h}, "they");
  for (int i = 0; i < 200; ++i, t += h) {
    const StepInfo step{.start = t, .end = t + h};
    EXPECT_FALSE(search.review(tipping.shapes, Tipping::at(t + h), tipping.contact(t + h), step, "they"));
    search.commit(Tipping::at(t + h), tipping.contact(t + h), step);
  }
  EXPECT_GT(search.walks(), 5);
  EXPECT_LT(search.walks(), 40);
}

}  // namespace
}  // namespace trammel::surface_contact
