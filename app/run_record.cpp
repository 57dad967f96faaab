#include "run_record.hpp"

#include <fmt/format.h>

#include <cmath>

#include "exit_status.hpp"
#include "io/files/recorder_files.hpp"

namespace trammel {

namespace {

std::string text(std::string_view raw) {
  std::string out = "\"";
  for (const char c : raw) {
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::string number(double x) { return std::isfinite(x) ? fmt::format("{}", x) : "null"; }

template <class Items, class Write>
std::string list(const Items& items, const Write& write) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + write(item);
  return "[" + out + "]";
}

}  // namespace

RunRecord::RunRecord(bool writes, const std::filesystem::path& folder, const CommandLine& command,
                     const std::string& case_file, const Checkpoint& about)
    : writes_(writes), path_(folder / "run.json") {
  if (!writes_) return;
  head_ = fmt::format("  \"case\": {},\n  \"case_hash\": \"{:016x}\",\n  \"program\": {},\n  \"plugins\": {{",
                      text(case_file), hash_of(about.case_lines), text(about.program));
  for (std::size_t i = 0; i < about.plugins.size(); ++i)
    head_ += fmt::format("{}{}: {}", i == 0 ? "" : ", ", text(about.plugins[i].first),
                         text(about.plugins[i].second));
  head_ += fmt::format(
      "}},\n  \"parameters\": {},\n  \"petsc_options\": {},\n  \"ranks\": {},\n  \"restarts\": {},\n",
      list(command.parameters, [](const auto& set) { return text(set.first + "=" + set.second); }),
      list(command.petsc, [](const std::string& option) { return text(option); }), about.ranks,
      list(about.restarts, [](const Restart& r) {
        return fmt::format("{{\"file\": {}, \"time\": {}, \"ranks\": {}}}", text(r.file), number(r.time),
                           r.ranks);
      }));
  replace_file(path_, "{\n" + head_ + "  \"end\": \"running\"\n}\n");
}

RunRecord::~RunRecord() {
  if (!writes_ || finished_) return;
  try {
    replace_file(path_, "{\n" + head_ +
                            fmt::format("  \"end\": \"error\",\n  \"status\": {}\n}}\n", exit_status::error));
  } catch (...) {  // the error under way is told
  }
}

void RunRecord::finish(const std::string& end, int status, const RunSummary& summary, double time,
                       const std::string& checkpoint) {
  if (!writes_) return;
  const auto energy = [](const Energy& e) { return number(e.kinetic + e.strain + e.potential); };
  const Timings& t = summary.timings;
  end_ = fmt::format("  \"end\": {},\n  \"status\": {},\n  \"time\": {},\n  \"checkpoint\": {},\n", text(end),
                     status, number(time), checkpoint.empty() ? "null" : text(checkpoint));
  end_ += fmt::format(
      "  \"summary\": {{\"steps\": {}, \"cuts\": {}, \"iterations\": {}, \"factorizations\": {}, "
      "\"energy_at_start\": {}, "
      "\"energy_at_end\": {}, \"lost\": {}, \"largest_energy_error\": {}, \"energy_from_nowhere\": {}, "
      "\"largest_violation\": {}, \"largest_rate_violation\": {}, \"wall_time\": {}}}",
      t.steps, t.cuts, t.iterations, t.factorizations, energy(summary.energy_at_start),
      energy(summary.energy_at_end), number(summary.lost), number(summary.largest_gain),
      number(summary.nowhere.part), number(summary.largest_violation), number(summary.largest_rate_violation),
      number(t.total));
  replace_file(path_, "{\n" + head_ + end_ + "\n}\n");
  finished_ = true;
}

void RunRecord::add(const std::vector<PositionError>& errors) {
  if (!writes_) return;
  const std::string all = list(errors, [](const PositionError& e) {
    return fmt::format("{{\"stage\": {}, \"error\": {}, \"time\": {}, \"position\": {}}}", e.stage + 1,
                       number(e.error), number(e.time), text(e.position));
  });
  replace_file(path_, "{\n" + head_ + end_ + ",\n  \"position_errors\": " + all + "\n}\n");
}

}  // namespace trammel
