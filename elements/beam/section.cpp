#include "section.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "trammel/error.hpp"

namespace trammel::beam {

Outline::Outline(std::vector<Eigen::Vector2d> corners) : points(std::move(corners)) {
  caps.emplace_back(points.size());
  std::iota(caps.front().begin(), caps.front().end(), 0);
}

Mat6 diagonal_stiffness(double EA, const Eigen::Vector2d& GA, double GJ, const Eigen::Vector2d& EI) {
  Vec6 d;
  d << EA, GA, GJ, EI;
  return d.asDiagonal();
}

Mat6 mass_matrix(const SectionMass& mass) {
  Mat6 M;
  M << mass.density * Mat3::Identity(), -skew(mass.first), skew(mass.first), mass.inertia;
  return M;
}

SectionMass mass_from_matrix(const Mat6& M) {
  SectionMass mass;
  mass.density = M.topLeftCorner<3, 3>().trace() / 3;
  mass.first = axial(Mat3(M.bottomLeftCorner<3, 3>()));
  mass.inertia = 0.5 * (M.bottomRightCorner<3, 3>() + M.bottomRightCorner<3, 3>().transpose());
  const Mat6 rest = M - mass_matrix(mass);
  const double scale = std::max(mass.density, mass.inertia.cwiseAbs().maxCoeff());
  if (!M.allFinite() || rest.cwiseAbs().maxCoeff() > 1e-9 * scale)
    throw Error(
        "the section mass must be of the form [[m I, -m c~], [m c~, J]]: one mass for all directions, one "
        "centre of mass c, a symmetric J");
  return mass;
}

namespace {

/// Smallest eigenvalue after scaling rows and columns by the diagonal, so that units don't matter.
double scaled_smallest_eigenvalue(const Eigen::MatrixXd& A) {
  const Eigen::VectorXd d = A.diagonal().unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 1.0; });
  const Eigen::MatrixXd S = d.asDiagonal() * A * d.asDiagonal();
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(S, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

}  // namespace

void validate(const Section& section, const std::string& name) {
  static constexpr std::array<const char*, 6> labels{"EA", "GA2", "GA3", "GJ", "EI2", "EI3"};
  const Mat6& K = section.stiffness;
  if (!K.allFinite()) throw Error(name + ": the stiffness has a number that is not finite");
  for (int i = 0; i < 6; ++i)
    if (!(K(i, i) > 0))
      throw Error(fmt::format("{}: the stiffness is not positive definite: {} is {}, it must be positive",
                              name, labels[static_cast<std::size_t>(i)], K(i, i)));
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < i; ++j)
      if (std::abs(K(i, j) - K(j, i)) > 1e-9 * std::sqrt(K(i, i) * K(j, j)))
        throw Error(
            fmt::format("{}: the stiffness is not symmetric: entry ({}, {}) is {}, entry ({}, {}) is {}",
                        name, i + 1, j + 1, K(i, j), j + 1, i + 1, K(j, i)));
  if (const double least = scaled_smallest_eigenvalue(K); !(least > 1e-12))
    throw Error(fmt::format(
        "{}: the stiffness is not positive definite (smallest eigenvalue {:.3g}, rows and columns "
        "scaled to a unit diagonal)",
        name, least));
  const SectionMass& m = section.mass;
  if (!std::isfinite(m.density) || !m.first.allFinite() || !m.inertia.allFinite())
    throw Error(name + ": the mass has a number that is not finite");
  if (m.density < 0) throw Error(fmt::format("{}: rhoA is {}, it must not be negative", name, m.density));
  if (m.density == 0 && m.first.norm() > 0)
    throw Error(name + ": a section without mass cannot have a centre of mass");
  if (const double least = scaled_smallest_eigenvalue(mass_matrix(m)); !(least > -1e-9))
    throw Error(fmt::format(
        "{}: the section mass is not positive semidefinite (smallest eigenvalue {:.3g}, rows and "
        "columns scaled to a unit diagonal): J is about the origin of the triad and holds at least "
        "what the offset of the centre of mass brings",
        name, least));
}

Outline equivalent_rectangle(const Mat6& stiffness, double largest) {
  double width = std::sqrt(12 * stiffness(5, 5) / stiffness(0, 0));
  double height = std::sqrt(12 * stiffness(4, 4) / stiffness(0, 0));
  const double shrink = std::min(1.0, largest / std::max(width, height));
  width *= 0.5 * shrink;
  height *= 0.5 * shrink;
  return Outline({{-width, -height}, {width, -height}, {width, height}, {-width, height}});
}

SectionAlongSpan::SectionAlongSpan(std::vector<std::pair<double, Section>> stations)
    : stations_(std::move(stations)) {
  if (stations_.size() < 2) throw Error("a section along the span needs at least two stations");
  if (stations_.front().first != 0.0 || stations_.back().first != 1.0)
    throw Error(fmt::format("the stations of a section must go from 0 to 1, not from {} to {}",
                            stations_.front().first, stations_.back().first));
  for (std::size_t i = 1; i < stations_.size(); ++i)
    if (!(stations_[i].first > stations_[i - 1].first))
      throw Error(fmt::format("the stations of a section must increase, but {} comes after {}",
                              stations_[i].first, stations_[i - 1].first));
}

Section SectionAlongSpan::at(double x) const {
  if (constant()) return stations_.front().second;
  auto next = std::upper_bound(stations_.begin(), stations_.end(), x,
                               [](double value, const auto& station) { return value < station.first; });
  next = std::clamp(next, stations_.begin() + 1, stations_.end() - 1);
  const auto& [x0, a] = *(next - 1);
  const auto& [x1, b] = *next;
  const double w = (x - x0) / (x1 - x0);
  Section section;
  section.stiffness = (1 - w) * a.stiffness + w * b.stiffness;
  section.mass.density = (1 - w) * a.mass.density + w * b.mass.density;
  section.mass.first = (1 - w) * a.mass.first + w * b.mass.first;
  section.mass.inertia = (1 - w) * a.mass.inertia + w * b.mass.inertia;
  section.outline = w < 0.5 ? a.outline : b.outline;
  if (a.outline.points.size() == b.outline.points.size())
    for (std::size_t i = 0; i < a.outline.points.size(); ++i)
      section.outline.points[i] = (1 - w) * a.outline.points[i] + w * b.outline.points[i];
  if (a.outline.has_stress() && b.outline.has_stress()) {
    section.outline.area = (1 - w) * a.outline.area + w * b.outline.area;
    section.outline.I2 = (1 - w) * a.outline.I2 + w * b.outline.I2;
    section.outline.I3 = (1 - w) * a.outline.I3 + w * b.outline.I3;
  } else {
    section.outline.area = 0;
  }
  return section;
}

}  // namespace trammel::beam
