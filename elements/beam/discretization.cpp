#include "discretization.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <Eigen/LU>
#include <boost/math/quadrature/gauss.hpp>

#include "trammel/error.hpp"

namespace trammel::beam {

namespace {

using Rule = boost::math::quadrature::gauss<double, 5>;

/// Calls f(xi, weight) at the points of Gauss's rule of five points on [0, 1].
template <class F>
void at_gauss_points(const F& f) {
  for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
    const double x = Rule::abscissa()[i];
    const double w = 0.5 * Rule::weights()[i];
    f(0.5 + 0.5 * x, w);
    if (x != 0) f(0.5 - 0.5 * x, w);
  }
}

Mat6 with_linear_moment(const Mat6& stiffness, double length) {
  Mat6 compliance = stiffness.inverse();
  const Mat3 across = skew(Vec3::UnitX());
  compliance.topLeftCorner<3, 3>() +=
      length * length / 12 * (across.transpose() * compliance.bottomRightCorner<3, 3>() * across);
  const Mat6 softer = compliance.inverse();
  return 0.5 * (softer + softer.transpose());
}

void set_stiffness(ElementConstants& e, const Mat6& stiffness) {
  e.elastic.stiffness = stiffness;
  const Vec6 root = e.damping.cwiseSqrt();
  e.elastic.damping = root.asDiagonal() * stiffness * root.asDiagonal();
}

ElementConstants element_constants(const Axis& axis, const SectionAlongSpan& section, const Damping& damping,
                                   double from, double to, bool linear_moment) {
  const double length = to - from;
  ElementConstants e;
  e.elastic.length = length;
  e.elastic.reference = axis.strain(from, to);
  const double turn = e.elastic.reference.tail<3>().norm() * length;
  if (turn > 150.0 / 180.0 * std::numbers::pi)
    throw Error(
        fmt::format("an element of the beam turns by {:.0f} degrees along its length; take more elements "
                    "(at most 150 degrees each)",
                    turn * 180 / std::numbers::pi));

  const Section middle = section.at(0.5 * (from + to) / axis.length());
  if (section.constant()) {
    e.elastic.stiffness = middle.stiffness;
  } else {
    Mat6 compliance = Mat6::Zero();
    at_gauss_points([&](double xi, double w) {
      compliance += w * section.at((from + xi * length) / axis.length()).stiffness.inverse();
    });
    e.elastic.stiffness = compliance.inverse();
    e.elastic.stiffness = (0.5 * (e.elastic.stiffness + e.elastic.stiffness.transpose())).eval();
  }
  e.section = e.elastic.stiffness;
  e.damping = damping.times;
  e.elastic.damped = !damping.none();
  set_stiffness(e, linear_moment ? with_linear_moment(e.section, length) : e.section);

  const Pose X_1 = axis.pose(from);
  const Pose X_2 = axis.pose(to);
  at_gauss_points([&](double xi, double w) {
    const double s = from + xi * length;
    const Pose X = axis.pose(s);
    const Vec3 c = X.p - (X_1.p + xi * (X_2.p - X_1.p));
    e.mass.add(xi, w * length, section.at(s / axis.length()).mass,
               {X_1.R.transpose() * X.R, X_2.R.transpose() * X.R},
               {X_1.R.transpose() * c, X_2.R.transpose() * c});
  });
  e.mass.finish(length);
  e.massive = e.mass.mass[0] > 0 || e.mass.second[0][0].norm() > 0;
  e.outline = middle.outline.points.empty() ? equivalent_rectangle(middle.stiffness, 0.1 * axis.length())
                                            : middle.outline;
  return e;
}

}  // namespace

void ElementConstants::let_moment_vary() {
  set_stiffness(*this, with_linear_moment(section, elastic.length));
}

Discretization discretize(const Axis& axis, const SectionAlongSpan& section, const Damping& damping,
                          const std::vector<double>& fractions, bool linear_moment) {
  if (fractions.size() < 2 || fractions.front() != 0.0 || fractions.back() != 1.0)
    throw Error("the nodes of a beam must go from 0 to 1");
  Discretization result;
  const bool same_everywhere = axis.uniform() && section.constant();
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    if (i > 0 && !(fractions[i] > fractions[i - 1]))
      throw Error(fmt::format("the nodes of a beam must increase, but {} comes after {}", fractions[i],
                              fractions[i - 1]));
    const double s = fractions[i] * axis.length();
    result.s.push_back(s);
    result.nodes.push_back(axis.pose(s));
    if (i == 0) continue;
    const double from = result.s[i - 1];
    if (same_everywhere && !result.elements.empty() &&
        std::abs(s - from - result.elements.back()->elastic.length) < 1e-12 * axis.length())
      result.elements.push_back(result.elements.back());
    else
      result.elements.push_back(std::make_shared<ElementConstants>(
          element_constants(axis, section, damping, from, s, linear_moment)));
  }
  return result;
}

}  // namespace trammel::beam
