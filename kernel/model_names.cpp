// Offers of a model's parts to others, found by name.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>

#include "kernel/model_builder.hpp"
#include "trammel/former_names.hpp"
#include "trammel/nearest_name.hpp"

namespace trammel {

namespace {

/// Splits "crank.at(0.3)" into "crank.at" and 0.3.
std::optional<std::pair<std::string_view, double>> as_call(std::string_view text) {
  if (text.empty() || text.back() != ')') return std::nullopt;
  const auto open = text.find('(');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view inner = text.substr(open + 1, text.size() - open - 2);
  double number = 0;
  const auto [end, fault] = std::from_chars(inner.data(), inner.data() + inner.size(), number);
  if (fault != std::errc() || end != inner.data() + inner.size()) return std::nullopt;
  return std::pair{text.substr(0, open), number};
}

template <class Names>
std::vector<std::string> keys(const Names& names) {
  std::vector<std::string> out;
  out.reserve(names.size());
  for (const auto& entry : names) out.push_back(entry.first);
  return out;
}

/// Throws the error that there is no such marker, with those of the same body or else of all.
[[noreturn]] void no_marker(const Value& value, std::vector<std::string> known,
                            const std::vector<std::string>& families) {
  const std::string near = did_you_mean(value.text, known);
  for (const std::string& family : families) known.push_back(family + "(s)");
  std::string title = "Markers here";
  // "rod.4.tip" is compared with those of "rod.4", and where there are none with those of "rod".
  for (auto dot = value.text.rfind('.'); dot != std::string::npos && dot > 0;
       dot = value.text.rfind('.', dot - 1)) {
    const std::string owner = value.text.substr(0, dot);
    std::vector<std::string> of_owner;
    std::ranges::copy_if(known, std::back_inserter(of_owner), [&](const std::string& name) {
      return name.starts_with(owner) && (name.size() == dot || name[dot] == '.');
    });
    if (of_owner.empty()) continue;
    title = "Markers of " + in_quotes(owner);
    known = std::move(of_owner);
    break;
  }
  throw Error(value.where, "marker " + in_quotes(value.text) + " not found" + (near.empty() ? "." : near) +
                               " " + title + ": " + list_of_names(known, value.text));
}

}  // namespace

void ModelBuilder::offer_marker(std::string_view name, Marker marker) {
  if (!box_is_fixed_) box_.enclose(initial(marker).p_WM);
  const std::string full = full_name(name);
  if (!model_->markers.emplace(full, std::move(marker)).second)
    throw Error(entity().where, "there are two markers named '" + full + "'");
}

void ModelBuilder::offer_marker_family(std::string_view name, std::function<Marker(double)> make) {
  if (!families_.emplace(full_name(name), std::move(make)).second)
    throw Error(entity().where, "there are two families of markers named '" + full_name(name) + "'");
}

void ModelBuilder::offer_signal(std::string_view name, std::shared_ptr<const Signal> signal) {
  const std::string full = full_name(name);
  if (!model_->signals.emplace(full, std::move(signal)).second)
    throw Error(entity().where, "there are two signals named '" + full + "'");
}

void ModelBuilder::offer_coordinate(std::string_view name, std::string unit, BlockId block, int component) {
  const Block& b = model_->block(block);
  offer_signal(name, component_signal(block, b.kind, b.size, component, unit));
  model_->coordinates[entity_].push_back({std::string(name), std::move(unit), block, component});
}

void ModelBuilder::offer_mass(Marker centre, double mass) {
  model_->masses.push_back({std::move(centre), mass, entity_});
}

void ModelBuilder::note(std::string title, const std::function<std::string()>& text) {
  if (model_->keep_notes) model_->notes.push_back({entity_, std::move(title), text()});
}

void ModelBuilder::report(SensorReference reference) {
  model_->sensor_references.push_back(std::move(reference));
}

void ModelBuilder::offer_thing(std::string_view name, OfferedThing thing) {
  if (!things_.emplace(full_name(name), std::move(thing)).second)
    throw Error(entity().where, "there are two objects named '" + full_name(name) + "'");
}

const OfferedThing* ModelBuilder::find_thing(std::string_view full) const {
  const auto at = things_.find(full);
  return at == things_.end() ? nullptr : &at->second;
}

Marker ModelBuilder::named_marker(const Value& value) const {
  if (const auto at = model_->markers.find(value.text); at != model_->markers.end())
    return at->second.named(at->first);
  if (const auto call = as_call(value.text))
    if (const auto family = families_.find(call->first); family != families_.end()) {
      try {
        return family->second(call->second).named(value.text);
      } catch (const Error& e) {
        throw Error(value.where, e.what());
      }
    }
  std::vector<std::string> known = keys(model_->markers);
  known.emplace_back("ground");
  no_marker(value, std::move(known), keys(families_));
}

std::shared_ptr<const Signal> ModelBuilder::signal(std::string_view name, const Location& where) const {
  if (name == "t") return time_signal();
  if (const auto now = present_name(name); !now.empty() && !has_signal(name) && has_signal(now)) {
    model_->notes.push_back({entity_, former_name_note, told_of_former_name(name, now)});
    return signal(now, where);
  }
  note_reader(name);
  if (const auto at = model_->signals.find(name); at != model_->signals.end()) return at->second;
  if (auto made = reported(name, where)) return model_->signals.emplace(name, std::move(made)).first->second;
  throw Error(where, "signal " + in_quotes(name) + " not found" + did_you_mean(name, keys(model_->signals)));
}

JointCoordinate ModelBuilder::coordinate(int of_entity, std::string_view name, const Location& where) const {
  const std::string& joint = model_->entities[static_cast<std::size_t>(of_entity)].name;
  if (const auto found = model_->activities.find(of_entity);
      found != model_->activities.end() && !found->second.by_instance)
    throw Error(
        where, "joint '" + joint + "' may become inactive, by `active`: nothing can hang on its coordinates");
  const auto at = model_->coordinates.find(of_entity);
  if (at == model_->coordinates.end()) throw Error(where, "joint '" + joint + "' has no coordinate");
  std::string there;
  for (const JointCoordinate& c : at->second) {
    if (c.name == name) return c;
    there += (there.empty() ? "" : ", ") + c.name;
  }
  throw Error(where, "joint '" + joint + "' has no coordinate " + in_quotes(name) + "; it has: " + there);
}

std::span<const JointCoordinate> ModelBuilder::coordinates_of(int entity) const {
  const auto at = model_->coordinates.find(entity);
  return at == model_->coordinates.end() ? std::span<const JointCoordinate>() : std::span(at->second);
}

int ModelBuilder::joint_named(std::string_view name) const {
  const auto at = joints_.find(name);
  return at == joints_.end() ? -1 : at->second;
}

JointCoordinate ModelBuilder::coordinate(std::string_view full, const Location& where) const {
  if (const auto dot = full.rfind('.'); dot != std::string_view::npos)
    if (const int joint = joint_named(full.substr(0, dot)); joint >= 0)
      return coordinate(joint, full.substr(dot + 1), where);
  std::vector<std::string> known;
  for (const auto& [entity, list] : model_->coordinates)
    for (const JointCoordinate& c : list)
      known.push_back(model_->entities[static_cast<std::size_t>(entity)].name + "." + c.name);
  std::string text = "coordinate " + in_quotes(full) + " not found" + did_you_mean(full, known);
  text += known.empty() ? "; no joint of the case has one" : ". Coordinates: " + list_of_names(known, full);
  throw Error(where, text);
}

std::vector<int> ModelBuilder::add_relation(const std::vector<CoordinateTerm>& terms) {
  ReducedRelation row{{}, {entity_}};
  double largest = 0;
  for (const CoordinateTerm& t : terms) {
    row.terms[{t.block, t.component}] += t.factor;
    largest = std::max(largest, std::abs(t.factor));
  }
  const auto clean = [&] {
    std::erase_if(row.terms, [&](const auto& t) { return std::abs(t.second) <= 1e-12 * largest; });
  };
  clean();
  // A row holds no pivot of the rows before it, so that each substitution leads on to later ones.
  for (auto t = row.terms.begin(); t != row.terms.end();) {
    const auto known = relations_.find(t->first);
    if (known == relations_.end()) {
      ++t;
      continue;
    }
    const double factor = t->second;
    for (const auto& [coordinate, part] : known->second.terms) row.terms[coordinate] -= factor * part;
    row.terms.erase(known->first);
    row.entities.insert(row.entities.end(), known->second.entities.begin(), known->second.entities.end());
    clean();
    t = row.terms.begin();
  }
  if (row.terms.empty()) {
    std::vector<int> others(row.entities.begin() + 1, row.entities.end());
    std::ranges::sort(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
    return others;
  }
  const auto pivot =
      std::ranges::max_element(row.terms, {}, [](const auto& t) { return std::abs(t.second); });
  const auto key = pivot->first;
  const double scale = pivot->second;
  for (auto& t : row.terms) t.second /= scale;
  relations_[key] = std::move(row);
  model_->relations.push_back({entity_, terms});
  return {};
}

std::pair<std::shared_ptr<const JointView>, std::vector<BlockId>> ModelBuilder::joint(int of_entity) const {
  for (const Model::Range& range : model_->ranges) {
    // Instances stand in the order of their entities.
    int first = 0, last = range.instances->size();
    while (first < last) {
      const int middle = (first + last) / 2;
      if (range.instances->entity(middle) < of_entity)
        first = middle + 1;
      else
        last = middle;
    }
    if (first == range.instances->size() || range.instances->entity(first) != of_entity) continue;
    const auto stencil = range.instances->stencil(first);
    if (auto view = range.instances->joint(first)) return {view, {stencil.begin(), stencil.end()}};
  }
  return {};
}

}  // namespace trammel
