#include "session.hpp"

#include <map>

#include <fmt/format.h>

namespace trammel {

Plugins::Plugins(const CommandLine& command) : loader_(registry_) {
  loader_.load_defaults();
  for (const std::string& path : command.plugins) loader_.load(path);
}

void Plugins::load(const CaseFile& file) {
  for (const CaseFile::Plugin& plugin : file.plugins()) {
    try {
      loader_.load(plugin.path);
    } catch (const Error& error) {
      throw Error(plugin.where, error.what());
    }
  }
}

Session::Session(const CommandLine& command, bool notes)
    : file(command.case_file, command.parameters), plugins(command) {
  model.keep_notes = notes;
  plugins.load(file);
  file.build(plugins.registry(), model);
}

std::vector<std::string> counted_entities(const Model& model) {
  std::map<std::string, std::map<std::string, int>> counts;
  for (const Entity& entity : model.entities) ++counts[entity.category][entity.type];
  static const std::vector<std::pair<std::string, std::string>> plurals{
      {"body", "bodies"},      {"joint", "joints"}, {"coordinate", "on joint coordinates"},
      {"element", "elements"}, {"load", "loads"},   {"sensor", "sensors"}};
  std::vector<std::string> lines;
  for (const auto& [category, plural] : plurals) {
    const auto found = counts.find(category);
    if (found == counts.end()) continue;
    int total = 0;
    std::string types;
    for (const auto& [type, count] : found->second) {
      total += count;
      types += fmt::format("{}{} {}", types.empty() ? "" : ", ", count, type);
    }
    lines.push_back(fmt::format("{:<22}{:>9}  ({})", plural, total, types));
  }
  return lines;
}

}  // namespace trammel
