#include "checkpoint_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/process/recorder_ranks.hpp"
#include "restart.hpp"
#include "solvers/ranks/rank_totals.hpp"
#include "stop_signals.hpp"

namespace trammel {

CheckpointWriter::CheckpointWriter(MPI_Comm comm, Options options, const Checkpoint& about,
                                   const Model& model, const Recorder& recorder, PositionSamples* samples,
                                   const StopRequest& stop, RunLog& log)
    : comm_(comm),
      options_(std::move(options)),
      about_(about),
      model_(model),
      recorder_(recorder),
      samples_(samples),
      stop_(stop),
      log_(log) {
  MPI_Comm_rank(comm_, &rank_);
  const auto found = checkpoints_in(options_.folder);
  if (!found.empty()) number_ = checkpoint_number(found.back());
  MPI_Bcast(&number_, 1, MPI_INT, 0, comm_);
}

void CheckpointWriter::add_requests(RankTotals& totals) {
  const std::chrono::duration<double, std::ratio<60>> minutes = Clock::now() - last_time_;
  Why mine = Why::none;
  if (options_.minutes > 0 && rank_ == 0 && minutes.count() >= options_.minutes) mine = Why::minutes;
  if (CheckpointSignal::asked() > asked_) mine = Why::signal;
  request_ = static_cast<double>(mine);
  totals.add_maxima({&request_, 1});
}

CheckpointWriter::Why CheckpointWriter::why(const StepReport& report) const {
  const bool periodic = options_.every > 0 || options_.minutes > 0;
  const bool ends = report.last && report.stage + 1 == options_.stages;
  Why mine = Why::none;
  if (ends && (periodic || written_ > 0)) mine = Why::end;
  if (options_.every > 0 && report.at_nominal && report.nominal % options_.every == 0)
    mine = std::max(mine, Why::steps);
  mine = std::max(mine, static_cast<Why>(static_cast<int>(request_)));
  if (!report.last || ends) return mine;
  // A run that is asked to stop in the last step of a stage stops before the next one.
  int stops = stop_.asked() != Stop::no ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &stops, 1, MPI_INT, MPI_MAX, comm_);
  return stops != 0 ? Why::stop : mine;
}

bool CheckpointWriter::wants_snapshot(const StepReport& report) {
  why_ = why(report);
  step_ = report;
  return why_ != Why::none;
}

bool CheckpointWriter::wants_snapshot_at_stop(const StepReport& report) {
  why_ = Why::stop;
  step_ = report;
  taken_at_stop_ = taken_stage_ == report.stage && taken_step_ == report.number;
  return !taken_at_stop_;
}

void CheckpointWriter::take(const Snapshot& snapshot) {
  const Clock::time_point begin = Clock::now();
  asked_ = CheckpointSignal::asked();
  last_time_ = begin;
  std::vector<std::byte> output = recorder_.place(),
                         check = samples_ != nullptr ? samples_->place() : std::vector<std::byte>();
  const std::filesystem::path path = checkpoint_path(options_.folder, number_ + 1);
  try {
    together(comm_, [&] {
      if (rank_ != 0) return;
      Checkpoint checkpoint = about_;
      checkpoint.entities = entities_of(model_);
      checkpoint.snapshot = snapshot.contents();
      checkpoint.output = std::move(output);
      checkpoint.check = std::move(check);
      bytes_ = write_checkpoint(path, checkpoint);
      remove_old();
    });
  } catch (const Error& error) {
    log_.line(fmt::format("  WARNING: no checkpoint at t = {:.9g} s: {}", step_.time, error.what()));
    return;
  }
  ++number_;
  ++written_;
  last_ = path.string();
  taken_stage_ = step_.stage;
  taken_step_ = step_.number;
  taken_at_stop_ = why_ == Why::stop;
  cost_ = std::chrono::duration<double>(Clock::now() - begin).count();
  all_cost_ += cost_;
  if (why_ == Why::minutes || why_ == Why::signal)
    log_.line(fmt::format(
        "  checkpoint {} at t = {:.9g} s, {}: the steps after it are those of a run without it within "
        "Newton's tolerance",
        path.filename().string(), step_.time, why_ == Why::signal ? "on SIGUSR1" : "by the clock"));
}

void CheckpointWriter::remove_old() const {
  constexpr std::size_t kept = 2;
  const auto found = checkpoints_in(options_.folder);
  std::error_code ignored;
  for (std::size_t i = 0; i + kept < found.size(); ++i) std::filesystem::remove(found[i], ignored);
}

std::string CheckpointWriter::in_words() const {
  if (written_ == 0) return {};
  return fmt::format("  checkpoints {}, {:.3g} s and {} bytes each; the last one is {}", written_,
                     all_cost_ / written_, bytes_, last_);
}

}  // namespace trammel
