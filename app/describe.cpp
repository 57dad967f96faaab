#include "describe.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "output_reader.hpp"
#include "stage_reader.hpp"
#include "trammel/nearest_name.hpp"

namespace trammel {

namespace {

using Row = std::vector<std::string>;

/// Columns as wide as they need; the last one runs on.
std::string table(const std::vector<Row>& rows, const std::string& indent) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i + 1 == row.size() ? row[i] : fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string range_of(const Parameter& p) {
  if (!p.choices.empty()) {
    std::string text;
    for (const std::string& choice : p.choices) text += (text.empty() ? "" : " | ") + choice;
    return text;
  }
  if (p.least && p.most)
    return fmt::format("{}{}, {}{}", p.least_excluded ? "(" : "[", *p.least, *p.most,
                       p.most_excluded ? ")" : "]");
  if (p.least) return fmt::format("{} {}", p.least_excluded ? ">" : ">=", *p.least);
  if (p.most) return fmt::format("{} {}", p.most_excluded ? "<" : "<=", *p.most);
  return "";
}

void add_rows(const std::vector<Parameter>& parameters, const std::string& indent, std::vector<Row>& rows) {
  for (const Parameter& p : parameters) {
    const std::string standard = p.required ? "required" : p.default_text.empty() ? "-" : p.default_text;
    rows.push_back({indent + p.name, kind_name(p.kind), p.unit.empty() ? "-" : p.unit, standard,
                    range_of(p).empty() ? "-" : range_of(p), p.doc});
    add_rows(p.children, indent + "  ", rows);
  }
}

std::string page(const std::string& title, const std::string& summary,
                 const std::vector<Parameter>& parameters) {
  std::string text = title + "\n";
  if (!summary.empty()) text += "  " + summary + "\n";
  if (parameters.empty()) return text + "\n  No parameters.\n";
  std::vector<Row> rows{{"parameter", "type", "unit", "default", "range", "meaning"}};
  add_rows(parameters, "", rows);
  return text + "\n" + table(rows, "  ");
}

}  // namespace

std::string listed_types(const Plugins& plugins) {
  std::string text;
  if (plugins.registry().all().empty()) {
    text = "No types are loaded.\n";
  } else {
    std::vector<Row> rows{{"type", "stands in", "plugin", "meaning"}};
    static const std::array<std::string, 7> places{
        "bodies", "joints", "loads", "elements", "joints: coordinate", "sensors", "curves"};
    for (const Type* type : plugins.registry().all())
      rows.push_back(
          {type->name, places.at(static_cast<std::size_t>(type->category)), type->plugin, type->summary});
    std::stable_sort(rows.begin() + 1, rows.end(), [](const Row& a, const Row& b) { return a[1] < b[1]; });
    text = table(rows, "");
  }
  std::vector<Row> from{{"plugin", "version", "from"}};
  for (const LoadedPlugin& plugin : plugins.loaded())
    from.push_back({plugin.name, plugin.version, plugin.path});
  if (from.size() > 1) text += "\n" + table(from, "");
  text += "\nPlugins are looked for in:\n";
  for (const std::string& folder : Loader::default_folders()) text += "  " + folder + "\n";
  return text;
}

std::string described_type(const std::string& name, const Plugins& plugins) {
  std::string text;
  std::vector<std::string> known;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "\n") + part; };
  for (const Type* type : plugins.registry().all()) {
    known.push_back(type->name);
    if (type->name != name) continue;
    add(page(fmt::format("{}: {} type of plugin '{}' ({})", name, category_name(type->category), type->plugin,
                         type->library),
             type->summary, type->parameters));
  }
  for (const StageType& type : stage_types()) {
    known.push_back(type.name);
    if (type.name == name) add(page(name + ": a stage", type.summary, type.parameters));
  }
  known.emplace_back("output");
  if (name == "output") add(page("output: what a run writes", "", output_parameters()));
  if (!text.empty()) return text;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::string list;
  for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
  throw Error("unknown type '" + name + "'" + did_you_mean(name, known) +
              (did_you_mean(name, known).empty() ? "." : "") + " Types: " + list);
}

}  // namespace trammel
