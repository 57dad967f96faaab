#include "solvers/errors/alpha_error.hpp"

#include <array>
#include <cmath>

#include "solvers/errors/smoothed_difference.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {
// Where accelerations change so many times faster than in the steps before, derivatives over these steps miss part of the change.
// (Near an extremum of smooth accelerations they change up to twice as fast.)
constexpr double noticed = 2.5;
}  // namespace

void AlphaError::add(double time, std::span<const double> a) {
  Node node;
  if (nodes_.size() == most_nodes) {
    node = std::move(nodes_.front());
    nodes_.erase(nodes_.begin());
  }
  node.time = time;
  pack(a, node.a);
  nodes_.push_back(std::move(node));
}

void AlphaError::pack(std::span<const double> a, std::vector<double>& to) const {
  to.clear();
  each_with_error(*layout_, [&](const UnknownBlock& u, std::size_t) {
    to.insert(to.end(), a.begin() + u.offset.dof, a.begin() + u.offset.dof + u.size);
  });
}

double AlphaError::weigh(std::span<const double> weights, double newest, std::size_t packed) const {
  double sum = weights[0] * newest;
  for (std::size_t n = 1; n < weights.size(); ++n) sum += weights[n] * nodes_[nodes_.size() - n].a[packed];
  return sum;
}

void AlphaError::estimate(double h, double time, const State& end, std::span<const double> a, double faster,
                          LocalError& out) const {
  std::vector<double> times{time};
  for (std::size_t k = nodes_.size(); k-- > 0;) times.push_back(nodes_[k].time);
  const std::vector<double> first = smoothed_difference(times, 1, weight_),
                            second = smoothed_difference(times, 2, weight_);
  const AlphaCoefficients& c = alpha_;
  const auto of_rates = [](double shift, double alpha_m, double gamma) {
    return shift * (alpha_m - 0.5) + gamma * (0.5 + shift) - 1.0 / 6;
  };
  const double h3 = h * h * h, of_displacements = h3 * c.kappa(),
               smooth = of_rates(c.time_shift(), c.alpha_m, c.gamma), of_velocities = h3 * smooth,
               of_states = h3 * of_rates(c.time_shift1(), c.alpha_m1, c.gamma1);
  out.displacement.assign(nodes_.back().a.size(), 0.0);
  out.velocity.assign(nodes_.back().a.size(), 0.0);
  out.between.assign(nodes_.back().a.size(), 0.0);
  out.knows_between = full();
  out.of_jerk = c.kappa();
  out.of_snap = smooth;
  // Where the second derivative is not known yet, the first may have arisen within the step.
  const double of_jerk = second[0] != 0 ? 0 : of_velocities / h, of_snap = second[0] != 0 ? of_velocities : 0;
  const double between = out.knows_between ? h * h3 / 384 : 0;
  std::array<const double*, most_nodes> earlier{};  // the last one first
  for (std::size_t n = 0; n < nodes_.size(); ++n) earlier[n] = nodes_[nodes_.size() - 1 - n].a.data();
  each_with_error(*layout_, [&](const UnknownBlock& u, std::size_t packed) {
    for (int k = 0; k < u.size; ++k, ++packed) {
      const double newest = a[at(u.offset.dof + k)];
      double jerk = first[0] * newest, snap = second[0] * newest;
      for (std::size_t n = 0; n < nodes_.size(); ++n) {
        jerk += first[n + 1] * earlier[n][packed];
        snap += second[n + 1] * earlier[n][packed];
      }
      if (u.kind == BlockKind::state) {
        out.displacement[packed] = of_states * snap;
        continue;
      }
      out.displacement[packed] = of_displacements * jerk;
      out.between[packed] = between * snap;
      out.velocity[packed] = of_snap * snap + of_jerk * jerk;
    }
    if (u.kind != BlockKind::rotation) return;
    const Eigen::Map<const Vec3> w(&end.rate[at(u.offset.dof)]), turn(&end.acceleration[at(u.offset.dof)]);
    Eigen::Map<Vec3>(&out.displacement[packed - 3]) += h3 / 12 * w.cross(turn);
  });
  // Fewer values, after a start, may still alternate.
  if (full() ? faster > noticed : std::isinf(faster))
    include_unexpected(times, a, h * c.gamma / (1 + (c.gamma / smooth - 1) / faster), out);
}

void AlphaError::include_unexpected(std::span<const double> times, std::span<const double> a, double most,
                                    LocalError& out) const {
  const Surprise unexpected = surprise(times, weight_);
  each_with_error(*layout_, [&](const UnknownBlock& u, std::size_t packed) {
    if (u.kind == BlockKind::state) return;
    for (int k = 0; k < u.size; ++k, ++packed) {
      const double newest = a[at(u.offset.dof + k)], line = weigh(unexpected.of_line, newest, packed),
                   curve = weigh(unexpected.of_curve, newest, packed),
                   error = most * (std::abs(line) < std::abs(curve) ? line : curve);
      if (std::abs(error) > std::abs(out.velocity[packed])) out.velocity[packed] = error;
    }
  });
}

std::vector<double> AlphaError::changes(double time, std::span<const double> a,
                                        std::span<const double> weights) const {
  const std::size_t oldest = full() ? 1 : 0;  // as many as `add` would keep
  std::vector<double> all(nodes_.size() - oldest, 0.0);
  each_with_error(*layout_, [&](const UnknownBlock& u, std::size_t packed) {
    for (int k = 0; k < u.size; ++k, ++packed) {
      double to = a[at(u.offset.dof + k)];
      for (std::size_t n = 0; n < all.size(); ++n) {
        const double from = nodes_[nodes_.size() - 1 - n].a[packed];
        all[n] += weights[packed] * (to - from) * (to - from);
        to = from;
      }
    }
  });
  for (std::size_t n = 0; n < all.size(); ++n) {
    const double from = nodes_[nodes_.size() - 1 - n].time;
    all[n] /= (time - from) * (time - from);
    time = from;
  }
  return all;
}

}  // namespace trammel
