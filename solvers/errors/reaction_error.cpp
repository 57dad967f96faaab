#include "solvers/errors/reaction_error.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/errors/smoothed_difference.hpp"
#include "solvers/ranks/largest_of_ranks.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {
// The range of a channel counts as at least this part of the largest.
constexpr double least_part = 0.1;
}  // namespace

ReactionError::ReactionError(const Layout& layout, const Model& model, double coefficient, double radius,
                             double length)
    : layout_(&layout),
      model_(&model),
      coefficient_(coefficient),
      weight_(std::max(radius, 0.5)),
      length_(length > 0 ? length : 1.0) {}

template <class Use>
void ReactionError::each_channel(Use&& use) const {
  std::size_t packed = 0;
  for (const UnknownBlock& u : layout_->unknowns()) {
    if (!u.owned || !is_multiplier(u.kind)) continue;
    use(u, packed);
    packed += at(u.size);
  }
}

ReactionError::Node ReactionError::node(const State& now) const {
  Node out;
  out.time = now.time;
  each_channel([&](const UnknownBlock& u, std::size_t) {
    for (int k = 0; k < u.size; ++k) {
      const Measure measure = model_->block(u.block).measure(k);
      const double over = measure.is_length() ? 1.0 : measure.is_angle() ? length_ : length_ / measure.size;
      out.forces.push_back(now.value[at(u.offset.value + k)] / over);
    }
  });
  return out;
}

double ReactionError::take(const State& now, double h) {
  if (coefficient_ == 0) return 0;
  Node last = node(now);
  if (nodes_.size() == most_nodes) nodes_.erase(nodes_.begin());
  nodes_.push_back(std::move(last));
  const std::vector<double>& forces = nodes_.back().forces;
  if (low_.empty()) low_ = high_ = forces;
  for (std::size_t i = 0; i < forces.size(); ++i) {
    low_[i] = std::min(low_[i], forces[i]);
    high_[i] = std::max(high_[i], forces[i]);
  }
  const auto norm = [](const UnknownBlock& u, auto&& number) {
    double square = 0;
    for (int k = 0; k < u.size; ++k) square += number(at(k)) * number(at(k));
    return std::sqrt(square);
  };
  const auto range = [&](const UnknownBlock& u, std::size_t packed) {
    return norm(u, [&](std::size_t k) { return high_[packed + k] - low_[packed + k]; });
  };
  each_channel([&](const UnknownBlock& u, std::size_t packed) {
    largest_ =
        std::max({largest_, range(u, packed), norm(u, [&](std::size_t k) { return forces[packed + k]; })});
  });

  std::vector<double> times;
  for (std::size_t k = nodes_.size(); k-- > 0;) times.push_back(nodes_[k].time);
  const std::vector<double> second = smoothed_difference(times, 2, weight_);
  MPI_Allreduce(MPI_IN_PLACE, &largest_, 1, MPI_DOUBLE, MPI_MAX, layout_->comm());
  error_ = 0;
  worst_ = -1;
  each_channel([&](const UnknownBlock& u, std::size_t packed) {
    const double error = std::abs(coefficient_) * h * h * norm(u, [&](std::size_t k) {
                           double curvature = 0;
                           for (std::size_t j = 0; j < times.size(); ++j)
                             curvature += second[j] * nodes_[nodes_.size() - 1 - j].forces[packed + k];
                           return curvature;
                         });
    const double span = std::max(range(u, packed), least_part * largest_);
    if (!(span > 0) || !(error / span > error_)) return;
    error_ = error / span;
    worst_ = static_cast<int>(&u - layout_->unknowns().data());
  });
  double largest_error = error_;
  MPI_Allreduce(MPI_IN_PLACE, &largest_error, 1, MPI_DOUBLE, MPI_MAX, layout_->comm());
  return largest_error;
}

std::string ReactionError::worst() const {
  std::string where = worst_ < 0 ? "" : model_->block_name(layout_->unknowns()[at(worst_)].block);
  return largest_of_ranks({error_, std::move(where)}, layout_->comm()).where;
}

void ReactionError::serialize(Archive& archive) {
  std::size_t count = nodes_.size();
  archive(count, largest_);
  nodes_.resize(count);
  constexpr auto multipliers = [](BlockKind kind) { return is_multiplier(kind); };
  for (Node& node : nodes_) {
    archive(node.time);
    serialize_by_block(archive, *layout_, node.forces, multipliers);
  }
  serialize_by_block(archive, *layout_, low_, multipliers);
  serialize_by_block(archive, *layout_, high_, multipliers);
}

}  // namespace trammel
