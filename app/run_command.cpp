#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "accuracy_check.hpp"
#include "checkpoint_writer.hpp"
#include "commands.hpp"
#include "exit_status.hpp"
#include "io/files/checkpoint_file.hpp"
#include "io/files/folder_lock.hpp"
#include "io/files/recorder_files.hpp"
#include "io/process/recorder_ranks.hpp"
#include "io/recorder/recorder.hpp"
#include "kernel/assembler.hpp"
#include "kernel/layout.hpp"
#include "output_reader.hpp"
#include "restart.hpp"
#include "run_log.hpp"
#include "run_record.hpp"
#include "session.hpp"
#include "solvers/run/energy_guard.hpp"
#include "solvers/run/no_convergence.hpp"
#include "solvers/run/simulation.hpp"
#include "solvers/run/snapshot.hpp"
#include "stage_reader.hpp"
#include "stop_signals.hpp"
#include "time_limit.hpp"
#include "trammel/quoted.hpp"

namespace trammel {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// results/NAME, NAME being the file without its ending or, for case.yaml, the folder it lies in.
fs::path default_folder(const std::string& case_file) {
  const fs::path path = fs::absolute(case_file).lexically_normal();
  fs::path name = path.stem();
  if (name == "case" && path.has_parent_path()) name = path.parent_path().filename();
  return fs::path("results") / name;
}

/// The folder's own name, for the files in it: of "results/x/" and of "." too.
std::string name_of(const fs::path& folder) {
  fs::path path = fs::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path.has_filename() ? path.filename().string() : "case";
}

void log_model(RunLog& log, const Session& session, const std::vector<std::string>& entities,
               const Layout& layout) {
  log.line(session.file.title().empty() ? session.file.file() : session.file.title());
  for (const std::string& line : entities) log.line("  " + line);
  log.line(fmt::format("  {:<22}{:>9}  (on {} {})", "unknowns", layout.global_size(), layout.ranks(),
                       layout.ranks() == 1 ? "rank" : "ranks"));
  if (layout.ranks() == 1) return;
  const RankPartition part = layout.largest_partition();
  log.line(fmt::format("  {:<23}{:>8}  (of them {} owned by other ranks)", "largest partition of a rank",
                       part.owned_unknowns + part.ghost_unknowns, part.ghost_unknowns));
}

/// Logs how the linear systems of several ranks were solved.
void log_substructuring(RunLog& log, const SubstructuringCounts& c) {
  if (c.analyses == 0) return;
  log.line(fmt::format(
      "  substructuring: interface of {} unknowns{}, promoted {}; analyses {}, factorizations {}, solves {}, "
      "refined {}; "
      "factorizations by MUMPS instead {}",
      c.interface, c.largest_front > 0 ? fmt::format(" in fronts of at most {}", c.largest_front) : "",
      c.promotions, c.analyses, c.factorizations, c.solves, c.refinements, c.fallbacks));
  if (c.fallbacks > 0) log.line("  NOTE: MUMPS solved where substructuring did not: " + c.reason);
}

void log_summary(RunLog& log, const RunSummary& summary, double reading) {
  const Timings& t = summary.timings;
  log.line("summary");
  log.line(fmt::format("  steps {}, of them cut {}; Newton iterations {}; factorizations {}", t.steps, t.cuts,
                       t.iterations, t.factorizations));
  log_substructuring(log, t.substructuring);
  for (const AccuracyReport& a : summary.accuracies)
    log.line(fmt::format(
        "  accuracy: asked {:g}, estimated error {:.2g} of the ranges of positions{}; {} steps, {} rejected",
        a.asked, a.estimated,
        a.of_reactions ? fmt::format(", {:.2g} of those of reactions", a.reactions) : "", a.steps,
        a.rejected));
  for (const AccuracyReport& a : summary.accuracies)
    if (a.pauses > 0)
      log.line(fmt::format(
          "  accuracy of reactions: at t = {:g} s{} shorter steps did not reduce their error: forces jump "
          "there, or vibrate faster than the steps",
          a.first_pause, a.pauses > 1 ? fmt::format(" and at {} later times", a.pauses - 1) : ""));
  for (const AccuracyReport& a : summary.accuracies)
    if (a.limited > 0)
      log.line(
          fmt::format("  accuracy of reactions: not reached in {} steps, which would have to be more than "
                      "{:g} times shorter "
                      "than positions need; the largest error is that of '{}'",
                      a.limited, AccuracyReport::shortest_by, a.worst_reaction));
  for (const AccuracyReport& a : summary.accuracies)
    if (a.vibration > a.asked && !a.of_vibrations)
      log.line(
          fmt::format("  WARNING: steps do not keep the phase of free vibrations of '{}', which may be "
                      "displaced by {:.2g} of the "
                      "range. Steps of `accuracy: {{value: {:g}, vibrations: yes}}` keep it",
                      a.worst_vibration, a.vibration, a.asked));
  const auto energy = [](const Energy& e) { return e.kinetic + e.strain + e.potential; };
  log.line(fmt::format(
      "  energy [J]: start {:.9g}, end {:.9g} (kinetic {:.6g}, strain {:.6g}, potential {:.6g}), dissipated "
      "or delivered {:.6g}",
      energy(summary.energy_at_start), energy(summary.energy_at_end), summary.energy_at_end.kinetic,
      summary.energy_at_end.strain, summary.energy_at_end.potential, summary.lost));
  log.line(fmt::format("  largest error of the energy balance {:.3g} J; energy from nowhere {:.2g} %",
                       summary.largest_gain, 100 * summary.nowhere.part));
  if (const RunSummary::FromNowhere& n = summary.nowhere; n.part > EnergyGuard::noted)
    log.line(fmt::format(
        "  WARNING: {:.3g} J came from nowhere by t = {:.6g} s, where the motion has {:.3g} J at most: steps "
        "are too long for it, or a load does not report its work",
        n.energy, n.time, n.largest));
  for (const std::string& warning : summary.warnings) log.line("  WARNING: " + warning);
  if (summary.start_energy_change != 0)
    log.line(fmt::format("  consistent starts and impulses changed the kinetic energy by {:.3g} J",
                         summary.start_energy_change));
  log.line(
      fmt::format("  largest violation of a constraint {:.3g} (m or rad), of its rate {:.3g} (m/s or rad/s)",
                  summary.largest_violation, summary.largest_rate_violation));
  if (summary.acceleration_rounding > 0)
    log.line(fmt::format(
        "  index 3: rounding leaves accelerations and reactions known to about {:.1g} of their largest",
        summary.acceleration_rounding));
  log.line(fmt::format(
      "  wall time {}: residual {:.3g}, tangent {:.3g}, assembly {:.3g}, factorization {:.3g}, solve {:.3g}, "
      "output {:.3g}, rest {:.3g} s; reading {:.3g} s",
      duration_text(t.total), t.residual, t.tangent, t.assembly, t.factorization, t.solve, t.output, t.rest,
      reading));
}

/// The signal that stopped a run; the result is the same on all ranks, although some may not have received it. 0: the run was
/// stopped by its time limit.
int log_stop(RunLog& log, const RunSummary::StoppedAt& stopped, MPI_Comm comm,
             const CheckpointWriter& checkpoints) {
  int signal = StopSignals::received();
  MPI_Allreduce(MPI_IN_PLACE, &signal, 1, MPI_INT, MPI_MAX, comm);
  log.line(fmt::format("stopped by {} at t = {:.9g} s: {}",
                       signal == 0 ? "the time limit" : signal_name(signal), stopped.time,
                       stopped.given_up ? "the step under way took too long and was given up"
                                        : "the step under way was finished"));
  if (checkpoints.has_stop())
    log.line(fmt::format("  go on from {} with --restart", checkpoints.last()));
  else
    log.line("  WARNING: no checkpoint of it");
  return signal;
}

/// Removes checkpoints with larger numbers: they belong to histories that are truncated or rewritten.
void remove_checkpoints_after(const fs::path& folder, int number) {
  std::error_code ignored;
  for (const fs::path& file : checkpoints_in(folder))
    if (checkpoint_number(file) > number) fs::remove(file, ignored);
}

void log_restart(RunLog& log, const RestartPoint& from) {
  const Checkpoint& c = from.checkpoint;
  log.line(fmt::format("goes on from {} (t = {:.9g} s, written on {} {})", from.file.string(),
                       c.snapshot.time, c.ranks, c.ranks == 1 ? "rank" : "ranks"));
  for (const std::string& note : from.notes) log.line("  " + note);
  if (!from.in_its_folder) log.line("  histories and series begin anew in this folder");
}

void log_results(RunLog& log, const Recorder& recorder, const fs::path& folder) {
  const RecorderCounts counts = recorder.counts();
  log.line(fmt::format("results in {}: {} histories ({} bytes)", folder.string(), counts.histories,
                       counts.csv_bytes));
  if (counts.frames > 0)
    log.line(fmt::format("  {} frames for ParaView, {:.0f} bytes each: open {}", counts.frames,
                         counts.bytes_per_frame(), recorder.view().string()));
}

/// How a run ended.
struct Outcome {
  int status = 0;
  std::vector<double> accuracies{};  ///< with which it should begin again; empty: it should not
};

// Times that a run is begun again because its errors are larger than those that are to be reached.
constexpr int most_repeats = 3;

/// Takes the accuracies of a run before, where an error is to be reached.
void make_finer(std::vector<Stage>& stages, const std::vector<double>& accuracies, RunLog& log) {
  for (std::size_t i = 0; i < std::min(accuracies.size(), stages.size()); ++i) {
    auto* motion = std::get_if<DynamicStage>(&stages[i].what);
    if (motion == nullptr || !(motion->reach > 0) || motion->accuracy == accuracies[i]) continue;
    log.line(fmt::format("stage {}: accuracy {:.2g}, to reach an error of {:g}", i + 1, accuracies[i],
                         motion->reach));
    motion->accuracy = accuracies[i];
  }
}

/// Whether another run with these accuracies is expected to end before the time limit. `started`: this run. The same on all ranks.
bool in_time(const TimeLimit& limit, MPI_Comm comm, Clock::time_point started,
             const std::vector<Stage>& stages, const std::vector<double>& accuracies) {
  const std::vector<double> used = accuracies_of(stages);
  double most = 1;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] > 0) most = std::max(most, std::sqrt(used[i] / accuracies[i]));
  const std::chrono::duration<double> once = Clock::now() - started;
  int enough = limit.leaves(most * once.count()) ? 1 : 0;
  MPI_Bcast(&enough, 1, MPI_INT, 0, comm);
  return enough != 0;
}

/// `accuracies`: empty, or those that a run before asked for. `again`: it may ask for others.
Outcome run_once(const CommandLine& command, MPI_Comm comm, Clock::time_point begin,
                 const std::vector<double>& accuracies, bool again) {
  const Clock::time_point started = Clock::now();
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Session session(command, comm, Session::Extent::partition);
  std::vector<Stage> stages = read_stages(session.file, session.plugins.registry());
  const OutputOptions output = read_output(session.file);
  const std::vector<std::string> entities = counted_entities(session.model);

  const bool kept = session.loops_repeat_constraints();
  Layout layout(comm, session.model, {.identify = !kept});
  require_unknowns(session, layout.global_size());

  const fs::path folder =
      command.folder.empty() ? default_folder(command.case_file) : fs::path(command.folder);
  std::string name = name_of(folder);
  std::optional<FolderLock> lock;
  together(comm, [&] {
    if (rank != 0) return;
    make_folder(folder);
    lock.emplace(folder);
  });
  std::optional<RestartPoint> from;
  if (command.restart) from = find_restart(command, session, layout, stages, folder);
  const bool same_files = from && from->in_its_folder;
  if (same_files) name = from->checkpoint.name;
  std::unique_ptr<RunLog> log;
  Checkpoint about;
  together(comm, [&] {
    if (rank == 0) {
      about = about_run(session, name, layout.ranks());
      remove_checkpoints_after(folder, same_files ? checkpoint_number(from->file) : -1);
    }
    log = std::make_unique<RunLog>(rank, command.quiet, output.log ? (folder / "run.log").string() : "",
                                   same_files);
  });

  Assembler assembler(session.model, layout);
  log_model(*log, session, entities, layout);
  if (kept) log->line("  joints share no blocks: closed loops make constraints redundant");
  make_finer(stages, from ? from->checkpoint.accuracies : accuracies, *log);
  about.accuracies = accuracies_of(stages);
  if (from) {
    log_restart(*log, *from);
    about.restarts = from->checkpoint.restarts;
    about.restarts.push_back(
        {from->file.filename().string(), from->checkpoint.snapshot.time, layout.ranks()});
  }
  std::optional<RunRecord> record;
  together(comm, [&] { record.emplace(rank == 0, folder, command, session.file.file(), about); });
  Recorder recorder(assembler, {folder, name, output.vtk, output.csv,
                                same_files ? from->checkpoint.output : std::vector<std::byte>()});
  std::optional<Simulation> simulation(std::in_place, assembler);
  const StopSignals signals;
  TimeLimit limit(signals, begin, command.time_limit);
  AccuracyCheck check(assembler, stages);
  // Where another case goes on, a second run from the beginning is no other run of the same.
  const bool checks = check.asked() && !(from && from->anew);
  CheckpointWriter checkpoints(
      comm,
      {folder, command.checkpoint_every > 0 ? command.checkpoint_every : output.checkpoint_every,
       command.checkpoint_minutes > 0 ? command.checkpoint_minutes : output.checkpoint_minutes,
       static_cast<int>(stages.size())},
      about, session.model, recorder, checks ? &check.samples() : nullptr, limit, *log);
  simulation->add(*log);
  simulation->add(recorder);
  simulation->add(limit);
  simulation->add(checkpoints);
  if (checks) simulation->add(check.samples());
  if (checks && from && !from->checkpoint.check.empty()) check.samples().restore(from->checkpoint.check);
  const std::chrono::duration<double> reading = Clock::now() - started;
  simulation->obey(limit);
  const auto finish = [&](const std::string& end, int status) {
    together(comm, [&] {
      record->finish(end, status, simulation->summary(), simulation->state().time, checkpoints.last());
    });
  };
  // Where one rank alone may have failed, and for another reason than that the record cannot be written.
  const auto finish_alone = [&](const std::string& end, int status) {
    try {
      record->finish(end, status, simulation->summary(), simulation->state().time, checkpoints.last());
    } catch (...) {
    }
  };
  std::optional<EnergyError> gained;
  try {
    if (from && from->anew)
      simulation->run_anew(stages, Snapshot(std::move(from->checkpoint.snapshot)));
    else if (from)
      simulation->run(stages, Snapshot(std::move(from->checkpoint.snapshot)));
    else
      simulation->run(stages);
  } catch (const EnergyError& error) {
    gained = error;
  } catch (const NoConvergence&) {
    finish_alone("no convergence", exit_status::no_convergence);
    throw;
  } catch (...) {
    finish_alone("error", exit_status::error);
    throw;
  }
  const bool stopped = simulation->summary().stopped.has_value();
  int signal = 0;
  if (stopped) signal = log_stop(*log, *simulation->summary().stopped, comm, checkpoints);
  log_summary(*log, simulation->summary(), reading.count());
  if (const std::string words = checkpoints.in_words(); !words.empty()) log->line(words);
  log_results(*log, recorder, folder);
  if (gained) {
    finish("energy", exit_status::energy);
    throw *gained;
  }
  if (!stopped) {
    finish("done", 0);
    const long steps = simulation->summary().timings.steps;
    simulation.reset();  // its memory serves the second run
    if (check.asked() && !checks) log->line("no check of the accuracy: the run went on with another case");
    if (!checks || check.samples().stages().empty()) return {};
    AccuracyCheck::Found found = check.run(session, kept, steps, again && !from, limit, *log);
    together(comm, [&] { record->add(found.errors); });
    if (!found.accuracies.empty() && !in_time(limit, comm, started, stages, found.accuracies)) {
      log->line("WARNING: the run does not begin again, because the time limit would stop it");
      return {};
    }
    return {0, std::move(found.accuracies)};
  }
  if (signal != 0) {
    finish(signal_name(signal), 128 + signal);
    return {128 + signal};
  }
  if (!checkpoints.has_stop()) {
    finish("time limit", exit_status::error);
    throw Error("the time limit stopped the run, and no checkpoint was written (see run.log)");
  }
  finish("time limit", exit_status::time_limit);
  return {exit_status::time_limit};
}

}  // namespace

int run_case(const CommandLine& command, MPI_Comm comm) {
  const Clock::time_point begin = Clock::now();
  const CheckpointSignal checkpoint_signal;
  std::vector<double> accuracies;
  for (int repeats = 0;; ++repeats) {
    Outcome outcome = run_once(command, comm, begin, accuracies, repeats < most_repeats);
    if (outcome.accuracies.empty()) return outcome.status;
    accuracies = std::move(outcome.accuracies);
  }
}

}  // namespace trammel
