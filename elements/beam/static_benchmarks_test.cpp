#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "static_chain.hpp"

namespace trammel::beam {
namespace {

using namespace testing;

constexpr double pi = std::numbers::pi;

/// Observed order from the errors at n, 2n and 4n elements.
double order(double coarse, double fine) { return std::log2(coarse / fine); }

/// Value extrapolated from two meshes by Richardson's method for order 2.
Vec3 extrapolated(const Vec3& coarse, const Vec3& fine) { return fine + (fine - coarse) / 3; }

// A cantilever rolled up by an end moment: the circle is exact at any mesh (B01).
TEST(StaticBenchmarks, are_exact_for_the_roll_up_on_any_mesh) {
  const auto axis = straight_axis({0, 0, 0}, {10, 0, 0}, nullptr, 0);
  const Mat6 K = diagonal_stiffness(1.77e6, {1.77e6, 1.77e6}, 8.16e3, {8.69e4, 2.15e5});
  for (const int n : {3, 5, 16}) {
    for (const double lambda : {0.5, 1.0, 2.0}) {
      StaticChain chain = make_chain(*axis, K, n);
      TipLoad load;
      load.moment = Vec3(0, -lambda * pi * 8.69e4 / 10, 0);
      chain.solve(load, 8);
      const double a = pi * lambda;
      const Vec3 expected(10 * std::sin(a) / a, 0, 10 * (1 - std::cos(a)) / a);
      EXPECT_LT((chain.nodes.back().p_WS - expected).norm(), 1e-9) << n << " elements, lambda " << lambda;
    }
  }
}

// Bathe and Bolourchi 1979, exact arc (B06); references computed by shooting on the rod equations, eleven
// digits.
TEST(StaticBenchmarks, converge_with_order_2_for_the_bend_of_45_degrees) {
  const auto axis = arc_axis({0, 0, 0}, {100, 0, 0}, {0, 0, -1}, pi / 4, nullptr);
  struct Row {
    double P, GA, GJ;
    Vec3 tip;
  };
  const std::vector<Row> rows{
      {300, 5e6, 5e6 / 6, {22.244780945, 58.779122490, 40.191891670}},
      {600, 5e6, 5e6 / 6, {15.684800534, 47.150438574, 53.474858792}},
      {600, 5e6 * 5 / 6, 5e6 * 0.1406, {15.557814727, 46.891850282, 53.607849529}},
  };
  for (const Row& row : rows) {
    const Mat6 K = diagonal_stiffness(1e7, {row.GA, row.GA}, row.GJ, {1e7 / 12, 1e7 / 12});
    std::vector<Vec3> tips;
    for (const int n : {8, 16, 32}) {
      StaticChain chain = make_chain(*axis, K, n);
      TipLoad load;
      load.force = Vec3(0, 0, row.P);
      chain.solve(load, 20);
      tips.push_back(chain.nodes.back().p_WS);
    }
    const double coarse = (tips[1] - row.tip).norm();
    const double fine = (tips[2] - row.tip).norm();
    EXPECT_NEAR(order(coarse, fine), 2, 0.1) << row.P;
    EXPECT_LT(fine, 0.02) << row.P;
    EXPECT_LT((extrapolated(tips[1], tips[2]) - row.tip).norm(), 1e-4) << row.P;
  }
}

// Wang et al. 2017, composite section (B07).
TEST(StaticBenchmarks, converge_with_order_2_for_a_composite_cantilever) {
  Mat6 K = Mat6::Zero();
  K.diagonal() << 1368.17e3, 88.56e3, 38.78e3, 0, 0, 0;
  K.bottomRightCorner<3, 3>() << 16.96e3, 17.61e3, -0.351e3,  //
      17.61e3, 59.12e3, -0.370e3,                             //
      -0.351e3, -0.370e3, 141.47e3;
  const auto axis = straight_axis({0, 0, 0}, {10, 0, 0}, nullptr, 0);
  const Vec3 tip = Vec3(10, 0, 0) + Vec3(-0.0902726627566, -0.0647488486259, 1.2297364829237);
  std::vector<Vec3> tips;
  for (const int n : {4, 8, 16}) {
    StaticChain chain = make_chain(*axis, K, n);
    TipLoad load;
    load.force = Vec3(0, 0, 150);
    chain.solve(load, 2);
    tips.push_back(chain.nodes.back().p_WS);
    if (n == 16) {
      const Vec6 root = chain.root();
      EXPECT_LT((root.head<3>() + load.force).norm(), 1e-8);
      EXPECT_LT((-root.tail<3>() - Vec3(-9.712327293886, -1486.459100586506, 0)).norm(), 0.1);
      const Eigen::Quaterniond q(chain.nodes.back().R_WS);
      const Eigen::Quaterniond expected(0.991743439926, 0.091773329785, -0.089536036332, 0.002429712383);
      EXPECT_LT(q.angularDistance(expected), 2e-4);
    }
  }
  EXPECT_NEAR(order((tips[1] - tip).norm(), (tips[2] - tip).norm()), 2, 0.1);
  EXPECT_LT((extrapolated(tips[1], tips[2]) - tip).norm(), 2e-6);
}

// A uniform strain with shear, extension, curvature and twist (B09): exact at any mesh.
TEST(StaticBenchmarks, are_exact_for_helices_of_uniform_strain_on_any_mesh) {
  const Mat6 K = diagonal_stiffness(2000, {800, 800}, 3, {4, 4});
  const ConstantCurvatureAxis axis({}, {0.3, 0, 1}, 7);
  for (const int n : {4, 7, 20}) {
    StaticChain chain = make_chain(axis, K, n);
    TipLoad load;
    load.force = Vec3(0.7159100480081, 0, 1.103752759382);
    load.moment = Vec3(1.499504785044, -0.583509499515, 1.703721343384);
    chain.solve(load, 20);
    EXPECT_LT((chain.nodes.back().p_WS - Vec3(1.70589346692, 0.258353052857, 3.445117340791)).norm(), 1e-9)
        << n;
    EXPECT_NEAR(chain.strain_energy(), 5.740397586545, 1e-9) << n;
    EXPECT_NEAR(chain.nodes.back().R_WS(0, 1), 0.72977871633, 1e-9) << n;
  }
}

TEST(StaticBenchmarks, are_exact_for_an_anisotropic_helix_on_any_mesh) {
  Mat6 K = Mat6::Zero();
  K.diagonal() << 1368.17e3, 88.56e3, 38.78e3, 0, 0, 0;
  K.bottomRightCorner<3, 3>() << 16.96e3, 17.61e3, -0.351e3,  //
      17.61e3, 59.12e3, -0.370e3,                             //
      -0.351e3, -0.370e3, 141.47e3;
  const ConstantCurvatureAxis axis({}, {0.05, 0.02, 0.08}, 10);
  EXPECT_LT((axis.pose(10).p - Vec3(8.918214684245, 3.858538118788, -0.288518707350)).norm(), 1e-11);
  StaticChain chain = make_chain(axis, K, 5);
  TipLoad load;
  load.force = Vec3(1123.591553145297, -238.444349103276, 245.508592996388);
  load.moment = Vec3(3324.961825310793, -1581.149213393412, 761.447852451778);
  chain.solve(load, 20);
  EXPECT_LT((chain.nodes.back().p_WS - Vec3(9.024763115773, -1.400082368456, 3.230502948700)).norm(), 1e-9);
  EXPECT_NEAR(chain.strain_energy(), 6187.780449315718, 1e-6);
}

// The error of a mesh is the same for a beam ten times as slender, so nothing locks.
TEST(StaticBenchmarks, do_not_lock) {
  const auto axis = straight_axis({0, 0, 0}, {1, 0, 0}, nullptr, 0);
  std::vector<double> deflections;
  for (const double GA : {1e4, 1e6}) {
    StaticChain chain = make_chain(*axis, diagonal_stiffness(GA, {GA, GA}, 1, {1, 1}), 8);
    TipLoad load;
    load.force = Vec3(0, 0, 2);
    chain.solve(load, 20);
    deflections.push_back(chain.nodes.back().p_WS[2]);
  }
  // Bisshopp and Drucker, alpha = 2.
  EXPECT_NEAR(deflections[1], 0.4934574803967118, 5e-3);
  EXPECT_NEAR(deflections[0], deflections[1], 1e-3);
}

}  // namespace
}  // namespace trammel::beam
