#include "solvers/run/energy_guard.hpp"

#include <fmt/format.h>

#include <utility>

namespace trammel {

namespace {

using Policy = DynamicStage::EnergyPolicy;

const char* name_of(DynamicStage::Form form) {
  static constexpr const char* names[] = {"index3", "projected", "index2", "index1"};
  return names[static_cast<int>(form)];
}

std::string advice(const DynamicStage& stage) {
  const bool gains = stage.form == DynamicStage::Form::index3 || stage.form == DynamicStage::Form::index2;
  return fmt::format("a smaller {}, or {}", stage.accuracy > 0 ? "`accuracy`" : "step",
                     gains ? "`form: projected`" : "a smaller `radius`");
}

}  // namespace

EnergyGuard::EnergyGuard(Assembler& assembler, const EnergyLedger& ledger, const DynamicStage& stage,
                         std::function<void(const std::string&)> note)
    : assembler_(assembler),
      ledger_(ledger),
      stage_(stage),
      note_(std::move(note)),
      policy_(stage.energy),
      sources_(assembler) {}

bool EnergyGuard::allows(const State& trial, double h) const {
  return policy_ != Policy::stop || ledger_.part_after(trial, h) <= stops;
}

std::optional<std::string> EnergyGuard::judge(const State* before, const State& state, double h) {
  if (policy_ == Policy::ignore) return {};
  const double part = ledger_.part();
  // By then each step is looked at, entity by entity.
  const bool suspects = part > 0.5 * noted;
  if (suspects && before != nullptr) sources_.add(*before, state, h);
  if (part > noted && !noted_) {
    noted_ = true;
    name_silent();
    note_("WARNING: " + in_words(state, h));
  }
  if (part > stops && policy_ == Policy::stop) {
    name_silent();
    if (policy_ == Policy::stop)
      return fmt::format("{}. Try {}; `energy: warn` lets the run go on", in_words(state, h), advice(stage_));
  }
  return {};
}

void EnergyGuard::name_silent() {
  if (sources_.empty() || policy_ != Policy::stop) return;
  constexpr double least = 0.1;  // of the gain
  for (const int entity : sources_.silent(least * ledger_.gain())) {
    policy_ = Policy::warn;
    const Entity& e = assembler_.model().entities[static_cast<std::size_t>(entity)];
    note_(
        fmt::format("type '{}' of plugin '{}', of which {} '{}' is, does not report its work: the energy "
                    "balance is not closed, and `energy: stop` only warns",
                    e.type, e.plugin, e.category, e.name));
  }
}

std::string EnergyGuard::name(int entity) const {
  const Entity& e = assembler_.model().entities[static_cast<std::size_t>(entity)];
  return fmt::format("{} '{}' ({})", e.category, e.name, e.type);
}

std::string EnergyGuard::in_words(const State& state, double h) const {
  const EnergySources::Source source = sources_.empty() ? EnergySources::Source{} : sources_.largest();
  const std::string where = source.entity < 0 ? "" : fmt::format(", most of it at {}", name(source.entity));
  return fmt::format(
      "at t = {:.6g} s {:.3g} J, {:.3g} % of the largest energy of the motion, came from nowhere{}: the step "
      "of {:.3g} s is too long for `form: {}`, or a load does not report its work",
      state.time, ledger_.gain(), 100 * ledger_.part(), where, h, name_of(stage_.form));
}

}  // namespace trammel
