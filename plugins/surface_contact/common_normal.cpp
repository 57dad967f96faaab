#include "common_normal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace trammel::surface_contact {

namespace {

constexpr int samples = 24;          // a direction of each surface
constexpr double opposing = -0.2;    // cosine of the normals of samples that are candidates
constexpr int most_candidates = 12;  // refined
constexpr double converged = 1e-12;  // of the step, by the ranges
constexpr int most_iterations = 60;

struct Sample {
  SurfaceParameters at;
  Vec3 point, normal;
};

std::vector<Sample> sampled(const Surface& surface) {
  std::vector<Sample> all;
  for (int i = 0; i <= samples; ++i)
    for (int j = 0; j <= samples; ++j) {
      const SurfaceParameters at{surface.u().first + surface.u().length() * i / samples,
                                 surface.v().first + surface.v().length() * j / samples};
      all.push_back({at, surface.point(at), surface.normal(at)});
    }
  return all;
}

}  // namespace

CommonNormalEquations common_normal_equations(const SurfacePair& pair, const SurfaceParameters& one,
                                              const SurfaceParameters& two) {
  SurfacePoint p, q;
  pair.one.evaluate(one, 3, p);
  pair.two.evaluate(two, 3, q);
  const SurfaceDirections a = pair.one.directions(p), b = pair.two.directions(q);
  const Mat3& R = pair.R_AB;
  const Vec3 d = pair.p_AB_A + R * q.d[0] - p.d[0], n = R * b.normal.d[0];
  CommonNormalEquations out;
  const std::array<const SurfaceVector<2>*, 2> tangents{&a.u, &a.v};
  for (int i = 0; i < 2; ++i) {
    const SurfaceVector<2>& t = *tangents[static_cast<std::size_t>(i)];
    out.F[i] = d.dot(t.d[0]);
    out.F[2 + i] = t.d[0].dot(n);
    for (int k = 0; k < 2; ++k) {
      const int u = 1 - k, v = k;
      out.by_parameters(i, k) = d.dot(t.by(u, v)) - p.by(u, v).dot(t.d[0]);
      out.by_parameters(i, 2 + k) = (R * q.by(u, v)).dot(t.d[0]);
      out.by_parameters(2 + i, k) = t.by(u, v).dot(n);
      out.by_parameters(2 + i, 2 + k) = t.d[0].dot(R * b.normal.by(u, v));
    }
  }
  return out;
}

void NormalSystem::set(const SurfacePair& pair, const Eigen::Vector4d& c) {
  pair.one.evaluate({c[0], c[1]}, 2, p);
  pair.two.evaluate({c[2], c[3]}, 2, q);
  set_equations(pair.R_AB, pair.p_AB_A);
}

void NormalSystem::set_equations(const Mat3& R_AB, const Vec3& p_AB_A) {
  for (std::size_t k = 0; k < moved.size(); ++k) moved[k] = R_AB * q.d[k];
  d = p_AB_A + moved[0] - p.d[0];
  N = p.by(1, 0).cross(p.by(0, 1));
  N_by[0] = p.by(2, 0).cross(p.by(0, 1)) + p.by(1, 0).cross(p.by(1, 1));
  N_by[1] = p.by(1, 1).cross(p.by(0, 1)) + p.by(1, 0).cross(p.by(0, 2));
  for (std::size_t i = 0; i < 2; ++i) {
    const Vec3 &tangent = p.d[1 + i], &other = moved[1 + i];
    const auto row = static_cast<Eigen::Index>(i);
    F[row] = d.dot(tangent);
    F[2 + row] = N.dot(other);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto column = static_cast<Eigen::Index>(k);
      by_parameters(row, column) = d.dot(p.d[3 + i + k]) - p.d[1 + k].dot(tangent);
      by_parameters(row, 2 + column) = moved[1 + k].dot(tangent);
      by_parameters(2 + row, column) = N_by[k].dot(other);
      by_parameters(2 + row, 2 + column) = N.dot(moved[3 + i + k]);
    }
  }
}

void NormalSystem::move(const Eigen::Vector4d& step) {
  for (std::size_t k = 0; k < 2; ++k) {
    const double x = step[static_cast<Eigen::Index>(k)], y = step[static_cast<Eigen::Index>(2 + k)];
    d += y * moved[1 + k] - x * p.d[1 + k];
    N += x * N_by[k];
    q.d[0] += y * q.d[1 + k];
    p.d[0] += x * p.d[1 + k];
  }
}

Eigen::Matrix<double, 4, 6> NormalSystem::by_pose(const Mat3& R_AB) const {
  Eigen::Matrix<double, 4, 6> G;
  const Vec3 n = R_AB.transpose() * N;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    G.row(row) << p.d[1 + i].transpose(), q.d[0].cross(R_AB.transpose() * p.d[1 + i]).transpose();
    G.row(2 + row) << 0, 0, 0, q.d[1 + i].cross(n).transpose();
  }
  return G;
}

bool NormalSystem::opposes(const SurfacePair& pair) const {
  return (pair.one.reversed() == pair.two.reversed()) == (N.dot(moved[1].cross(moved[2])) < 0);
}

std::optional<CommonNormal> refine(const SurfacePair& pair, const SurfaceParameters& one,
                                   const SurfaceParameters& two) {
  Eigen::Vector4d x(one.u, one.v, two.u, two.v);
  const Eigen::Vector4d ranges(pair.one.u().length(), pair.one.v().length(), pair.two.u().length(),
                               pair.two.v().length());
  const double length = std::min(pair.one.size(), pair.two.size());
  const Eigen::Vector4d weights(1 / length, 1 / length, 1, 1);
  const auto equations = [&](const Eigen::Vector4d& y) {
    CommonNormalEquations e = common_normal_equations(pair, {y[0], y[1]}, {y[2], y[3]});
    e.F = e.F.cwiseProduct(weights);
    e.by_parameters = weights.asDiagonal() * e.by_parameters * ranges.asDiagonal();
    return e;
  };
  CommonNormalEquations now = equations(x);
  double damping = 1e-3;
  bool done = false;
  for (int i = 0; i < most_iterations && !done; ++i) {
    // Levenberg and Marquardt's step, which becomes Newton's as the damping falls.
    const Eigen::Matrix4d J = now.by_parameters;
    Eigen::Matrix4d N = J.transpose() * J;
    N.diagonal() *= 1 + damping;
    N.diagonal().array() += 1e-3 * damping * N.trace();
    const Eigen::Vector4d newton = J.fullPivLu().solve(-now.F);
    const bool plain = damping < 1e-6 && newton.allFinite();
    Eigen::Vector4d step = plain ? newton : Eigen::Vector4d(N.ldlt().solve(-(J.transpose() * now.F)));
    const double largest = step.cwiseAbs().maxCoeff();
    if (!std::isfinite(largest)) return std::nullopt;
    if (largest > 0.15) step *= 0.15 / largest;
    const Eigen::Vector4d next = x + step.cwiseProduct(ranges);
    const CommonNormalEquations then = equations(next);
    const bool better = then.F.norm() <= now.F.norm();
    done = largest < converged && plain;
    if (better || done || now.F.norm() < 1e-14) {
      if (better) x = next, now = then;
      if (now.F.norm() < 1e-14 && largest < 1e-9) done = true;
      damping *= 0.1;
    } else {
      damping = std::max(10 * damping, 1e-4);
      if (damping > 1e8) return std::nullopt;
    }
  }
  if (!(now.F.norm() < 1e-9)) return std::nullopt;
  CommonNormal out;
  out.one = pair.one.wrapped({x[0], x[1]});
  out.two = pair.two.wrapped({x[2], x[3]});
  if (pair.one.beyond(out.one) > 0 || pair.two.beyond(out.two) > 0) return std::nullopt;
  const Vec3 n = pair.one.normal(out.one);
  if (!(n.dot(pair.R_AB * pair.two.normal(out.two)) < 0)) return std::nullopt;
  out.point_1 = pair.one.point(out.one);
  out.point_2 = pair.p_AB_A + pair.R_AB * pair.two.point(out.two);
  out.gap = (out.point_2 - out.point_1).dot(n);
  return out;
}

std::optional<CommonNormal> search(const SurfacePair& pair) {
  const std::vector<Sample> ones = sampled(pair.one);
  std::vector<Sample> twos = sampled(pair.two);
  for (Sample& s : twos) {
    s.point = pair.p_AB_A + pair.R_AB * s.point;
    s.normal = pair.R_AB * s.normal;
  }
  struct Candidate {
    double distance = std::numeric_limits<double>::infinity();
    std::size_t two = 0;
  };
  std::vector<Candidate> best(ones.size());
  for (std::size_t i = 0; i < ones.size(); ++i)
    for (std::size_t j = 0; j < twos.size(); ++j) {
      const double distance = (ones[i].point - twos[j].point).squaredNorm();
      if (distance < best[i].distance && ones[i].normal.dot(twos[j].normal) < opposing)
        best[i] = {distance, j};
    }
  constexpr int n = samples + 1;
  const auto distance = [&](int i, int j) {
    return i < 0 || j < 0 || i >= n || j >= n ? std::numeric_limits<double>::infinity()
                                              : best[static_cast<std::size_t>(i * n + j)].distance;
  };
  std::vector<std::pair<double, std::size_t>> minima;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double here = distance(i, j);
      if (std::isfinite(here) && here <= distance(i - 1, j) && here <= distance(i + 1, j) &&
          here <= distance(i, j - 1) && here <= distance(i, j + 1))
        minima.emplace_back(here, static_cast<std::size_t>(i * n + j));
    }
  std::ranges::sort(minima);
  if (minima.size() > most_candidates) minima.resize(most_candidates);
  std::optional<CommonNormal> found;
  for (const auto& [far, i] : minima) {
    const std::optional<CommonNormal> next = refine(pair, ones[i].at, twos[best[i].two].at);
    if (next && (!found || std::abs(next->gap) < std::abs(found->gap))) found = next;
  }
  return found;
}

GapCurvatures gap_curvatures(const SurfacePair& pair, const SurfaceParameters& one,
                             const SurfaceParameters& two) {
  const SurfaceCurvatures a = pair.one.curvatures(one), b = pair.two.curvatures(two);
  const auto form = [](const SurfaceCurvatures& c, const Mat3& R) {
    const Vec3 x = R * c.least_direction, y = R * c.most_direction;
    return Mat3(c.least * x * x.transpose() + c.most * y * y.transpose());
  };
  // Height of the second surface over the first: each bends towards its normal by its curvature, and the normals oppose.
  const Mat3 gap = -(form(a, Mat3::Identity()) + form(b, pair.R_AB));
  Eigen::Matrix<double, 3, 2> basis;
  basis << a.least_direction, a.most_direction;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> solver(basis.transpose() * gap * basis);
  return {solver.eigenvalues()[0], solver.eigenvalues()[1],
          std::max({std::abs(a.least), std::abs(a.most), std::abs(b.least), std::abs(b.most)}),
          basis * solver.eigenvectors().col(0)};
}

}  // namespace trammel::surface_contact
