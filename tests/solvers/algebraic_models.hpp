#pragma once

#include <cmath>

#include "test_models.hpp"

namespace trammel::testing {

/// Two springs in series from a wall to a coordinate, with the forces a s and b s^3, s the stretch of each: where they meet is a
/// node without mass, the algebraic unknown. Stencil: coordinate, node.
struct Series {
  double a = 100, b = 5000;

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double q = x.value(0)[0], z = x.value(1)[0], s = q - z;
    out.residual()[0] = b * s * s * s;
    out.residual()[1] = a * z - b * s * s * s;
    if (!out.request.tangent) return;
    const double k = 3 * b * s * s;
    out.K() << k, -k, -k, a + k;
  }
  Energy energy(const LocalState& x) const {
    const double z = x.value(1)[0], s = x.value(0)[0] - z;
    Energy e;
    e.strain = 0.5 * a * z * z + 0.25 * b * s * s * s * s;
    return e;
  }
};

/// Where the node of a Series stands for a given end: a z = b (q - z)^3, the one real root.
inline double node_at(double q, const Series& springs = {}) {
  double s = std::cbrt(springs.a * q / springs.b);
  for (int i = 0; i < 100; ++i)  // a (q - s) = b s^3, convex from here
    s -= (springs.b * s * s * s + springs.a * s - springs.a * q) / (3 * springs.b * s * s + springs.a);
  return q - s;
}

/// The first number of a block, or its rate, on every rank.
inline double on_all_ranks(const TestSystem& s, const State& state, BlockId id, bool rate = false) {
  const UnknownBlock* u = s.layout->knows(id) ? s.layout->unknown_of(id) : nullptr;
  double known = 0;
  if (u != nullptr && u->owned) known = rate ? *s.rate(state, id) : *s.value(state, id);
  MPI_Allreduce(MPI_IN_PLACE, &known, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  return known;
}

inline Stage dynamic(DynamicStage::Form form, double until, double step) {
  DynamicStage d;
  d.until = until;
  d.step = step;
  d.form = form;
  d.start = DynamicStage::Start::consistent;
  return {"", d};
}

inline constexpr DynamicStage::Form forms[] = {DynamicStage::Form::index3, DynamicStage::Form::projected,
                                               DynamicStage::Form::index2, DynamicStage::Form::index1};

}  // namespace trammel::testing
