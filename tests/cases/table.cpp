#include "table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trammel::cases {

namespace {

std::string number(double x) { return x == 0 ? "0" : fmt::format("{:.1e}", x); }

std::vector<std::string> line(const Verdict& v) {
  std::string orders;
  for (const auto& [ladder, order] : v.orders)
    orders +=
        (orders.empty() ? "" : ", ") + ladder + " " + (order ? fmt::format("{:.2f}", *order) : "no error");
  std::string drift;
  for (const double d : v.drift) drift += (drift.empty() ? "" : " ") + number(d);
  return {v.case_name,
          v.check,
          v.trust,
          v.tolerance > 0 ? number(v.tolerance) : "-",
          number(v.error),
          v.cap > 0 ? number(v.estimate) : "-",
          v.cap > 0 ? number(v.cap) : "-",
          v.runs,
          orders.empty() ? "-" : orders,
          drift.empty() ? "-" : drift,
          fmt::format("{:.1f}", v.seconds),
          v.passed() ? "pass" : "FAIL"};
}

}  // namespace

std::string table(const std::vector<Verdict>& verdicts) {
  std::vector<std::vector<std::string>> lines{{"case", "check", "trust", "tolerance", "error", "estimate",
                                               "cap", "runs", "orders", "energy drift", "time [s]",
                                               "result"}};
  for (const Verdict& v : verdicts) lines.push_back(line(v));
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& cells : lines)
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  std::string text;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    for (std::size_t i = 0; i < widths.size(); ++i) text += fmt::format("| {:<{}} ", lines[k][i], widths[i]);
    text += "|\n";
    if (k > 0) continue;
    for (const std::size_t width : widths) text += "|" + std::string(width + 2, '-');
    text += "|\n";
  }
  return text;
}

}  // namespace trammel::cases
