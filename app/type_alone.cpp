#include "type_alone.hpp"

#include <fmt/format.h>

#include "filled_memory.hpp"
#include "io/case/case_yaml.hpp"
#include "kernel/model_builder.hpp"
#include "kernel/plugin_call.hpp"
#include "law_verification.hpp"
#include "trammel/joint_check.hpp"
#include "trammel/lie.hpp"

namespace trammel {

TypeAlone::TypeAlone(const Type& type, const Entity& own, const std::string& entry,
                     std::optional<unsigned char> filling)
    : map_(read_yaml_text(entry, "sample of '" + type.name + "'")) {
  const PluginCall call(own);
  context_.set_parameters(nullptr, {});
  ModelBuilder builder(model_);
  builder.begin(sample_entity(), sample_body());
  add_sample_markers(builder, so3::exp(Vec3(0.3, 0.1, -0.2)), Vec3(0.1, 0.2, -0.3),
                     so3::exp(Vec3(-0.1, 0.2, 0.4)), Vec3(0.5, -0.4, 0.6));
  add_further_frames(builder, count_markers(type));
  if (type.category == Type::Category::coordinate) {
    Type joint;
    joint.name = "sample";
    joint.category = Type::Category::joint;
    Entity entity;
    entity.name = "sample";
    builder.begin(std::move(entity), joint);
    const double start = 0.3, rate = 0.1;
    const Measure measure = Measure::angle();
    builder.offer_coordinate(
        "angle", "rad", builder.add_coordinates("angle", {&start, 1}, {&rate, 1}, {&measure, 1}, "rad"), 0);
  }
  builder.begin(own, type);
  const Parameters in(map_, type.parameters, context_);
  std::optional<FilledMemory> filled;
  if (filling) filled.emplace(*filling);
  type.build(in, builder);
}

std::pair<const ElementRange*, int> TypeAlone::instance() const {
  std::pair<const ElementRange*, int> found{nullptr, 0};
  int count = 0;
  for (const Model::Range& range : model_.ranges)
    for (int i = 0; i < range.instances->size(); ++i, ++count) found = {range.instances.get(), i};
  if (count == 1) return found;
  throw Error(fmt::format("it is made of {} instances, and is checked only where it is one", count));
}

}  // namespace trammel
