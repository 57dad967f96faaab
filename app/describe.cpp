#include "describe.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "output_reader.hpp"
#include "stage_reader.hpp"
#include "text_table.hpp"
#include "trammel/nearest_name.hpp"

namespace trammel {

namespace {

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

void add_rows(const std::vector<Parameter>& parameters, const std::string& indent,
              std::vector<TableRow>& rows) {
  for (const Parameter& p : parameters) {
    const std::string standard = p.required ? "required" : p.default_text.empty() ? "-" : p.default_text;
    rows.push_back({indent + p.name, kind_name(p.kind), p.unit.empty() ? "-" : p.unit, standard,
                    range_of(p).empty() ? "-" : range_of(p),
                    p.example.empty() ? p.doc : p.doc + ", such as " + p.example});
    add_rows(p.children, indent + "  ", rows);
  }
}

std::string page(const std::string& title, const std::string& summary,
                 const std::vector<Parameter>& parameters, bool markdown) {
  const std::string indent = markdown ? "" : "  ";
  std::string text = title + (markdown && !summary.empty() ? "\n\n" : "\n");
  if (!summary.empty()) text += indent + summary + "\n";
  if (parameters.empty()) return text + "\n" + indent + "No parameters.\n";
  std::vector<TableRow> rows{{"parameter", "type", "unit", "default", "range", "meaning"}};
  add_rows(parameters, "", rows);
  return text + "\n" + (markdown ? markdown_table(rows) : aligned_table(rows, indent));
}

}  // namespace

std::string listed_types(const Plugins& plugins) {
  std::string text;
  if (plugins.registry().all().empty()) {
    text = "No types are loaded.\n";
  } else {
    std::vector<TableRow> rows{{"type", "stands in", "plugin", "meaning"}};
    static const std::array<std::string, 7> places{
        "bodies", "joints", "loads", "elements", "joints: coordinate", "sensors", "curves"};
    for (const Type* type : plugins.registry().all())
      rows.push_back(
          {type->name, places.at(static_cast<std::size_t>(type->category)), type->plugin, type->summary});
    std::stable_sort(rows.begin() + 1, rows.end(),
                     [](const TableRow& a, const TableRow& b) { return a[1] < b[1]; });
    text = aligned_table(rows);
  }
  std::vector<TableRow> from{{"plugin", "version", "from"}};
  for (const LoadedPlugin& plugin : plugins.loaded())
    from.push_back({plugin.name, plugin.version, plugin.path});
  if (from.size() > 1) text += "\n" + aligned_table(from);
  if (!plugins.rejected().empty()) text += "\nFiles that cannot be loaded, and are passed over:\n";
  for (const RejectedPlugin& file : plugins.rejected()) text += "  " + file.reason + "\n";
  text += "\nPlugins are looked for in:\n";
  for (const std::string& folder : Loader::default_folders()) text += "  " + folder + "\n";
  return text;
}

std::string described_type(const std::string& name, const Plugins& plugins, bool markdown) {
  std::string text;
  std::vector<std::string> known;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "\n") + part; };
  for (const Type* type : plugins.registry().all()) {
    known.push_back(type->name);
    if (type->name != name) continue;
    add(page(fmt::format("{}: {} type of plugin '{}' ({})", name, category_name(type->category), type->plugin,
                         type->library),
             type->summary, type->parameters, markdown));
  }
  for (const StageType& type : stage_types()) {
    known.push_back(type.name);
    if (type.name == name) add(page(name + ": a stage", type.summary, type.parameters, markdown));
  }
  known.emplace_back("output");
  if (name == "output") add(page("output: what a run writes", "", output_parameters(), markdown));
  if (!text.empty()) return text;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  throw Error("unknown type " + in_quotes(name) + did_you_mean(name, known) +
              (did_you_mean(name, known).empty() ? "." : "") + " Types: " + list_of_names(known, name));
}

}  // namespace trammel
