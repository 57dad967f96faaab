#include "run_log.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "standard_streams.hpp"
#include "trammel/error.hpp"

namespace trammel {

namespace {

double done_part(const StepReport& report) {
  const double length = report.until - report.begin;
  return length > 0 ? std::clamp((report.time - report.begin) / length, 0.0, 1.0) : 1;
}

std::string steps_text(std::int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "step" : "steps");
}

const char* form_text(const DynamicStage& stage) {
  using Form = DynamicStage::Form;
  if (stage.form == Form::index3) return "index 3";
  if (stage.form == Form::projected) return "index 3 with projected velocities";
  if (stage.form == Form::index2) return "stabilized index 2";
  return stage.projection ? "index 1 with projection" : "index 1 without projection";
}

std::string method_text(const DynamicStage& stage) {
  if (stage.method == DynamicStage::Method::radau) return "Radau IIA, stabilized index 2";
  return fmt::format("spectral radius {:g}, {}", stage.radius, form_text(stage));
}

/// Whether the output of this process goes to a terminal. A launcher of MPI gives its first rank a terminal in any case; then the
/// output of the launcher counts.
bool on_terminal() {
  if (isatty(STDOUT_FILENO) == 0) return false;
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr && std::getenv("PMI_SIZE") == nullptr) return true;
  std::error_code unknown;
  const std::string target =
      std::filesystem::read_symlink(fmt::format("/proc/{}/fd/1", getppid()), unknown).string();
  return target.starts_with("/dev/pts/") || target.starts_with("/dev/tty");
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

RunLog::RunLog(int rank, bool quiet, const std::string& file, bool append)
    : active_(rank == 0), console_(rank == 0 && !quiet), terminal_(console_ && on_terminal()) {
  if (!active_ || file.empty()) return;
  file_ = std::fopen(file.c_str(), append ? "a" : "w");
  if (file_ == nullptr) throw Error("cannot write '" + file + "': " + std::strerror(errno));
}

RunLog::~RunLog() {
  clear_bar();
  if (file_ != nullptr) std::fclose(file_);
}

void RunLog::line(std::string_view text) {
  if (!active_) return;
  clear_bar();
  if (console_) {
    say(fmt::format("{}\n", text));
  }
  if (file_ != nullptr) {
    // The disk may be full: the recorders report that, and a log is not worth an end of the run.
    std::fwrite(text.data(), 1, text.size(), file_);
    std::fputc('\n', file_);
    std::fflush(file_);
  }
}

void RunLog::goes_on(const Stage& stage, const StepReport& report, const State& state) {
  stage_count_ = report.stage;
  stage_begins(stage, report, state);
  steps_before_ = report.number;
  twentieth_ = static_cast<int>(20 * done_part(report) + 1e-9);
  line(fmt::format("  goes on at t = {:.9g} s, after {}", report.time, steps_text(report.number)));
}

void RunLog::stage_begins(const Stage& stage, const StepReport& report, const State&) {
  stage_start_ = last_drawn_ = Clock::now();
  twentieth_ = 0;
  iterations_ = 0;
  steps_before_ = 0;
  ++stage_count_;
  if (!active_) return;
  const std::string name = stage.name.empty() ? "" : " '" + stage.name + "'";
  if (std::holds_alternative<AssembleStage>(stage.what)) {
    line(fmt::format("stage {}{}: assemble", stage_count_, name));
  } else if (const auto* dynamic = std::get_if<DynamicStage>(&stage.what)) {
    const std::string steps = dynamic->accuracy > 0 ? fmt::format("accuracy {:g}", dynamic->accuracy)
                                                    : fmt::format("step {:.6g} s", dynamic->step);
    line(fmt::format("stage {}{}: dynamic, t = {:.6g} to {:.6g} s, {}, {}", stage_count_, name, report.begin,
                     report.until, steps, method_text(*dynamic)));
  } else {
    line(fmt::format("stage {}{}: static, t = {:.6g} to {:.6g} s", stage_count_, name, report.begin,
                     report.until));
  }
}

std::string RunLog::remaining(const StepReport& report) const {
  const double part = done_part(report);
  if (!(part > 0)) return "-";
  const std::chrono::duration<double> spent = Clock::now() - stage_start_;
  return duration_text(spent.count() * (1 - part) / part);
}

void RunLog::accepted(const StepReport& report, const State&) {
  iterations_ += report.iterations;
  if (!active_) return;
  if (terminal_) {
    const auto now = Clock::now();
    if (now - last_drawn_ > std::chrono::milliseconds(100) || report.last) {
      last_drawn_ = now;
      draw_bar(report);
    }
    return;
  }
  const int now = static_cast<int>(20 * done_part(report) + 1e-9);
  if (now <= twentieth_) return;
  twentieth_ = now;
  line(fmt::format("  t = {:<10.6g} {:>3} %  step {:<8} Newton {:<3} remaining {}", report.time, 5 * now,
                   report.number, report.iterations, remaining(report)));
}

void RunLog::draw_bar(const StepReport& report) {
  constexpr int width = 30;
  const double part = done_part(report);
  const int full = static_cast<int>(width * part + 1e-9);
  say(fmt::format("\r\033[K[{}{}] {:3.0f} %  t = {:.6g} s  step {}  Newton {}  remaining {}",
                  std::string(static_cast<std::size_t>(full), '#'),
                  std::string(static_cast<std::size_t>(width - full), '.'), 100 * part, report.time,
                  report.number, report.iterations, remaining(report)));
  bar_drawn_ = true;
}

void RunLog::clear_bar() {
  if (!bar_drawn_) return;
  say("\r\033[K");
  bar_drawn_ = false;
}

void RunLog::stage_ends(const Stage&, const StepReport& report, const State&) {
  if (!active_) return;
  const std::chrono::duration<double> spent = Clock::now() - stage_start_;
  const std::int64_t steps = report.number - steps_before_;
  line(fmt::format("  done: {}, {:.2f} Newton iterations a step, {}", steps_text(steps),
                   steps > 0 ? static_cast<double>(iterations_) / static_cast<double>(steps) : 0.0,
                   duration_text(spent.count())));
}

void RunLog::note(std::string_view text) { line("  " + std::string(text)); }

void RunLog::failed(const StepReport& report, const State&, std::string_view text) {
  if (!active_) return;
  clear_bar();
  // The message itself goes to stderr, at the end of the run.
  if (file_ == nullptr) return;
  fmt::print(file_, "failed at t = {:.6g} s: {}\n", report.time, text);
  std::fflush(file_);
}

}  // namespace trammel
