#include "equations.hpp"

#include <algorithm>
#include <cmath>

#include "trammel/error.hpp"
#include "trammel/lie.hpp"
#include "trammel/number_text.hpp"

namespace trammel::formula {
namespace {

/// A variable's gradient in z: one or three entries from `first` on.
struct Gradient {
  int first = 0, count = 0;
  std::array<double, 3> entries{};
};

void add(double factor, const Gradient& d, double* to) {
  for (int k = 0; k < d.count; ++k) to[d.first + k] += factor * d.entries[static_cast<std::size_t>(k)];
}

/// H += factor a b^T
void add_product(double factor, const Gradient& a, const Gradient& b, double* H, int n) {
  for (int k = 0; k < a.count; ++k)
    add(factor * a.entries[static_cast<std::size_t>(k)], b, H + (a.first + k) * n);
}

/// Second derivatives of R(i, j) along R exp(x~) at x = 0, times a factor.
void add_second_derivatives_of_rotation(double factor, const Mat3& R, int i, int j, double* H, int n) {
  double* block = H + 3 * n + 3;
  for (int k = 0; k < 3; ++k) {
    const double half = 0.5 * factor * R(i, k);
    block[k * n + j] += half;
    block[j * n + k] += half;
    block[k * n + k] -= factor * R(i, j);
  }
}

/// Memory for the terms of one level of one thread, handed out as zeros.
class Workspace {
 public:
  void begin(std::size_t size) {
    if (memory_.size() < size) memory_.resize(size);
    std::fill_n(memory_.data(), size, 0.0);
    next_ = memory_.data();
  }
  double* take(int size) {
    double* taken = next_;
    next_ += size;
    return taken;
  }

 private:
  std::vector<double> memory_;
  double* next_ = nullptr;
};

/// Derivatives of a formula by the variables that it reads. They lie in memory of the thread, which the next
/// evaluation overwrites.
struct Jets {
  double* gradient;
  double* hessian;
  double value;

  Jets(const Formula& formula, const RelativeValues& x, bool second) {
    thread_local std::vector<double> memory;
    const std::size_t n = formula.variables().size(), size = n + n * (n + 1) / 2;
    if (memory.size() < size) memory.resize(size);
    gradient = memory.data();
    hessian = gradient + n;
    value = second ? formula.evaluate(x.span(), gradient, hessian) : formula.evaluate(x.span(), gradient);
    double sum = value;
    for (std::size_t k = 0; k < n; ++k) sum += gradient[k];
    if (second)
      for (std::size_t k = 0; k < n * (n + 1) / 2; ++k) sum += hessian[k];
    if (std::isfinite(sum)) return;
    throw RejectStep("'" + formula.text() + "' " +
                     (std::isfinite(value) ? "has derivatives that are not finite, at the value " : "is ") +
                     number_text(value));
  }
  double h(std::size_t row, std::size_t column) const { return hessian[row * (row + 1) / 2 + column]; }
};

}  // namespace

std::vector<std::string> Variables::names(std::span<const std::string> coordinates) {
  std::vector<std::string> all;
  const std::array<char, 3> axes{'x', 'y', 'z'};
  const auto add_vector = [&](char name) {
    for (const char axis : axes) all.push_back({name, '.', axis});
  };
  add_vector('p');
  for (const char row : axes)
    for (const char column : axes) all.push_back({'R', '.', row, column});
  add_vector('v');
  add_vector('w');
  all.emplace_back("t");
  all.insert(all.end(), coordinates.begin(), coordinates.end());
  for (const std::string& name : coordinates) all.push_back(name + "_rate");
  return all;
}

RelativeValues::RelativeValues(const Variables& variables, const Mat3& R, const Vec3& p_AB_A,
                               const Vec6* twist, const double* c, const double* c_rate, double t)
    : all(static_cast<std::size_t>(variables.count())), R_AB(R) {
  const auto put = [this](int at, const double* from, int n) { std::copy_n(from, n, all.begin() + at); };
  put(Variables::p, p_AB_A.data(), 3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) all[static_cast<std::size_t>(Variables::R + 3 * i + j)] = R(i, j);
  all[Variables::t] = t;
  put(Variables::c, c, variables.coordinates);
  if (twist == nullptr) return;
  w_AB_B = twist->tail<3>();
  const Vec3 w_AB_A = R * w_AB_B;
  put(Variables::v, twist->data(), 3);
  put(Variables::w, w_AB_A.data(), 3);
  put(variables.rate(), c_rate, variables.coordinates);
}

Equations::Equations(int coordinates, std::vector<Equation> position, std::vector<Equation> velocity)
    : variables_{coordinates}, position_(std::move(position)), velocity_(std::move(velocity)) {
  for (const Equation& e : position_) position_readings_.push_back(readings_of(*e.formula));
  for (const Equation& e : velocity_) velocity_readings_.push_back(readings_of(*e.formula));
}

Equations::Readings Equations::readings_of(const Formula& formula) const {
  using Kind = Reading::Kind;
  Readings readings;
  for (const int k : formula.variables()) {
    if (k < Variables::R)
      readings.push_back({Kind::straight, k});
    else if (k < Variables::v)
      readings.push_back({Kind::rotation, 0, (k - Variables::R) / 3, (k - Variables::R) % 3});
    else if (k < Variables::w)
      readings.push_back({Kind::velocity, k - Variables::v});
    else if (k < Variables::t)
      readings.push_back({Kind::spin, k - Variables::w});
    else if (k == Variables::t)
      readings.push_back({Kind::time});
    else if (k < variables_.rate())
      readings.push_back({Kind::straight, 6 + k - Variables::c});
    else
      readings.push_back({Kind::velocity, 6 + k - variables_.rate()});
  }
  return readings;
}

bool Equations::position_reads_time() const {
  return std::ranges::any_of(position_, [](const Equation& e) { return e.formula->reads(Variables::t); });
}

bool Equations::reads_rotation() const {
  const auto reads = [this](const Equation& e) {
    return std::ranges::any_of(e.formula->variables(),
                               [this](int k) { return variables_.needs_rotation(k); });
  };
  return std::ranges::any_of(position_, reads) || std::ranges::any_of(velocity_, reads);
}

namespace {

/// The gradient in z of what is read; none of time and velocities.
template <class Reading>
Gradient gradient_of(const Reading& reading, const Mat3& R) {
  using Kind = decltype(reading.kind);
  if (reading.kind == Kind::straight) return {reading.index, 1, {1, 0, 0}};
  if (reading.kind == Kind::rotation) {
    const Vec3 along = Vec3::Unit(reading.j).cross(Vec3(R.row(reading.i)));
    return {3, 3, {along[0], along[1], along[2]}};
  }
  return {};
}

}  // namespace

JointTermsView Equations::position_terms(const RelativeValues& x, bool second) const {
  thread_local Workspace workspace;
  const int m = static_cast<int>(position_.size()), n = 6 + coordinates();
  workspace.begin(static_cast<std::size_t>(m * (3 + 2 * n + (second ? n * n : 0))));
  double *C = workspace.take(m), *G = workspace.take(m * n), *C_t = workspace.take(m),
         *C_tt = workspace.take(m), *G_t = workspace.take(m * n);
  double* H = second ? workspace.take(m * n * n) : nullptr;
  thread_local std::vector<Gradient> by;

  for (int row = 0; row < m; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const Jets f(*position_[i].formula, x, second);
    const Readings& readings = position_readings_[i];
    by.resize(readings.size());
    double *g = G + row * n, *g_t = G_t + row * n, *h = second ? H + row * n * n : nullptr;
    C[row] = f.value;
    for (std::size_t a = 0; a < readings.size(); ++a) {
      const bool is_time = readings[a].kind == Reading::Kind::time;
      by[a] = gradient_of(readings[a], x.R_AB);
      if (is_time) C_t[row] = f.gradient[a];
      add(f.gradient[a], by[a], g);
      if (!second) continue;
      if (readings[a].kind == Reading::Kind::rotation)
        add_second_derivatives_of_rotation(f.gradient[a], x.R_AB, readings[a].i, readings[a].j, h, n);
      for (std::size_t b = 0; b <= a; ++b) {
        const double h_ab = f.h(a, b);
        if (h_ab == 0) continue;
        const bool b_is_time = readings[b].kind == Reading::Kind::time;
        if (is_time && b_is_time) {
          C_tt[row] = h_ab;
        } else if (is_time || b_is_time) {
          add(h_ab, is_time ? by[b] : by[a], g_t);
        } else {
          add_product(h_ab, by[a], by[b], h, n);
          if (a != b) add_product(h_ab, by[b], by[a], h, n);
        }
      }
    }
  }
  return {m, coordinates(), C, G, H, C_t, C_tt, G_t};
}

VelocityTerms Equations::velocity_terms(const RelativeValues& x, bool second) const {
  thread_local Workspace workspace;
  using Kind = Reading::Kind;
  const int m = static_cast<int>(velocity_.size()), n = 6 + coordinates();
  workspace.begin(static_cast<std::size_t>(m * (2 + 2 * n + (second ? n * n : 0)) + 3 * n));
  double *e = workspace.take(m), *A = workspace.take(m * n), *by_z = workspace.take(m * n),
         *e_t = workspace.take(m);
  double* A_z = second ? workspace.take(m * n * n) : nullptr;
  Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>> by_w_z(workspace.take(3 * n), 3, n);
  thread_local std::vector<Gradient> by;

  for (int row = 0; row < m; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const Jets f(*velocity_[i].formula, x, second);
    const Readings& readings = velocity_readings_[i];
    double *a = A + row * n, *s = by_z + row * n, *a_z = second ? A_z + row * n * n : nullptr;
    e[row] = f.value;
    Vec3 by_w = Vec3::Zero();  // de/dw_AB_A
    by_w_z.setZero();
    by.resize(readings.size());
    for (std::size_t k = 0; k < readings.size(); ++k) {
      const Reading& reading = readings[k];
      by[k] = gradient_of(reading, x.R_AB);
      add(f.gradient[k], by[k], s);
      if (reading.kind == Kind::velocity) a[reading.index] += f.gradient[k];
      if (reading.kind == Kind::spin) by_w[reading.index] += f.gradient[k];
      if (reading.kind == Kind::time) e_t[row] = f.gradient[k];
    }
    // w_AB_A = R_AB w_AB_B, with R_AB <- R_AB exp(dtheta~).
    const Vec3 by_spin = x.R_AB.transpose() * by_w;
    Eigen::Map<Vec3>(a + 3) += by_spin;
    Eigen::Map<Vec3>(s + 3) += x.w_AB_B.cross(by_spin);
    if (!second) continue;
    for (std::size_t k = 0; k < readings.size(); ++k) {
      if (readings[k].kind != Kind::velocity && readings[k].kind != Kind::spin) continue;
      double* to = readings[k].kind == Kind::velocity ? a_z + readings[k].index * n
                                                      : by_w_z.row(readings[k].index).data();
      for (std::size_t l = 0; l < readings.size(); ++l) add(k > l ? f.h(k, l) : f.h(l, k), by[l], to);
    }
    for (int r = 0; r < 3; ++r)
      for (int column = 0; column < n; ++column)
        a_z[(3 + r) * n + column] += x.R_AB.col(r).dot(by_w_z.col(column));
    const Mat3 turned = skew(by_spin);
    for (int r = 0; r < 3; ++r)
      for (int column = 0; column < 3; ++column) a_z[(3 + r) * n + 3 + column] += turned(r, column);
  }
  return {m, n, e, A, by_z, A_z, e_t};
}

}  // namespace trammel::formula
