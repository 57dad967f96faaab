#include "io/case_expansion.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>

#include "io/case_repeat.hpp"
#include "io/name_chain.hpp"
#include "kernel/plugin_call.hpp"
#include "trammel/nearest_name.hpp"

namespace trammel {

namespace {

std::vector<std::string> keys_of(const Value& map) {
  std::vector<std::string> keys;
  for (const Value::Entry& entry : map.entries) keys.push_back(entry.key);
  return keys;
}

constexpr std::size_t longest_name = 100;
/// Named maps of one entity: they multiply where each names several others.
constexpr int most_put = 10'000;

/// "joint 'hook' (revolute)"
std::string title_of(const std::string& category, const std::string& name, const std::string& type) {
  return category + " " + in_quotes(name) + (type.empty() ? "" : " (" + type + ")");
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
                in_quotes(name) + " cannot be a name: expected a letter, then letters, digits, '_' or '-'");
  if (name.size() > longest_name)  // files are named so
    throw Error(where, in_quotes(name) + " cannot be a name: it is longer than " +
                           std::to_string(longest_name) + " characters");
  if (name == "ground") throw Error(where, "'ground' cannot be a name: it is the world itself");
}

}  // namespace

std::string PlannedThing::full_name() const {
  return attachment == nullptr ? name : name + "." + coordinate->key + "." + attachment->key;
}

CaseExpansion::CaseExpansion(const Value& root, CaseContext& context, const Registry& registry)
    : root_(&root), context_(&context), registry_(&registry) {
  context.set_indices({});
  plan_category(Type::Category::body, "bodies");
  plan_markers();
  plan_category(Type::Category::curve, "curves");
  plan_category(Type::Category::joint, "joints");
  for (std::vector<PlannedThing>* later : {&after_others_, &attachments_}) {
    std::ranges::move(*later, std::back_inserter(things_));
    *later = {};
  }
  plan_category(Type::Category::element, "elements");
  plan_category(Type::Category::load, "loads");
  plan_category(Type::Category::sensor, "sensors");
  order_readers();
  std::unordered_map<std::string_view, int> joints;
  for (std::size_t i = 0; i < things_.size(); ++i) {
    PlannedThing& thing = things_[i];
    if (thing.type == nullptr) continue;
    thing.entity = entities_++;
    if (thing.type->category == Type::Category::joint) joints[thing.name] = static_cast<int>(i);
    if (thing.attachment != nullptr) thing.joint = joints.at(thing.name);
  }
}

Entity CaseExpansion::entity(const PlannedThing& thing) const {
  return {thing.full_name(), std::string(category_name(thing.type->category)), thing.type->name,
          thing.type->plugin, (thing.attachment == nullptr ? thing.entry : thing.coordinate)->where};
}

void CaseExpansion::plan_category(Type::Category category, const char* key) {
  const Value* group = root_->find(key);
  if (group == nullptr) return;
  std::set<std::string> taken;
  const std::string category_text(category_name(category));
  for (const Value::Entry& entry : group->entries) {
    current_ = {title_of(category_text, entry.key, ""), entry.where, ""};
    guarded([&] {
      repeat(entry.value, *context_, repeated_,
             [&] { plan_entity(category, entry, instance_name(entry, category_text.c_str(), taken)); });
    });
  }
}

void CaseExpansion::plan_entity(Type::Category category, const Value::Entry& entry, const std::string& name) {
  current_ = {title_of(std::string(category_name(category)), name, ""), entry.where, ""};
  const Type& type = type_of(category, entry);
  PlannedThing thing;
  thing.type = &type;
  thing.entry = &entry;
  thing.name = name;
  thing.indices = keep_indices();
  current_.title = title_of(std::string(category_name(category)), name, type.name);
  const bool waits = category == Type::Category::joint && type.after_others;
  for (const Value::Entry& parameter : entry.value.entries)
    if (is_attachment(type, parameter)) plan_attachment(thing, parameter);
  (waits ? after_others_ : things_).push_back(std::move(thing));
}

/// What hangs on the coordinates of a joint under one of its keys.
void CaseExpansion::plan_attachment(const PlannedThing& joint, const Value::Entry& attachment) {
  const Type& type = registry_->get(Type::Category::coordinate, attachment.key, attachment.where);
  if (!attachment.value.is_map())
    throw Error(attachment.value.where, "'" + attachment.key +
                                            "' must be a map of coordinates, such as {angle: ...}; found " +
                                            attachment.value.described());
  for (const Value::Entry& coordinate : attachment.value.entries) {
    PlannedThing thing = joint;
    thing.type = &type;
    thing.attachment = &attachment;
    thing.coordinate = &coordinate;
    attachments_.push_back(std::move(thing));
  }
}

void CaseExpansion::plan_markers() {
  const Value* group = root_->find("markers");
  if (group == nullptr) return;
  const std::size_t first = things_.size();
  std::set<std::string> taken;
  for (const Value::Entry& entry : group->entries) {
    current_ = {title_of("marker", entry.key, ""), entry.where, ""};
    guarded([&] {
      repeat(entry.value, *context_, repeated_, [&] {
        PlannedThing thing;
        thing.entry = &entry;
        thing.name = instance_name(entry, "marker", taken);
        thing.indices = keep_indices();
        things_.push_back(std::move(thing));
      });
    });
  }
  order_markers(first);
}

/// Puts markers behind those that they are fixed in, by the text of `on`. The others keep their order.
void CaseExpansion::order_markers(std::size_t first) {
  const std::size_t n = things_.size() - first;
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < n; ++i) numbers.emplace(things_[first + i].name, i);
  for (std::size_t i = 0; i < first; ++i) numbers.erase(things_[i].name);  // a body's own marker comes first
  std::vector<std::size_t> carrier(n, n);  // the marker that each is fixed in, n where that is none of these
  for (std::size_t i = 0; i < n; ++i) {
    const PlannedThing& thing = things_[first + i];
    const Value* on = thing.entry->value.find("on");
    while (on != nullptr && on->is_map()) on = on->find("on");
    if (on == nullptr || !on->is_scalar()) continue;
    begin(thing);
    guarded([&] {
      const auto found = numbers.find(with_indices(on->text, *context_, on->where));
      if (found != numbers.end()) carrier[i] = found->second;
    });
  }
  context_->set_indices({});
  std::vector<PlannedThing> ordered;
  std::vector<char> placed(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::size_t> chain;
    for (std::size_t at = i; at != n && placed[at] != 2; at = carrier[at]) {
      chain.push_back(at);
      if (placed[at] == 1) refuse_cycle(first, chain);
      placed[at] = 1;
    }
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
      placed[*at] = 2;
      ordered.push_back(things_[first + *at]);
    }
  }
  std::ranges::move(ordered, things_.begin() + static_cast<std::ptrdiff_t>(first));
}

/// Whether the case may read a signal of a sensor: by its texts as they are written.
bool CaseExpansion::some_reader() const {
  const Value* group = root_->find("sensors");
  if (group == nullptr) return false;
  std::vector<std::string> names;  // without indices, and with what stands before a signal
  for (const Value::Entry& entry : group->entries)
    names.push_back(entry.key.substr(0, entry.key.find(".(")) + ".");
  const auto names_one = [&](const std::string& text) {
    return std::ranges::any_of(names,
                               [&](const std::string& name) { return text.find(name) != std::string::npos; });
  };
  const std::function<bool(const Value&)> mentions = [&](const Value& value) {
    if (value.is_scalar()) return names_one(value.text);
    return std::ranges::any_of(value.items, mentions) ||
           std::ranges::any_of(value.entries, [&](const Value::Entry& entry) {
             return names_one(entry.key) || mentions(entry.value);
           });
  };
  return std::ranges::any_of(root_->entries,
                             [&](const Value::Entry& entry) { return mentions(entry.value); });
}

/// By thing: the sensors whose signals it reads, and of a sensor all that it names.
std::vector<std::vector<std::size_t>> CaseExpansion::needs_of_readers() {
  std::unordered_map<std::string, std::size_t> sensors, others;
  for (std::size_t i = 0; i < things_.size(); ++i) {
    const bool sensor = things_[i].type != nullptr && things_[i].type->category == Type::Category::sensor;
    (sensor ? sensors : others).try_emplace(things_[i].full_name(), i);
  }
  // Where something else has the name, it is that which is meant.
  std::erase_if(sensors, [&](const auto& s) { return others.contains(s.first); });
  std::vector<std::vector<std::size_t>> needs(things_.size());
  if (sensors.empty()) return needs;
  for (std::size_t i = 0; i < things_.size(); ++i) {
    const bool sensor = things_[i].type != nullptr && things_[i].type->category == Type::Category::sensor;
    std::set<std::size_t> found;
    // The longest name at the head of a word is what it means: a body "planet.2" beside a sensor "planet".
    const auto take = [&](const std::string& word) {
      for (std::size_t end = word.size(); end != std::string::npos && end > 0;
           end = word.rfind('.', end - 1)) {
        const std::string name = word.substr(0, end);
        if (const auto other = others.find(name); other != others.end()) {
          if (sensor) found.insert(other->second);
          return;
        }
        const auto read = sensors.find(name);
        if (end == word.size() || read == sensors.end()) continue;
        found.insert(read->second);
        return;
      }
    };
    visit_texts(things_[i], [&](const std::string& text) {
      std::string word;
      for (const char c : text + " ") {
        const bool in_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             c == '_' || c == '-' || c == '.';
        if (in_word) {
          word += c;
        } else {
          take(word);
          word.clear();
        }
      }
    });
    needs[i].assign(found.begin(), found.end());
  }
  context_->set_indices({});
  return needs;
}

/// Puts sensors that are read before their readers. All else keeps its order.
void CaseExpansion::order_readers() {
  if (!some_reader()) return;
  const std::vector<std::vector<std::size_t>> needs = needs_of_readers();
  std::vector<std::size_t> order;
  std::vector<char> placed(things_.size(), 0);
  for (std::size_t i = 0; i < things_.size(); ++i) {
    // Depth first, with a stack of its own: chains may be long.
    std::vector<std::pair<std::size_t, std::size_t>> open;  // a thing, and the next of its needs
    const auto enter = [&](std::size_t thing) {
      if (placed[thing] == 2) return;
      if (placed[thing] == 1) {
        std::vector<std::string> names;
        auto at = std::ranges::find(open, thing, &std::pair<std::size_t, std::size_t>::first);
        for (; at != open.end(); ++at) names.push_back(things_[at->first].full_name());
        names.push_back(things_[thing].full_name());
        throw Error(things_[thing].entry->where, "a signal that depends on itself: " + name_chain(names));
      }
      placed[thing] = 1;
      open.emplace_back(thing, 0);
    };
    enter(i);
    while (!open.empty()) {
      auto& [thing, next] = open.back();
      if (next < needs[thing].size()) {
        enter(needs[thing][next++]);
        continue;
      }
      placed[thing] = 2;
      order.push_back(thing);
      open.pop_back();
    }
  }
  std::vector<PlannedThing> ordered;
  ordered.reserve(order.size());
  for (const std::size_t i : order) ordered.push_back(std::move(things_[i]));
  things_ = std::move(ordered);
}

/// Of markers whose chain ends in one of its own.
void CaseExpansion::refuse_cycle(std::size_t first, const std::vector<std::size_t>& chain) const {
  std::vector<std::string> names;
  for (auto at = std::ranges::find(chain, chain.back()); at != chain.end(); ++at)
    names.push_back(things_[first + *at].name);
  const PlannedThing& thing = things_[first + chain.back()];
  throw Error(thing.entry->where, "markers that are fixed in each other: " + name_chain(names));
}

const Type& CaseExpansion::type_of(Type::Category category, const Value::Entry& entry) const {
  const Value* name = entry.value.find("type");
  if (name == nullptr)
    throw Error(entry.where, "'type' is missing. Loaded " + std::string(category_name(category)) +
                                 " types: " + list_of_names(registry_->names(category)));
  if (!name->is_scalar()) throw Error(name->where, "'type' must be a name, found " + name->described());
  return registry_->get(category, name->text, name->where);
}

/// Whether a key of an entity hangs something on a joint's coordinates. Throws Error where the type does not know it.
bool CaseExpansion::is_attachment(const Type& type, const Value::Entry& parameter) const {
  if (parameter.key == "type" || parameter.key == "for") return false;
  if (std::ranges::any_of(type.parameters, [&](const Parameter& p) { return p.name == parameter.key; }))
    return false;
  if (type.category != Type::Category::joint ||
      registry_->find(Type::Category::coordinate, parameter.key) == nullptr)
    unknown_key(parameter, type);
  return true;
}

void CaseExpansion::unknown_key(const Value::Entry& entry, const Type& type) const {
  std::vector<std::string> known;
  for (const Parameter& p : type.parameters) known.push_back(p.name);
  if (type.category == Type::Category::joint)
    for (const std::string& attachment : registry_->names(Type::Category::coordinate))
      known.push_back(attachment);
  std::vector<std::string> all = known;
  all.insert(all.end(), {"type", "for"});
  const std::string near = did_you_mean_key(entry.key, all);
  throw Error(entry.where, "unknown key " + in_quotes(entry.key) + (near.empty() ? "." : near) +
                               (known.empty() ? " The type has no parameters"
                                              : " Keys here: " + list_of_names(known, entry.key)));
}

std::string CaseExpansion::instance_name(const Value::Entry& entry, const char* category,
                                         std::set<std::string>& taken) const {
  std::string name = with_indices(entry.key, *context_, entry.where);
  check_name(name, entry.where);
  if (taken.insert(name).second) return name;
  throw Error(entry.where,
              std::string(category) + " '" + name + "' exists already" +
                  (name == entry.key
                       ? ": a repeated entry needs its indices in its name, such as '" + entry.key + ".(i)'"
                       : ""));
}

/// Keeps the values of the indices of the entry that is being repeated.
std::size_t CaseExpansion::keep_indices() {
  const std::size_t begin = indices_.size();
  for (const auto& [name, value] : context_->indices()) indices_.push_back(value);
  return begin;
}

/// Sets the indices and what messages name.
void CaseExpansion::begin(const PlannedThing& thing) {
  ParameterValues indices;
  if (const Value* repeated = thing.entry->value.find("for")) {
    for (const Value::Entry& index : repeated->entries) indices[index.key] = 0;
    std::size_t at = thing.indices;
    for (auto& [name, value] : indices) value = indices_[at++];
  }
  context_->set_indices(std::move(indices));
  if (thing.type == nullptr) {
    current_ = {title_of("marker", thing.name, ""), thing.entry->where, ""};
  } else if (thing.attachment != nullptr) {
    current_ = {title_of("joint", thing.name, "") + ", " + thing.attachment->key + " of " +
                    in_quotes(thing.coordinate->key),
                thing.coordinate->where, thing.type->plugin};
  } else {
    current_ = {title_of(std::string(category_name(thing.type->category)), thing.name, thing.type->name),
                thing.entry->where, thing.type->plugin};
  }
}

void CaseExpansion::build(const PlannedThing& thing, ModelBuilder& builder, bool listed) {
  begin(thing);
  guarded([&] {
    const Value map = thing.attachment != nullptr ? map_of_attachment(thing) : map_of(thing);
    if (thing.type == nullptr) {
      builder.model().markers.insert_or_assign(thing.name, builder.marker(map, *context_).named(thing.name));
      return;
    }
    if (listed)
      builder.begin_listed(thing.entity, *thing.type);
    else
      builder.begin(entity(thing), *thing.type);
    const Parameters in(map, thing.type->parameters, *context_);
    const PluginCall call(builder.entity());
    thing.type->build(in, builder);
  });
}

/// The parameters of an entity or marker, with indices and sections put in.
Value CaseExpansion::map_of(const PlannedThing& thing) const {
  Value map;
  map.kind = Value::Kind::map;
  map.where = thing.entry->where;
  const bool marker = thing.type == nullptr;
  for (const Value::Entry& parameter : thing.entry->value.entries)
    if (parameter.key != "for" &&
        (marker || (parameter.key != "type" && !is_attachment(*thing.type, parameter))))
      map.entries.push_back(parameter);
  put_indices_in(map, *context_);
  if (marker) return map;
  put_ = 0;
  put_named(map, 0);
  return map;
}

Value CaseExpansion::map_of_attachment(const PlannedThing& thing) const {
  const Value::Entry& coordinate = *thing.coordinate;
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
  text("of", thing.name);
  text("coordinate", coordinate.key);
  map.entries.push_back({"value", coordinate.where, coordinate.value});
  put_indices_in(map.entries.back().value, *context_);
  return map;
}

void CaseExpansion::visit_texts(const PlannedThing& thing,
                                const std::function<void(const std::string&)>& visit) {
  begin(thing);
  const Value* functions = root_->find("functions");
  const std::function<void(const Value&)> look = [&](const Value& value) {
    if (value.is_scalar()) {
      visit(value.text);
      if (const Value* function = functions == nullptr ? nullptr : functions->find(value.text))
        look(*function);
    }
    for (const Value& item : value.items) look(item);
    for (const Value::Entry& entry : value.entries) {
      visit(entry.key);
      look(entry.value);
    }
  };
  guarded([&] { look(thing.attachment != nullptr ? map_of_attachment(thing) : map_of(thing)); });
}

const Value& CaseExpansion::named(const char* group, const Value& name) const {
  const Value* values = root_->find(group);
  if (values != nullptr)
    if (const Value* found = values->find(name.text)) return *found;
  const std::string one(group, std::char_traits<char>::length(group) - 1);
  const std::vector<std::string> known = values == nullptr ? std::vector<std::string>{} : keys_of(*values);
  const std::string near = did_you_mean(name.text, known);
  throw Error(name.where, one + " " + in_quotes(name.text) + " not found" + (near.empty() ? "." : near) +
                              (known.empty() ? " The case has no '" + std::string(group) + "'"
                                             : " Names in '" + std::string(group) +
                                                   "': " + list_of_names(known, name.text)));
}

/// Puts the maps of sections and materials where their names stand; `depth` counts the names followed.
void CaseExpansion::put_named(Value& value, int depth) const {
  for (Value& item : value.items) put_named(item, depth);
  for (Value::Entry& entry : value.entries) {
    const char* group = entry.key == "section" ? "sections" : entry.key == "material" ? "materials" : nullptr;
    const bool by_name = group != nullptr && entry.value.is_scalar();
    if (by_name && depth > 8)
      throw Error(entry.value.where, in_quotes(entry.value.text) + " in '" + group + "' is made of itself");
    if (by_name && ++put_ > most_put)
      throw Error(entry.value.where, "the names of sections and materials here stand for more than " +
                                         std::to_string(most_put) + " maps");
    if (by_name) entry.value = Value(named(group, entry.value));
    put_named(entry.value, by_name ? depth + 1 : depth);
  }
}

/// Gives the errors that leave `work` the name of the entity in work, and its place where they have none.
void CaseExpansion::guarded(const std::function<void()>& work) {
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

std::string CaseExpansion::source() const {
  return current_.plugin.empty() ? "the program" : "plugin '" + current_.plugin + "'";
}

}  // namespace trammel
