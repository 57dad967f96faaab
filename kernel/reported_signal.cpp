#include "kernel/reported_signal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "trammel/error.hpp"
#include "trammel/lie.hpp"
#include "trammel/local_copy.hpp"

namespace trammel {

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<std::string_view, 3> xyz{"x", "y", "z"};

/// Keeps one number.
class OneNumber final : public OutputSink {
 public:
  explicit OneNumber(const ReportedNumber& wanted) : wanted_(wanted) {}
  std::optional<double> found;

  void scalar(std::string_view name, std::string_view, double value) override {
    if (!found && wanted_.component.empty() && name == wanted_.channel) found = value;
  }
  void vector(std::string_view name, std::string_view unit, const Vec3& value) override {
    values(name, unit, xyz, {value.data(), 3});
  }
  void values(std::string_view name, std::string_view, std::span<const std::string_view> components,
              std::span<const double> numbers) override {
    if (found || name != wanted_.channel) return;
    for (std::size_t i = 0; i < std::min(components.size(), numbers.size()); ++i)
      if (components[i] == wanted_.component) found = numbers[i];
  }

 private:
  const ReportedNumber& wanted_;
};

class AllNames final : public OutputSink {
 public:
  std::vector<ReportedNumber> all;

  void scalar(std::string_view name, std::string_view unit, double) override {
    all.push_back({std::string(name), {}, std::string(unit)});
  }
  void vector(std::string_view name, std::string_view unit, const Vec3& value) override {
    values(name, unit, xyz, {value.data(), 3});
  }
  void values(std::string_view name, std::string_view unit, std::span<const std::string_view> components,
              std::span<const double>) override {
    for (const std::string_view c : components)
      all.push_back({std::string(name), std::string(c), std::string(unit)});
  }
};

/// The kinds and sizes of an instance's blocks, and by how much they are moved to take differences.
struct Stencil {
  struct Part {
    BlockKind kind;
    int size;
    double step, rate_step;
  };
  std::vector<BlockId> ids;
  std::vector<Part> parts;
  int dofs = 0;

  Stencil(const Model& model, std::span<const BlockId> blocks, double length)
      : ids(blocks.begin(), blocks.end()) {
    constexpr double turn = 1e-3, shift = 3e-5, speed = 1e-5;
    const double unit = length > 0 ? length : 1.0;
    for (const BlockId id : ids) {
      const Block& b = model.block(id);
      Part part{b.kind, b.size, turn, speed};
      const Measure measure = b.measure(0);
      if (is_multiplier(b.kind))
        part.step = 1e-2;
      else if (measure.is_length())
        part.step = shift * unit;
      else if (measure.dimension == Dimension::nominal)
        part.step = shift * measure.size;
      if (measure.dimension == Dimension::nominal) part.rate_step = speed * measure.size;
      parts.push_back(part);
      dofs += b.size;
    }
  }
};

/// Central difference of fourth order of f(moved by s), s in steps of h.
template <class F>
double difference(double h, const F& f) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

/// A number that instances report.
class ReportedSignal : public Signal {
 public:
  ReportedSignal(const Model& model, const std::vector<InstanceAt>& of, std::string unit, double length)
      : unit_(std::move(unit)) {
    for (const InstanceAt& at : of) {
      parts_.push_back({at, Stencil(model, at.range->stencil(at.number), length)});
      dofs_ += parts_.back().stencil.dofs;
    }
  }

  std::string unit() const override { return unit_; }
  std::vector<BlockId> blocks() const override {
    std::vector<BlockId> all;
    for (const Part& part : parts_) all.insert(all.end(), part.stencil.ids.begin(), part.stencil.ids.end());
    return all;
  }

  void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const override {
    if (derivatives) {
      out.gradient.setZero(dofs_);
      out.by_rate.setZero(dofs_);
      out.by_second_rate.setZero(dofs_);
      out.second.resize(0, 0);
    }
    double sum = 0;
    int column = 0;
    for (const Part& part : parts_) {
      if (!std::ranges::equal(part.at.range->stencil(part.at.number), part.stencil.ids))
        throw Error("a signal reads what slid on to other elements: '" + what() +
                    "'. What such a joint offers itself may be read");
      const NestedScratch<LocalCopy> scratch;
      LocalCopy& numbers = *scratch;
      numbers.clear(x.time());
      for (const Stencil::Part& block : part.stencil.parts) numbers.take(x, first++, block.kind, block.size);
      sum += value(part.at, numbers.local());
      if (derivatives) add_differences(part, numbers, column, out);
      column += part.stencil.dofs;
    }
    out.value = sum;
    out.rate = out.second_rate = not_known;
    if (!derivatives) return;
    if (out.by_rate.isZero(0)) out.by_rate.resize(0);
    if (out.by_second_rate.isZero(0)) out.by_second_rate.resize(0);
  }

 protected:
  virtual double value(const InstanceAt& at, const LocalState& x) const = 0;
  virtual std::string what() const = 0;

 private:
  struct Part {
    InstanceAt at;
    Stencil stencil;
  };

  void add_differences(const Part& part, LocalCopy& numbers, int column, SignalValue& out) const {
    const auto along = [&](double h, double& number) {
      const double here = number;
      const double slope = difference(h, [&](double s) {
        number = here + s;
        return value(part.at, numbers.local());
      });
      number = here;
      return slope;
    };
    for (std::size_t k = 0; k < part.stencil.parts.size(); ++k) {
      const Stencil::Part& block = part.stencil.parts[k];
      double* configuration = numbers.state.value.data() + numbers.places[k].value;
      const auto dof = static_cast<std::size_t>(numbers.places[k].dof);
      for (int i = 0; i < block.size; ++i, ++column) {
        const auto at = dof + static_cast<std::size_t>(i);
        if (block.kind == BlockKind::rotation) {
          const Quaternion here = quaternion_of(configuration);
          std::array<double, 13> kept{};
          std::copy_n(configuration, kept.size(), kept.begin());
          out.gradient[column] = difference(block.step, [&](double s) {
            set_rotation(configuration, here * Quaternion(Eigen::AngleAxisd(s, Vec3::Unit(i))));
            return value(part.at, numbers.local());
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

  std::string unit_;
  std::vector<Part> parts_;
  int dofs_ = 0;
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
      : ReportedSignal(model, of, part == EnergyPart::lost_power ? "W" : "J", length), part_(part) {}

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
      case EnergyPart::lost_power:
        return e.lost_power;
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
    numbers.places.push_back({static_cast<std::int32_t>(numbers.state.value.size()),
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
  AllNames names;
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
      start.state.value[static_cast<std::size_t>(start.places[k].value + i)] =
          1 + 0.37 * static_cast<double>(k) + i;
  }
  SignalValue at_a, at_b;
  a.evaluate(start.local(), 0, false, at_a);
  b.evaluate(start.local(), 0, false, at_b);
  return std::abs(at_a.value - at_b.value) <= 1e-9 * (1 + std::abs(at_b.value));
}

}  // namespace trammel
