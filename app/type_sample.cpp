#include "type_sample.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "io/case/case_context.hpp"
#include "io/case/case_file.hpp"
#include "io/case/case_yaml.hpp"
#include "kernel/model_builder.hpp"
#include "law_verification.hpp"
#include "sample_values.hpp"
#include "trammel/element_check.hpp"
#include "trammel/joint_check.hpp"
#include "trammel/lie.hpp"
#include "trammel/scene_check.hpp"

namespace trammel {

namespace {

using Kind = Parameter::Kind;

/// "strain" of "strain_12"; empty where no number ends the name.
std::string numbered(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return last != std::string::npos && last + 1 < name.size() && name[last] == '_' ? name.substr(0, last)
                                                                                  : std::string();
}

/// More than three channels that differ only by a number are shortened to one line: "strain_1, strain_2, ...".
void fold(std::vector<Channel>& list) {
  std::map<std::string, int> counts;
  for (const Channel& c : list) ++counts[numbered(c.name)];
  std::set<std::string> folded;
  std::vector<Channel> all;
  for (Channel& c : list) {
    const std::string base = numbered(c.name);
    if (!base.empty() && counts[base] > 3) {
      if (!folded.insert(base).second) continue;
      c.name = fmt::format("{0}_1, {0}_2, ...", base);
    }
    all.push_back(std::move(c));
  }
  list = std::move(all);
}

/// Records each name once. Names may be reported several times, because a beam reports its ends by separate elements.
class Names final : public OutputSink {
 public:
  explicit Names(std::vector<Channel>& into) : into_(into) {}

  void scalar(std::string_view name, std::string_view unit, double) override { add(name, unit, {}); }
  void vector(std::string_view name, std::string_view unit, const Vec3&) override {
    add(name, unit, {"x", "y", "z"});
  }
  void values(std::string_view name, std::string_view unit, std::span<const std::string_view> components,
              std::span<const double>) override {
    add(name, unit, {components.begin(), components.end()});
  }

 private:
  void add(std::string_view name, std::string_view unit, std::vector<std::string> components) {
    if (std::ranges::find(into_, name, &Channel::name) == into_.end())
      into_.push_back({std::string(name), std::string(unit), std::move(components)});
  }

  std::vector<Channel>& into_;
};

TypeOffers offered_in(const Model& model, int entity) {
  TypeOffers all;
  if (const auto list = model.coordinates.find(entity); list != model.coordinates.end())
    for (const JointCoordinate& c : list->second) all.coordinates.push_back({c.name, c.unit, {}});
  Names names(all.outputs);
  for (const Model::Range& range : model.ranges)
    for (int i = 0; i < range.instances->size(); ++i)
      if (range.instances->entity(i) == entity) {
        const TestState at(model, range.instances->stencil(i));
        range.instances->outputs(i, at.local(), ReactionContributions{}, names);
      }
  const auto may_rest = [&](const Block& b) {
    return b.entity == entity && is_multiplier(b.kind) && std::ranges::any_of(b.rows, &Row::may_rest);
  };
  if (std::ranges::any_of(model.blocks, may_rest)) names.scalar("active", "", 1);
  fold(all.outputs);
  return all;
}

/// The type as an entry between the sample markers; none where a parameter has no example.
std::optional<std::string> entry_of(const Type& type) {
  if ((connects_markers(type) && type.category == Type::Category::joint) || count_markers(type) > 2)
    return joint_entry(type, joint_samples(type).front(), sample_markers(type).front());
  std::string text;
  for (const Parameter& p : type.parameters) {
    if (!p.required && p.example.empty()) continue;
    const std::optional<std::string> value = p.kind == Kind::marker        ? "bodies.a_arm"
                                             : p.kind == Kind::marker_pair ? sample_marker_pairs().front()
                                                                           : sample_value(p);
    if (!value) return std::nullopt;
    text += (text.empty() ? "" : ", ") + p.name + ": " + *value;
  }
  return "{" + text + "}";
}

TypeOffers offered_alone(const Type& type, const std::string& entry) {
  const Value map = read_yaml_text(entry, "sample of '" + type.name + "'");
  CaseContext context;
  context.set_parameters(nullptr, {});
  Model model;
  ModelBuilder builder(model);
  builder.begin(sample_entity(), sample_body());
  add_sample_markers(builder, so3::exp(Vec3(0.3, 0.1, -0.2)), Vec3(0.1, 0.2, -0.3),
                     so3::exp(Vec3(-0.1, 0.2, 0.4)), Vec3(0.5, -0.4, 0.6));
  add_further_frames(builder, count_markers(type));
  Entity entity;
  entity.name = "sample";
  const int index = builder.begin(std::move(entity), type);
  type.build(Parameters(map, type.parameters, context), builder);
  return offered_in(model, index);
}

TypeOffers offered_in_scene(const JointScene& scene, const Registry& registry) {
  const std::string name = "scene '" + scene.title + "' of '" + scene.joint + "'";
  CaseFile file(read_yaml_text(scene.text, name), name);
  Model model;
  file.build(registry, model);
  const auto joint = std::ranges::find_if(
      model.entities, [](const Entity& e) { return e.category == "joint" && e.name == "joint"; });
  return joint == model.entities.end() ? TypeOffers{}
                                       : offered_in(model, static_cast<int>(joint - model.entities.begin()));
}

}  // namespace

TypeOffers offered_by(const Type& type, const Registry& registry) {
  // Elements on coordinates, and types that observe other entities, cannot be built alone.
  try {
    if (const auto entry = entry_of(type)) return offered_alone(type, *entry);
  } catch (const std::exception&) {
  }
  try {
    for (const JointScene& scene : scenes_of(type)) return offered_in_scene(scene, registry);
  } catch (const std::exception&) {
  }
  return {};
}

}  // namespace trammel
