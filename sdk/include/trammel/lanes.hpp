#pragma once

#include <cmath>

#include <Eigen/Core>

namespace trammel {

/// A number of each of several elements, or of whatever is computed alike: one operation works on all of them, in one instruction where
/// the processor has registers of that width. A scalar for Eigen's matrices of fixed size.
class Lanes {
 public:
  static constexpr int count = 4;
  /// Aligned as Eigen's storage is (EIGEN_MAX_ALIGN_BYTES). A typedef: clang ignores `aligned` after `using`.
  // NOLINTNEXTLINE(modernize-use-using)
  typedef double Vector __attribute__((vector_size(count * sizeof(double)), aligned(16)));

  Lanes() = default;
  Lanes(double all) : v_(Vector{} + all) {}
  explicit Lanes(const Vector& v) : v_(v) {}

  double operator[](int lane) const { return v_[lane]; }
  void set(int lane, double x) { v_[lane] = x; }

  Lanes& operator+=(const Lanes& b) { return v_ += b.v_, *this; }
  Lanes& operator-=(const Lanes& b) { return v_ -= b.v_, *this; }
  Lanes& operator*=(const Lanes& b) { return v_ *= b.v_, *this; }
  friend Lanes operator+(const Lanes& a, const Lanes& b) { return Lanes(a.v_ + b.v_); }
  friend Lanes operator-(const Lanes& a, const Lanes& b) { return Lanes(a.v_ - b.v_); }
  friend Lanes operator*(const Lanes& a, const Lanes& b) { return Lanes(a.v_ * b.v_); }
  friend Lanes operator/(const Lanes& a, const Lanes& b) { return Lanes(a.v_ / b.v_); }
  friend Lanes operator-(const Lanes& a) { return Lanes(-a.v_); }
  /// Whether it holds in all lanes.
  friend bool all_less(const Lanes& a, const Lanes& b) {
    const auto less = a.v_ < b.v_;
    bool all = true;
    for (int lane = 0; lane < count; ++lane) all &= less[lane] != 0;
    return all;
  }
  friend Lanes sqrt(Lanes a) {
    for (int lane = 0; lane < count; ++lane) a.v_[lane] = std::sqrt(a.v_[lane]);
    return a;
  }

 private:
  Vector v_;
};

}  // namespace trammel

namespace Eigen {

template <>
struct NumTraits<trammel::Lanes> : GenericNumTraits<double> {
  using Real = trammel::Lanes;
  using NonInteger = trammel::Lanes;
  using Nested = trammel::Lanes;
  using Literal = trammel::Lanes;
  enum { RequireInitialization = 0, ReadCost = 1, AddCost = 1, MulCost = 1 };
};

}  // namespace Eigen
