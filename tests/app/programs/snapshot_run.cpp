// Runs a case and writes a snapshot on the way, or goes on from one:
//
//   snapshot_run write CASE STEP FILE STATES [FORM [TOLERANCE]]
//   snapshot_run read CASE FILE STATES [FORM [TOLERANCE]]
//
// STEP: accepted steps of all stages before the snapshot. FILE is of all ranks; STATES gets the number of the rank as its ending. STATES:
// a row that says of each number what kind it is of, a row of numbers for every accepted state after the snapshot, and a row of
// what the run came to.

#include <petscsys.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "app/session.hpp"
#include "app/stage_reader.hpp"
#include "kernel/assembler.hpp"
#include "solvers/run/simulation.hpp"
#include "solvers/run/snapshot.hpp"
#include "trammel/archive.hpp"

namespace {

using namespace trammel;

void write(const std::string& file, const std::vector<std::byte>& bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw Error("cannot write " + file);
}

std::vector<std::byte> read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error("cannot read " + file);
  std::vector<std::byte> bytes;
  for (std::istreambuf_iterator<char> c(in), end; c != end; ++c) bytes.push_back(static_cast<std::byte>(*c));
  return bytes;
}

class States final : public Monitor {
 public:
  States(const Layout& layout, int step, std::string file)
      : layout_(layout), step_(step), file_(std::move(file)), records_(step < 0) {}

  bool wants_snapshot(const StepReport&) override { return ++count_ == step_; }
  void take(const Snapshot& snapshot) override {
    if (layout_.rank() == 0) {
      Archive archive;
      Snapshot(snapshot).serialize(archive);
      write(file_, archive.bytes());
    }
    records_ = true;
    rows.clear();
  }
  void accepted(const StepReport& report, const State& state) override {
    if (!records_) return;
    if (rows.empty()) rows.push_back(kinds());
    std::vector<double> row{state.time, report.step, static_cast<double>(report.iterations)};
    for (const UnknownBlock& u : layout_.unknowns()) {
      if (!u.owned) continue;
      row.insert(row.end(), state.value.begin() + u.offset.value,
                 state.value.begin() + u.offset.value + value_size(u.kind, u.size));
      for (const auto field : State::fields_by_dof())
        row.insert(row.end(), (state.*field).begin() + u.offset.dof,
                   (state.*field).begin() + u.offset.dof + u.size);
    }
    rows.push_back(std::move(row));
  }

  std::vector<std::vector<double>> rows;

 private:
  /// Of each number of a row: 0 to 2 for those of the step, then ten times the block's kind and one, and how many times it is
  /// differentiated.
  std::vector<double> kinds() const {
    std::vector<double> all{0, 1, 2};
    for (const UnknownBlock& u : layout_.unknowns()) {
      if (!u.owned) continue;
      int kind = 10 * (static_cast<int>(u.kind) + 1);
      all.insert(all.end(), static_cast<std::size_t>(value_size(u.kind, u.size)), kind);
      for ([[maybe_unused]] const auto field : State::fields_by_dof())
        all.insert(all.end(), static_cast<std::size_t>(u.size), ++kind);
    }
    return all;
  }

  const Layout& layout_;
  int step_, count_ = 0;
  std::string file_;
  bool records_;
};

void run(const std::vector<std::string>& arguments) {
  const bool writes = arguments.at(0) == "write";
  const std::size_t next = writes ? 3 : 2;
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  const std::string ending = "." + std::to_string(rank);
  CommandLine command;
  command.case_file = arguments.at(1);
  Session session(command, PETSC_COMM_WORLD, Session::Extent::partition);
  std::vector<Stage> stages = read_stages(session.file, session.plugins.registry());
  for (Stage& stage : stages) {
    if (auto* dynamic = std::get_if<DynamicStage>(&stage.what)) {
      const std::string form = arguments.size() > next + 2 ? arguments[next + 2] : "";
      if (form == "index3") dynamic->form = DynamicStage::Form::index3;
      if (form == "projected") dynamic->form = DynamicStage::Form::projected;
      if (form == "accuracy") {
        dynamic->form = DynamicStage::Form::projected;
        dynamic->accuracy = 1e-3;
      }
      if (form == "accuracy_of_all") {
        dynamic->form = DynamicStage::Form::projected;
        dynamic->accuracy = 1e-2;
        dynamic->accuracy_of_reactions = dynamic->accuracy_of_massless = true;
      }
      if (form == "index2") dynamic->form = DynamicStage::Form::index2;
      if (form == "radau") dynamic->method = DynamicStage::Method::radau;
      if (form == "index1") dynamic->form = DynamicStage::Form::index1;
      if (arguments.size() > next + 3) dynamic->newton.tolerance = std::stod(arguments[next + 3]);
    }
    if (auto* statics = std::get_if<StaticStage>(&stage.what))
      if (arguments.size() > next + 3) statics->newton.tolerance = std::stod(arguments[next + 3]);
  }
  const bool loops = session.loops_repeat_constraints();
  Layout layout(PETSC_COMM_WORLD, session.model, {.identify = !loops});
  Assembler assembler(session.model, layout);
  Simulation simulation(assembler);
  States states(layout, writes ? std::stoi(arguments[2]) : -1, arguments.at(next));
  simulation.add(states);
  if (writes) {
    simulation.run(stages);
  } else {
    const std::vector<std::byte> bytes = read(arguments.at(2));
    Archive archive(bytes);
    Snapshot snapshot;
    snapshot.serialize(archive);
    simulation.run(stages, snapshot);
  }
  const RunSummary& s = simulation.summary();
  states.rows.push_back({s.energy_at_start.kinetic, s.energy_at_start.potential, s.energy_at_end.kinetic,
                         s.energy_at_end.strain, s.energy_at_end.potential, s.lost, s.largest_gain, s.gained,
                         s.gained_at, s.nowhere.part, s.nowhere.time, s.largest_energy, s.largest_violation,
                         s.largest_rate_violation, s.start_energy_change,
                         static_cast<double>(s.timings.steps), static_cast<double>(s.timings.cuts),
                         static_cast<double>(s.timings.iterations)});
  Archive archive;
  archive(states.rows);
  write(arguments.at(next + 1) + ending, archive.bytes());
}

}  // namespace

int main(int argc, char** argv) {
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 1;
  PetscPopSignalHandler();
  PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
  try {
    run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "snapshot_run: %s\n", error.what());
    MPI_Abort(PETSC_COMM_WORLD, 1);
  }
  PetscFinalize();
  return 0;
}
