#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

#include <Eigen/LU>

#include "discretization.hpp"

/// A cantilever solved by a small dense Newton method, for the tests of the element by itself.
namespace trammel::beam::testing {

/// A dead force and moment on the last node, in world components.
struct TipLoad {
  Vec3 force = Vec3::Zero();
  Vec3 moment = Vec3::Zero();
  bool moment_follows = false;  ///< moment in the components of the tip's triad
};

class StaticChain {
 public:
  explicit StaticChain(Discretization beam) : beam_(std::move(beam)) {
    for (const Pose& X : beam_.nodes) {
      NodeMotion n;
      n.R_WS = X.R;
      n.p_WS = X.p;
      nodes.push_back(n);
    }
  }

  std::vector<NodeMotion> nodes;

  /// Applies the load in equal steps; returns the Newton iterations of the last one.
  int solve(const TipLoad& load, int steps) {
    int iterations = 0;
    for (int step = 1; step <= steps; ++step) iterations = newton(load, static_cast<double>(step) / steps);
    return iterations;
  }

  double strain_energy() const {
    double energy = 0;
    for (std::size_t e = 0; e < beam_.elements.size(); ++e) {
      const ElasticLaw& law = beam_.elements[e]->elastic;
      const Helicoid g(nodes[e], nodes[e + 1]);
      const Vec6 strain = law.strain(g);
      energy += 0.5 * law.length * strain.dot(law.stiffness * strain);
    }
    return energy;
  }

  /// Forces (world) and moments (section) on the first node: what the support gives.
  Vec6 root() const {
    Vec12 r = Vec12::Zero();
    ElasticForces(beam_.elements[0]->elastic, nodes[0], nodes[1]).add_residual(r);
    return r.head<6>();
  }

 private:
  int newton(const TipLoad& load, double factor) {
    const auto n = static_cast<Eigen::Index>(6 * nodes.size());
    for (int iteration = 1; iteration <= 60; ++iteration) {
      Eigen::VectorXd r = Eigen::VectorXd::Zero(n);
      Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
      for (std::size_t e = 0; e < beam_.elements.size(); ++e) {
        const auto first = static_cast<Eigen::Index>(6 * e);
        const ElasticForces forces(beam_.elements[e]->elastic, nodes[e], nodes[e + 1]);
        Vec12 share = Vec12::Zero();
        Mat12 tangent;
        forces.add_residual(share);
        forces.set_K(tangent);
        r.segment<12>(first) += share;
        K.block<12, 12>(first, first) += tangent;
      }
      const Mat3& R = nodes.back().R_WS;
      r.segment<3>(n - 6) -= factor * load.force;
      if (load.moment_follows) {
        r.tail<3>() -= factor * load.moment;
      } else {
        const Vec3 m = factor * (R.transpose() * load.moment);
        r.tail<3>() -= m;
        K.bottomRightCorner<3, 3>() -= skew(m);
      }
      const Eigen::VectorXd dx = -K.bottomRightCorner(n - 6, n - 6).partialPivLu().solve(r.tail(n - 6));
      double largest = 0;
      for (std::size_t i = 1; i < nodes.size(); ++i) {
        const Vec6 d = dx.segment<6>(static_cast<Eigen::Index>(6 * i) - 6);
        nodes[i].p_WS += d.head<3>();
        nodes[i].R_WS = nodes[i].R_WS * so3::exp(Vec3(d.tail<3>()));
        largest = std::max(largest, d.cwiseAbs().maxCoeff());
      }
      if (largest < 1e-10 * (1 + nodes.back().p_WS.norm())) return iteration;
    }
    throw std::runtime_error("Newton's method did not converge");
  }

  Discretization beam_;
};

inline std::vector<double> equal_parts(int n) {
  std::vector<double> fractions;
  for (int i = 0; i <= n; ++i) fractions.push_back(static_cast<double>(i) / n);
  return fractions;
}

inline StaticChain make_chain(const Axis& axis, const Mat6& stiffness, int elements) {
  Section section;
  section.stiffness = stiffness;
  return StaticChain(discretize(axis, SectionAlongSpan(section), {}, equal_parts(elements)));
}

}  // namespace trammel::beam::testing
