#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include "static_chain.hpp"

namespace trammel::beam {
namespace {

constexpr double length = 2;
constexpr double EA = 4e4, GA = 1.5e4, GJ = 30, EI = 40, density = 0.8, rotary = 2e-3;

struct Matrices {
  Eigen::MatrixXd K, M;
};

/// K and M at rest of a straight beam along x.
Matrices straight_beam(int elements) {
  Section section;
  section.stiffness = diagonal_stiffness(EA, {GA, GA}, GJ, {EI, EI});
  section.mass.density = density;
  section.mass.inertia = Vec3(2 * rotary, rotary, rotary).asDiagonal();
  const auto axis = straight_axis({0, 0, 0}, {length, 0, 0}, nullptr, 0);
  const Discretization beam =
      discretize(*axis, SectionAlongSpan(section), {}, testing::equal_parts(elements));
  const auto n = static_cast<Eigen::Index>(6 * beam.nodes.size());
  Matrices all{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(n, n)};
  for (std::size_t e = 0; e < beam.elements.size(); ++e) {
    NodeMotion n1, n2;
    n1.R_WS = beam.nodes[e].R;
    n1.p_WS = beam.nodes[e].p;
    n2.R_WS = beam.nodes[e + 1].R;
    n2.p_WS = beam.nodes[e + 1].p;
    Mat12 K, D = Mat12::Zero(), M;
    ElasticForces(beam.elements[e]->elastic, n1, n2).set_K(K);
    InertiaForces(beam.elements[e]->mass, n1, n2).add_tangents(K, D, M);
    const auto first = static_cast<Eigen::Index>(6 * e);
    all.K.block<12, 12>(first, first) += K;
    all.M.block<12, 12>(first, first) += M;
  }
  return all;
}

/// Frequencies [rad/s], rising, of the unknowns that are free.
Eigen::VectorXd frequencies(const Matrices& all, const std::vector<int>& free) {
  const Eigen::MatrixXd K = all.K(free, free);
  const Eigen::MatrixXd M = all.M(free, free);
  return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(0.5 * (K + K.transpose()), M,
                                                                   Eigen::EigenvaluesOnly)
      .eigenvalues()
      .cwiseMax(0)
      .cwiseSqrt();
}

/// Exact lowest frequency of half-wave number n of Timoshenko's simply supported beam.
double timoshenko(int n) {
  const double k = n * std::numbers::pi / length;
  // (GA k^2 - m w)(EI k^2 + GA - J w) = (GA k)^2 with w the square of the frequency.
  const double a = density * rotary;
  const double b = GA * k * k * rotary + density * (EI * k * k + GA);
  const double c = GA * k * k * EI * k * k;
  return std::sqrt((b - std::sqrt(b * b - 4 * a * c)) / (2 * a));
}

TEST(Eigenfrequencies, of_bending_modes_converge_with_order_2) {
  for (const int mode : {1, 2, 3}) {
    std::vector<double> errors;
    for (const int elements : {16, 32}) {
      std::vector<int> free;  // deflection along z and rotation about y, ends held
      for (int i = 0; i <= elements; ++i) {
        if (i != 0 && i != elements) free.push_back(6 * i + 2);
        free.push_back(6 * i + 4);
      }
      errors.push_back(frequencies(straight_beam(elements), free)[mode - 1] / timoshenko(mode) - 1);
    }
    EXPECT_LT(std::abs(errors[1]), 0.02) << mode;
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1) << mode;
  }
}

TEST(Eigenfrequencies, of_axial_and_torsional_modes_converge_with_order_2) {
  struct Kind {
    int unknown;
    double speed;
  };
  for (const Kind& kind : {Kind{0, std::sqrt(EA / density)}, Kind{3, std::sqrt(GJ / (2 * rotary))}}) {
    std::vector<double> errors;
    for (const int elements : {8, 16}) {
      std::vector<int> free;
      for (int i = 1; i <= elements; ++i) free.push_back(6 * i + kind.unknown);
      const double exact = 0.5 * std::numbers::pi / length * kind.speed;
      errors.push_back(frequencies(straight_beam(elements), free)[0] / exact - 1);
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1) << kind.unknown;
  }
}

}  // namespace
}  // namespace trammel::beam
