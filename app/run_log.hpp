#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "solvers/run/monitor.hpp"

namespace trammel {

/// Tells a person how a run goes: a bar on a terminal, a line each twentieth of a stage elsewhere; the file in the
/// folder of results gets the lines. Works on rank 0 only.
class RunLog final : public Monitor {
 public:
  /// `file`: path of the log, empty for none; `append`: keeps the present contents of the file. Throws Error if it cannot be
  /// written.
  RunLog(int rank, bool quiet, const std::string& file, bool append = false);
  ~RunLog() override;
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// A line of the log.
  void line(std::string_view text);

  void stage_begins(const Stage& stage, const StepReport& report, const State& state) override;
  void goes_on(const Stage& stage, const StepReport& report, const State& state) override;
  void accepted(const StepReport& report, const State& state) override;
  void stage_ends(const Stage& stage, const StepReport& report, const State& state) override;
  void note(std::string_view text) override;
  void failed(const StepReport& report, const State& last_good, std::string_view text) override;

 private:
  using Clock = std::chrono::steady_clock;

  void draw_bar(const StepReport& report);
  void clear_bar();
  std::string remaining(const StepReport& report) const;

  bool active_ = false;   ///< this rank writes
  bool console_ = false;  ///< and to the terminal or pipe
  bool terminal_ = false;
  bool bar_drawn_ = false;
  std::FILE* file_ = nullptr;
  Clock::time_point stage_start_, last_drawn_;
  int twentieth_ = 0;
  long iterations_ = 0;
  std::int64_t steps_before_ = 0;  ///< of the stage, in the run that this one continues
  int stage_count_ = 0;
};

/// "0.2 s", "12:34", "3:02:01".
std::string duration_text(double seconds);

}  // namespace trammel
