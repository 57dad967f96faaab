#include "derivative_check.hpp"

#include <random>

#include <fmt/format.h>

#include "trammel/collective_errors.hpp"
#include "trammel/element_check.hpp"
#include "trammel/plugin_call.hpp"
#include "trammel/start_conditions.hpp"

namespace trammel {

namespace {

/// Random multipliers and accelerations, and velocities where they `move`. The start often is where something is not
/// smooth, a knot of a curve or the instant at which a motion begins: the time is a little later, and those that move stand
/// a little beside it.
Specimen stirred(Specimen s, std::uint64_t seed, bool move) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  constexpr double beside = 1e-4;  // [m], [rad], [s]
  s.state().time += beside;
  if (move) {
    Eigen::VectorXd increment(s.dofs());
    for (double& d : increment) d = beside * number(random);
    s = s.moved(increment);
  }
  State& state = s.state();
  for (std::size_t k = 0; k < s.blocks().size(); ++k) {
    const Block& block = s.blocks()[k];
    const BlockPlace& place = s.places()[k];
    for (int i = 0; i < block.size; ++i) {
      const auto dof = static_cast<std::size_t>(place.dof + i);
      if (is_multiplier(block.kind)) {
        state.value[static_cast<std::size_t>(place.value + i)] += number(random);
      } else {
        state.acceleration[dof] += number(random);
        if (move) state.rate[dof] += number(random);
      }
    }
  }
  return s;
}

void check_instance(const ElementRange& range, int i, const Model& model, const Entity& entity,
                    DerivativeCheck& result) {
  const Specimen start(model, range.stencil(i));
  for (const bool move : {false, true}) {
    const std::vector<CheckedTerm> terms = check_derivatives_closely(
        range, i, stirred(start, static_cast<std::uint64_t>(i) + 1, move), 0.1 * derivative_bound);
    if (terms.empty()) continue;  // on the ground, without unknowns
    const CheckedTerm& term = terms.front();
    if (term.relative() <= result.error && result.where != "none") continue;
    result.error = term.relative();
    result.where = fmt::format("{} '{}' ({}), {}", entity.category, entity.name, entity.type, term.what);
  }
}

}  // namespace

DerivativeCheck check_all_derivatives(const Model& model) {
  DerivativeCheck result;
  for (const Model::Range& range : model.ranges) {
    // They hold at one level in a phase of the start, and are rows of no motion.
    if (dynamic_cast<const StartConditions*>(range.instances.get()) != nullptr) continue;
    for (int i = 0; i < range.instances->size(); ++i, ++result.instances) {
      const Entity& entity = model.entities[static_cast<std::size_t>(range.instances->entity(i))];
      LocalFault fault;
      try {
        const PluginCall call(entity);
        check_instance(*range.instances, i, model, entity, result);
      } catch (...) {
        fault.capture(&entity, 0, 0);
      }
      if (!fault.agree(MPI_COMM_SELF)) throw Error(entity.where, fault.text());
    }
  }
  return result;
}

}  // namespace trammel
