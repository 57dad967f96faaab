#include "derivative_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>

#include <fmt/format.h>

#include "kernel/assembler.hpp"
#include "kernel/collective_errors.hpp"
#include "kernel/layout.hpp"
#include "kernel/plugin_call.hpp"
#include "solvers/run/simulation.hpp"
#include "trammel/element_check.hpp"
#include "trammel/start_conditions.hpp"

namespace trammel {

namespace {

/// How far a state of the check stands from where the model is looked at.
enum class Stir {
  at_place,  ///< random multipliers and accelerations, a little later: motions often begin at the start
  beside,    ///< also a little beside it: a start may lie on a knot of a curve
  moving     ///< also with random velocities
};

TestState stirred(TestState s, std::uint64_t seed, Stir stir) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  constexpr double beside = 1e-4;  // [m], [rad], [s]
  s.state().time += beside;
  if (stir != Stir::at_place) {
    Eigen::VectorXd increment(s.dofs());
    for (double& d : increment) d = beside * number(random);
    s = s.moved(increment);
  }
  State& state = s.state();
  for (std::size_t k = 0; k < s.blocks().size(); ++k) {
    const Block& block = s.blocks()[k];
    const BlockOffset& offset = s.state_offsets()[k];
    for (int i = 0; i < block.size; ++i) {
      const auto dof = static_cast<std::size_t>(offset.dof + i);
      if (!has_rate(block.kind)) {
        state.value[static_cast<std::size_t>(offset.value + i)] += number(random);
      } else {
        state.acceleration[dof] += number(random);
        if (stir == Stir::moving) state.rate[dof] += number(random);
      }
    }
  }
  return s;
}

/// Where a model is looked at: a state of all its blocks, or its start.
struct Moment {
  const State* state = nullptr;
  const Layout* layout = nullptr;
};

TestState test_state_of(const ElementRange& range, int i, const Model& model, const Moment& moment) {
  TestState s(model, range.stencil(i));
  if (moment.state == nullptr) return s;
  s.state().time = moment.state->time;
  for (std::size_t k = 0; k < s.blocks().size(); ++k) {
    const Block& block = s.blocks()[k];
    const BlockOffset& from = moment.layout->offset(range.stencil(i)[k]);
    const BlockOffset& to = s.state_offsets()[k];
    std::copy_n(moment.state->value.begin() + from.value, value_size(block.kind, block.size),
                s.state().value.begin() + to.value);
    for (const auto field : {&State::rate, &State::acceleration, &State::compensation})
      std::copy_n((moment.state->*field).begin() + from.dof, block.size, (s.state().*field).begin() + to.dof);
  }
  return s;
}

/// The worst term of an instance at a state; none of one on the ground, without unknowns.
std::optional<CheckedTerm> worst_term(const ElementRange& range, int i, const TestState& state) {
  const std::vector<CheckedTerm> terms = check_derivatives_closely(range, i, state, 0.1 * derivative_bound);
  if (terms.empty()) return std::nullopt;
  return terms.front();
}

std::string named(const Entity& entity, const std::string& what) {
  return fmt::format("{} '{}' ({}), {}", entity.category, entity.name, entity.type, what);
}

void check_instance(const ElementRange& range, int i, const Model& model, const Moment& moment,
                    const Entity& entity, DerivativeCheck& result) {
  const TestState start = test_state_of(range, i, model, moment);
  const auto seed = static_cast<std::uint64_t>(i) + 1;
  const std::array states{stirred(start, seed, Stir::at_place), stirred(start, seed, Stir::moving)};
  if (result.unrepeated.empty())
    if (const std::string found = differs_when_repeated(range, i, states); !found.empty())
      result.unrepeated = named(entity, found);
  std::optional<CheckedTerm> at_place = worst_term(range, i, states[0]);
  if (at_place && !(at_place->relative() <= derivative_bound)) {
    const std::optional<CheckedTerm> beside = worst_term(range, i, stirred(start, seed, Stir::beside));
    if (beside->relative() <= derivative_bound) {
      if (result.not_smooth.empty()) result.not_smooth = named(entity, at_place->what);
      at_place = beside;
    }
  }
  for (const std::optional<CheckedTerm>& term : {at_place, worst_term(range, i, states[1])}) {
    if (!term || (term->relative() <= result.error && result.where != "none")) continue;
    result.error = term->relative();
    result.where = named(entity, term->what);
  }
}

/// Elements of one class may have a second code for several of them. That of elements [first, last) is compared with what each
/// gives alone.
void check_neighbours(const ElementRange& range, int first, int last, const Model& model,
                      const Moment& moment, DerivativeCheck& result) {
  std::vector<TestState> states;
  for (int i = first; i < last; ++i)
    states.push_back(
        stirred(test_state_of(range, i, model, moment), static_cast<std::uint64_t>(i) + 1, Stir::moving));
  const std::vector<CheckedTerm> terms = check_together(range, first, states);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (terms[k].relative() <= result.together || std::isnan(result.together)) continue;  // nan: the worst
    const int i = first + static_cast<int>(k);
    const Entity& entity = model.entities[static_cast<std::size_t>(range.entity(i))];
    result.together = terms[k].relative();
    result.together_where = named(entity, terms[k].what);
  }
}

DerivativeCheck check_all(const Model& model, const Moment& moment) {
  DerivativeCheck result;
  for (const Model::Range& range : model.ranges) {
    // Start conditions hold at one level and during a phase of the start only; they are not part of the equations of motion.
    if (dynamic_cast<const StartConditions*>(range.instances.get()) != nullptr) continue;
    for (int i = 0; i < range.instances->size(); ++i, ++result.instances) {
      const Entity& entity = model.entities[static_cast<std::size_t>(range.instances->entity(i))];
      LocalFault fault;
      try {
        const PluginCall call(entity);
        check_instance(*range.instances, i, model, moment, entity, result);
      } catch (...) {
        fault.capture(&entity, 0, 0);
      }
      if (!fault.agree(MPI_COMM_SELF)) throw Error(entity.where, fault.text());
    }
    // In parts, so that the states of a large model need little memory.
    constexpr int at_once = 64;
    for (int first = 0; first < range.instances->size(); first += at_once) {
      const Entity& entity = model.entities[static_cast<std::size_t>(range.instances->entity(first))];
      LocalFault fault;
      try {
        const PluginCall call(entity);
        check_neighbours(*range.instances, first, std::min(first + at_once, range.instances->size()), model,
                         moment, result);
      } catch (...) {
        fault.capture(&entity, 0, 0);
      }
      if (!fault.agree(MPI_COMM_SELF)) throw Error(entity.where, fault.text());
    }
  }
  return result;
}

/// Stops a run at the first accepted step that ends at or after a time.
class StopAt final : public StopRequest, public Monitor {
 public:
  explicit StopAt(double time) : time_(time) {}
  Stop asked() const override { return reached_ ? Stop::after_step : Stop::no; }
  void accepted(const StepReport& report, const State&) override {
    reached_ = reached_ || report.time >= time_ - 1e-9 * std::max(1.0, std::abs(time_));
  }
  bool reached() const { return reached_; }

 private:
  double time_;
  bool reached_ = false;
};

}  // namespace

DerivativeCheck check_all_derivatives(const Model& model) { return check_all(model, {}); }

DerivativeCheck check_all_derivatives_at(double at, CaseFile& file, const Registry& registry,
                                         const std::vector<Stage>& stages) {
  Model model;
  file.build(registry, model);
  Layout layout(PETSC_COMM_SELF, model, {});
  Assembler assembler(model, layout);
  Simulation simulation(assembler, SimulationOptions{false});
  StopAt stop(at);
  simulation.add(stop);
  simulation.obey(stop);
  simulation.run(stages);
  if (!stop.reached())
    throw Error(
        fmt::format("the stages end at t = {:.6g} s, before {:.6g} s, where derivatives are to be checked",
                    simulation.state().time, at));
  return check_all(model, {&simulation.state(), &layout});
}

}  // namespace trammel
