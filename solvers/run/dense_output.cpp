#include "solvers/run/dense_output.hpp"

#include "trammel/index.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

/// Hermite's cubic at the part s of a step of size h: how far it has come from its first value, with the whole way
/// and the slopes at the ends.
struct Cubic {
  double way, first, last;
  Cubic(double s, double h)
      : way(s * s * (3 - 2 * s)), first(h * s * (1 - s) * (1 - s)), last(h * s * s * (s - 1)) {}
  template <class X>
  X operator()(const X& whole, const X& slope, const X& last_slope) const {
    return way * whole + first * slope + last * last_slope;
  }
};

}  // namespace

State DenseStep::at(double time) const {
  const double h = end() - begin(), s = h > 0 ? (time - begin()) / h : 1.0;
  const Cubic cubic(s, h);
  State state = begin_;
  state.time = time;
  for (const UnknownBlock& u : layout_.unknowns()) {
    const std::size_t v = trammel::at(u.offset.value), d = trammel::at(u.offset.dof);
    const auto size = trammel::at(u.size);
    const auto linear = [&](const std::vector<double>& from, const std::vector<double>& to, std::size_t i) {
      return (1 - s) * from[i] + s * to[i];
    };
    if (!has_rate(u.kind)) {
      for (std::size_t i = v; i < v + size; ++i) state.value[i] = linear(begin_.value, end_.value, i);
      continue;
    }
    if (u.kind == BlockKind::rotation) {
      using Vector = Eigen::Map<const Vec3>;
      const Quaternion start = quaternion_of(&begin_.value[v]);
      const Vec3 whole = so3::log(start.conjugate() * quaternion_of(&end_.value[v]));
      const Vec3 x =
          cubic(whole, Vec3(Vector(&begin_.rate[d])), Vec3(so3::T_inverse(whole) * Vector(&end_.rate[d])));
      set_rotation(&state.value[v], (start * so3::exp_quaternion(x)).normalized());
    } else {
      for (std::size_t k = 0; k < size; ++k) {
        const double before = begin_.compensation[d + k], after = end_.compensation[d + k];
        const double whole = (end_.value[v + k] - begin_.value[v + k]) + (after - before);
        set_sum(state.value[v + k], state.compensation[d + k], begin_.value[v + k], before,
                cubic(whole, begin_.rate[d + k], end_.rate[d + k]));
        if (u.kind != BlockKind::position) state.compensation[d + k] = 0;
      }
    }
    for (std::size_t i = d; i < d + size; ++i) {
      if (u.kind == BlockKind::state) {
        state.rate[i] = linear(begin_.rate, end_.rate, i);
        continue;
      }
      state.rate[i] =
          begin_.rate[i] + cubic(end_.rate[i] - begin_.rate[i], begin_.acceleration[i], end_.acceleration[i]);
      state.acceleration[i] = linear(begin_.acceleration, end_.acceleration, i);
    }
  }
  layout_.update_shared(state);
  return state;
}

}  // namespace trammel
