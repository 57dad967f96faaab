#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <Eigen/QR>

#include "joint_samples.hpp"
#include "plain_case.hpp"
#include "time_functions.hpp"
#include "trammel/moving_marker.hpp"

extern "C" void trammel_register(trammel::Registry& registry);

namespace trammel::testing {

/// Two free frames and markers of all kinds, between which the joints of a plugin are built by their names. Nothing
/// of a joint is compiled into the test.
class JointCase : public PlainCase {
 public:
  Frame a, b;

  explicit JointCase(const Mat3& R_WA = Mat3::Identity(), const Vec3& p_WA = Vec3::Zero(),
                     const Mat3& R_WB = Mat3::Identity(), const Vec3& p_WB = Vec3::Zero()) {
    registry.set_source("plugin", "");
    trammel_register(registry);
    Type body;
    body.name = "frames";
    builder.begin({"bodies", {}, {}, {}, {}}, body);
    a = builder.add_frame("A", R_WA, p_WA);
    b = builder.add_frame("B", R_WB, p_WB);
    builder.offer_marker("a", Marker::on_frame(a));
    builder.offer_marker("b", Marker::on_frame(b));
    builder.offer_marker("a_arm", Marker::on_frame(a, tilted(), arm()));
    builder.offer_marker("b_arm", Marker::on_frame(b, tilted() * tilted(), arm()));
    builder.offer_marker("still", Marker::ground(tilted(), arm()));
    builder.offer_marker("a_moving", moving(Marker::on_frame(a, tilted(), arm())));
    builder.offer_marker("b_moving", moving(Marker::on_frame(b)).offset(tilted(), arm()));
    builder.offer_marker("moving", moving(Marker::ground()));
  }

  static Marker moving(const Marker& base) {
    RotationLaw law;
    law.vector = {time_function([](Jet t) { return 0.8 * sin(2.0 * t); }), nullptr,
                  time_function([](Jet t) { return 0.3 + cos(t); })};
    return moving_marker(base, {time_function([](Jet t) { return 0.4 * t * t; }), nullptr, nullptr}, law);
  }

  /// Builds the joint J and returns its instance alone, at the model's start.
  Specimen joint(const std::string& type, const std::string& text) {
    add(Type::Category::joint, type, "J", text);
    return Specimen(model, range().stencil(0));
  }
  std::string message(const std::string& type, const std::string& text) {
    return PlainCase::message(Type::Category::joint, type, text);
  }
  const ElementRange& range() const { return *model.ranges.back().instances; }
  ElementRange& range() { return *model.ranges.back().instances; }
};

/// Pairs of markers: rigid, at frame origins, on the ground, moving in time.
inline const std::vector<std::string>& marker_pairs() {
  static const std::vector<std::string> pairs{
      "[bodies.a_arm, bodies.b_arm]",    "[bodies.a, bodies.b]",
      "[bodies.still, bodies.b_arm]",    "[bodies.a_arm, bodies.still]",
      "[bodies.a_moving, bodies.b_arm]", "[bodies.moving, bodies.b_moving]"};
  return pairs;
}

/// Row of the first block of a kind.
inline int first_row(const Specimen& s, BlockKind kind) {
  for (std::size_t k = 0; k < s.blocks().size(); ++k)
    if (s.blocks()[k].kind == kind) return s.offset(static_cast<int>(k));
  return s.dofs();
}

/// Index of the block of this name.
inline int block_named(const Specimen& s, const std::string& name) {
  for (std::size_t k = 0; k < s.blocks().size(); ++k)
    if (s.blocks()[k].name == name) return static_cast<int>(k);
  throw Error("no block '" + name + "'");
}

/// The constraint rows of B in kinematic columns.
inline Eigen::MatrixXd constraint_gradient(const ElementRange& range, const Specimen& s) {
  const int rows = first_row(s, BlockKind::multiplier);
  return evaluate(range, 0, s, {true, false, false}).K.bottomLeftCorner(s.dofs() - rows, rows);
}

/// The state after a superposed rigid motion of all frames, with its velocities at this instant.
inline Specimen carried(Specimen s, const Mat3& Q, const Vec3& c, const Vec3& v, const Vec3& w) {
  State& state = s.state();
  for (std::size_t k = 0; k < s.blocks().size(); ++k) {
    const BlockPlace& place = s.places()[k];
    Eigen::Map<Vec3> rate(state.rate.data() + place.dof);
    if (s.blocks()[k].kind == BlockKind::position) {
      Eigen::Map<Vec3> p(state.value.data() + place.value);
      p = Q * p + c;
      rate = Q * rate + v + w.cross(p);
    } else if (s.blocks()[k].kind == BlockKind::rotation) {
      const Mat3 R = Q * s.local().rotation(static_cast<int>(k));
      s.set_rotation(static_cast<int>(k), R);
      rate += R.transpose() * w;
    }
  }
  return s;
}

/// What every joint in relative motion keeps: exact derivatives, power, balance of forces, objectivity, and a rank of
/// B that leaves `freedoms`.
inline void expect_sound_joint(const std::string& type, const std::string& own, int freedoms,
                               bool objective = true, int states = 8) {
  for (const std::string& markers : marker_pairs()) {
    JointCase c;
    const Specimen start = c.joint(type, "{between: " + markers + ", assemble: yes" + own + "}");
    const CheckedTerm worst = worst_derivative(c.range(), 0, start, states);
    EXPECT_LT(worst.relative(), 1e-8) << type << own << " between " << markers << ", " << worst.what;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Specimen s = start;
      s.disturb(seed);
      EXPECT_NEAR(power_error(c.range(), 0, s), 0, 1e-9) << type << own << markers;
      const Eigen::MatrixXd B = constraint_gradient(c.range(), s);
      if (markers != marker_pairs()[0]) continue;
      EXPECT_EQ(B.fullPivHouseholderQr().rank(), B.cols() - 6 - freedoms) << type << own;
      EXPECT_EQ(B.rows(), B.cols() - 6 - freedoms);
      if (!objective) continue;
      const Evaluation e = evaluate(c.range(), 0, s, {false, true, false});
      EXPECT_LT(resultant(s, e.residual).norm(), 1e-11) << type;
      const Specimen moved =
          carried(s, so3::exp(Vec3(2, -1, 0.5)), Vec3(3, 1, -2), Vec3(0.3, -1, 2), Vec3(1, 2, -0.7));
      const Evaluation f = evaluate(c.range(), 0, moved, {false, true, false});
      const int m = static_cast<int>(B.rows());
      EXPECT_LT((e.residual.tail(m) - f.residual.tail(m)).norm(), 1e-12) << type;
      EXPECT_LT((e.rate.tail(m) - f.rate.tail(m)).norm(), 1e-11) << type;
    }
  }
}

}  // namespace trammel::testing
