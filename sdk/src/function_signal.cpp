#include "trammel/function_signal.hpp"

#include "trammel/error.hpp"

namespace trammel {

namespace {

class FunctionSignal final : public Signal {
 public:
  FunctionSignal(FunctionPtr f, std::vector<std::shared_ptr<const Signal>> of, std::string unit)
      : f_(std::move(f)), of_(std::move(of)), unit_(std::move(unit)) {
    if (of_.size() != f_->signals().size())
      throw Error("the function '" + f_->text() + "' reads " + std::to_string(f_->signals().size()) +
                  " signals, and gets " + std::to_string(of_.size()));
    for (const auto& signal : of_) {
      first_.push_back(static_cast<int>(blocks_.size()));
      const std::vector<BlockId> more = signal->blocks();
      blocks_.insert(blocks_.end(), more.begin(), more.end());
    }
  }

  std::string unit() const override { return unit_; }

  std::vector<BlockId> blocks() const override { return blocks_; }

  double value_at(const LocalState& x, int first) const override {
    SignalNumbers values(of_.size());
    for (std::size_t i = 0; i < of_.size(); ++i) values[i] = of_[i]->value_at(x, first + first_[i]);
    return f_->value_at(x.time(), values);
  }

  void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const override {
    // Signals may be functions of signals: no memory is shared between the levels.
    std::vector<SignalValue> s(of_.size());
    SignalNumbers values(of_.size());
    const auto n = static_cast<Eigen::Index>(of_.size());
    FunctionValue::Vector rates(n), second_rates(n);
    for (std::size_t i = 0; i < of_.size(); ++i) {
      of_[i]->evaluate(x, first + first_[i], derivatives, s[i]);
      values[i] = s[i].value;
      rates[static_cast<Eigen::Index>(i)] = s[i].rate;
      second_rates[static_cast<Eigen::Index>(i)] = s[i].second_rate;
    }
    FunctionValue f;
    f_->evaluate(x.time(), values, f);
    out.value = f.value;
    out.rate = f.rate(rates);
    out.second_rate = f.second_rate(rates, second_rates);
    if (derivatives) gather(f, s, out);
  }

 private:
  static void gather(const FunctionValue& f, const std::vector<SignalValue>& s, SignalValue& out) {
    std::vector<Eigen::Index> begin;
    Eigen::Index n = 0;
    bool by_rate = false, by_second_rate = false, second = true;
    for (const SignalValue& one : s) {
      begin.push_back(n);
      n += one.gradient.size();
      by_rate = by_rate || one.by_rate.size() > 0;
      by_second_rate = by_second_rate || one.by_second_rate.size() > 0;
      second = second && one.second.rows() == one.gradient.size();
    }
    out.gradient.setZero(n);
    if (by_rate) out.by_rate.setZero(n);
    if (by_second_rate) out.by_second_rate.setZero(n);
    out.second.setZero(second ? n : 0, second ? n : 0);
    for (std::size_t i = 0; i < s.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i), size = s[i].gradient.size();
      out.gradient.segment(begin[i], size) += f.gradient(at) * s[i].gradient;
      if (s[i].by_rate.size() > 0) out.by_rate.segment(begin[i], size) += f.gradient(at) * s[i].by_rate;
      if (s[i].by_second_rate.size() > 0)
        out.by_second_rate.segment(begin[i], size) += f.gradient(at) * s[i].by_second_rate;
      if (!second) continue;
      out.second.block(begin[i], begin[i], size, size) += f.gradient(at) * s[i].second;
      for (std::size_t j = 0; j < s.size(); ++j)
        out.second.block(begin[i], begin[j], size, s[j].gradient.size()) +=
            f.hessian(at, static_cast<Eigen::Index>(j)) * (s[i].gradient * s[j].gradient.transpose());
    }
  }

  FunctionPtr f_;
  std::vector<std::shared_ptr<const Signal>> of_;
  std::vector<BlockId> blocks_;  ///< of all of them
  std::vector<int> first_;       ///< of each: its first block
  std::string unit_;
};

}  // namespace

std::shared_ptr<const Signal> function_signal(FunctionPtr f, std::vector<std::shared_ptr<const Signal>> of,
                                              std::string unit) {
  return std::make_shared<FunctionSignal>(std::move(f), std::move(of), std::move(unit));
}

}  // namespace trammel
