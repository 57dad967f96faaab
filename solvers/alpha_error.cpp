#include "solvers/alpha_error.hpp"

#include "solvers/smoothed_difference.hpp"
#include "trammel/index.hpp"

namespace trammel {

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

void AlphaError::estimate(double h, double time, const State& end, std::span<const double> a, bool event,
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
               of_velocities = h3 * of_rates(c.time_shift(), c.alpha_m, c.gamma),
               of_states = h3 * of_rates(c.time_shift1(), c.alpha_m1, c.gamma1);
  const Surprise unexpected = event ? surprise(times, weight_) : Surprise{};
  out.displacement.assign(nodes_.back().a.size(), 0.0);
  out.velocity.assign(nodes_.back().a.size(), 0.0);
  out.between.assign(nodes_.back().a.size(), 0.0);
  out.knows_between = full();
  each_with_error(*layout_, [&](const UnknownBlock& u, std::size_t packed) {
    for (int k = 0; k < u.size; ++k, ++packed) {
      const std::size_t i = at(u.offset.dof + k);
      double jerk = first[0] * a[i], snap = second[0] * a[i];
      for (std::size_t n = 1; n < times.size(); ++n) {
        const double before = nodes_[nodes_.size() - n].a[packed];
        jerk += first[n] * before;
        snap += second[n] * before;
      }
      if (u.kind == BlockKind::state) {
        out.displacement[packed] = of_states * snap;
      } else {
        out.displacement[packed] = of_displacements * jerk;
        if (out.knows_between) out.between[packed] = h * h3 / 384 * snap;
        // Where the second derivative is not known yet, the first may have arisen within the step.
        out.velocity[packed] = of_velocities * (second[0] != 0 ? snap : jerk / h);
        if (event) {
          double line = unexpected.of_line[0] * a[i], curve = unexpected.of_curve[0] * a[i];
          for (std::size_t n = 1; n < times.size(); ++n) {
            const double before = nodes_[nodes_.size() - n].a[packed];
            line += unexpected.of_line[n] * before;
            curve += unexpected.of_curve[n] * before;
          }
          const double sudden = c.gamma * h * (std::abs(line) < std::abs(curve) ? line : curve);
          if (std::abs(sudden) > std::abs(out.velocity[packed])) out.velocity[packed] = sudden;
        }
      }
    }
    if (u.kind != BlockKind::rotation) return;
    const Eigen::Map<const Vec3> w(&end.rate[at(u.offset.dof)]), turn(&end.acceleration[at(u.offset.dof)]);
    Eigen::Map<Vec3>(&out.displacement[packed - 3]) += h3 / 12 * w.cross(turn);
  });
}

std::vector<double> AlphaError::changes(double time, std::span<const double> a,
                                        std::span<const double> weights) const {
  Node newest;
  newest.time = time;
  pack(a, newest.a);
  std::vector<double> all;
  const Node* to = &newest;
  for (std::size_t n = nodes_.size(); n-- > (full() ? 1U : 0U);) {  // as many as `add` would keep
    const Node& from = nodes_[n];
    double sum = 0;
    for (std::size_t i = 0; i < to->a.size(); ++i)
      sum += weights[i] * (to->a[i] - from.a[i]) * (to->a[i] - from.a[i]);
    all.push_back(sum / ((to->time - from.time) * (to->time - from.time)));
    to = &from;
  }
  return all;
}

}  // namespace trammel
