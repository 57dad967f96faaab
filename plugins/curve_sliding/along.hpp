#pragma once

#include "trammel/linear_algebra.hpp"

namespace trammel::curve_sliding {

/// A number along a curve, with its first and second derivative by the parameter.
struct NumberAlong {
  double v = 0, v1 = 0, v2 = 0;

  friend NumberAlong operator*(const NumberAlong& a, const NumberAlong& b) {
    return {a.v * b.v, a.v1 * b.v + a.v * b.v1, a.v2 * b.v + 2 * a.v1 * b.v1 + a.v * b.v2};
  }
  friend NumberAlong operator/(const NumberAlong& a, const NumberAlong& b) {
    const double f = a.v / b.v, f1 = (a.v1 - f * b.v1) / b.v;
    return {f, f1, (a.v2 - 2 * f1 * b.v1 - f * b.v2) / b.v};
  }
};

/// A vector along a curve, with its first and second derivative by the parameter.
struct VectorAlong {
  Vec3 v, v1, v2;

  friend VectorAlong operator+(const VectorAlong& a, const VectorAlong& b) {
    return {a.v + b.v, a.v1 + b.v1, a.v2 + b.v2};
  }
  friend VectorAlong operator-(const VectorAlong& a, const VectorAlong& b) {
    return {a.v - b.v, a.v1 - b.v1, a.v2 - b.v2};
  }
  friend VectorAlong operator*(const NumberAlong& f, const VectorAlong& a) {
    return {f.v * a.v, f.v1 * a.v + f.v * a.v1, f.v2 * a.v + 2 * f.v1 * a.v1 + f.v * a.v2};
  }
  friend NumberAlong dot(const VectorAlong& a, const VectorAlong& b) {
    return {a.v.dot(b.v), a.v1.dot(b.v) + a.v.dot(b.v1), a.v2.dot(b.v) + 2 * a.v1.dot(b.v1) + a.v.dot(b.v2)};
  }
  friend VectorAlong cross(const VectorAlong& a, const VectorAlong& b) {
    return {a.v.cross(b.v), a.v1.cross(b.v) + a.v.cross(b.v1),
            a.v2.cross(b.v) + 2 * a.v1.cross(b.v1) + a.v.cross(b.v2)};
  }
  /// a / |a|
  friend VectorAlong unit(const VectorAlong& a) {
    const double n = a.v.norm();
    VectorAlong t;
    t.v = a.v / n;
    const double n1 = t.v.dot(a.v1);
    t.v1 = (a.v1 - n1 * t.v) / n;
    const double n2 = t.v1.dot(a.v1) + t.v.dot(a.v2);
    t.v2 = (a.v2 - 2 * n1 * t.v1 - n2 * t.v) / n;
    return t;
  }
};

}  // namespace trammel::curve_sliding
