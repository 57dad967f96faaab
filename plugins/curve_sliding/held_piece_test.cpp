#include "held_piece.hpp"

#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_curves.hpp"
#include "track_case.hpp"

namespace trammel::curve_sliding {
namespace {

using ::testing::ElementsAre;
using testing::TrackCase;

/// (u, 0, 0), and (u, u^2, 0) from u = 0 on: the second derivative jumps from 0 to 2.
class Bent final : public Curve {
 public:
  Bent() { set_domain({-1, -0.5, 0, 1}, false); }

 protected:
  void inside(double u, int derivatives, CurvePoint& out) const override {
    for (Vec3& d : out.d) d.setZero();
    out.d[0].x() = u;
    if (derivatives > 0) out.d[1].x() = 1;
    if (u < 0) return;
    out.d[0].y() = u * u;
    if (derivatives > 0) out.d[1].y() = 2 * u;
    if (derivatives > 1) out.d[2].y() = 2;
  }
};

/// The unit circle with a parameter that runs twice as fast at the end of a lap as at its begin: c' and c'' of the
/// circle itself, and a break at first().
class Uneven final : public Curve {
 public:
  Uneven() { set_domain({0, 1}, true); }

 protected:
  void inside(double e, int derivatives, CurvePoint& out) const override {
    constexpr double turn = 2 * std::numbers::pi;
    // The angle rises by a full turn with the same rate at both ends, and second rates of opposite sign.
    const double u = turn * (e + 0.1 * e * (1 - e)), u1 = turn * (1.1 - 0.2 * e), u2 = -0.2 * turn;
    for (Vec3& d : out.d) d.setZero();
    const Vec3 r(std::cos(u), std::sin(u), 0), t(-std::sin(u), std::cos(u), 0);
    out.d[0] = r;
    if (derivatives > 0) out.d[1] = u1 * t;
    if (derivatives > 1) out.d[2] = u2 * t - u1 * u1 * r;
  }
};

TEST(RoughBreaks, are_the_points_where_a_second_derivative_jumps) {
  EXPECT_THAT(rough_breaks(Bent(), nullptr), ElementsAre(0));
  EXPECT_THAT(rough_breaks(Uneven(), nullptr), ElementsAre(0));
  const auto trefoil = std::make_shared<Trefoil>();
  EXPECT_TRUE(rough_breaks(*trefoil, nullptr).empty());
  EXPECT_TRUE(rough_breaks(*trefoil, rotation_minimizing_frame(trefoil, Vec3::UnitZ()).get()).empty());
}

TEST(HeldPiece, changes_in_one_direction_within_a_step) {
  const Bent curve;
  const CurvePieces pieces(curve, rough_breaks(curve, nullptr));
  HeldPiece piece;
  EXPECT_EQ(pieces.review(piece, 0.1).verdict, Review::Verdict::keep)
      << "nothing is held before the first step";
  EXPECT_EQ(piece.inside(0.1), 0.1);
  pieces.commit(piece, -0.1);
  EXPECT_EQ(piece.inside(-0.7), -0.7);
  EXPECT_LT(piece.inside(0.1), 0);
  EXPECT_NEAR(piece.inside(0.1), 0, 1e-9);
  EXPECT_EQ(pieces.review(piece, -0.01).verdict, Review::Verdict::keep);
  EXPECT_EQ(pieces.review(piece, 0).verdict, Review::Verdict::keep);
  const HeldPiece committed = piece;
  EXPECT_EQ(pieces.review(piece, 0.1).verdict, Review::Verdict::changed);
  EXPECT_EQ(piece.inside(0.1), 0.1);
  EXPECT_GT(piece.inside(-0.1), 0);
  EXPECT_EQ(pieces.review(piece, -0.1).verdict, Review::Verdict::keep) << "the way back has no end";
  piece = committed;  // the step is given up
  EXPECT_LT(piece.inside(0.1), 0);
  EXPECT_EQ(pieces.review(piece, 0.1).verdict, Review::Verdict::changed);
  pieces.commit(piece, -1e-5);
  EXPECT_GT(piece.inside(-1e-5), 0);
  EXPECT_EQ(pieces.review(piece, -0.1).verdict, Review::Verdict::changed);
  pieces.commit(piece, -0.1);
  Archive saved;
  piece.serialize(saved);
  Archive reader(saved.bytes());
  HeldPiece again;
  again.serialize(reader);
  EXPECT_EQ(again.inside(0.1), piece.inside(0.1));
  EXPECT_LT(again.inside(0.1), 0);
}

TEST(HeldPiece, counts_laps) {
  const Uneven curve;
  const CurvePieces pieces(curve, rough_breaks(curve, nullptr));
  HeldPiece piece;
  pieces.commit(piece, 2.9);
  EXPECT_EQ(piece.inside(2.1), 2.1);
  EXPECT_LT(piece.inside(3.1), 3);
  EXPECT_GT(piece.inside(1.9), 2);
  EXPECT_EQ(pieces.review(piece, 3.1).verdict, Review::Verdict::changed);
  EXPECT_EQ(piece.inside(3.9), 3.9);
  EXPECT_GT(piece.inside(2.9), 3);
}

TEST(HeldPiece, sets_the_acceleration_of_the_equations) {
  TrackCase c("ground", std::make_shared<Bent>());
  c.slide("{between: [track, bodies.b]}");
  ElementRange& range = c.part(true);
  const auto y = [&](double eta) {
    TestState s = c.test_state(true);
    const auto block = static_cast<std::size_t>(testing::block_named(s, "J.coordinates"));
    s.state().value[static_cast<std::size_t>(s.state_offsets()[block].value)] = eta;
    s.state().rate[static_cast<std::size_t>(s.state_offsets()[block].dof)] = 3;
    const Evaluation e = evaluate(range, 0, s, {false, false, true});
    return std::pair(s, e.bias[e.bias.size() - 3]);
  };
  EXPECT_NEAR(y(0.1).second, -2 * 9, 1e-12);
  range.commit(0, y(-0.1).first.local(), {0, 1});
  EXPECT_EQ(y(0.1).second, 0);
  EXPECT_EQ(range.review(0, y(0.1).first.local(), {1, 2}).verdict, Review::Verdict::changed);
  EXPECT_NEAR(y(0.1).second, -2 * 9, 1e-12);
  EXPECT_NEAR(y(-0.1).second, -2 * 9, 1e-12);
}

}  // namespace
}  // namespace trammel::curve_sliding
