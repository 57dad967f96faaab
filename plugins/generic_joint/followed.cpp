#include "followed.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace trammel::generic_joint {

namespace {

class Followed final : public Function {
 public:
  Followed(FunctionPtr f, std::shared_ptr<const FollowedSignals> signals, std::vector<int> indices)
      : Function(f->text(), {}, f->where()),
        f_(std::move(f)),
        signals_(std::move(signals)),
        indices_(std::move(indices)) {}

 private:
  Jet do_at(double t) const override {
    const std::size_t n = indices_.size();
    std::array<double, max_signals> values{};
    FunctionValue::Vector rates(static_cast<Eigen::Index>(n)), second_rates(static_cast<Eigen::Index>(n));
    for (std::size_t i = 0; i < n; ++i) {
      const Jet s = signals_->at(indices_[i], t);
      values[i] = s.value;
      rates[static_cast<Eigen::Index>(i)] = s.first;
      second_rates[static_cast<Eigen::Index>(i)] = s.second;
    }
    FunctionValue out;
    f_->evaluate(t, std::span(values).first(n), out);
    return {out.value, out.rate(rates), out.second_rate(rates, second_rates)};
  }

  FunctionPtr f_;
  std::shared_ptr<const FollowedSignals> signals_;
  std::vector<int> indices_;
};

}  // namespace

int FollowedSignals::add(const std::shared_ptr<const Signal>& signal) {
  const auto found = std::ranges::find(readings_, signal, &Reading::signal);
  if (found != readings_.end()) return static_cast<int>(found - readings_.begin());
  readings_.push_back({signal, static_cast<int>(blocks_.size()), {}});
  for (const BlockId id : signal->blocks()) blocks_.push_back(id);
  return static_cast<int>(readings_.size()) - 1;
}

void FollowedSignals::update(const LocalState& x, int first) {
  time_ = x.time();
  SignalValue value;
  for (Reading& reading : readings_) {
    reading.signal->evaluate(x, first + reading.first_block, false, value);
    reading.last = {value.value, value.rate, value.second_rate};
  }
}

std::vector<double> FollowedSignals::history() const {
  std::vector<double> h{time_};
  for (const Reading& r : readings_) h.insert(h.end(), {r.last.value, r.last.first, r.last.second});
  return h;
}

void FollowedSignals::restore(std::span<const double> history) {
  time_ = history[0];
  for (std::size_t i = 0; i < readings_.size(); ++i)
    readings_[i].last = {history[3 * i + 1], history[3 * i + 2], history[3 * i + 3]};
}

FunctionPtr followed(FunctionPtr f, std::shared_ptr<const FollowedSignals> signals,
                     std::vector<int> indices) {
  return std::make_shared<Followed>(std::move(f), std::move(signals), std::move(indices));
}

}  // namespace trammel::generic_joint
