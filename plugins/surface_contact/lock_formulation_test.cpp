// The contacts of this plugin against the equations of Tasora and Righettini (Sliding contact between freeform surfaces, Multibody
// System Dynamics 10, 2003), with their misprints corrected: the paper's numbers stand beside the checks. Its body O1 carries the
// point and is the joint's B; its body O2 carries the plane and is the joint's A.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "joint_case.hpp"
#include "kernel/loader.hpp"
#include "places.hpp"
#include "trammel/lie.hpp"
#include "trammel/surface.hpp"

namespace trammel::surface_contact {
namespace {

using testing::block_named;
using testing::JointCase;

/// A vector in the axes of a body that depends on the parameters of its surface: the parts of its second rate are those of eqs.
/// (36) to (39).
struct Moving {
  Vec3 at, rate, tangential, centripetal;

  Vec3 second() const { return tangential + centripetal; }
};

template <int order>
Moving moving(const SurfaceVector<order>& s, const Eigen::Vector2d& r, const Eigen::Vector2d& rr) {
  return {s.d[0], r[0] * s.by(1, 0) + r[1] * s.by(0, 1), rr[0] * s.by(1, 0) + rr[1] * s.by(0, 1),
          r[0] * r[0] * s.by(2, 0) + 2 * r[0] * r[1] * s.by(1, 1) + r[1] * r[1] * s.by(0, 2)};
}

/// Pose, velocity and acceleration of a body: its origin in the world, angles in its own axes.
struct Body {
  Mat3 R;
  Vec3 p, v, w, a, alpha;

  Body(const Marker& marker, const LocalState& x, int first) {
    MarkerMotion m;
    marker.evaluate(x, first, MotionLevel::full, m);
    const Vec6 change = marker.acceleration(x, first, m);
    R = m.R_WM, p = m.p_WM, v = m.twist.head<3>(), w = m.twist.tail<3>();
    a = change.head<3>(), alpha = change.tail<3>();
  }
  Vec3 rate(const Moving& q) const { return R * (w.cross(q.at) + q.rate); }
  Vec3 second(const Moving& q) const {
    return R * (alpha.cross(q.at) + w.cross(w.cross(q.at)) + 2 * w.cross(q.rate) + q.second());
  }
};

/// What is known of the acceleration of the constraint e . (P - S) = 0, e, P and S moving in their bodies: -Q of eq. (9).
double known(const Body& O1, const Body& O2, const Moving& e, const Moving& P, const Moving& S,
             bool tangential) {
  const auto second = [&](const Moving& x) { return tangential ? x.second() : x.centripetal; };
  const Vec3 d = O1.p + O1.R * P.at - O2.p - O2.R * S.at, d_rate = O1.v + O1.rate(P) - O2.v - O2.rate(S);
  const auto own = [&](const Body& O, const Moving& q) -> Vec3 {
    return O.w.cross(O.w.cross(q.at)) + 2 * O.w.cross(q.rate) + second(q);
  };
  const Mat3 to_2 = O2.R.transpose();
  const Vec3 turned = -O2.w.cross(to_2 * d);  // the rate of the transpose of R_2, on d
  return e.at.dot(to_2 * O1.R * own(O1, P) - own(O2, S)) + 2 * e.rate.dot(turned) +
         2 * e.rate.dot(to_2 * d_rate) - 2 * e.at.dot(O2.w.cross(to_2 * d_rate)) +
         e.at.dot(O2.w.cross(O2.w.cross(to_2 * d))) + second(e).dot(to_2 * d);
}

/// C_q q'' of eq. (8).
double accelerated(const Body& O1, const Body& O2, const Moving& e, const Moving& P, const Moving& S) {
  const Mat3 to_2 = O2.R.transpose();
  const Vec3 d = O1.p + O1.R * P.at - O2.p - O2.R * S.at;
  return e.at.dot(to_2 * (O1.a - O2.a) - to_2 * O1.R * P.at.cross(O1.alpha) + S.at.cross(O2.alpha) +
                  (to_2 * d).cross(O2.alpha));
}

/// Two surfaces of the plugin `surfaces` on free bodies.
struct TwoSurfaces : JointCase {
  TwoSurfaces(const std::string& one, const std::string& two, const Mat3& R, const Vec3& place,
              const std::string& on_one = "bodies.a_arm")
      : JointCase(Mat3::Identity(), Vec3::Zero(), R, place) {
    Loader loader(registry);
    loader.load(TRAMMEL_BINARY_DIR "/lib/trammel/plugins/surfaces.so");
    add_surface("one", on_one, one);
    add_surface("two", "bodies.b", two);
  }
  void add_surface(const std::string& name, const std::string& on, const std::string& what) {
    const std::size_t comma = what.find(", ");
    add(surface_category, what.substr(0, comma), name, "{on: " + on + what.substr(comma) + "}");
    Value entry;
    entry.kind = Value::Kind::scalar;
    entry.text = name;
    surfaces.push_back(find_surface(builder, entry).surface);
  }
  void add_contact(const std::string& formulation) {
    add(Type::Category::joint, "surface_contact", formulation,
        "{between: [one, two], assemble: yes, search: no, formulation: " + formulation + "}");
  }
  std::vector<std::shared_ptr<const Surface>> surfaces;
};

constexpr const char* nurbs =
    "nurbs_surface, degree_u: 4, degree_v: 4, points: ["
    "[[-2, -2, 0.1], [-2, -1, -0.2], [-2, 0, 0], [-2, 1, -0.3], [-2, 2, 0.1]], "
    "[[-1, -2, 0], [-1, -1, -0.3], [-1, 0, -0.2], [-1, 1, -0.2], [-1, 2, -0.1]], "
    "[[0, -2, 0.1], [0, -1, -0.3], [0, 0, -0.4], [0, 1, -0.3], [0, 2, 0.2]], "
    "[[1, -2, 0.2], [1, -1, -0.2], [1, 0, -0.3], [1, 1, -0.1], [1, 2, 0]], "
    "[[2, -2, 0.1], [2, -1, 0], [2, 0, -0.1], [2, 1, 0], [2, 2, 0.1]]], "
    "weights: [[1, 1.2, 1, 0.9, 1], [1, 1, 1.1, 1, 1], [1, 0.8, 1, 1, 1.2], [1, 1, 1, 1.1, 1], [1, 1, 0.9, "
    "1, 1]]";
constexpr const char* ellipsoid = "ellipsoid, semi_axes: [0.3, 0.4, 0.35]";

class LockFormulation : public ::testing::TestWithParam<int> {};

TEST_P(LockFormulation, has_the_motion_of_the_sliding_plane) {
  const Mat3 lying = so3::exp(Vec3(0.5 * std::numbers::pi, 0, 0)), level = Mat3::Identity();
  const Vec3 arm(0.3, -0.2, 0.5);
  // On the first surface, seen from its axes.
  const auto make = [&]() -> std::unique_ptr<TwoSurfaces> {
    const JointCase sample;
    const Marker& a = sample.model.markers.at("bodies.a_arm");
    const auto at = [&](const char* one, const char* two, const Mat3& R, const Vec3& place) {
      return std::make_unique<TwoSurfaces>(one, two, a.R_FM() * R, a.p_FM_F() + a.R_FM() * place);
    };
    switch (GetParam()) {
      case 0:
        return at(nurbs, ellipsoid, lying, Vec3(0.2, 0.1, 0.1));
      case 1:
        return at(nurbs, "torus, ring_radius: 0.6, tube_radius: 0.2", lying, Vec3(-0.2, 0.1, 0.5));
      case 2:
        return at("torus, ring_radius: 3, tube_radius: 1, reversed: yes", ellipsoid, level,
                  Vec3(3.4, 0.4, 0.1));
      default:
        return at("ellipsoid, semi_axes: [1.1, 0.9, 0.8]", ellipsoid, level, Vec3(1.2, 0.5, 0.4));
    }
  };
  const std::unique_ptr<TwoSurfaces> made = make();
  TwoSurfaces& c = *made;
  c.add_contact("sliding_plane");
  ElementRange& plane = c.range();
  const Marker A = c.model.markers.at("bodies.a_arm"), B = c.model.markers.at("bodies.b");
  c.add_contact("parameters");
  ElementRange& parameters = c.range();
  double along_tangent = 0;
  int closed = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    TestState s(c.model, plane.stencil(0));
    s.disturb(seed, 0.05, 0.1);
    for (double& rate : s.state().rate) rate *= 20;
    for (double& acceleration : s.state().acceleration) acceleration *= 20;
    if (!close(plane, 0, s)) continue;
    ++closed;
    RecordedOutputs out;
    plane.outputs(0, s.local(), {}, out);
    static constexpr std::array<const char*, 4> names{"u1", "v1", "u2", "v2"};
    Eigen::Vector4d at, r, rr;
    for (int i = 0; i < 4; ++i) {
      const std::string name = names[static_cast<std::size_t>(i)];
      at[i] = out.scalars.at(name);
      r[i] = out.scalars.at(name + "_rate");
      rr[i] = out.scalars.at(name + "_acceleration");
    }
    SurfacePoint p, q;
    c.surfaces[0]->evaluate({at[0], at[1]}, 3, p);
    c.surfaces[1]->evaluate({at[2], at[3]}, 3, q);
    const SurfaceDirections on_2 = c.surfaces[0]->directions(p), on_1 = c.surfaces[1]->directions(q);
    const Moving S = moving(p, r.head<2>(), rr.head<2>()), P = moving(q, r.tail<2>(), rr.tail<2>());
    const Moving n2 = moving(on_2.normal, r.head<2>(), rr.head<2>()),
                 n1 = moving(on_1.normal, r.tail<2>(), rr.tail<2>()),
                 t = moving(on_2.u, r.head<2>(), rr.head<2>());
    const Body O2(A, s.local(), 0), O1(B, s.local(), 2);
    const double speed = 1 + r.norm(), change = speed * speed + rr.norm();
    // (1) and (2); (21) with all its six rows; (28): the four rows in the tangent plane.
    EXPECT_LT((O1.p + O1.R * P.at - O2.p - O2.R * S.at).norm(), 1e-10) << seed;
    EXPECT_LT((O1.R * n1.at + O2.R * n2.at).norm(), 1e-10) << seed;
    EXPECT_LT((O1.v + O1.rate(P) - O2.v - O2.rate(S)).norm(), 1e-9 * speed) << seed;
    EXPECT_LT((O1.rate(n1) + O2.rate(n2)).norm(), 1e-9 * speed) << seed;
    const Vec3 apart = O1.a + O1.second(P) - O2.a - O2.second(S), n_W = O2.R * n2.at;
    EXPECT_LT((apart - n_W * n_W.dot(apart)).norm(), 1e-9 * change) << seed;
    const Vec3 turn = O1.second(n1) + O2.second(n2);
    EXPECT_LT((turn - n_W * n_W.dot(turn)).norm(), 1e-9 * change) << seed;
    // (9): along the normal the tangential parts of the accelerations do not count, along a tangent they do.
    const double full = known(O1, O2, n2, P, S, true);
    EXPECT_NEAR(known(O1, O2, n2, P, S, false), full, 1e-9 * change) << seed;
    along_tangent =
        std::max(along_tangent, std::abs(known(O1, O2, t, P, S, false) - known(O1, O2, t, P, S, true)));
    // (6) is what the joint contributes, and the second derivative of its equation along the motion.
    const double by_paper = accelerated(O1, O2, n2, P, S) + full;
    EXPECT_NEAR(by_paper, n_W.dot(apart), 1e-9 * change) << seed;
    const Evaluation e = evaluate(plane, 0, s, {false, true, true});
    const Eigen::VectorXd a = Eigen::Map<const Eigen::VectorXd>(s.state().acceleration.data(), 12);
    const Eigen::VectorXd G = constraint_gradient(plane, 0, s).row(0).head(12);
    EXPECT_NEAR(G.dot(a) + e.bias[e.bias.size() - 1], by_paper, 1e-9 * change) << seed;
    Eigen::VectorXd v = s.velocities(), w = Eigen::VectorXd::Zero(v.size());
    w.head(12) = a;
    v.tail(v.size() - 12).setZero();
    constexpr double h = 1e-3;
    std::array<double, 7> gap{};
    for (int k = -3; k <= 3; ++k) {
      const TestState moved = s.moved(k * h * v + 0.5 * k * k * h * h * w);
      const Evaluation there = evaluate(plane, 0, moved, {false, true, false});
      gap[static_cast<std::size_t>(k + 3)] = there.residual[there.residual.size() - 1];
    }
    const double second =
        (2 * (gap[0] + gap[6]) - 27 * (gap[1] + gap[5]) + 270 * (gap[2] + gap[4]) - 490 * gap[3]) /
        (180 * h * h);
    EXPECT_NEAR(by_paper, second, 1e-7 * change) << seed;

    // (31) to (39), as both formulations report them.
    TestState five(c.model, parameters.stencil(0));
    for (int k = 0; k < 4; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const int size = i % 2 == 0 ? 3 : 9;
      std::copy_n(s.local().value(k), size, five.state().value.data() + five.state_offsets()[i].value);
      std::copy_n(s.local().rate(k), 3, five.state().rate.data() + five.state_offsets()[i].dof);
      std::copy_n(s.local().second_rate(k), 3,
                  five.state().acceleration.data() + five.state_offsets()[i].dof);
    }
    const auto block = static_cast<std::size_t>(block_named(five, "parameters.coordinates"));
    std::copy_n(at.data(), 4, five.state().value.data() + five.state_offsets()[block].value);
    std::copy_n(r.data(), 4, five.state().rate.data() + five.state_offsets()[block].dof);
    std::copy_n(rr.data(), 4, five.state().acceleration.data() + five.state_offsets()[block].dof);
    const Evaluation f = evaluate(parameters, 0, five, {false, true, true});
    EXPECT_LT(f.residual.tail(5).norm(), 1e-9) << seed;
    EXPECT_LT(f.rate.tail(5).norm(), 1e-9 * speed) << seed;
    RecordedOutputs same;
    parameters.outputs(0, five.local(), {}, same);
    const auto expect = [&](const std::string& name, const Vec3& value) {
      EXPECT_LT((out.vectors.at(name) - value).norm(), 1e-9 * change) << seed << ", " << name;
      EXPECT_LT((same.vectors.at(name) - value).norm(), 1e-9 * change) << seed << ", parameters, " << name;
    };
    for (const auto& [which, x, O] : {std::tuple("1", &S, &O2), std::tuple("2", &P, &O1)})
      for (const auto& [name, value] :
           {std::pair("path_velocity_", x->rate), std::pair("path_acceleration_", x->second()),
            std::pair("path_tangential_", x->tangential), std::pair("path_centripetal_", x->centripetal)}) {
        expect(fmt::format("{}{}", name, which), value);
        expect(fmt::format("{}{}_world", name, which), O->R * value);
      }
    expect("contact_velocity", O2.v + O2.rate(S));
    expect("contact_acceleration", O2.a + O2.second(S));
  }
  EXPECT_GT(closed, 90);
  EXPECT_GT(along_tangent, 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Pairs, LockFormulation, ::testing::Range(0, 4));

/// What is known of the acceleration of a contact in a plane along its normal, -`along`: the rows are added so that the coordinates,
/// which have no inertia, are in balance.
double known_along(const Vec3& along, const ElementRange& range, const TestState& s) {
  const Eigen::MatrixXd G = constraint_gradient(range, 0, s);
  const Eigen::Index coordinates = G.cols() - 12;
  const Eigen::FullPivLU<Eigen::MatrixXd> balance(G.rightCols(coordinates).transpose());
  EXPECT_EQ(balance.dimensionOfKernel(), 1);
  Eigen::VectorXd lambda = balance.kernel().col(0);
  const Vec3 force = (lambda.transpose() * G).segment<3>(6).transpose();
  EXPECT_LT((force / force.dot(along) - along).norm(), 1e-9);
  lambda /= -force.dot(along);
  return lambda.dot(evaluate(range, 0, s, {false, true, true}).bias.tail(G.rows()));
}

/// Eqs. (44) to (49): pin and hole with clearance at random states, with the 2 that (47) and (48) lack in print.
TEST(Clearance, has_the_accelerations_of_the_massless_link) {
  std::mt19937 numbers(1);
  std::uniform_real_distribution<double> any(-1, 1);
  double misprint = 0;
  for (int k = 0; k < 100; ++k) {
    std::array<double, 9> x{};
    for (double& number : x) number = any(numbers);
    const double e = 0.1 + 0.08 * x[0], gamma = 3 * x[1], alpha1 = 3 * x[2], alpha2 = 3 * x[3];
    const double x1_rate = x[4], x2_rate = x[5], alpha1_rate = 3 * x[6], alpha2_rate = 3 * x[7];
    const double past = (x2_rate - x1_rate) / e;
    const Vec3 along(std::cos(gamma), std::sin(gamma), 0), across(-along.y(), along.x(), 0);
    for (const double R2 : {0.3 + 0.2 * x[8], 0.05, 0.0}) {
      const double R1 = R2 + e;
      JointCase c(so3::exp(Vec3(0, 0, alpha1)), Vec3::Zero(), so3::exp(Vec3(0, 0, alpha2)), e * along);
      const Vec3 v1 = x1_rate * across, v2 = x2_rate * across;
      c.model.blocks.put(c.a.position).initial_rate = {v1.x(), v1.y(), 0};
      c.model.blocks.put(c.b.position).initial_rate = {v2.x(), v2.y(), 0};
      c.model.blocks.put(c.a.rotation).initial_rate = {0, 0, alpha1_rate};
      c.model.blocks.put(c.b.rotation).initial_rate = {0, 0, alpha2_rate};
      const TestState s =
          c.joint("clearance_revolute",
                  fmt::format("{{between: [bodies.a, bodies.b], hole: {:.17g}, pin: {:.17g}}}", R1, R2));
      const Block& block = s.blocks()[static_cast<std::size_t>(block_named(s, "J.coordinates"))];
      // (46), in radians.
      EXPECT_NEAR(block.initial_rate[0], past - alpha1_rate, 1e-10) << k << ' ' << R2;
      if (R2 > 0) {
        EXPECT_NEAR(block.initial_rate[1], past - alpha2_rate, 1e-10) << k << ' ' << R2;
        RecordedOutputs out;
        c.range().outputs(0, s.local(), {}, out);
        // (47) and (48), towards the centres.
        const auto expect = [&](const char* name, double R, double turn) {
          const double right = R * (past * past + turn * turn - 2 * turn * past);
          EXPECT_LT((out.vectors.at(name) + right * along).norm(), 1e-9 * (1 + std::abs(right)))
              << k << ' ' << R2;
          misprint = std::max(misprint, std::abs(R * turn * past));
        };
        expect("path_centripetal_1_world", R1, alpha1_rate);
        expect("path_centripetal_2_world", R2, alpha2_rate);
      }
      // That of the link, whatever the radii: (49) for R2 = 0.
      EXPECT_NEAR(known_along(along, c.range(), s), -(x2_rate - x1_rate) * past, 1e-9 * (1 + past * past))
          << k << ' ' << R2;
    }
  }
  EXPECT_GT(misprint, 1);
}

/// A shaft in a hole, as surfaces: they touch along a line, and the parameters along it are left out.
TEST(LineContact, of_a_shaft_in_a_hole_is_that_of_circles) {
  const double e = 0.1, gamma = 0.7, past = 3, alpha1_rate = 1.3, alpha2_rate = -0.6;
  const Vec3 along(std::cos(gamma), std::sin(gamma), 0), across(-along.y(), along.x(), 0);
  TwoSurfaces c("cylinder, radius: 0.3, from: -1, to: 1, reversed: yes",
                "cylinder, radius: 0.2, from: -0.5, to: 0.5", Mat3::Identity(),
                e * along + 0.1 * Vec3::UnitZ(), "bodies.a");
  const Vec3 v = e * past * across;
  c.model.blocks.put(c.b.position).initial_rate = {v.x(), v.y(), 0};
  c.model.blocks.put(c.a.rotation).initial_rate = {0, 0, alpha1_rate};
  c.model.blocks.put(c.b.rotation).initial_rate = {0, 0, alpha2_rate};
  c.add(Type::Category::joint, "surface_contact", "J", "{between: [one, two]}");
  const TestState s(c.model, c.range().stencil(0));
  ASSERT_EQ(constraint_gradient(c.range(), 0, s).rows(), 3);
  const Block& block = s.blocks()[static_cast<std::size_t>(block_named(s, "J.coordinates"))];
  ASSERT_EQ(block.size, 2);
  EXPECT_NEAR(block.initial_rate[0], past - alpha1_rate, 1e-10);
  EXPECT_NEAR(block.initial_rate[1], past - alpha2_rate, 1e-10);
  EXPECT_NEAR(known_along(along, c.range(), s), -e * past * past, 1e-9);
}

}  // namespace
}  // namespace trammel::surface_contact
