#include "joint_verification.hpp"
#include "kernel/model_builder.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numbers>

#include <fmt/format.h>
#include <petscsys.h>

#include "filled_memory.hpp"
#include "io/case/case_context.hpp"
#include "io/case/case_file.hpp"
#include "io/case/case_yaml.hpp"
#include "kernel/assembler.hpp"
#include "kernel/plugin_call.hpp"
#include "law_verification.hpp"
#include "sample_values.hpp"
#include "solvers/run/simulation.hpp"
#include "stage_reader.hpp"
#include "trammel/lie.hpp"
#include "trammel/scene_check.hpp"
#include "type_alone.hpp"

namespace trammel {

namespace {

constexpr std::array<const char*, 3> forms{"index3", "index2", "index1"};

std::string named(const JointSample& sample) { return sample.title.empty() ? "" : " (" + sample.title + ")"; }

// Contents of the memory in which a joint is built, to detect that it reads variables that were never set. As doubles: 0, 1e127.
constexpr std::array<unsigned char, 2> fillings{0x00, 0x5a};

/// The joint as an entity, for messages.
Entity joint_entity(const Type& type) { return {"joint", "joint", type.name, type.plugin, {}}; }

/// Call inside a catch block: what was thrown, in words.
std::string thrown(const Type& type) {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return fmt::format("joint 'joint' (type '{}' of plugin '{}'): something was thrown that is no exception",
                       type.name, type.plugin);
  }
}

/// The joint alone between two sample markers; `filling`: of the memory that it is built over.
TypeAlone joint_alone(const Type& type, const std::string& entry, std::optional<unsigned char> filling = {}) {
  return {type, joint_entity(type), entry, filling};
}

/// True where the type refuses a flag beside the other values.
bool refuses(const Type& type, const JointSample& sample) {
  try {
    joint_alone(type, joint_entry(type, sample, sample_markers(type).front()));
    return false;
  } catch (const Error&) {
    return true;
  }
}

EntityInstances instances_of(const Model& model, int entity) {
  // With their full names, by which scenes tell them.
  const auto named = std::make_shared<std::map<BlockId, Block>>();
  EntityInstances found{entity, {}, [&model, named](BlockId id) -> const Block& {
                          return named->insert_or_assign(id, model.block_with_full_name(id)).first->second;
                        }};
  for (const Model::Range& range : model.ranges)
    for (int i = 0; i < range.instances->size(); ++i)
      if (range.instances->entity(i) == entity) found.instances.push_back({range.instances.get(), i});
  return found;
}

/// Names of the coordinates of one entity, or of all (-1).
std::string coordinates_of(const Model& model, int of = -1) {
  std::string text;
  for (const auto& [entity, list] : model.coordinates)
    if (of < 0 || entity == of)
      for (const JointCoordinate& coordinate : list) text += (text.empty() ? "" : ", ") + coordinate.name;
  return text;
}

void check_states(const Type& type, const JointSample& sample, int states, JointCheck& check,
                  std::string& coordinates) {
  const Entity own = joint_entity(type);
  const PluginCall call(own);
  const std::vector<std::string> pairs = sample_markers(type);
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    const TypeAlone joint = joint_alone(type, joint_entry(type, sample, pairs[pair]));
    const auto [range, instance] = joint.instance();
    const TestState start(joint.model(), range->stencil(instance));
    check_joint(*range, instance, start, pair, static_cast<int>(pair), states, static_cast<int>(pairs.size()),
                check);
    if (pair == 0) coordinates = coordinates_of(joint.model());
  }
}

std::string unset_memory(const std::string& difference) {
  return "reads memory that nothing has set: built over memory of another content, " + difference +
         " is another";
}

/// Builds a joint over memory of different contents: names what differs, or nothing.
std::string read_unset(const Type& type, const JointSample& sample) {
  const Entity own = joint_entity(type);
  const PluginCall call(own);
  const std::string entry = joint_entry(type, sample, sample_markers(type).front());
  const TypeAlone joint = joint_alone(type, entry, fillings[0]);
  const TypeAlone other = joint_alone(type, entry, fillings[1]);
  const auto [range, instance] = joint.instance();
  const auto [other_range, other_instance] = other.instance();
  const TestState start(joint.model(), range->stencil(instance));
  if (start.state().value != TestState(other.model(), other_range->stencil(other_instance)).state().value)
    return "the start of its blocks";
  std::vector<TestState> states(JointCheck::states_repeated, start);
  for (std::size_t k = 0; k < states.size(); ++k) states[k].disturb(k + 1, 1, std::numbers::pi);
  return differs_between(*range, instance, *other_range, other_instance, states);
}

/// The fastest that the blocks of one entity move in a run.
class Speed final : public Monitor {
 public:
  Speed(const Assembler& assembler, const Layout& layout, int entity)
      : assembler_(assembler), layout_(layout), entity_(entity) {}

  void accepted(const StepReport&, const State& state) override {
    for (const Model::Range& range : assembler_.model().ranges)
      for (int i = 0; i < range.instances->size(); ++i) {
        if (range.instances->entity(i) != entity_) continue;
        for (const BlockId id : range.instances->stencil(i)) {
          const Block& block = assembler_.model().block(id);
          if (!is_kinematic(block.kind)) continue;
          const auto first = static_cast<std::size_t>(layout_.offset(id).dof);
          for (std::size_t k = 0; k < static_cast<std::size_t>(block.size); ++k)
            largest = std::max(largest, std::abs(state.rate[first + k]));
        }
      }
  }

  double largest = 0;  ///< [m/s], [rad/s]

 private:
  const Assembler& assembler_;
  const Layout& layout_;
  int entity_;
};

/// A case in which the joint connects two tumbling bodies, assembled first. They turn slowly enough relative to each other
/// that no joint passes a singular position (the bars of a cross in line).
std::string motion_case(const Type& type, const JointSample& sample, const JointVerification& how,
                        const char* form) {
  std::string bodies, between = "{on: a, at: [0.3, -0.2, 0.5]}, {on: b, at: [-0.1, 0, -0.2]}";
  for (int k = 2; k < count_markers(type); ++k) {
    const char name = static_cast<char>('a' + k);
    bodies += fmt::format(
        "  {}: {{type: rigid_body, mass: 1.5, inertia: [0.2, 0.1, 0.25], position: [{}, 0.6, {}],\n"
        "      velocity: [0.1, -0.05, 0.1], angular_velocity: [-0.2, 0.1, 0.3]}}\n",
        name, 0.4 * k, 0.5 - 0.3 * k);
    between += fmt::format(", {{on: {}, at: [0.1, 0.2, -0.1]}}", name);
  }
  return fmt::format(
      R"(trammel: 1
bodies:
  a: {{type: rigid_body, mass: 2, inertia: [0.3, 0.4, 0.5], angular_velocity: [0.3, -0.2, 0.4]}}
  b: {{type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.35, -0.1, 0.7],
      velocity: [0.05, 0.1, -0.1], angular_velocity: [0.25, -0.1, 0.45]}}
{}joints:
  joint: {{type: {}, {}
stages:
  - {{type: assemble}}
  - {{type: dynamic, until: {}, step: {}, form: {}}}
)",
      bodies, type.name, joint_entry(type, sample, "[" + between + "]").substr(1), how.until, how.step, form);
}

int joint_in(const Model& model, const std::string& name) {
  const auto joint = std::ranges::find_if(model.entities, [](const Entity& entity) {
    return entity.category == "joint" && entity.name == "joint";
  });
  if (joint == model.entities.end()) throw Error(name + " has no joint of the name 'joint'");
  return static_cast<int>(joint - model.entities.begin());
}

/// The largest violation of a position equation in the motion of a case; none where its form is not known. Sets `at_rest`
/// where the joint does not move.
std::optional<double> drift(const std::string& text, const std::string& name, const Registry& registry,
                            bool& at_rest) {
  constexpr double rest = 1e-9;  // [m/s], [rad/s]
  CaseFile file(read_yaml_text(text, name), name);
  std::vector<Stage> stages;
  try {
    stages = read_stages(file, registry);
  } catch (const Error&) {
    return std::nullopt;
  }
  Model model;
  file.build(registry, model);
  Layout layout(PETSC_COMM_SELF, model, {});
  Assembler assembler(model, layout);
  Simulation simulation(assembler, SimulationOptions{false});
  Speed speed(assembler, layout, joint_in(model, name));
  simulation.add(speed);
  simulation.run(stages);
  at_rest = speed.largest < rest;
  return simulation.summary().largest_violation;
}

/// Looks at the drift in the motion of a case, in each form; `text_of` gives the case for one.
template <class TextOf>
void look_at_motion(const Type& type, const std::string& name, const Registry& registry,
                    const TextOf& text_of, JointVerdict& verdict, std::vector<std::string>& stops) {
  for (std::size_t i = 0; i < forms.size(); ++i) {
    try {
      verdict.drift[i] = drift(text_of(forms[i]), name, registry, verdict.at_rest);
    } catch (...) {
      stops.push_back(fmt::format("stops in the motion of {}: {}", forms[i], thrown(type)));
      return;  // the other forms start alike
    }
  }
}

void judge(const JointVerification& how, const std::string& sample, JointVerdict& verdict) {
  const JointCheck& c = verdict.check;
  const auto fail = [&](std::string text) { verdict.failures.push_back(std::move(text)); };
  const auto hold = [&](const char* what, const JointCheck::Worst& worst, double bound) {
    if (!(worst.error <= bound))
      fail(fmt::format("{} off by {:.2g} ({}{}{})", what, worst.error, worst.where,
                       worst.pose.empty() ? "" : "; ", worst.pose));
  };
  const JointBounds& bounds = how.bounds;
  hold("constraint gradient", c.gradient, bounds.derivative);
  hold("geometric stiffness", c.stiffness, bounds.derivative);
  hold("rate of the constraints", c.rate, bounds.derivative);
  hold("bias of the accelerations", c.bias, bounds.derivative);
  hold("derivatives", c.other, bounds.derivative);
  hold("power of the reactions", c.power, bounds.power);
  if (!verdict.absolute) hold("objectivity", c.objectivity, bounds.objectivity);
  if (!c.unrepeated.empty()) fail(results_differ(c.unrepeated));
  if (!c.beside_a_thread.empty()) fail(threads_disagree(c.beside_a_thread));
  if (verdict.degrees_of_freedom_stated >= 0 && c.kinematic > 0 &&
      c.degrees_of_freedom() != verdict.degrees_of_freedom_stated)
    fail(fmt::format("rank {} leaves {} degrees of freedom, and its type states {}{}", c.rank,
                     c.degrees_of_freedom(), verdict.degrees_of_freedom_stated, sample));
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
  verdict.degrees_of_freedom_stated = type.degrees_of_freedom;
  const std::string name = "scene '" + scene.title + "' of '" + type.name + "'";
  std::vector<std::string> stops;
  try {
    const Entity own = joint_entity(type);
    const PluginCall call(own);
    CaseFile file(read_yaml_text(scene.text, name), name);
    Model model;
    file.build(registry, model);
    const int entity = joint_in(model, name);
    verdict.coordinates = coordinates_of(model, entity);
    check_scene(instances_of(model, entity), scene, how.states, verdict.check);
    std::array<Model, fillings.size()> filled;
    for (std::size_t k = 0; k < fillings.size(); ++k) {
      const FilledMemory memory(fillings[k]);
      file.build(registry, filled[k]);
    }
    if (const std::string found =
            differs_between(instances_of(filled[0], entity), instances_of(filled[1], entity), scene);
        !found.empty())
      stops.push_back(unset_memory(found));
  } catch (...) {
    stops.push_back("stops: " + thrown(type));
  }
  if (stops.empty() && how.motion && scene.motion)
    look_at_motion(
        type, name, registry,
        [&](const char* form) {
          return fmt::format(
              "{}\nstages:\n  - {{type: assemble}}\n  - {{type: dynamic, until: {}, step: {}, form: {}}}\n",
              scene.text, how.until, how.step, form);
        },
        verdict, stops);
  // What the random states showed comes first: the rest may follow from it.
  if (verdict.check.states > 0) judge(how, "", verdict);
  verdict.failures.insert(verdict.failures.end(), stops.begin(), stops.end());
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
  verdict.degrees_of_freedom_stated = type.degrees_of_freedom;
  if (count_markers(type) < 2) {
    verdict.not_checked =
        "it does not stand between two markers and has no scenes (see it in a case: trammel check CASE "
        "--derivatives)";
    return verdict;
  }
  std::string sample_title;
  std::vector<JointSample> samples;
  std::vector<std::string> stops;
  try {
    samples = joint_samples(type, how.given);
    for (const JointSample& sample : samples) {
      sample_title = named(sample);
      if (&sample != &samples.front() && refuses(type, sample)) continue;
      if (&sample == &samples.front()) {
        check_states(type, sample, how.states, verdict.check, verdict.coordinates);
      } else {
        JointCheck check;
        std::string coordinates;
        check_states(type, sample, how.states, check, coordinates);
        JointCheck& all = verdict.check;
        for (auto worst :
             {&JointCheck::gradient, &JointCheck::stiffness, &JointCheck::rate, &JointCheck::bias,
              &JointCheck::objectivity, &JointCheck::power, &JointCheck::other})
          (all.*worst).take((check.*worst).error, (check.*worst).where + sample_title, (check.*worst).pose);
        if (all.unrepeated.empty() && !check.unrepeated.empty())
          all.unrepeated = check.unrepeated + sample_title;
        if (all.beside_a_thread.empty() && !check.beside_a_thread.empty())
          all.beside_a_thread = check.beside_a_thread + sample_title;
        if (check.degrees_of_freedom() != all.degrees_of_freedom())
          verdict.failures.push_back(
              fmt::format("leaves {} degrees of freedom{}", check.degrees_of_freedom(), sample_title));
      }
      if (const std::string found = read_unset(type, sample); !found.empty() && stops.empty())
        stops.push_back(unset_memory(found) + sample_title);
    }
    sample_title.clear();
  } catch (...) {
    stops.push_back("stops" + sample_title + ": " + thrown(type));
  }
  if (stops.empty() && how.motion && (connects_markers(type) || count_markers(type) > 2) &&
      verdict.check.equations > 0 && registry.find(Type::Category::body, "rigid_body") != nullptr)
    look_at_motion(
        type, "motion of '" + type.name + "'", registry,
        [&](const char* form) { return motion_case(type, samples.front(), how, form); }, verdict, stops);
  // What the random states showed comes first: the rest may follow from it.
  if (verdict.check.states > 0) judge(how, sample_title, verdict);
  verdict.failures.insert(verdict.failures.end(), stops.begin(), stops.end());
  return verdict;
}

}  // namespace trammel
