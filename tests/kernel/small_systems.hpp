#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "kernel/assembler.hpp"
#include "kernel/layout.hpp"
#include "kernel/model_builder.hpp"
#include "trammel/lie.hpp"

// Elements and systems that the kernel's tests are made of; none of them is a plugin.
namespace trammel::testing {

/// A rigid body with its frame at the centre of mass.
struct Body {
  double mass = 1;
  Vec3 inertia = Vec3(1, 2, 3);

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Vec3 w = x.velocity(1);
    const Vec3 Jw = inertia.cwiseProduct(w);
    out.residual().head<3>() = mass * x.acceleration(0);
    out.residual().tail<3>() = inertia.cwiseProduct(x.acceleration(1)) + w.cross(Jw);
    if (!out.request.tangent) return;
    out.M().diagonal() << mass, mass, mass, inertia;
    out.D().bottomRightCorner<3, 3>() = skew(w) * inertia.asDiagonal().toDenseMatrix() - skew(Jw);
  }
  static bool couples(int row, int column) { return row == column; }
  Energy energy(const LocalState& x) const {
    const Vec3 w = x.velocity(1);
    Energy energy;
    energy.kinetic = 0.5 * mass * x.velocity(0).squaredNorm() + 0.5 * w.dot(inertia.cwiseProduct(w));
    return energy;
  }
};

/// Two points of two bodies stay together: C = p1 + R1 a - p2 - R2 b. Stencil: p1, R1, p2, R2, multiplier.
struct Ball {
  Vec3 a, b;

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Vec3 lambda = Eigen::Map<const Vec3>(x.value(4));
    Eigen::Matrix<double, 3, 12> B;
    B << Mat3::Identity(), -x.rotation(1) * skew(a), -Mat3::Identity(), x.rotation(3) * skew(b);
    out.residual().head<12>() = B.transpose() * lambda;
    out.residual().tail<3>() = x.position(0) + x.rotation(1) * a - x.position(2) - x.rotation(3) * b;
    Eigen::Matrix<double, 12, 1> v;
    v << x.velocity(0), x.velocity(1), x.velocity(2), x.velocity(3);
    if (out.request.tangent) {
      auto K = out.K();
      K.block<3, 12>(12, 0) = B;
      K.block<12, 3>(0, 12) = B.transpose();
      K.block<3, 3>(3, 3) = skew(a) * skew(Vec3(x.rotation(1).transpose() * lambda));
      K.block<3, 3>(9, 9) = -skew(b) * skew(Vec3(x.rotation(3).transpose() * lambda));
    }
    Eigen::Matrix<double, 3, 12> G = Eigen::Matrix<double, 3, 12>::Zero();
    G.block<3, 3>(0, 3) = -x.rotation(1) * skew(Vec3(x.velocity(1).cross(a)));
    G.block<3, 3>(0, 9) = x.rotation(3) * skew(Vec3(x.velocity(3).cross(b)));
    if (out.request.rates) {
      out.rate().tail<3>() = B * v;
      if (out.request.tangent) out.rate_gradient().block<3, 12>(12, 0) = G;
    }
    if (out.request.bias) out.bias().tail<3>() = G * v;
  }
  static bool couples(int row, int column) { return row != 4 || column != 4; }
};

/// A soft spring between two points; the stencil's second point may move on to another one of a chain.
struct Spring {
  double stiffness = 10;

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Vec3 d = x.position(1) - x.position(0);
    const double k = stiffness * (1 + d.squaredNorm());
    out.residual().head<3>() = -k * d;
    out.residual().tail<3>() = k * d;
    if (!out.request.tangent) return;
    const Mat3 K = k * Mat3::Identity() + 2 * stiffness * d * d.transpose();
    auto all = out.K();
    all.topLeftCorner<3, 3>() = all.bottomRightCorner<3, 3>() = K;
    all.topRightCorner<3, 3>() = all.bottomLeftCorner<3, 3>() = -K;
  }
};

/// A type to begin entities with.
inline const Type& plain_type() {
  static const Type type = [] {
    Type t;
    t.name = "plain";
    t.plugin = "test";
    return t;
  }();
  return type;
}

inline int begin(ModelBuilder& builder, const std::string& name) {
  Entity e;
  e.name = name;
  return builder.begin(e, plain_type());
}

/// N bodies in a line joined by balls; every third pair shares its rotation, turned by a constant.
inline std::vector<Frame> chain(Model& model, int n, bool share) {
  ModelBuilder builder(model);
  std::vector<Frame> frames;
  for (int i = 0; i < n; ++i) {
    begin(builder, "body" + std::to_string(i));
    const Mat3 R = so3::exp(Vec3(0.3 * i, -0.2 * i, 0.1));
    const Vec3 w(0.1, -0.3, 0.2 * i);
    const Mat3 R0 = so3::exp(Vec3(0.3 * (i - 1), -0.2 * (i - 1), 0.1));
    const bool shared = share && i % 3 == 2;
    const Vec3 w_shared = R.transpose() * R0 * Vec3(0.1, -0.3, 0.2 * (i - 1));
    frames.push_back(
        builder.add_frame("", R, Vec3(i, 0.1 * i, 0), Vec3(0.2, 0.1 * i, -0.4), shared ? w_shared : w));
    builder.add(Body{1.0 + i, Vec3(1, 2 + i, 3)}, {frames.back().position, frames.back().rotation});
  }
  for (int i = 1; i < n; ++i) {
    begin(builder, "joint" + std::to_string(i));
    const Frame &f = frames[static_cast<std::size_t>(i - 1)], &g = frames[static_cast<std::size_t>(i)];
    if (share && i % 3 == 2)
      builder.offer_identity(Marker::on_frame(f), Marker::on_frame(g), FramePart::rotation,
                             builder.add_multiplier("weld", rows_of(Dimension::angle, 3)));
    const BlockId m = builder.add_multiplier("lambda", rows_of(Dimension::length, 3));
    model.blocks.put(m).initial = {0.5, -1.0 * i, 0.25};
    builder.add(Ball{Vec3(0.5, 0, 0.1), Vec3(-0.5, 0.2, 0)},
                {f.position, f.rotation, g.position, g.rotation, m});
    builder.add(Spring{}, {f.position, g.position});
  }
  return frames;
}

}  // namespace trammel::testing
