#pragma once

#include <array>
#include <cmath>
#include <utility>

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
  // As one number: GCC copies a struct in parts of 16 bytes.
  Lanes(const Lanes& other) : v_(other.v_) {}
  Lanes& operator=(const Lanes& other) { return v_ = other.v_, *this; }
  Lanes(double all) : v_(Vector{} + all) {}
  explicit Lanes(const Vector& v) : v_(v) {}

  double operator[](int lane) const { return v_[lane]; }
  const Vector& vector() const { return v_; }
  void set(int lane, double x) { v_[lane] = x; }
  /// One number for each lane, in a row; at any address.
  void read(const double* from) { v_ = *reinterpret_cast<const InMemory*>(from); }
  void write(double* to) const { *reinterpret_cast<InMemory*>(to) = v_; }

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
  friend Lanes sin(Lanes a) {
    for (int lane = 0; lane < count; ++lane) a.v_[lane] = std::sin(a.v_[lane]);
    return a;
  }
  friend Lanes cos(Lanes a) {
    for (int lane = 0; lane < count; ++lane) a.v_[lane] = std::cos(a.v_[lane]);
    return a;
  }
  /// Both of a lane at once: compilers then call sincos.
  friend std::pair<Lanes, Lanes> sin_cos(const Lanes& a) {
    std::pair<Lanes, Lanes> both;
    for (int lane = 0; lane < count; ++lane) {
      both.first.v_[lane] = std::sin(a.v_[lane]);
      both.second.v_[lane] = std::cos(a.v_[lane]);
    }
    return both;
  }

 private:
  // NOLINTNEXTLINE(modernize-use-using)
  typedef double InMemory __attribute__((vector_size(count * sizeof(double)), aligned(8), may_alias));

  Vector v_;
};

namespace detail {

// NOLINTNEXTLINE(modernize-use-using)
typedef double PairInMemory
    __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

/// Two numbers of each lane.
inline void read_pairs(const std::array<const double*, Lanes::count>& from, int i, Lanes* to) {
  static_assert(Lanes::count == 4);
  const auto of = [&](std::size_t k) { return *reinterpret_cast<const PairInMemory*>(from[k] + i); };
  const Lanes::Vector ac = __builtin_shufflevector(of(0), of(2), 0, 1, 2, 3),
                      bd = __builtin_shufflevector(of(1), of(3), 0, 1, 2, 3);
  to[0] = Lanes(__builtin_shufflevector(ac, bd, 0, 4, 2, 6));
  to[1] = Lanes(__builtin_shufflevector(ac, bd, 1, 5, 3, 7));
}
inline void write_pairs(const Lanes* from, const std::array<double*, Lanes::count>& to, int i) {
  const Lanes::Vector &first = from[0].vector(), &second = from[1].vector();
  // Not by references to such pairs: through one, clang takes their address to be aligned.
  *reinterpret_cast<PairInMemory*>(to[0] + i) = __builtin_shufflevector(first, second, 0, 4);
  *reinterpret_cast<PairInMemory*>(to[1] + i) = __builtin_shufflevector(first, second, 1, 5);
  *reinterpret_cast<PairInMemory*>(to[2] + i) = __builtin_shufflevector(first, second, 2, 6);
  *reinterpret_cast<PairInMemory*>(to[3] + i) = __builtin_shufflevector(first, second, 3, 7);
}

/// Lane k of number i becomes lane i of number k.
inline void transpose(std::array<Lanes, Lanes::count>& all) {
  static_assert(Lanes::count == 4);
  const Lanes::Vector &a = all[0].vector(), &b = all[1].vector(), &c = all[2].vector(), &d = all[3].vector();
  const Lanes::Vector even_ab = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                      odd_ab = __builtin_shufflevector(a, b, 1, 5, 3, 7),
                      even_cd = __builtin_shufflevector(c, d, 0, 4, 2, 6),
                      odd_cd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  all[0] = Lanes(__builtin_shufflevector(even_ab, even_cd, 0, 1, 4, 5));
  all[1] = Lanes(__builtin_shufflevector(odd_ab, odd_cd, 0, 1, 4, 5));
  all[2] = Lanes(__builtin_shufflevector(even_ab, even_cd, 2, 3, 6, 7));
  all[3] = Lanes(__builtin_shufflevector(odd_ab, odd_cd, 2, 3, 6, 7));
}

}  // namespace detail

/// One number for each lane, of(k) for lane k.
template <class Of>
Lanes lanes_of(Of&& of) {
  static_assert(Lanes::count == 4);
  return Lanes(Lanes::Vector{of(0), of(1), of(2), of(3)});
}

/// A matrix of fixed size, or a vector, for each lane. Those of lane k are at of(k), in the order in which Matrix stores its numbers.
template <class Matrix, class Of>
Matrix read_lanes(Of&& of) {
  constexpr int n = Matrix::SizeAtCompileTime;
  std::array<const double*, Lanes::count> from;
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = of(k);
  Matrix all;
  Lanes* const to = all.data();
  int i = 0;
  for (; i + Lanes::count <= n; i += Lanes::count) {
    std::array<Lanes, Lanes::count> v;
    for (std::size_t k = 0; k < v.size(); ++k) v[k].read(from[k] + i);
    detail::transpose(v);
    for (std::size_t k = 0; k < v.size(); ++k) to[i + static_cast<int>(k)] = v[k];
  }
  for (; i + 2 <= n; i += 2) detail::read_pairs(from, i, to + i);
  for (; i < n; ++i) to[i] = lanes_of([&](std::size_t k) { return from[k][i]; });
  return all;
}
/// Writes a matrix of fixed size: the numbers of lane k from of(k) on.
template <class Matrix, class Of>
void write_lanes(const Matrix& all, Of&& of) {
  constexpr int n = Matrix::SizeAtCompileTime;
  std::array<double*, Lanes::count> to;
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = of(k);
  int i = 0;
  for (; i + Lanes::count <= n; i += Lanes::count) {
    std::array<Lanes, Lanes::count> v;
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = all.data()[i + static_cast<int>(k)];
    detail::transpose(v);
    for (std::size_t k = 0; k < v.size(); ++k) v[k].write(to[k] + i);
  }
  for (; i + 2 <= n; i += 2) detail::write_pairs(all.data() + i, to, i);
  for (; i < n; ++i)
    for (std::size_t k = 0; k < to.size(); ++k) to[k][i] = all.data()[i][static_cast<int>(k)];
}

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
