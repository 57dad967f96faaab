#include "kernel/reported_signal.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/difference_signal.hpp"
#include "trammel/error.hpp"
#include "trammel/local_copy.hpp"

namespace trammel {

namespace {

/// A number that instances report.
class ReportedSignal : public DifferenceSignal {
 public:
  ReportedSignal(const Model& model, const std::vector<InstanceAt>& of, std::string unit, double length)
      : DifferenceSignal(std::move(unit), length), of_(of) {
    for (const InstanceAt& at : of_)
      add_part(at.range->stencil(at.number), [&](BlockId id) -> const Block& { return model.block(id); });
  }

 protected:
  virtual double value(const InstanceAt& at, const LocalState& x) const = 0;
  virtual std::string what() const = 0;

 private:
  double value(int part, const LocalState& x) const final {
    const InstanceAt& at = of_[static_cast<std::size_t>(part)];
    if (!std::ranges::equal(at.range->stencil(at.number), blocks_of(part)))
      throw Error("a signal reads what slid on to other elements: '" + what() +
                  "'. What such a joint offers itself may be read");
    return value(at, x);
  }

  std::vector<InstanceAt> of_;
};

class ReportedOutput final : public ReportedSignal {
 public:
  ReportedOutput(const Model& model, const InstanceAt& at, ReportedNumber number, double length)
      : ReportedSignal(model, {at}, number.unit, length), number_(std::move(number)) {}

 private:
  double value(const InstanceAt& at, const LocalState& x) const override {
    OneNumber sink(number_);
    at.range->outputs(at.number, x, {}, sink);
    if (!sink.found)
      throw Error("the output '" + number_.name() + "' that a signal reads is not reported any more");
    return *sink.found;
  }
  std::string what() const override { return number_.name(); }

  ReportedNumber number_;
};

class ReportedEnergy final : public ReportedSignal {
 public:
  ReportedEnergy(const Model& model, const std::vector<InstanceAt>& of, EnergyPart part, double length)
      : ReportedSignal(model, of, part == EnergyPart::dissipated_power ? "W" : "J", length), part_(part) {}

 private:
  double value(const InstanceAt& at, const LocalState& x) const override {
    const Energy e = at.range->energy(at.number, x);
    switch (part_) {
      case EnergyPart::kinetic:
        return e.kinetic;
      case EnergyPart::strain:
        return e.strain;
      case EnergyPart::potential:
        return e.potential;
      case EnergyPart::total:
        return e.kinetic + e.strain + e.potential;
      case EnergyPart::dissipated_power:
        return e.dissipated_power;
    }
    return 0;
  }
  std::string what() const override { return "energy"; }

  EnergyPart part_;
};

/// The start of some blocks.
LocalCopy start_of(const Model& model, std::span<const BlockId> ids) {
  LocalCopy numbers;
  for (const BlockId id : ids) {
    numbers.offsets.push_back({static_cast<std::int32_t>(numbers.state.value.size()),
                               static_cast<std::int32_t>(numbers.state.rate.size())});
    append_initial(model.block(id), numbers.state);
  }
  return numbers;
}

}  // namespace

std::vector<InstanceAt> instances_of(const Model& model, int entity) {
  std::vector<InstanceAt> all;
  for (const Model::Range& range : model.ranges) {
    // Instances stand in the order of their entities.
    const ElementRange& instances = *range.instances;
    int first = 0, last = instances.size();
    while (first < last) {
      const int middle = (first + last) / 2;
      (instances.entity(middle) < entity ? first : last) =
          instances.entity(middle) < entity ? middle + 1 : middle;
    }
    for (int i = first; i < instances.size() && instances.entity(i) == entity; ++i)
      all.push_back({&instances, i});
  }
  return all;
}

std::vector<ReportedNumber> reported_numbers(const Model& model, const InstanceAt& at) {
  AllNumbers names;
  const LocalCopy start = start_of(model, at.range->stencil(at.number));
  at.range->outputs(at.number, start.local(), {}, names);
  return std::move(names.all);
}

std::shared_ptr<const Signal> output_signal(const Model& model, const InstanceAt& at, ReportedNumber number,
                                            double length) {
  return std::make_shared<ReportedOutput>(model, at, std::move(number), length);
}

std::shared_ptr<const Signal> energy_signal(const Model& model, const std::vector<InstanceAt>& of,
                                            EnergyPart part, double length) {
  return std::make_shared<ReportedEnergy>(model, of, part, length);
}

bool agree_at_start(const Model& model, const Signal& a, const Signal& b) {
  const std::vector<BlockId> ids = a.blocks();
  if (ids != b.blocks()) return false;
  LocalCopy start = start_of(model, ids);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const Block& block = model.block(ids[k]);
    if (!is_multiplier(block.kind)) continue;
    for (int i = 0; i < block.size; ++i)
      start.state.value[static_cast<std::size_t>(start.offsets[k].value + i)] =
          1 + 0.37 * static_cast<double>(k) + i;
  }
  SignalValue at_a, at_b;
  a.evaluate(start.local(), 0, false, at_a);
  b.evaluate(start.local(), 0, false, at_b);
  return std::abs(at_a.value - at_b.value) <= 1e-9 * (1 + std::abs(at_b.value));
}

}  // namespace trammel
