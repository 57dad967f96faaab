#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "kernel/model_builder.hpp"
#include "solvers/run/simulation.hpp"
#include "trammel/lie.hpp"
#include "trammel/time_function.hpp"

namespace trammel::testing {

inline const Vec3 gravity(0, 0, -9.81);

/// A rigid body with its frame at the centre of mass, in a uniform field.
struct TopBody {
  double mass = 1;
  Vec3 inertia = Vec3::Ones();
  Vec3 field = gravity;

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Vec3 w = x.velocity(1), dw = x.acceleration(1), L = inertia.cwiseProduct(w);
    out.residual().head<3>() = mass * (x.acceleration(0) - field);
    out.residual().tail<3>() = inertia.cwiseProduct(dw) + w.cross(L);
    if (!out.request.tangent) return;
    out.M().diagonal() << mass, mass, mass, inertia;
    out.D().bottomRightCorner<3, 3>() = skew(w) * Mat3(inertia.asDiagonal()) - skew(L);
  }
  Energy energy(const LocalState& x) const {
    Energy e;
    const Vec3 w = x.velocity(1);
    e.kinetic = 0.5 * (mass * x.velocity(0).squaredNorm() + inertia.dot(w.cwiseProduct(w)));
    e.potential = -mass * field.dot(x.position(0));
    return e;
  }
};

/// Holds the point X of a frame: C = p + R X - at.
struct HeldPoint {
  Vec3 X = Vec3::Zero();
  Vec3 at = Vec3::Zero();

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Mat3 R = x.rotation(1);
    const Vec3 lambda = Eigen::Map<const Vec3>(x.value(2)), w = x.velocity(1);
    const Mat3 B = -R * skew(X);
    out.residual().head<3>() = lambda;
    out.residual().segment<3>(3) = B.transpose() * lambda;
    out.residual().tail<3>() = x.position(0) + R * X - at;
    if (out.request.tangent) {
      auto K = out.K();
      K.block<3, 3>(0, 6).setIdentity();
      K.block<3, 3>(3, 6) = B.transpose();
      K.block<3, 3>(6, 0).setIdentity();
      K.block<3, 3>(6, 3) = B;
      K.block<3, 3>(3, 3) = skew(X) * skew(R.transpose() * lambda);
    }
    if (out.request.rates) {
      out.rate().tail<3>() = x.velocity(0) + B * w;
      out.rate_gradient().block<3, 3>(6, 3) = -R * skew(w.cross(X));
    }
    if (out.request.bias) out.bias().tail<3>() = R * w.cross(w.cross(X));
  }
};

/// A model with its layout and assembler.
struct TestSystem {
  std::unique_ptr<Model> model = std::make_unique<Model>();
  ModelBuilder builder{*model};
  Type type;
  std::unique_ptr<Layout> layout;
  std::unique_ptr<Assembler> assembler;

  int entity(const std::string& name, const std::string& kind = "test") {
    type.name = kind;
    Entity e;
    e.name = name;
    return builder.begin(e, type);
  }
  /// A coordinate on a line, and a state of first order.
  BlockId add_length(const std::string& name, double start = 0, double rate = 0) {
    const Measure measure = Measure::length();
    return builder.add_coordinates(name, {&start, 1}, {&rate, 1}, {&measure, 1}, "m");
  }
  BlockId add_state(const std::string& name, double start = 0) {
    const Measure measure = Measure::nominal(1);
    return builder.add_states(name, {&start, 1}, {&measure, 1}, "");
  }
  BlockId add_force(int count = 3) {
    return builder.add_multiplier("force", rows_of(Dimension::length, count));
  }
  /// Lets the present joint be active between two times. Call it before its forces are added.
  void let_be_active(double from, double to) {
    Activity activity;
    activity.parameter = "active";
    activity.function = time_function([from, to](Jet t) { return (t - Jet{from}) * (Jet{to} - t); });
    builder.set_activity(std::move(activity));
  }
  void finish(MPI_Comm comm = PETSC_COMM_WORLD) {
    layout = std::make_unique<Layout>(comm, *model, LayoutOptions{});
    assembler = std::make_unique<Assembler>(*model, *layout);
  }
  const double* value(const State& s, BlockId id) const { return s.value.data() + layout->offset(id).value; }
  const double* rate(const State& s, BlockId id) const { return s.rate.data() + layout->offset(id).dof; }
};

/// The heavy top of Geradin and Cardona.
struct HeavyTop : TestSystem {
  Frame frame;
  BlockId reaction = no_block;

  explicit HeavyTop(const Vec3& w = Vec3(0, 150, -4.61538)) {
    const Vec3 X(0, 1, 0);
    entity("top", "rigid_body");
    frame = builder.add_frame("", Mat3::Identity(), X, w.cross(X), w);
    builder.add(TopBody{15, Vec3(0.234375, 0.46875, 0.234375), gravity}, {frame.position, frame.rotation});
    entity("pivot", "spherical");
    reaction = add_force();
    builder.add(HeldPoint{-X, Vec3::Zero()}, {frame.position, frame.rotation, reaction});
    finish();
  }
};

/// Holds the point X_A of one frame and X_B of another together.
struct BallJoint {
  Vec3 X_A, X_B;

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Vec3 lambda = Eigen::Map<const Vec3>(x.value(4));
    out.residual().tail<3>() = x.position(0) + x.rotation(1) * X_A - x.position(2) - x.rotation(3) * X_B;
    if (out.request.rates) out.rate().tail<3>().setZero();
    if (out.request.bias) out.bias().tail<3>().setZero();
    for (int side = 0; side < 2; ++side) {
      const double sign = side == 0 ? 1 : -1;
      const Vec3& X = side == 0 ? X_A : X_B;
      const Mat3 R = x.rotation(2 * side + 1);
      const Vec3 w = x.velocity(2 * side + 1);
      const Mat3 B = -sign * R * skew(X);
      const int p = 6 * side, r = p + 3;
      out.residual().segment<3>(p) = sign * lambda;
      out.residual().segment<3>(r) = B.transpose() * lambda;
      if (out.request.tangent) {
        auto K = out.K();
        K.block<3, 3>(p, 12).diagonal().setConstant(sign);
        K.block<3, 3>(12, p).diagonal().setConstant(sign);
        K.block<3, 3>(r, 12) = B.transpose();
        K.block<3, 3>(12, r) = B;
        K.block<3, 3>(r, r) = sign * skew(X) * skew(R.transpose() * lambda);
      }
      if (out.request.rates) {
        out.rate().tail<3>() += sign * x.velocity(2 * side) + B * w;
        out.rate_gradient().block<3, 3>(12, r) = -sign * R * skew(w.cross(X));
      }
      if (out.request.bias) out.bias().tail<3>() += sign * R * w.cross(w.cross(X));
    }
  }
  bool couples(int row, int column) const {
    return row == column ? row % 2 == 1 && row < 4 : (row == 4) != (column == 4);
  }
};

/// Rods along the first axis of R on ball joints, the first end pinned at the origin, in gravity along -y. With MPI_COMM_NULL more may be
/// added before `finish`.
struct Chain : TestSystem {
  std::vector<Frame> frames;

  explicit Chain(int n, MPI_Comm comm = PETSC_COMM_WORLD, const Mat3& R = Mat3::Identity()) {
    const Vec3 half(0.5, 0, 0);
    for (int i = 0; i < n; ++i) {
      entity("rod" + std::to_string(i), "rigid_body");
      frames.push_back(builder.add_frame("", R, R * Vec3(i + 0.5, 0, 0)));
      builder.add(TopBody{1, Vec3(0.01, 1.0 / 12, 1.0 / 12), Vec3(0, -9.81, 0)},
                  {frames.back().position, frames.back().rotation});
      entity("joint" + std::to_string(i), "spherical");
      const BlockId force = add_force();
      if (i == 0)
        builder.add(HeldPoint{-half, Vec3::Zero()}, {frames[0].position, frames[0].rotation, force});
      else
        builder.add(BallJoint{half, -half}, {frames[static_cast<std::size_t>(i) - 1].position,
                                             frames[static_cast<std::size_t>(i) - 1].rotation,
                                             frames.back().position, frames.back().rotation, force});
    }
    if (comm != MPI_COMM_NULL) finish(comm);
  }
};

/// A mass at a point of a line.
struct LineMass {
  double mass = 1, force = 0;

  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual()[0] = mass * x.second_rate(0)[0] - force;
    if (out.request.tangent) out.M()(0, 0) = mass;
  }
  Energy energy(const LocalState& x) const {
    Energy e;
    e.kinetic = 0.5 * mass * x.rate(0)[0] * x.rate(0)[0];
    e.potential = -force * x.value(0)[0];
    return e;
  }
};

/// y' = -rate (y - sin t).
struct Follower {
  double rate = 3;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual()[0] = x.rate(0)[0] + rate * (x.value(0)[0] - std::sin(x.time()));
    if (!out.request.tangent) return;
    out.K()(0, 0) = rate;
    out.D()(0, 0) = 1;
  }
};

/// A stiff spring along x between two masses.
struct StiffSpring {
  double stiffness = 1e9, length = 0.1;

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double n = stiffness * (x.position(1)[0] - x.position(0)[0] - length);
    out.residual()[0] = -n;
    out.residual()[3] = n;
    if (!out.request.tangent) return;
    auto K = out.K();
    K(0, 0) = K(3, 3) = stiffness;
    K(0, 3) = K(3, 0) = -stiffness;
  }
};

/// The same between a wall and a mass.
struct HookedSpring {
  StiffSpring spring;
  double wall = 0;

  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual()[0] = spring.stiffness * (x.position(0)[0] - wall - spring.length);
    if (out.request.tangent) out.K()(0, 0) = spring.stiffness;
  }
};

/// A mass at a point.
struct Particle {
  double mass = 1;
  Vec3 field = Vec3::Zero();

  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual().head<3>() = mass * (x.acceleration(0) - field);
    if (out.request.tangent) out.M().diagonal().setConstant(mass);
  }
};

/// Particles along x, each on a stiff spring from the one before, the first on one from a wall far from the origin.
struct StiffString : TestSystem {
  static constexpr double wall = 60;
  std::vector<BlockId> beads;

  explicit StiffString(int n, const Vec3& field, MPI_Comm comm = PETSC_COMM_WORLD) {
    const StiffSpring spring;
    entity("string", "spring");
    for (int i = 0; i < n; ++i) {
      const double x = wall + (i + 1) * spring.length;
      beads.push_back(builder.add_position("bead" + std::to_string(i), Vec3(x, 0, 0)));
      builder.add(Particle{0.05, field}, {beads.back()});
      if (i == 0)
        builder.add(HookedSpring{spring, wall}, {beads[0]});
      else
        builder.add(StiffSpring{spring}, {beads[static_cast<std::size_t>(i) - 1], beads.back()});
    }
    finish(comm);
  }
};

/// The message with which a run ends; empty where it goes through.
inline std::string error_of(Simulation& run, const std::vector<Stage>& stages) {
  try {
    run.run(stages);
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

}  // namespace trammel::testing
