#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trammel/linear_algebra.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

/// The quantities that the solver requests from `evaluate`, all at the given state.
struct Request {
  bool tangent = false;  ///< K, D and M besides the residual
  bool rates = false;    ///< rows of position constraints at velocity level: B v + C_t, and their gradient
  bool bias = false;     ///< the acceleration-level term: d/dt (B v + C_t) = B a + bias
  /// Compliant constraints are evaluated at multipliers of zero, as index 2 and index 1 need. The kernel does this; an element
  /// can ignore it.
  bool rigid = false;
  /// False: of K only the rows and columns of multipliers count. An element can ignore it.
  bool stiffness = true;
  std::uint32_t reserved = 0;
};

/// Whether a constraint needs the second derivatives of its equations for `request`.
constexpr bool needs_curvature(const Request& request) {
  return request.bias || (request.tangent && (request.stiffness || request.rates));
}

using VectorMap = Eigen::Map<Eigen::VectorXd>;
using MatrixMap = Eigen::Map<Eigen::MatrixXd>;

/// The contribution of one element to the residual r(q, v, a, lambda, t) and to its tangents. Rows and columns are in the order of
/// the element's stencil.
///
/// Sign: r = inertia + internal forces - applied forces + B^T lambda; in the rows of a multiplier r = C, in the rows
/// of a velocity multiplier r = A v + b, in the rows of a state r = y' - f. K = dr/dq along body-frame rotation
/// increments (R <- R exp(dtheta~)), D = dr/dv, M = dr/da; for the columns of a state D = dr/dy'.
/// The rows of K of a position constraint are its B.
///
/// A matrix is set to zero at its first use. A matrix that is never used costs nothing.
class LocalSystem {
 public:
  explicit LocalSystem(const Request& asked) : request(asked) {}

  const Request request;

  int size() const { return n_; }

  VectorMap residual() { return VectorMap(r_.data(), n_); }
  MatrixMap K() { return matrix(K_, 1U); }
  MatrixMap D() { return matrix(D_, 2U); }
  MatrixMap M() { return matrix(M_, 4U); }

  /// To be filled if `request.rates`: (B v + C_t)_i in row i of a multiplier.
  VectorMap rate() { return vector(rate_, 8U); }
  /// d(B v + C_t)/dq by the increments at fixed v, in the rows of multipliers.
  MatrixMap rate_gradient() { return matrix(rate_gradient_, 16U); }
  /// To be filled if `request.bias`: the bias in the rows of multipliers. For a constraint that does not depend on time it is
  /// rate_gradient() v.
  VectorMap bias() { return vector(bias_, 32U); }

  bool has_K() const { return (used_ & 1U) != 0; }
  bool has_D() const { return (used_ & 2U) != 0; }
  bool has_M() const { return (used_ & 4U) != 0; }
  bool has_rate() const { return (used_ & 8U) != 0; }
  bool has_rate_gradient() const { return (used_ & 16U) != 0; }
  bool has_bias() const { return (used_ & 32U) != 0; }

  /// Called by the kernel before it evaluates an element with n degrees of freedom.
  void begin(int n) {
    n_ = n;
    used_ = 0;
    const auto need = static_cast<std::size_t>(n);
    if (r_.size() < need) [[unlikely]]
      grow(need);
    set_zero(r_);
  }

 private:
  using Buffer = std::vector<double, Eigen::aligned_allocator<double>>;
  static constexpr int at_once = 4;

  // Not inline, so that `begin` is.
  [[gnu::noinline]] void grow(std::size_t n) {
    n = (n + at_once - 1) / at_once * at_once;
    for (Buffer* b : {&r_, &rate_, &bias_}) b->resize(n);
    for (Buffer* b : {&K_, &D_, &M_, &rate_gradient_}) b->resize(n * n);
  }
  /// Several at a time: most elements have so few rows that a call of memset costs more.
  void set_zero(Buffer& b) const {
    double* const end = b.data() + n_;
    for (double* rows = b.data(); rows < end; rows += at_once)
      Eigen::Map<Eigen::Matrix<double, at_once, 1>, Eigen::AlignedMax>(rows).setZero();
  }
  MatrixMap matrix(Buffer& b, unsigned bit) {
    MatrixMap m(b.data(), n_, n_);
    if ((used_ & bit) == 0) {
      m.setZero();
      used_ |= bit;
    }
    return m;
  }
  VectorMap vector(Buffer& b, unsigned bit) {
    if ((used_ & bit) == 0) {
      set_zero(b);
      used_ |= bit;
    }
    return VectorMap(b.data(), n_);
  }

  int n_ = 0;
  unsigned used_ = 0;
  Buffer r_, rate_, bias_, K_, D_, M_, rate_gradient_;
  Reserved<6> reserved_;
};

/// One local system for each kind of request. Its buffers grow to the size of the largest element, and are reused.
class LocalSystems {
 public:
  LocalSystem& of(const Request& request) {
    auto& system =
        systems_[(request.tangent ? 1U : 0U) + (request.rates ? 2U : 0U) + (request.bias ? 4U : 0U) +
                 (request.rigid ? 8U : 0U) + (request.stiffness ? 16U : 0U)];
    if (!system) system = std::make_unique<LocalSystem>(request);
    return *system;
  }

 private:
  std::array<std::unique_ptr<LocalSystem>, 32> systems_;
};

}  // namespace trammel
