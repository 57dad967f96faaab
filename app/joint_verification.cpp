#include "joint_verification.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <petscsys.h>

#include "io/case_context.hpp"
#include "io/case_file.hpp"
#include "io/case_yaml.hpp"
#include "sample_values.hpp"
#include "solvers/simulation.hpp"
#include "stage_reader.hpp"
#include "trammel/assembler.hpp"
#include "trammel/joint_scene.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

constexpr std::array<const char*, 3> forms{"index3", "index2", "index1"};

std::string named(const JointSample& sample) { return sample.title.empty() ? "" : " (" + sample.title + ")"; }

/// The joint alone between two sample markers.
class JointAlone {
 public:
  JointAlone(const Type& type, const std::string& entry)
      : map_(read_yaml_text(entry, "sample of '" + type.name + "'")) {
    context_.set_parameters(nullptr, {});
    Builder builder(model_);
    add_sample_markers(builder, so3::exp(Vec3(0.3, 0.1, -0.2)), Vec3(0.1, 0.2, -0.3),
                       so3::exp(Vec3(-0.1, 0.2, 0.4)), Vec3(0.5, -0.4, 0.6));
    Entity entity;
    entity.name = "joint";
    entity.category = "joint";
    builder.begin(std::move(entity), type);
    type.build(Parameters(map_, type.parameters, context_), builder);
  }

  const Model& model() const { return model_; }

 private:
  Value map_;
  CaseContext context_;
  Model model_;
};

/// True where the type refuses a flag beside the other values.
bool refuses(const Type& type, const JointSample& sample) {
  try {
    JointAlone(type, joint_entry(type, sample, sample_marker_pairs().front()));
    return false;
  } catch (const Error&) {
    return true;
  }
}

/// The one instance of a joint.
std::pair<const ElementRange*, int> the_instance(const Model& model) {
  std::pair<const ElementRange*, int> found{nullptr, 0};
  int count = 0;
  for (const Model::Range& range : model.ranges)
    for (int i = 0; i < range.instances->size(); ++i, ++count) found = {range.instances.get(), i};
  if (count == 1) return found;
  throw Error(fmt::format("it is made of {} instances, and is checked only where it is one", count));
}

/// Of one entity, or of all (-1).
std::string coordinates_of(const Model& model, int of = -1) {
  std::string text;
  for (const auto& [entity, list] : model.coordinates)
    if (of < 0 || entity == of)
      for (const JointCoordinate& coordinate : list) text += (text.empty() ? "" : ", ") + coordinate.name;
  return text;
}

void check_states(const Type& type, const JointSample& sample, int states, JointCheck& check,
                  std::string& coordinates) {
  const std::vector<std::string>& pairs = sample_marker_pairs();
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    const JointAlone joint(type, joint_entry(type, sample, pairs[pair]));
    const auto [range, instance] = the_instance(joint.model());
    const Specimen start(joint.model(), range->stencil(instance));
    check_joint(*range, instance, start, pair, static_cast<int>(pair), states, static_cast<int>(pairs.size()),
                check);
    if (pair == 0) coordinates = coordinates_of(joint.model());
  }
}

/// A case in which the joint connects two tumbling bodies, assembled first. They turn slowly enough relative to each other
/// that no joint passes a singular position (the bars of a cross in line).
std::string motion_case(const Type& type, const JointSample& sample, const JointVerification& how,
                        const char* form) {
  return fmt::format(
      R"(trammel: 1
bodies:
  a: {{type: rigid_body, mass: 2, inertia: [0.3, 0.4, 0.5], angular_velocity: [0.3, -0.2, 0.4]}}
  b: {{type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.35, -0.1, 0.7],
      velocity: [0.05, 0.1, -0.1], angular_velocity: [0.25, -0.1, 0.45]}}
joints:
  joint: {{type: {}, {}
stages:
  - {{type: assemble}}
  - {{type: dynamic, until: {}, step: {}, form: {}}}
)",
      type.name,
      joint_entry(type, sample, "[{on: a, at: [0.3, -0.2, 0.5]}, {on: b, at: [-0.1, 0, -0.2]}]").substr(1),
      how.until, how.step, form);
}

/// The largest violation of a position equation in the motion of a case; none where its form is not known.
std::optional<double> drift(const std::string& text, const std::string& name, const Registry& registry) {
  CaseFile file(read_yaml_text(text, name), name);
  std::vector<Stage> stages;
  try {
    stages = read_stages(file);
  } catch (const Error&) {
    return std::nullopt;
  }
  Model model;
  file.build(registry, model);
  Layout layout(PETSC_COMM_SELF, model, {});
  Assembler assembler(model, layout);
  Simulation simulation(assembler, SimulationOptions{false});
  simulation.run(stages);
  return simulation.summary().largest_violation;
}

void judge(const JointVerification& how, const std::string& sample, JointVerdict& verdict) {
  const JointCheck& c = verdict.check;
  const auto fail = [&](std::string text) { verdict.failures.push_back(std::move(text)); };
  const auto hold = [&](const char* what, const JointCheck::Worst& worst, double bound) {
    if (!(worst.error <= bound)) fail(fmt::format("{} off by {:.2g} ({})", what, worst.error, worst.where));
  };
  const JointBounds& bounds = how.bounds;
  hold("constraint gradient", c.gradient, bounds.derivative);
  hold("geometric stiffness", c.stiffness, bounds.derivative);
  hold("rate of the constraints", c.rate, bounds.derivative);
  hold("bias of the accelerations", c.bias, bounds.derivative);
  hold("derivatives", c.other, bounds.derivative);
  hold("power of the reactions", c.power, bounds.power);
  if (!verdict.absolute) hold("objectivity", c.objectivity, bounds.objectivity);
  if (verdict.freedoms_stated >= 0 && c.freedoms() != verdict.freedoms_stated)
    fail(fmt::format("rank {} leaves {} degrees of freedom, and its type states {}{}", c.rank, c.freedoms(),
                     verdict.freedoms_stated, sample));
  for (std::size_t i = 0; i < forms.size(); ++i)
    if (verdict.drift[i] && !(*verdict.drift[i] <= bounds.drift))
      fail(fmt::format("position drift of {} {:.2g} in {} s", forms[i], *verdict.drift[i], how.until));
}

/// Looks at a joint in one scene.
JointVerdict verify_scene(const Type& type, const JointScene& scene, const Registry& registry,
                          const JointVerification& how) {
  JointVerdict verdict;
  verdict.type = type.name + " (" + scene.title + ")";
  verdict.absolute = type.absolute;
  verdict.freedoms_stated = type.freedoms;
  const std::string name = "scene '" + scene.title + "' of '" + type.name + "'";
  std::string doing;
  try {
    CaseFile file(read_yaml_text(scene.text, name), name);
    Model model;
    file.build(registry, model);
    const auto joint = std::ranges::find_if(model.entities, [](const Entity& entity) {
      return entity.category == "joint" && entity.name == "joint";
    });
    if (joint == model.entities.end()) throw Error(name + " has no joint of the name 'joint'");
    const int entity = static_cast<int>(joint - model.entities.begin());
    verdict.coordinates = coordinates_of(model, entity);
    check_scene(model, entity, scene, how.states, verdict.check);
    if (how.motion && scene.motion)
      for (std::size_t i = 0; i < forms.size(); ++i) {
        doing = std::string(" in the motion of ") + forms[i];
        verdict.drift[i] =
            drift(fmt::format("{}\nstages:\n  - {{type: assemble}}\n  - {{type: dynamic, until: {}, "
                              "step: {}, form: {}}}\n",
                              scene.text, how.until, how.step, forms[i]),
                  name, registry);
      }
  } catch (const std::exception& error) {
    verdict.failures.push_back("stops" + doing + ": " + error.what());
    return verdict;
  }
  judge(how, "", verdict);
  return verdict;
}

}  // namespace

std::vector<JointVerdict> verify_scenes(const Type& type, const Registry& registry,
                                        const JointVerification& how) {
  std::vector<JointVerdict> verdicts;
  for (const JointScene& scene : scenes_of(type))
    verdicts.push_back(verify_scene(type, scene, registry, how));
  return verdicts;
}

JointVerdict verify_joint(const Type& type, const Registry& registry, const JointVerification& how) {
  JointVerdict verdict;
  verdict.type = type.name;
  verdict.absolute = type.absolute;
  verdict.freedoms_stated = type.freedoms;
  if (!connects_markers(type)) {
    verdict.not_checked =
        "it does not stand between two markers and has no scenes (see it in a case: trammel check CASE "
        "--derivatives)";
    return verdict;
  }
  std::string sample_title;
  try {
    const std::vector<JointSample> samples = joint_samples(type, how.given);
    for (const JointSample& sample : samples) {
      sample_title = named(sample);
      if (&sample != &samples.front() && refuses(type, sample)) continue;
      JointCheck check;
      std::string coordinates;
      check_states(type, sample, how.states, check, coordinates);
      if (&sample == &samples.front()) {
        verdict.check = check;
        verdict.coordinates = coordinates;
        continue;
      }
      JointCheck& all = verdict.check;
      for (auto worst : {&JointCheck::gradient, &JointCheck::stiffness, &JointCheck::rate, &JointCheck::bias,
                         &JointCheck::objectivity, &JointCheck::power, &JointCheck::other})
        (all.*worst).take((check.*worst).error, (check.*worst).where + sample_title);
      if (check.freedoms() != all.freedoms())
        verdict.failures.push_back(
            fmt::format("leaves {} degrees of freedom{}", check.freedoms(), sample_title));
    }
    sample_title.clear();
    if (how.motion && verdict.check.equations > 0 && registry.find(Type::Category::body, "rigid_body"))
      for (std::size_t i = 0; i < forms.size(); ++i) {
        sample_title = std::string(" in the motion of ") + forms[i];
        verdict.drift[i] = drift(motion_case(type, samples.front(), how, forms[i]),
                                 "motion of '" + type.name + "'", registry);
      }
  } catch (const std::exception& error) {
    verdict.failures.push_back("stops" + sample_title + ": " + error.what());
    return verdict;
  }
  judge(how, sample_title, verdict);
  return verdict;
}

}  // namespace trammel
