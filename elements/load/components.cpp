#include "components.hpp"

#include <algorithm>

namespace trammel::load {

Components::Components(const std::vector<FunctionPtr>& functions, const Builder& builder)
    : Components(functions, [&builder](const std::string& name, const Location& where) {
        return builder.signal(name, where);
      }) {}

Components::Components(const std::vector<FunctionPtr>& functions, const FindSignal& find) {
  for (std::size_t i = 0; i < 3; ++i) {
    component_[i].function = functions.at(i);
    for (const std::string& name : functions[i]->signals()) {
      auto found = std::ranges::find(sources_, name, &Source::name);
      if (found == sources_.end()) {
        Source source{name, find(name, functions[i]->where()), static_cast<int>(blocks_.size())};
        const std::vector<BlockId> more = source.signal->blocks();
        blocks_.insert(blocks_.end(), more.begin(), more.end());
        found = sources_.insert(sources_.end(), std::move(source));
      }
      component_[i].sources.push_back(static_cast<int>(found - sources_.begin()));
    }
  }
  fold_constants();
}

std::shared_ptr<const Signal> Components::no_signals(const std::string& name, const Location& where) {
  throw Error(where, "the load reads the signal '" + name + "', but it is a function of time only");
}

void Components::fold_constants() {
  constant_ = std::ranges::all_of(component_, [](const Component& c) { return c.function->is_constant(); });
  if (!constant_) return;
  for (std::size_t i = 0; i < 3; ++i)
    value_(static_cast<Eigen::Index>(i)) = component_[i].function->at(0).value;
}

Vec3 Components::at(const LocalState& x, int first) const {
  if (constant_) return value_;
  if (sources_.empty())
    return {component_[0].function->at(x.time()).value, component_[1].function->at(x.time()).value,
            component_[2].function->at(x.time()).value};
  return evaluate(x, first, nullptr);
}

Vec3 Components::at(const LocalState& x, int first, Gradient& gradient) const {
  if (sources_.empty()) {
    gradient = {};
    return at(x, first);
  }
  return evaluate(x, first, &gradient);
}

Vec3 Components::evaluate(const LocalState& x, int first, Gradient* gradient) const {
  std::vector<SignalValue> signals(sources_.size());
  std::vector<Eigen::Index> column(sources_.size());
  Eigen::Index columns = 0;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    sources_[k].signal->evaluate(x, first + sources_[k].first_block, gradient != nullptr, signals[k]);
    column[k] = columns;
    columns += signals[k].gradient.size();
  }
  if (gradient != nullptr) {
    gradient->by_value.setZero(3, columns);
    const auto any = [&](Eigen::VectorXd SignalValue::*part) {
      return std::ranges::any_of(signals, [part](const SignalValue& s) { return (s.*part).size() > 0; });
    };
    gradient->by_rate.setZero(3, any(&SignalValue::by_rate) ? columns : 0);
    gradient->by_second_rate.setZero(3, any(&SignalValue::by_second_rate) ? columns : 0);
  }
  Vec3 value;
  FunctionValue f;
  SignalNumbers read;
  for (Eigen::Index i = 0; i < 3; ++i) {
    const Component& c = component_[static_cast<std::size_t>(i)];
    read.resize(c.sources.size());
    for (std::size_t j = 0; j < c.sources.size(); ++j)
      read[j] = signals[static_cast<std::size_t>(c.sources[j])].value;
    c.function->evaluate(x.time(), read, f);
    value(i) = f.value;
    if (gradient == nullptr) continue;
    for (std::size_t j = 0; j < c.sources.size(); ++j) {
      const auto k = static_cast<std::size_t>(c.sources[j]);
      const double factor = f.gradient(static_cast<Eigen::Index>(j));
      const auto add = [&](const Eigen::VectorXd& part, Eigen::MatrixXd& to) {
        if (part.size() > 0) to.row(i).segment(column[k], part.size()) += factor * part.transpose();
      };
      add(signals[k].gradient, gradient->by_value);
      add(signals[k].by_rate, gradient->by_rate);
      add(signals[k].by_second_rate, gradient->by_second_rate);
    }
  }
  return value;
}

}  // namespace trammel::load
