#include "followed.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace trammel::generic_joint {

namespace {

class FollowedFunction final : public Function {
 public:
  FollowedFunction(FunctionPtr f, std::shared_ptr<const FollowedSignals> signals, std::vector<int> indices)
      : Function(f->text(), {}, f->where()),
        f_(std::move(f)),
        signals_(std::move(signals)),
        indices_(std::move(indices)) {}

 private:
  Jet do_at(double t) const override {
    const std::size_t n = indices_.size();
    SignalNumbers values(n);
    FunctionValue::Vector rates(static_cast<Eigen::Index>(n)), second_rates(static_cast<Eigen::Index>(n));
    for (std::size_t i = 0; i < n; ++i) {
      const Jet s = signals_->at(indices_[i], t);
      values[i] = s.value;
      rates[static_cast<Eigen::Index>(i)] = s.first;
      second_rates[static_cast<Eigen::Index>(i)] = s.second;
    }
    FunctionValue out;
    f_->evaluate(t, values, out);
    return {out.value, out.rate(rates), out.second_rate(rates, second_rates)};
  }

  FunctionPtr f_;
  std::shared_ptr<const FollowedSignals> signals_;
  std::vector<int> indices_;
};

}  // namespace

int FollowedSignals::add(const std::shared_ptr<const Signal>& signal, const std::string& name) {
  const auto found = std::ranges::find(signals_, signal, &Followed::signal);
  if (found != signals_.end()) return static_cast<int>(found - signals_.begin());
  signals_.push_back({signal, name, static_cast<int>(blocks_.size())});
  readings_.last.push_back({});
  for (const BlockId id : signal->blocks()) blocks_.push_back(id);
  return static_cast<int>(signals_.size()) - 1;
}

void FollowedSignals::update(const LocalState& x, int first) {
  readings_.time = x.time();
  SignalValue value;
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    signals_[i].signal->evaluate(x, first + signals_[i].first_block, false, value);
    signals_[i].knows_rates = !std::isnan(value.rate) && !std::isnan(value.second_rate);
    readings_.last[i] = {value.value, std::isnan(value.rate) ? 0 : value.rate,
                         std::isnan(value.second_rate) ? 0 : value.second_rate};
  }
}

std::string FollowedSignals::without_rates() const {
  const auto found = std::ranges::find(signals_, false, &Followed::knows_rates);
  return found == signals_.end() ? std::string() : found->name;
}

FunctionPtr followed(FunctionPtr f, std::shared_ptr<const FollowedSignals> signals,
                     std::vector<int> indices) {
  return std::make_shared<FollowedFunction>(std::move(f), std::move(signals), std::move(indices));
}

}  // namespace trammel::generic_joint
