#include "describe.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "io/case/case_context.hpp"
#include "output_reader.hpp"
#include "stage_reader.hpp"
#include "text_table.hpp"
#include "trammel/nearest_name.hpp"
#include "type_sample.hpp"

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

std::string table_of(const std::vector<TableRow>& rows, bool markdown) {
  return markdown ? markdown_table(rows) : aligned_table(rows, "  ");
}

std::string page(const std::string& title, const std::string& summary,
                 const std::vector<Parameter>& parameters, bool markdown) {
  const std::string indent = markdown ? "" : "  ";
  std::string text = title + (markdown && !summary.empty() ? "\n\n" : "\n");
  if (!summary.empty()) text += indent + summary + "\n";
  if (parameters.empty()) return text + "\n" + indent + "No parameters.\n";
  std::vector<TableRow> rows{{"parameter", "type", "unit", "default", "range", "meaning"}};
  add_rows(parameters, "", rows);
  return text + "\n" + table_of(rows, markdown);
}

/// Coordinates or outputs: name, components and unit.
std::string channels(const char* heading, const std::vector<Channel>& list, bool markdown) {
  if (list.empty()) return {};
  std::vector<TableRow> rows{{heading, "components", "unit"}};
  for (const Channel& c : list) {
    std::string components;
    for (const std::string& one : c.components) components += (components.empty() ? "" : " ") + one;
    rows.push_back({c.name, components.empty() ? "-" : components, c.unit.empty() ? "-" : c.unit});
  }
  return "\n" + table_of(rows, markdown);
}

/// Page of an element on a coordinate, whose entry stands in the joint's; the joint provides the first parameters.
std::string page_on_coordinate(const Type& type, const std::string& title, bool markdown) {
  std::vector<Parameter> written;
  for (const Parameter& p : type.parameters)
    if (p.name != "of" && p.name != "coordinate") written.push_back(p);
  return page(title, type.summary + fmt::format("; in a joint: `{}: {{COORDINATE: VALUE}}`", type.name),
              written, markdown);
}

std::string page_of(const Type& type, const Registry& registry, bool markdown) {
  const std::string title = fmt::format("{}: {} type of plugin '{}' ({})", type.name,
                                        category_name(type.category), type.plugin, type.library);
  if (type.category == Type::Category::coordinate) return page_on_coordinate(type, title, markdown);
  const TypeOffers offered = offered_by(type, registry);
  return page(title, type.summary, type.parameters, markdown) +
         channels("coordinate", offered.coordinates, markdown) +
         channels("output", offered.outputs, markdown);
}

/// Maps that a case may name at its top level, or that several types have as parameters.
struct Topic {
  const char* name;
  const char* key;  ///< of the parameter that takes such a map
  const char* summary;
};
constexpr std::array<Topic, 3> topics{
    {{"sections", "section", "named maps; put wherever an entry says `section: NAME`"},
     {"materials", "material", "named maps; put wherever an entry says `material: NAME`"},
     {"shapes", "shape", "maps under `shape`"}}};

/// All parameters of this name that describe a map, each with the types and maps that contain it ("beam, section").
void find_maps(const std::vector<Parameter>& parameters, const std::string& in, std::string_view key,
               std::vector<std::pair<std::string, const Parameter*>>& found) {
  for (const Parameter& p : parameters) {
    if (p.name == key && !p.children.empty()) found.emplace_back(in, &p);
    find_maps(p.children, in + ", " + p.name, key, found);
  }
}

std::string page_of(const Topic& topic, const Plugins& plugins, bool markdown) {
  std::string text;
  std::vector<const Parameter*> shown;
  for (const Type* type : plugins.registry().all()) {
    std::vector<std::pair<std::string, const Parameter*>> found;
    find_maps(type->parameters, type->name, topic.key, found);
    for (const auto& [in, p] : found) {
      // A material of a section stands in several places of one type.
      const auto same = [p = p](const Parameter* other) {
        return std::ranges::equal(p->children, other->children, {}, &Parameter::name, &Parameter::name);
      };
      if (std::ranges::any_of(shown, same)) continue;
      shown.push_back(p);
      text += (text.empty() ? "" : "\n") + page(fmt::format("{}: `{}` in {}", topic.name, topic.key, in),
                                                topic.summary, p->children, markdown);
    }
  }
  return text.empty() ? std::string(topic.name) + ": no loaded type takes any\n" : text;
}

std::string page_of_functions(bool markdown) {
  std::string text =
      "functions: what stands for a function\n"
      "  a number, an expression of t, parameters and signals (docs/expressions.md), the name of an entry of "
      "`functions`,\n  or a map {type, ...}\n";
  for (const FunctionType& type : described_functions())
    text += "\n" + page(type.name + ": a function", type.summary, type.parameters, markdown);
  return text;
}

}  // namespace

std::string listed_types(const Plugins& plugins) {
  std::string text;
  if (plugins.registry().all().empty()) {
    text = "No types are loaded.\n";
  } else {
    std::vector<TableRow> rows{{"type", "stands in", "plugin", "meaning"}};
    static const std::array<std::string, 10> places{
        "bodies",  "joints", "loads",     "elements", "joints: coordinate",
        "sensors", "curves", "functions", "stages",   "surfaces"};
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
    add(page_of(*type, plugins.registry(), markdown));
  }
  for (const StageType& type : stage_types()) {
    known.push_back(type.name);
    if (type.name == name) add(page(name + ": a stage", type.summary, type.parameters, markdown));
  }
  known.emplace_back("output");
  if (name == "output") add(page("output: what a run writes", "", output_parameters(), markdown));
  for (const Topic& topic : topics) {
    known.emplace_back(topic.name);
    if (name == topic.name) add(page_of(topic, plugins, markdown));
  }
  known.emplace_back("functions");
  if (name == "functions") add(page_of_functions(markdown));
  if (!text.empty()) return text;
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  throw Error("unknown type " + in_quotes(name) + did_you_mean(name, known) +
              (did_you_mean(name, known).empty() ? "." : "") + " Types: " + list_of_names(known, name));
}

}  // namespace trammel
