#include "io/case/case_expansion.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>

#include "io/case/case_repeat.hpp"
#include "io/expressions/name_chain.hpp"
#include "kernel/plugin_call.hpp"
#include "trammel/nearest_name.hpp"
#include "trammel/surface.hpp"

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

/// The group of the case in which the value of a key is looked up by its name, or null.
const char* group_of(const Value::Entry& entry) {
  if (!entry.value.is_scalar()) return nullptr;
  return entry.key == "section" ? "sections" : entry.key == "material" ? "materials" : nullptr;
}

/// Lists the scalars into which indices must be put; false where a key has indices, or the name of a section.
bool list_scalars_with_indices(Value& value, std::vector<std::pair<Value*, std::string>>& list) {
  const auto with_indices = [](const std::string& text) { return text.find('(') != std::string::npos; };
  if (value.is_scalar() && with_indices(value.text)) list.emplace_back(&value, value.text);
  for (Value& item : value.items)
    if (!list_scalars_with_indices(item, list)) return false;
  for (Value::Entry& entry : value.entries)
    if (with_indices(entry.key) || (group_of(entry) != nullptr && with_indices(entry.value.text)) ||
        !list_scalars_with_indices(entry.value, list))
      return false;
  return true;
}

}  // namespace

bool PlannedThing::stands_first() const {
  return type == nullptr || type->category == Type::Category::body ||
         type->category == Type::Category::curve || type->category == surface_category;
}

std::string PlannedThing::full_name() const {
  return coordinate_element == nullptr ? name : name + "." + coordinate->key + "." + coordinate_element->key;
}

CaseExpansion::CaseExpansion(const Value& root, CaseContext& context, const Registry& registry)
    : root_(&root), context_(&context), registry_(&registry), names_(root, context) {
  context.set_indices({});
  plan_category(Type::Category::body, "bodies");
  plan_markers();
  plan_category(Type::Category::curve, "curves");
  plan_category(surface_category, "surfaces");
  plan_category(Type::Category::joint, "joints");
  std::ranges::move(coordinate_elements_, std::back_inserter(things_));
  coordinate_elements_ = {};
  plan_category(Type::Category::element, "elements");
  plan_category(Type::Category::load, "loads");
  plan_category(Type::Category::sensor, "sensors");
  for (const PlannedThing& thing : things_) entities_ += thing.type != nullptr ? 1 : 0;
}

void CaseExpansion::arrange(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  needs_ = CaseNeeds(
      things_, [&](const PlannedThing& thing) { return needs_of(thing, ranks > 1); }, comm);
  context_->set_indices({});
  put_in_order();
  std::unordered_map<std::string_view, int> joints;
  int entity = 0;
  for (std::size_t i = 0; i < things_.size(); ++i) {
    PlannedThing& thing = things_[i];
    if (thing.stands_first()) first_ = i + 1;
    if (thing.type == nullptr) continue;
    thing.entity = entity++;
    if (thing.type->category == Type::Category::joint) joints[thing.name] = static_cast<int>(i);
    if (thing.coordinate_element != nullptr) thing.joint = joints.at(thing.name);
  }
}

/// The parameters that may name something. Markers have no part in the order but for what stands among them.
const std::vector<const Value::Entry*>& CaseExpansion::naming(const PlannedThing& thing, bool with_markers) {
  const auto [found, fresh] = naming_.try_emplace(thing.entry);
  if (fresh)
    for (const Value::Entry& entry : thing.entry->value.entries)
      if (names_.may_name(entry, thing.type->parameters, with_markers || thing.stands_first()))
        found->second.push_back(&entry);
  return found->second;
}

/// The names that an entry refers to, and its size.
Needs CaseExpansion::needs_of(const PlannedThing& thing, bool with_markers) {
  Needs needs;
  const bool whole = thing.type != nullptr && thing.coordinate_element == nullptr;
  if (whole && !thing.type->needs && !with_markers && naming(thing, with_markers).empty()) return needs;
  begin(thing);
  guarded([&] {
    if (thing.type == nullptr) return names_.add_marker(map_of(thing), needs.names);
    const Type& type = *thing.type;
    if (thing.coordinate_element != nullptr)
      names_.add(map_of_coordinate_element(thing), type.parameters, needs.names);
    else if (const auto& wanted = naming(thing, with_markers); !wanted.empty())
      names_.add(map_of(thing, &wanted), type.parameters, needs.names);
    needs.unknowns = type.category == Type::Category::body         ? 6
                     : type.category == Type::Category::joint      ? 6 - std::max(type.degrees_of_freedom, 0)
                     : type.category == Type::Category::coordinate ? 1
                                                                   : 0;
    if (!type.needs) return;
    const Value map = thing.coordinate_element != nullptr ? map_of_coordinate_element(thing) : map_of(thing);
    const Parameters in(map, type.parameters, *context_);
    const Entity its = entity(thing);
    const PluginCall call(its);
    type.needs(in, needs);
  });
  return needs;
}

/// Puts what is named before what names it; where nothing asks for that things keep their order.
void CaseExpansion::put_in_order() {
  enum : char { unseen, open_now, done };
  std::vector<char> seen(things_.size(), unseen);
  std::vector<int> order;
  std::vector<std::pair<int, std::size_t>>
      open;  // an entry, and the index of the next entry that it names; no recursion, since chains may be long
  const auto enter = [&](int thing) {
    char& state = seen[static_cast<std::size_t>(thing)];
    if (state == open_now) refuse_cycle(open, thing);
    if (state != unseen) return;
    state = open_now;
    open.emplace_back(thing, 0);
  };
  for (int i = 0; i < static_cast<int>(things_.size()); ++i) {
    enter(i);
    while (!open.empty()) {
      auto& [thing, next] = open.back();
      const std::span<const int> named = needs_.of(thing);
      if (next < named.size()) {
        enter(named[next++]);
        continue;
      }
      seen[static_cast<std::size_t>(thing)] = done;
      order.push_back(thing);
      open.pop_back();
    }
  }
  if (std::ranges::is_sorted(order)) return;
  needs_ = needs_.in_order(order);
  std::vector<PlannedThing> ordered;
  ordered.reserve(order.size());
  for (const int i : order) ordered.push_back(std::move(things_[static_cast<std::size_t>(i)]));
  things_ = std::move(ordered);
}

/// Throws Error if markers are fixed in each other, or if a sensor's signal depends on itself. Other circles are allowed, because
/// a word in a text need not be the name of an entry.
void CaseExpansion::refuse_cycle(const std::vector<std::pair<int, std::size_t>>& open, int thing) const {
  const auto at = [this](int i) -> const PlannedThing& { return things_[static_cast<std::size_t>(i)]; };
  std::vector<int> cycle;
  for (auto i = std::ranges::find(open, thing, &std::pair<int, std::size_t>::first); i != open.end(); ++i)
    cycle.push_back(i->first);
  const bool markers = std::ranges::all_of(cycle, [&](int i) { return at(i).type == nullptr; });
  const bool signals = std::ranges::any_of(
      cycle, [&](int i) { return at(i).type != nullptr && at(i).type->category == Type::Category::sensor; });
  if (!markers && !signals) return;
  cycle.push_back(thing);
  std::vector<std::string> names;
  for (const int i : cycle) names.push_back(at(i).full_name());
  throw Error(at(thing).entry->where,
              (markers ? "markers that are fixed in each other: " : "a signal that depends on itself: ") +
                  name_chain(names));
}

Entity CaseExpansion::entity(const PlannedThing& thing) const {
  return {thing.full_name(), std::string(category_name(thing.type->category)), thing.type->name,
          thing.type->plugin, (thing.coordinate_element == nullptr ? thing.entry : thing.coordinate)->where};
}

void CaseExpansion::plan_category(Type::Category category, const char* key) {
  const Value* group = root_->find(key);
  if (group == nullptr) return;
  TakenNames taken;
  for (const Value::Entry& entry : group->entries) {
    current_ = {category_name(category), entry.key, &entry.where};
    guarded([&] {
      repeat(entry.value, *context_, repeated_,
             [&] { plan_entity(category, entry, instance_name(entry, category_name(category), taken)); });
    });
  }
}

void CaseExpansion::plan_entity(Type::Category category, const Value::Entry& entry, std::string name) {
  current_ = {category_name(category), name, &entry.where};
  const Type& type = type_of(category, entry);
  PlannedThing thing;
  thing.type = &type;
  thing.entry = &entry;
  thing.name = std::move(name);
  thing.indices = keep_indices();
  current_.type = type.name;
  for (const Value::Entry& parameter : entry.value.entries)
    if (is_coordinate_element(type, parameter)) plan_coordinate_element(thing, parameter);
  things_.push_back(std::move(thing));
}

/// Plans the elements on a joint's coordinates that stand under one of its keys.
void CaseExpansion::plan_coordinate_element(const PlannedThing& joint,
                                            const Value::Entry& coordinate_element) {
  const Type& type =
      registry_->get(Type::Category::coordinate, coordinate_element.key, coordinate_element.where);
  if (!coordinate_element.value.is_map())
    throw Error(coordinate_element.value.where,
                "'" + coordinate_element.key +
                    "' must be a map of coordinates, such as {angle: ...}; found " +
                    coordinate_element.value.described());
  for (const Value::Entry& coordinate : coordinate_element.value.entries) {
    PlannedThing thing = joint;
    thing.type = &type;
    thing.coordinate_element = &coordinate_element;
    thing.coordinate = &coordinate;
    coordinate_elements_.push_back(std::move(thing));
  }
}

void CaseExpansion::plan_markers() {
  const Value* group = root_->find("markers");
  if (group == nullptr) return;
  TakenNames taken;
  for (const Value::Entry& entry : group->entries) {
    current_ = {"marker", entry.key, &entry.where};
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
bool CaseExpansion::is_coordinate_element(const Type& type, const Value::Entry& parameter) const {
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
    for (const std::string& coordinate_element : registry_->names(Type::Category::coordinate))
      known.push_back(coordinate_element);
  std::vector<std::string> all = known;
  all.insert(all.end(), {"type", "for"});
  const std::string near = did_you_mean_key(entry.key, all);
  throw Error(entry.where, "unknown key " + in_quotes(entry.key) + (near.empty() ? "." : near) +
                               (known.empty() ? " The type has no parameters"
                                              : " Keys here: " + list_of_names(known, entry.key)));
}

std::string CaseExpansion::instance_name(const Value::Entry& entry, std::string_view category,
                                         TakenNames& taken) const {
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
  const Value* repeated = thing.entry->value.find("for");
  const std::size_t count = repeated == nullptr ? 0 : repeated->entries.size();
  const auto is_set = [this](const Value::Entry& index) { return context_->indices().contains(index.key); };
  if (context_->indices().size() != count ||
      (repeated != nullptr && !std::ranges::all_of(repeated->entries, is_set))) {
    ParameterValues indices;
    for (std::size_t i = 0; i < count; ++i) indices[repeated->entries[i].key] = 0;
    context_->set_indices(std::move(indices));
  }
  context_->change_indices(indices_.data() + thing.indices);
  if (thing.type == nullptr)
    current_ = {"marker", thing.name, &thing.entry->where};
  else if (thing.coordinate_element != nullptr)
    current_ = {"joint",
                thing.name,
                &thing.coordinate->where,
                "",
                thing.type->plugin,
                thing.coordinate_element,
                thing.coordinate};
  else
    current_ = {category_name(thing.type->category), thing.name, &thing.entry->where, thing.type->name,
                thing.type->plugin};
}

void CaseExpansion::build(const PlannedThing& thing, ModelBuilder& builder, bool listed) {
  begin(thing);
  guarded([&] {
    Value own;
    const Value* common = common_map_of(thing);
    if (common == nullptr)
      own = thing.coordinate_element != nullptr ? map_of_coordinate_element(thing) : map_of(thing);
    const Value& map = common != nullptr ? *common : own;
    if (thing.type == nullptr) {
      builder.model().markers.insert_or_assign(thing.name, builder.marker(map, *context_));
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

/// The parameters of an entity or marker as they stand in the case, all or those wanted.
Value CaseExpansion::parameters_of(const PlannedThing& thing,
                                   const std::vector<const Value::Entry*>* wanted) const {
  Value map;
  map.kind = Value::Kind::map;
  map.where = thing.entry->where;
  const bool marker = thing.type == nullptr;
  for (const Value::Entry& parameter : thing.entry->value.entries)
    if ((wanted == nullptr || std::ranges::find(*wanted, &parameter) != wanted->end()) &&
        parameter.key != "for" &&
        (marker || (parameter.key != "type" && !is_coordinate_element(*thing.type, parameter))))
      map.entries.push_back(parameter);
  return map;
}

/// The same with indices and sections put in.
Value CaseExpansion::map_of(const PlannedThing& thing, const std::vector<const Value::Entry*>* wanted) const {
  Value map = parameters_of(thing, wanted);
  put_indices_in(map, *context_);
  if (thing.type == nullptr) return map;
  put_ = 0;
  put_named(map, 0);
  return map;
}

/// As `map_of`, valid until the next call; null where instances differ by more than scalars.
const Value* CaseExpansion::common_map_of(const PlannedThing& thing) {
  if (thing.coordinate_element != nullptr || thing.entry->value.find("for") == nullptr) return nullptr;
  const auto [found, fresh] = common_maps_.try_emplace(thing.entry);
  CommonMap& common = found->second;
  if (fresh) {
    common.map = parameters_of(thing);
    common.serves = list_scalars_with_indices(common.map, common.with_indices);
    if (common.serves && thing.type != nullptr) {
      put_ = 0;
      common.serves = false;  // where a name is not found, each instance is told so
      put_named(common.map, 0);
      common.serves = true;
    }
  }
  if (!common.serves) return nullptr;
  for (const auto& [scalar, text] : common.with_indices)
    scalar->text = with_indices(text, *context_, scalar->where);
  return &common.map;
}

Value CaseExpansion::map_of_coordinate_element(const PlannedThing& thing) const {
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
    const char* group = group_of(entry);
    const bool by_name = group != nullptr;
    if (by_name && depth > 8)
      throw Error(entry.value.where, in_quotes(entry.value.text) + " in '" + group + "' is made of itself");
    if (by_name && ++put_ > most_put)
      throw Error(entry.value.where, "the names of sections and materials here stand for more than " +
                                         std::to_string(most_put) + " maps");
    if (by_name) entry.value = Value(named(group, entry.value));
    put_named(entry.value, by_name ? depth + 1 : depth);
  }
}

/// "joint 'hook' (revolute)", "joint 'hook', spring of 'angle'"
std::string CaseExpansion::Current::title() const {
  std::string text = std::string(category) + " " + in_quotes(name);
  if (!type.empty()) text += " (" + std::string(type) + ")";
  if (coordinate_element != nullptr)
    text += ", " + coordinate_element->key + " of " + in_quotes(coordinate->key);
  return text;
}

/// Gives the errors that leave `work` the name of the entity in work, and its place where they have none.
void CaseExpansion::guarded(const std::function<void()>& work) {
  const auto placed = [this](const Location& where) { return where.file.empty() ? *current_.where : where; };
  try {
    work();
  } catch (const Error& error) {
    throw Error(placed(error.where()), current_.title() + ": " + error.what());
  } catch (const std::bad_alloc&) {
    throw Error(*current_.where, current_.title() + ": out of memory");
  } catch (const std::exception& error) {
    throw Error(*current_.where, current_.title() + ": " + source() + " threw an exception: " + error.what());
  } catch (...) {
    throw Error(*current_.where,
                current_.title() + ": " + source() + " threw something that is no exception");
  }
}

std::string CaseExpansion::source() const {
  return current_.plugin.empty() ? "the program" : "plugin '" + std::string(current_.plugin) + "'";
}

}  // namespace trammel
