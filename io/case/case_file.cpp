#include "io/case/case_file.hpp"
#include "kernel/model_builder.hpp"

#include <algorithm>
#include <filesystem>

#include "io/case/case_expansion.hpp"
#include "io/case/case_partition.hpp"
#include "io/case/case_yaml.hpp"
#include "trammel/nearest_name.hpp"

namespace trammel {

namespace {

const std::vector<std::string>& top_keys() {
  static const std::vector<std::string> keys{"trammel",   "title",   "parameters", "functions", "sections",
                                             "materials", "plugins", "bodies",     "markers",   "curves",
                                             "surfaces",  "joints",  "elements",   "loads",     "sensors",
                                             "stages",    "output"};
  return keys;
}

}  // namespace

CaseFile::CaseFile(const std::string& file, const ParameterOverrides& overrides)
    : CaseFile(read_yaml_file(file), file, overrides) {}

CaseFile::CaseFile(Value root, const std::string& file, const ParameterOverrides& overrides)
    : file_(file), root_(std::move(root)) {
  start(overrides);
}

void CaseFile::start(const ParameterOverrides& overrides) {
  if (!root_.is_map())
    throw Error(root_.where, "a case is a map that begins with 'trammel: 1'; found " + root_.described());
  for (const Value::Entry& entry : root_.entries) {
    bool known = false;
    for (const std::string& key : top_keys()) known = known || key == entry.key;
    if (known) continue;
    const std::string near = did_you_mean(entry.key, top_keys());
    throw Error(entry.where, "unknown key " + in_quotes(entry.key) + (near.empty() ? "." : near) +
                                 " Keys of a case: " + list_of_names(top_keys()));
  }
  const Value* version = root_.find("trammel");
  if (version == nullptr)
    throw Error(root_.where, "the key 'trammel: 1' is missing, the version of the format");
  if (version->text != "1")
    throw Error(version->where,
                "version " + version->described() + " of the format is not known; this is version 1");
  if (const Value* title = root_.find("title")) {
    if (!title->is_scalar()) throw Error(title->where, "'title' must be a text, found " + title->described());
    title_ = title->text;
  }
  for (const char* group : {"sections", "materials", "bodies", "markers", "curves", "surfaces", "joints",
                            "elements", "loads", "sensors"}) {
    const Value* value = root_.find(group);
    if (value == nullptr || value->is_null()) continue;
    if (!value->is_map())
      throw Error(value->where,
                  "'" + std::string(group) + "' must be a map of names, found " + value->described());
    for (const Value::Entry& entry : value->entries)
      if (!entry.value.is_map())
        throw Error(
            entry.value.is_null() ? entry.where : entry.value.where,
            in_quotes(entry.key) + " in '" + group + "' must be a map, found " + entry.value.described());
  }
  context_.set_parameters(root_.find("parameters"), overrides);
  context_.set_functions(root_.find("functions"));
}

std::vector<CaseFile::Plugin> CaseFile::plugins() const {
  const Value* list = root_.find("plugins");
  if (list == nullptr || list->is_null()) return {};
  if (!list->is_sequence())
    throw Error(list->where, "'plugins' must be a list of paths, found " + list->described());
  std::vector<Plugin> plugins;
  for (const Value& item : list->items) {
    if (!item.is_scalar())
      throw Error(item.where, "a plugin is named by its path, found " + item.described());
    const std::filesystem::path path = std::filesystem::path(file_).parent_path() / item.text;
    plugins.push_back({path.lexically_normal().string(), item.where});
  }
  return plugins;
}

void CaseFile::build(const Registry& registry, Model& model, MPI_Comm comm, int least_for_partition) {
  context_.use_types(registry);
  CaseExpansion expansion(root_, context_, registry);
  const bool large = expansion.entities() >= least_for_partition;
  expansion.arrange(large ? comm : MPI_COMM_SELF);
  if (large && expand_partition(expansion, comm, model)) return;
  ModelBuilder builder(model);
  for (std::size_t i = 0; i < expansion.things().size(); ++i) {
    if (i == expansion.first_things()) builder.fix_box(MPI_COMM_SELF);
    expansion.build(expansion.things()[i], builder, false);
  }
  builder.finish();
}

}  // namespace trammel
