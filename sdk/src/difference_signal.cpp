#include "trammel/difference_signal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "trammel/lie.hpp"
#include "trammel/local_copy.hpp"

namespace trammel {

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// Central difference of fourth order of f(moved by s), s in steps of h.
template <class F>
double difference(double h, const F& f) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

}  // namespace

void DifferenceSignal::take(BlockId id, const Block& block) {
  constexpr double turn = 1e-3, shift = 3e-5, speed = 1e-5;
  Part& part = parts_.back();
  Moved moved{block.kind, block.size, turn, speed};
  const Measure measure = block.measure(0);
  if (is_multiplier(block.kind))
    moved.step = 1e-2;
  else if (measure.is_length())
    moved.step = shift * (length_ > 0 ? length_ : 1.0);
  else if (measure.dimension == Dimension::nominal)
    moved.step = shift * measure.size;
  if (measure.dimension == Dimension::nominal) moved.rate_step = speed * measure.size;
  part.ids.push_back(id);
  part.moved.push_back(moved);
  part.dofs += block.size;
  dofs_ += block.size;
}

std::vector<BlockId> DifferenceSignal::blocks() const {
  std::vector<BlockId> all;
  for (const Part& part : parts_) all.insert(all.end(), part.ids.begin(), part.ids.end());
  return all;
}

void DifferenceSignal::evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const {
  if (derivatives) {
    out.gradient.setZero(dofs_);
    out.by_rate.setZero(dofs_);
    out.by_second_rate.setZero(dofs_);
    out.second.resize(0, 0);
  }
  double sum = 0;
  int column = 0;
  for (int number = 0; number < static_cast<int>(parts_.size()); ++number) {
    const Part& part = parts_[static_cast<std::size_t>(number)];
    const NestedScratch<LocalCopy> scratch;
    LocalCopy& numbers = *scratch;
    numbers.clear(x.time());
    for (const Moved& block : part.moved) numbers.take(x, first++, block.kind, block.size);
    sum += value(number, numbers.local());
    if (derivatives) add_differences(number, numbers, column, out);
    column += part.dofs;
  }
  out.value = sum;
  out.rate = out.second_rate = not_known;
  if (!derivatives) return;
  if (out.by_rate.isZero(0)) out.by_rate.resize(0);
  if (out.by_second_rate.isZero(0)) out.by_second_rate.resize(0);
}

void DifferenceSignal::add_differences(int number, LocalCopy& numbers, int column, SignalValue& out) const {
  const Part& part = parts_[static_cast<std::size_t>(number)];
  const auto along = [&](double h, double& of) {
    const double here = of;
    const double slope = difference(h, [&](double s) {
      of = here + s;
      return value(number, numbers.local());
    });
    of = here;
    return slope;
  };
  for (std::size_t k = 0; k < part.moved.size(); ++k) {
    const Moved& block = part.moved[k];
    double* configuration = numbers.state.value.data() + numbers.offsets[k].value;
    const auto dof = static_cast<std::size_t>(numbers.offsets[k].dof);
    for (int i = 0; i < block.size; ++i, ++column) {
      const auto at = dof + static_cast<std::size_t>(i);
      if (block.kind == BlockKind::rotation) {
        const Quaternion here = quaternion_of(configuration);
        std::array<double, 13> kept{};
        std::copy_n(configuration, kept.size(), kept.begin());
        out.gradient[column] = difference(block.step, [&](double s) {
          set_rotation(configuration, here * Quaternion(Eigen::AngleAxisd(s, Vec3::Unit(i))));
          return value(number, numbers.local());
        });
        std::copy_n(kept.begin(), kept.size(), configuration);
      } else {
        const double scale = is_multiplier(block.kind) ? std::max(1.0, std::abs(configuration[i])) : 1.0;
        out.gradient[column] = along(block.step * scale, configuration[i]);
      }
      if (has_rate(block.kind)) {
        double& rate = numbers.state.rate[at];
        out.by_rate[column] = along(block.rate_step * std::max(1.0, std::abs(rate)), rate);
      }
      if (is_kinematic(block.kind)) {
        double& second = numbers.state.acceleration[at];
        out.by_second_rate[column] = along(1e-2 * std::max(1.0, std::abs(second)), second);
      }
    }
  }
}

}  // namespace trammel
