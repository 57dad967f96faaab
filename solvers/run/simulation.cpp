#include "solvers/run/simulation.hpp"

#include <petsclog.h>

#include "solvers/linear/petsc_owned.hpp"
#include "solvers/run/energy_guard.hpp"
#include "solvers/run/snapshot.hpp"
#include "solvers/run/stage_run.hpp"
#include "solvers/start/model_energy.hpp"

namespace trammel {

namespace {

/// One of PETSc's log stages while it lives, so that -log_view tells the stages of a case apart.
class LogStage {
 public:
  explicit LogStage(const char* name) {
    PetscLogStage id = -1;
    PetscLogStageGetId(name, &id);
    if (id < 0) PetscLogStageRegister(name, &id);
    PetscLogStagePush(id);
  }
  ~LogStage() { PetscLogStagePop(); }
  LogStage(const LogStage&) = delete;
  LogStage& operator=(const LogStage&) = delete;
};

}  // namespace

Simulation::Simulation(Assembler& assembler, SimulationOptions options)
    : Simulation(assembler, assembler.layout().initial_state(), options) {}

Simulation::Simulation(Assembler& assembler, State initial, SimulationOptions options)
    : assembler_(assembler), options_(options), state_(std::move(initial)) {
  history_.tell_before_changes([this] { tell([](Monitor& m) { m.histories_change(); }); });
}

void Simulation::run(std::span<const Stage> stages) { run(stages, 0, nullptr); }
void Simulation::run(std::span<const Stage> stages, const Snapshot& from) {
  run(stages, static_cast<std::size_t>(from.stage()), &from);
}

void Simulation::run_anew(std::span<const Stage> stages, const Snapshot& from) {
  state_ = from.transfer(assembler_.model(), history_);
  assembler_.revise();
  // Initial values of coordinates belong to the beginning of the whole run.
  placed_ = has_initial_rates_ = true;
  auto first = static_cast<std::size_t>(from.stage());
  std::vector<Stage> rest(stages.begin(), stages.end());
  const auto until = [](const Stage& stage) {
    return std::visit(
        [](const auto& what) {
          if constexpr (requires { what.until; }) return what.until;
          return 0.0;
        },
        stage.what);
  };
  if (from.contents().stage_ended && !(until(rest[first]) > state_.time))
    ++first;
  else
    std::visit(
        [](auto& what) {
          if constexpr (requires { what.from; }) what.from.reset();
        },
        rest[first].what);
  run(rest, first, nullptr);
}

void Simulation::run(std::span<const Stage> stages, std::size_t first, const Snapshot* from) {
  const double begin = MPI_Wtime();
  const Assembler::Cost before = assembler_.cost();
  Timings& t = summary_.timings;
  const auto finish = [&] {
    const Assembler::Cost after = assembler_.cost();
    t.residual += after.residual - before.residual;
    t.tangent += after.tangent - before.tangent;
    t.assembly += after.assembly - before.assembly;
    t.total += MPI_Wtime() - begin;
    t.rest = t.total - t.residual - t.tangent - t.assembly - t.factorization - t.solve - t.output;
  };
  for (std::size_t i = first; i < stages.size(); ++i) {
    const LogStage log(kind_name(stages[i]));
    StageRun stage(*this, stages[i], static_cast<int>(i));
    try {
      if (from != nullptr && i == first)
        stage.go_on(*from);
      else
        stage.run();
      if (options_.energy) summary_.energy_at_end = model_energy(assembler_, state_).energy;
    } catch (const Stopped& stop) {
      summary_.stopped = {state_.time, stop.given_up()};
      if (options_.energy) summary_.energy_at_end = model_energy(assembler_, state_).energy;
      for (Monitor* monitor : monitors_) monitor->stopped(stage.report(), state_);
      break;
    } catch (const std::exception& e) {
      if (options_.energy && dynamic_cast<const EnergyError*>(&e) != nullptr)
        summary_.energy_at_end = model_energy(assembler_, state_).energy;
      finish();
      for (Monitor* monitor : monitors_) monitor->failed(stage.report(), state_, e.what());
      throw;
    }
  }
  finish();
}

}  // namespace trammel
