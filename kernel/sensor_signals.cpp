// Outputs of sensors as signals that other entities read.
#include <algorithm>
#include <iterator>
#include <map>

#include "kernel/model_builder.hpp"
#include "kernel/reported_signal.hpp"
#include "trammel/joint_reaction.hpp"
#include "trammel/nearest_name.hpp"
#include "trammel/signal_source.hpp"

namespace trammel {

namespace {

const std::map<std::string, EnergyPart, std::less<>>& energy_parts() {
  static const std::map<std::string, EnergyPart, std::less<>> all{
      {"kinetic", EnergyPart::kinetic},
      {"strain", EnergyPart::strain},
      {"potential", EnergyPart::potential},
      {"total", EnergyPart::total},
      {"dissipated_power", EnergyPart::dissipated_power}};
  return all;
}

/// The longest head of "hinge.load.force.x" that a sensor is named by; the rest is its number.
std::pair<int, std::string_view> sensor_of(std::string_view name,
                                           const std::map<std::string, int, std::less<>>& sensors) {
  for (auto dot = name.rfind('.'); dot != std::string_view::npos && dot > 0; dot = name.rfind('.', dot - 1))
    if (const auto found = sensors.find(name.substr(0, dot)); found != sensors.end())
      return {found->second, name.substr(dot + 1)};
  return {-1, {}};
}

[[noreturn]] void no_number(std::string_view sensor, std::string_view number, std::vector<std::string> known,
                            const Location& where) {
  const std::string near = did_you_mean(number, known);
  throw Error(where, "sensor '" + std::string(sensor) + "' reports no " + in_quotes(number) +
                         (near.empty() ? "." : near) + " Signals here: " + list_of_names(known, number));
}

bool is_part_of_whole(const Model& model, int entity) {
  const auto read = model.read_instances.find(entity);
  return model.entities[static_cast<std::size_t>(entity)].category != category_name(Type::Category::sensor) &&
         (read == model.read_instances.end() || read->second.range != nullptr);
}

/// All instances but those of sensors, and of what reads the energy of the whole.
std::vector<InstanceAt> whole_model(const Model& model) {
  std::vector<InstanceAt> all;
  for (const Model::Range& range : model.ranges)
    for (int i = 0; i < range.instances->size(); ++i)
      if (is_part_of_whole(model, range.instances->entity(i))) all.push_back({range.instances.get(), i});
  return all;
}

}  // namespace

void require_whole_energies(const Model& model) {
  std::size_t blocks = 0;
  int last = -1;
  for (const SensorReference& report : model.sensor_references) {
    if (report.what != SensorReference::What::energy || report.of >= 0) continue;
    const std::string& sensor = model.entities[static_cast<std::size_t>(report.sensor)].name;
    for (const auto& [part, which] : energy_parts()) {
      const auto signal = model.signals.find(sensor + "." + part);
      if (signal == model.signals.end()) continue;
      for (const InstanceAt& at : last < 0 ? whole_model(model) : std::vector<InstanceAt>{}) {
        blocks += at.range->stencil(at.number).size();
        last = std::max(last, at.range->entity(at.number));
      }
      if (signal->second->blocks().size() == blocks) continue;
      const Entity& late = model.entities[static_cast<std::size_t>(last)];
      throw Error(late.where, "'" + late.name + "' comes after what reads '" + signal->first +
                                  "', the energy of the whole model: put it before that");
    }
  }
}

void ModelBuilder::note_reader(std::string_view signal) const {
  const int sensor = sensor_of(signal, sensors_).first;
  if (sensor < 0 || sensor == entity_) return;
  const auto report = std::ranges::find(model_->sensor_references, sensor, &SensorReference::sensor);
  if (report == model_->sensor_references.end()) {
    // A sensor that reads others.
    if (const auto read = model_->read_instances.find(sensor); read != model_->read_instances.end())
      model_->read_instances.try_emplace(entity_, read->second);
    return;
  }
  if (report->of < 0)
    model_->read_instances.try_emplace(entity_);  // it reads the whole, and is no part of that
  if (report->of < 0 || report->of == entity_) return;
  if (const std::vector<InstanceAt> of = instances_of(*model_, report->of); !of.empty())
    model_->read_instances.try_emplace(entity_, of.front());
}

bool ModelBuilder::has_signal(std::string_view name) const {
  if (model_->signals.contains(name)) return true;
  const auto [sensor, number] = sensor_of(name, sensors_);
  if (sensor < 0) return false;
  const auto report = std::ranges::find(model_->sensor_references, sensor, &SensorReference::sensor);
  const bool refers = report != model_->sensor_references.end();
  if (refers && report->what == SensorReference::What::energy) return energy_parts().contains(number);
  for (const InstanceAt& at : instances_of(*model_, refers ? report->of : sensor)) {
    const std::vector<ReportedNumber> all = reported_numbers(*model_, at);
    if (std::ranges::find(all, number, &ReportedNumber::name) != all.end()) return true;
  }
  return false;
}

void ModelBuilder::keep_reaction(int joint, const std::string& sensor, const Location& where) const {
  const Entity& of = model_->entities[static_cast<std::size_t>(joint)];
  if (!model_->offers.contains(joint)) return;
  const std::string told = "'share' must be 'no' here: a function reads what sensor '" + sensor +
                           "' reports of joint '" + of.name +
                           "', which has no reaction of its own where it shares unknowns";
  if (const auto found = required_.find(joint); found != required_.end()) throw Error(found->second, told);
  const ModelPartition& partition = model_->partition;
  if (!partition.whole() &&
      partition.owner[static_cast<std::size_t>(joint)] != partition.owner[static_cast<std::size_t>(entity_)])
    throw Error(where, "joint '" + of.name + "': " + told + ", and the case is expanded in parts");
  model_->offers.erase(joint);
}

std::shared_ptr<const Signal> ModelBuilder::reported_output(int of, const SensorReference& report,
                                                            std::string_view number,
                                                            const Location& where) const {
  const std::string& sensor = model_->entities[static_cast<std::size_t>(report.sensor)].name;
  const Entity& source = model_->entities[static_cast<std::size_t>(of)];
  std::vector<std::string> known;
  const InstanceAt* found = nullptr;
  ReportedNumber what;
  const std::vector<InstanceAt> instances = instances_of(*model_, of);
  for (const InstanceAt& at : instances)
    for (ReportedNumber& n : reported_numbers(*model_, at)) {
      if (!report.channels.empty() && std::ranges::find(report.channels, n.channel) == report.channels.end())
        continue;
      known.push_back(n.name());
      if (known.back() != number) continue;
      if (found != nullptr)
        throw Error(where, "several parts of '" + source.name + "' report " + in_quotes(number) +
                               ": no signal has that name");
      found = &at;
      what = std::move(n);
    }
  if (found == nullptr) no_number(sensor, number, std::move(known), where);
  if (const auto offered = find<SignalSource>(source.name + ".signals"))
    if (auto exact = offered->signal(number)) return exact;
  std::shared_ptr<const Signal> by_differences = output_signal(*model_, *found, std::move(what), length());
  if (source.category != category_name(Type::Category::joint)) return by_differences;
  keep_reaction(of, sensor, where);
  if (auto view = found->range->joint(found->number)) {
    const auto stencil = found->range->stencil(found->number);
    std::vector<BlockKind> kinds;
    for (const BlockId id : stencil) kinds.push_back(model_->block(id).kind);
    auto exact = reaction_signal(std::move(view), {stencil.begin(), stencil.end()}, std::move(kinds),
                                 sizes_of(stencil), number);
    if (exact != nullptr && agree_at_start(*model_, *exact, *by_differences)) return exact;
  }
  return by_differences;
}

std::shared_ptr<const Signal> ModelBuilder::reported(std::string_view name, const Location& where) const {
  const auto [sensor, number] = sensor_of(name, sensors_);
  if (sensor < 0) return nullptr;
  const auto at = std::ranges::find(model_->sensor_references, sensor, &SensorReference::sensor);
  if (at == model_->sensor_references.end())
    return reported_output(sensor, {.sensor = sensor, .of = sensor, .channels = {}}, number, where);
  if (at->what == SensorReference::What::outputs) return reported_output(at->of, *at, number, where);
  const std::string& title = model_->entities[static_cast<std::size_t>(sensor)].name;
  const auto part = energy_parts().find(number);
  if (part == energy_parts().end()) {
    std::vector<std::string> known;
    std::ranges::transform(energy_parts(), std::back_inserter(known), [](const auto& p) { return p.first; });
    no_number(title, number, std::move(known), where);
  }
  if (at->of < 0) {
    if (!model_->partition.whole())
      throw Error(
          where,
          "a case that is expanded in parts has no signal of the energy of the whole model: give sensor '" +
              title + "' one thing by `of`, and add those of several things");
    return energy_signal(*model_, whole_model(*model_), part->second, length());
  }
  return energy_signal(*model_, instances_of(*model_, at->of), part->second, length());
}

}  // namespace trammel
