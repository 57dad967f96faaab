#include "rotation_equations.hpp"

#include <algorithm>
#include <cmath>

#include "trammel/lie.hpp"

namespace trammel::generic_joint {

namespace {

/// a_A . b_B = R(a, b) with its gradient b x (R^T a).
struct Cosine {
  double value;
  Vec3 gradient;
  Mat3 hessian;

  Cosine(const Mat3& R, int a, int b, bool second) : value(R(a, b)) {
    const Vec3 row = R.row(a).transpose();
    gradient = Vec3::Unit(b).cross(row);
    if (!second) return;
    hessian = -value * Mat3::Identity();
    hessian.col(b) += 0.5 * row;
    hessian.row(b) += 0.5 * row.transpose();
  }
};

/// f(q) = t/sin(t) with q = cos(t), and its first two derivatives.
struct Stretch {
  double f, df, ddf;

  explicit Stretch(double q) {
    const double u = 1 - q;
    if (u < 0.1) {
      // The series sum n! u^n / (2n + 1)!!, where the closed form would cancel.
      double a = 1, power = 1;
      f = df = ddf = 0;
      double before = 0, twice_before = 0;  // u^(n-1), u^(n-2)
      for (int n = 0; n < 18; ++n) {
        f += a * power;
        df -= n * a * before;
        ddf += n * (n - 1) * a * twice_before;
        twice_before = before;
        before = power;
        power *= u;
        a *= (n + 1.0) / (2 * n + 3.0);
      }
      return;
    }
    const double square = u * (1 + q);
    f = std::acos(q) / std::sqrt(square);
    df = (q * f - 1) / square;
    ddf = (f + 3 * q * df) / square;
  }
};

}  // namespace

RotationEquations::RotationEquations(const LockedAxes& axes, bool alternative) : count_(axes.rotations()) {
  if (count_ == 3) {
    pairs_ = {{{2, 1}, {2, 0}, {0, 1}}};
    if (alternative) form_ = Form::rotation_vector;
  } else if (count_ == 2) {
    const int a = axes.rotation_that_is(false, 0);
    pairs_[0] = {a, axes.rotation_that_is(true, 0)};
    pairs_[1] = {a, axes.rotation_that_is(true, 1)};
    if (alternative) form_ = Form::swing;
  } else if (count_ == 1) {
    pairs_[0] = {axes.rotation_that_is(false, 0), axes.rotation_that_is(false, 1)};
  }
}

void RotationEquations::evaluate(const Mat3& R, bool second, RotationTerms& out) const {
  switch (form_) {
    case Form::cosines:
      cosines(R, second, out);
      break;
    case Form::rotation_vector:
      rotation_vector(R, second, out);
      break;
    case Form::swing:
      swing(R, second, out);
      break;
  }
}

void RotationEquations::cosines(const Mat3& R, bool second, RotationTerms& out) const {
  for (int i = 0; i < count_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Cosine g(R, pairs_[at].a, pairs_[at].b, second);
    out.C[i] = g.value;
    out.G.row(i) = g.gradient.transpose();
    if (second) out.H[at] = g.hessian;
  }
}

void RotationEquations::rotation_vector(const Mat3& R, bool second, RotationTerms& out) {
  const Vec3 theta = so3::log(R);
  out.C = theta;
  out.G = so3::T_inverse(theta);
  if (!second) return;
  // Along R exp(s w~): theta' = T^-1 w, theta'' = d(T^-1 w)/dtheta T^-1 w = w^T H w.
  for (int j = 0; j < 3; ++j) {
    const Mat3 part = so3::dT_inverse(theta, Vec3::Unit(j)) * out.G;
    for (int i = 0; i < 3; ++i) out.H[static_cast<std::size_t>(i)].row(j) = part.row(i);
  }
  for (Mat3& H : out.H) H = (0.5 * (H + H.transpose())).eval();
}

void RotationEquations::swing(const Mat3& R, bool second, RotationTerms& out) const {
  const int a = pairs_[0].a;
  const Cosine q(R, a, a, second);
  const Stretch f(std::max(q.value, -1.0));
  for (int i = 0; i < 2; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Cosine g(R, a, pairs_[at].b, second);
    out.C[i] = g.value * f.f;
    out.G.row(i) = (f.f * g.gradient + g.value * f.df * q.gradient).transpose();
    if (!second) continue;
    const Mat3 mixed = f.df * g.gradient * q.gradient.transpose();
    out.H[at] = f.f * g.hessian + mixed + mixed.transpose() +
                g.value * (f.ddf * q.gradient * q.gradient.transpose() + f.df * q.hessian);
  }
}

bool RotationEquations::on_branch(const Mat3& R) const {
  if (!has_second_branch()) return true;
  if (count_ == 3) return R(0, 0) > 0 && R(1, 1) > 0 && R(2, 2) > 0;
  return R(pairs_[0].a, pairs_[0].a) > 0;
}

}  // namespace trammel::generic_joint
