#include "components.hpp"

#include <algorithm>

#include "trammel/index.hpp"
#include "trammel/local_copy.hpp"

namespace trammel::load {

Components::Components(const std::vector<FunctionPtr>& functions) {
  for (std::size_t i = 0; i < 3; ++i) {
    component_[i].function = functions.at(i);
    for (const std::string& name : functions[i]->signals())
      throw Error(functions[i]->where(),
                  "the load reads the signal '" + name + "', but it is a function of time only");
  }
  fold_constants();
}

Components::Components(const std::vector<FunctionPtr>& functions, const Builder& builder)
    : Components(functions, builder, [&builder](const std::string& name, const Location& where) {
        return builder.signal(name, where);
      }) {}

Components::Components(const std::vector<FunctionPtr>& functions, const Builder& builder,
                       const FindSignal& find) {
  for (std::size_t i = 0; i < 3; ++i) {
    component_[i].function = functions.at(i);
    for (const std::string& name : functions[i]->signals()) {
      auto found = std::ranges::find(sources_, name, &Source::name);
      if (found == sources_.end())
        found = sources_.insert(sources_.end(), {name, find(name, functions[i]->where())});
      component_[i].sources.push_back(static_cast<int>(found - sources_.begin()));
    }
  }
  find_places(builder);
  fold_constants();
}

void Components::find_places(const Builder& builder) {
  std::vector<int> first_column;  // by place
  for (Source& source : sources_) {
    source.first_block = static_cast<int>(places_.size());
    source.first_column = static_cast<int>(columns_.size());
    const std::vector<BlockId> its = source.signal->blocks();
    const std::vector<int> sizes = builder.sizes_of(its);
    for (std::size_t k = 0; k < its.size(); ++k) {
      const auto place = std::ranges::find(blocks_, its[k]) - blocks_.begin();
      if (place == std::ssize(blocks_)) {
        blocks_.push_back(its[k]);
        first_column.push_back(dofs_);
        dofs_ += sizes[k];
      }
      places_.push_back(static_cast<int>(place));
      for (int i = 0; i < sizes[k]; ++i) columns_.push_back(first_column[trammel::at(place)] + i);
    }
  }
}

void Components::fold_constants() {
  constant_ = std::ranges::all_of(component_, [](const Component& c) { return c.function->is_constant(); });
  if (!constant_) return;
  for (std::size_t i = 0; i < 3; ++i)
    value_(static_cast<Eigen::Index>(i)) = component_[i].function->at(0).value;
}

LocalState Components::of_signals(const LocalState& x, int first, std::vector<BlockOffset>& offsets) const {
  offsets.clear();
  for (const int place : places_) offsets.push_back(x.offset(first + place));
  return x.at_offsets(offsets.data());
}

Vec3 Components::at(const LocalState& x, int first) const {
  if (constant_) return value_;
  Vec3 value;
  if (sources_.empty()) {
    for (std::size_t i = 0; i < 3; ++i)
      value[static_cast<Eigen::Index>(i)] = component_[i].function->at(x.time()).value;
    return value;
  }
  const NestedScratch<std::vector<BlockOffset>> offsets;
  const LocalState its = of_signals(x, first, *offsets);
  SignalNumbers of_source(sources_.size()), read;
  for (std::size_t k = 0; k < sources_.size(); ++k)
    of_source[k] = sources_[k].signal->value_at(its, sources_[k].first_block);
  for (std::size_t i = 0; i < 3; ++i) {
    const Component& c = component_[i];
    read.resize(c.sources.size());
    for (std::size_t j = 0; j < c.sources.size(); ++j) read[j] = of_source[trammel::at(c.sources[j])];
    value[static_cast<Eigen::Index>(i)] = c.function->value_at(x.time(), read);
  }
  return value;
}

Vec3 Components::at(const LocalState& x, int first, Gradient& gradient) const {
  if (sources_.empty()) {
    gradient = {};
    return at(x, first);
  }
  struct Scratch {
    std::vector<BlockOffset> offsets;
    std::vector<SignalValue> signals;
  };
  const NestedScratch<Scratch> scratch;
  std::vector<SignalValue>& signals = scratch->signals;
  if (signals.size() < sources_.size()) signals.resize(sources_.size());
  const LocalState its = of_signals(x, first, scratch->offsets);
  bool by_rate = false, by_second_rate = false;
  for (std::size_t k = 0; k < sources_.size(); ++k) {
    signals[k].forget_rates();
    sources_[k].signal->evaluate(its, sources_[k].first_block, true, signals[k]);
    by_rate = by_rate || signals[k].by_rate.size() > 0;
    by_second_rate = by_second_rate || signals[k].by_second_rate.size() > 0;
  }
  gradient.by_value.setZero(3, dofs_);
  gradient.by_rate.setZero(3, by_rate ? dofs_ : 0);
  gradient.by_second_rate.setZero(3, by_second_rate ? dofs_ : 0);
  Vec3 value;
  FunctionValue f;
  SignalNumbers read;
  for (Eigen::Index i = 0; i < 3; ++i) {
    const Component& c = component_[static_cast<std::size_t>(i)];
    read.resize(c.sources.size());
    for (std::size_t j = 0; j < c.sources.size(); ++j) read[j] = signals[trammel::at(c.sources[j])].value;
    c.function->evaluate(x.time(), read, f);
    value(i) = f.value;
    for (std::size_t j = 0; j < c.sources.size(); ++j) {
      const auto k = static_cast<std::size_t>(c.sources[j]);
      const double factor = f.gradient(static_cast<Eigen::Index>(j));
      const int* const column = columns_.data() + sources_[k].first_column;
      const auto add = [&](const Eigen::VectorXd& part, Eigen::MatrixXd& to) {
        for (Eigen::Index n = 0; n < part.size(); ++n) to(i, column[n]) += factor * part[n];
      };
      add(signals[k].gradient, gradient.by_value);
      add(signals[k].by_rate, gradient.by_rate);
      add(signals[k].by_second_rate, gradient.by_second_rate);
    }
  }
  return value;
}

}  // namespace trammel::load
