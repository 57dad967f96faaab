#include "solvers/alpha_error.hpp"

#include <algorithm>
#include <cmath>

#include "trammel/index.hpp"

namespace trammel {

namespace {

template <class Use>
void each_owned(const Layout& layout, Use&& use) {
  for (const UnknownBlock& u : layout.unknowns())
    if (u.owned && has_rate(u.kind)) use(u);
}

}  // namespace

void AlphaError::add(double time, std::span<const double> a) {
  Node node;
  // A node very close to the last one would only add rounding errors to the differences.
  constexpr double least_gap = 0.1;
  const std::size_t n = nodes_.size();
  if (n >= 2 && time - nodes_[n - 1].time < least_gap * (nodes_[n - 1].time - nodes_[n - 2].time)) {
    node = std::move(nodes_.back());
    nodes_.pop_back();
  } else if (n == most_nodes) {
    node = std::move(nodes_.front());
    nodes_.erase(nodes_.begin());
  }
  node.time = time;
  node.a.clear();
  each_owned(*layout_, [&](const UnknownBlock& u) {
    node.a.insert(node.a.end(), a.begin() + u.offset.dof, a.begin() + u.offset.dof + u.size);
  });
  nodes_.push_back(std::move(node));
}

AlphaError::Weights AlphaError::derivative(std::span<const double> times, int order) const {
  const std::size_t n = times.size(), points = at(order) + 1;
  Weights weights(n, 0.0);
  if (n < points) return weights;
  // Averages of the accelerations from each step back.
  std::vector<double> average{1.0};
  for (std::size_t pass = std::min<std::size_t>(2, n - points); pass > 0; --pass) {
    average.push_back(0);
    for (std::size_t i = average.size(); i-- > 0;)
      average[i] = (average[i] + (i > 0 ? weight_ * average[i - 1] : 0.0)) / (1 + weight_);
  }
  std::vector<double> when(points, 0.0);
  for (std::size_t j = 0; j < points; ++j)
    for (std::size_t i = 0; i < average.size(); ++i) when[j] += average[i] * times[i + j];
  std::vector<double> of_points;
  if (order == 1) {
    const double d = when[0] - when[1];
    of_points = {1 / d, -1 / d};
  } else {
    const double d0 = when[0] - when[1], d1 = when[1] - when[2], half = 2 / (when[0] - when[2]);
    of_points = {half / d0, -half * (1 / d0 + 1 / d1), half / d1};
  }
  for (std::size_t j = 0; j < points; ++j)
    for (std::size_t i = 0; i < average.size(); ++i) weights[i + j] += of_points[j] * average[i];
  return weights;
}

void AlphaError::estimate(double h, double time, const State& end, std::span<const double> a,
                          LocalError& out) const {
  std::vector<double> times{time};
  for (std::size_t k = nodes_.size(); k-- > 0;) times.push_back(nodes_[k].time);
  const Weights first = derivative(times, 1), second = derivative(times, 2);
  const AlphaCoefficients& c = alpha_;
  const auto of_rates = [](double shift, double alpha_m, double gamma) {
    return shift * (alpha_m - 0.5) + gamma * (0.5 + shift) - 1.0 / 6;
  };
  const double h3 = h * h * h, of_displacements = h3 * c.kappa(),
               of_velocities = h3 * of_rates(c.time_shift(), c.alpha_m, c.gamma),
               of_states = h3 * of_rates(c.time_shift1(), c.alpha_m1, c.gamma1);
  out.displacement.assign(nodes_.back().a.size(), 0.0);
  out.velocity.assign(nodes_.back().a.size(), 0.0);
  std::size_t packed = 0;
  each_owned(*layout_, [&](const UnknownBlock& u) {
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
        out.velocity[packed] = of_velocities * snap;
      }
    }
    if (u.kind != BlockKind::rotation) return;
    const Eigen::Map<const Vec3> w(&end.rate[at(u.offset.dof)]), turn(&end.acceleration[at(u.offset.dof)]);
    Eigen::Map<Vec3>(&out.displacement[packed - 3]) += h3 / 12 * w.cross(turn);
  });
}

}  // namespace trammel
