#include "io/case_file.hpp"

#include <algorithm>
#include <filesystem>

#include "io/case_repeat.hpp"
#include "io/case_yaml.hpp"
#include "trammel/nearest_name.hpp"

namespace trammel {

namespace {

const std::vector<std::string>& top_keys() {
  static const std::vector<std::string> keys{
      "trammel", "title",  "parameters", "functions", "sections", "materials", "plugins", "bodies",
      "markers", "curves", "joints",     "elements",  "loads",    "sensors",   "stages",  "output"};
  return keys;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> keys_of(const Value& map) {
  std::vector<std::string> keys;
  for (const Value::Entry& entry : map.entries) keys.push_back(entry.key);
  return keys;
}

/// "joint 'hook' (revolute)"
std::string title_of(const std::string& category, const std::string& name, const std::string& type) {
  return category + " '" + name + "'" + (type.empty() ? "" : " (" + type + ")");
}

void check_name(const std::string& name, const Location& where) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  bool good = !name.empty() && letter(name.front());
  bool after_dot = false;  // behind a dot stand the numbers of indices only
  for (const char c : name) {
    after_dot = after_dot || c == '.';
    good = good && (digit(c) || c == '.' || (!after_dot && (letter(c) || c == '-')));
  }
  if (!good)
    throw Error(where,
                "'" + name + "' cannot be a name: expected a letter, then letters, digits, '_' or '-'");
  if (name == "ground") throw Error(where, "'ground' cannot be a name: it is the world itself");
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
    throw Error(entry.where, "unknown key '" + entry.key + "'" + (near.empty() ? "." : near) +
                                 " Keys of a case: " + joined(top_keys()));
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
  for (const char* group :
       {"sections", "materials", "bodies", "markers", "curves", "joints", "elements", "loads", "sensors"}) {
    const Value* value = root_.find(group);
    if (value == nullptr || value->is_null()) continue;
    if (!value->is_map())
      throw Error(value->where,
                  "'" + std::string(group) + "' must be a map of names, found " + value->described());
    for (const Value::Entry& entry : value->entries)
      if (!entry.value.is_map())
        throw Error(entry.value.is_null() ? entry.where : entry.value.where,
                    "'" + entry.key + "' in '" + group + "' must be a map, found " + entry.value.described());
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

void CaseFile::build(const Registry& registry, Model& model) {
  Builder builder(model);
  registry_ = &registry;
  builder_ = &builder;
  context_.set_indices({});
  build_category(Type::Category::body, "bodies");
  build_markers();
  build_category(Type::Category::curve, "curves");
  build_category(Type::Category::joint, "joints");
  build_waiting();
  build_category(Type::Category::element, "elements");
  build_category(Type::Category::load, "loads");
  build_category(Type::Category::sensor, "sensors");
  builder_ = nullptr;
  builder.finish();
}

std::string CaseFile::instance_name(const Value::Entry& entry, const char* category,
                                    std::set<std::string>& taken) const {
  std::string name = with_indices(entry.key, context_, entry.where);
  check_name(name, entry.where);
  if (taken.insert(name).second) return name;
  throw Error(entry.where,
              std::string(category) + " '" + name + "' exists already" +
                  (name == entry.key
                       ? ": a repeated entry needs its indices in its name, such as '" + entry.key + ".(i)'"
                       : ""));
}

/// Gives the errors that leave `work` the name of the entity in work, and its place where they have none.
void CaseFile::guarded(const std::function<void()>& work) {
  const auto placed = [this](const Location& where) { return where.file.empty() ? current_.where : where; };
  try {
    work();
  } catch (const Error& error) {
    throw Error(placed(error.where()), current_.title + ": " + error.what());
  } catch (const std::bad_alloc&) {
    throw Error(current_.where, current_.title + ": out of memory");
  } catch (const std::exception& error) {
    throw Error(current_.where, current_.title + ": " + source() + " threw an exception: " + error.what());
  } catch (...) {
    throw Error(current_.where, current_.title + ": " + source() + " threw something that is no exception");
  }
}

std::string CaseFile::source() const {
  return current_.plugin.empty() ? "the program" : "plugin '" + current_.plugin + "'";
}

void CaseFile::build_category(Type::Category category, const char* key) {
  const Value* group = root_.find(key);
  if (group == nullptr) return;
  std::set<std::string> taken;
  const std::string category_text(category_name(category));
  for (const Value::Entry& entry : group->entries) {
    current_ = {title_of(category_text, entry.key, ""), entry.where, ""};
    guarded([&] {
      repeat(entry.value, context_, [&] {
        const std::string name = instance_name(entry, category_text.c_str(), taken);
        build_entity(category, name, entry);
      });
    });
  }
}

void CaseFile::build_entity(Type::Category category, const std::string& name, const Value::Entry& entry) {
  const std::string category_text(category_name(category));
  current_ = {title_of(category_text, name, ""), entry.where, ""};
  const Value* type_name = entry.value.find("type");
  if (type_name == nullptr)
    throw Error(entry.where, "'type' is missing. Loaded " + category_text +
                                 " types: " + joined(registry_->names(category)));
  if (!type_name->is_scalar())
    throw Error(type_name->where, "'type' must be a name, found " + type_name->described());
  const Type& type = registry_->get(category, type_name->text, type_name->where);
  current_.title = title_of(category_text, name, type.name);
  current_.plugin = type.plugin;

  Value map;
  map.kind = Value::Kind::map;
  map.where = entry.where;
  std::vector<Value::Entry> attachments;
  for (const Value::Entry& parameter : entry.value.entries) {
    if (parameter.key == "type" || parameter.key == "for") continue;
    const bool declared = std::any_of(type.parameters.begin(), type.parameters.end(),
                                      [&](const Parameter& p) { return p.name == parameter.key; });
    if (declared) {
      map.entries.push_back(parameter);
    } else if (category == Type::Category::joint &&
               registry_->find(Type::Category::coordinate, parameter.key) != nullptr) {
      attachments.push_back(parameter);
    } else {
      unknown_key(parameter, type);
    }
  }
  put_indices_in(map, context_);
  put_named(map, 0);
  for (const Value::Entry& attachment : attachments)
    if (registry_->get(Type::Category::coordinate, attachment.key, attachment.where).reads_reaction)
      keep_multipliers(type, attachment, map);
  const Entity entity{name, {}, {}, {}, entry.where};
  if (category == Type::Category::joint && type.after_others)
    waiting_joints_.push_back({current_, &type, entity, std::move(map)});
  else
    build_one(type, entity, map);
  if (!attachments.empty()) build_attachments(name, attachments);
}

/// Gives a joint whose reaction is read by `attachment` the parameter `share: no`, where its type knows it.
void CaseFile::keep_multipliers(const Type& type, const Value::Entry& attachment, Value& map) const {
  if (const Value* share = map.find("share")) {
    if (share->text != "no" && share->text != "false" && share->text != "off")
      throw Error(share->where, "'share' must be 'no' here: '" + attachment.key +
                                    "' reads the reaction of the joint, which has none of its own where it "
                                    "shares unknowns");
    return;
  }
  const bool knows = std::any_of(type.parameters.begin(), type.parameters.end(),
                                 [](const Parameter& p) { return p.name == "share"; });
  if (!knows) return;
  Value no;
  no.kind = Value::Kind::scalar;
  no.text = "no";
  no.where = attachment.where;
  map.entries.push_back({"share", attachment.where, std::move(no)});
}

void CaseFile::build_waiting() {
  for (std::vector<Waiting>* list : {&waiting_joints_, &waiting_attachments_}) {
    for (const Waiting& waiting : *list) {
      current_ = waiting.current;
      guarded([&] { build_one(*waiting.type, waiting.entity, waiting.map); });
    }
    list->clear();
  }
}

void CaseFile::unknown_key(const Value::Entry& entry, const Type& type) const {
  std::vector<std::string> known;
  for (const Parameter& p : type.parameters) known.push_back(p.name);
  if (type.category == Type::Category::joint)
    for (const std::string& attachment : registry_->names(Type::Category::coordinate))
      known.push_back(attachment);
  std::vector<std::string> all = known;
  all.insert(all.end(), {"type", "for"});
  const std::string near = did_you_mean(entry.key, all);
  throw Error(entry.where,
              "unknown key '" + entry.key + "'" + (near.empty() ? "." : near) +
                  (known.empty() ? " The type has no parameters" : " Keys here: " + joined(known)));
}

void CaseFile::build_one(const Type& type, Entity entity, const Value& map) {
  builder_->begin(std::move(entity), type);
  const Parameters in(map, type.parameters, context_);
  type.build(in, *builder_);
}

void CaseFile::build_attachments(const std::string& joint, const std::vector<Value::Entry>& entries) {
  for (const Value::Entry& entry : entries) {
    const Type& type = registry_->get(Type::Category::coordinate, entry.key, entry.where);
    if (!entry.value.is_map())
      throw Error(entry.value.where, "'" + entry.key +
                                         "' must be a map of coordinates, such as {angle: ...}; found " +
                                         entry.value.described());
    for (const Value::Entry& coordinate : entry.value.entries) {
      const std::string name = joint + "." + coordinate.key + "." + entry.key;
      current_ = {title_of("joint", joint, "") + ", " + entry.key + " of '" + coordinate.key + "'",
                  coordinate.where, type.plugin};
      Value map;
      map.kind = Value::Kind::map;
      map.where = coordinate.where;
      const auto text = [&](const char* key, const std::string& content) {
        Value value;
        value.kind = Value::Kind::scalar;
        value.text = content;
        value.where = coordinate.where;
        map.entries.push_back({key, coordinate.where, std::move(value)});
      };
      text("of", joint);
      text("coordinate", coordinate.key);
      map.entries.push_back({"value", coordinate.where, coordinate.value});
      put_indices_in(map.entries.back().value, context_);
      waiting_attachments_.push_back({current_, &type, {name, {}, {}, {}, coordinate.where}, std::move(map)});
    }
  }
}

void CaseFile::build_markers() {
  const Value* group = root_.find("markers");
  if (group == nullptr) return;
  std::set<std::string> taken;
  for (const Value::Entry& entry : group->entries) {
    current_ = {title_of("marker", entry.key, ""), entry.where, ""};
    guarded([&] {
      repeat(entry.value, context_, [&] {
        const std::string name = instance_name(entry, "marker", taken);
        current_.title = title_of("marker", name, "");
        Value map = entry.value;
        std::erase_if(map.entries, [](const Value::Entry& e) { return e.key == "for"; });
        put_indices_in(map, context_);
        builder_->model().markers.insert_or_assign(name, builder_->marker(map, context_).named(name));
      });
    });
  }
}

const Value& CaseFile::named(const char* group, const Value& name) const {
  const Value* values = root_.find(group);
  if (values != nullptr)
    if (const Value* found = values->find(name.text)) return *found;
  const std::string one(group, std::char_traits<char>::length(group) - 1);
  const std::vector<std::string> known = values == nullptr ? std::vector<std::string>{} : keys_of(*values);
  const std::string near = did_you_mean(name.text, known);
  throw Error(name.where, one + " '" + name.text + "' not found" + (near.empty() ? "." : near) +
                              (known.empty() ? " The case has no '" + std::string(group) + "'"
                                             : " Names in '" + std::string(group) + "': " + joined(known)));
}

/// Puts the maps of sections and materials where their names stand; `depth` counts the names followed.
void CaseFile::put_named(Value& value, int depth) const {
  for (Value& item : value.items) put_named(item, depth);
  for (Value::Entry& entry : value.entries) {
    const char* group = entry.key == "section" ? "sections" : entry.key == "material" ? "materials" : nullptr;
    const bool by_name = group != nullptr && entry.value.is_scalar();
    if (by_name && depth > 8)
      throw Error(entry.value.where, "'" + entry.value.text + "' in '" + group + "' is made of itself");
    if (by_name) entry.value = Value(named(group, entry.value));
    put_named(entry.value, by_name ? depth + 1 : depth);
  }
}

}  // namespace trammel
