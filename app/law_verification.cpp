#include "law_verification.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kernel/model.hpp"
#include "kernel/model_builder.hpp"
#include "sample_values.hpp"
#include "trammel/lie.hpp"
#include "type_alone.hpp"

namespace trammel {

namespace {

std::string further_marker(int k) { return std::string("further.") + static_cast<char>('a' + k); }

/// The law alone.
TypeAlone law_alone(const Type& type, const std::string& entry) {
  return {type, {"law", std::string(category_name(type.category)), type.name, type.plugin, {}}, entry};
}

/// Sample values of the type's parameters, as a map on the sample coordinate.
std::string coordinate_entry(const Type& type, const JointVerification& how) {
  const auto value = std::ranges::find(type.parameters, "value", &Parameter::name);
  if (value == type.parameters.end() || value->children.empty()) throw Error("it does not say what it reads");
  Type keys;
  keys.parameters = value->children;
  const JointSample sample = joint_samples(keys, how.given).front();
  std::string text;
  for (const auto& [name, given] : sample.values)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, given);
  return "{of: sample, coordinate: angle, value: {" + text + "}}";
}

std::string thrown(const Type& type) {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return fmt::format("type '{}' of plugin '{}': something was thrown that is no exception", type.name,
                       type.plugin);
  }
}

}  // namespace

std::string results_differ(const std::string& found) {
  return "one state has more than one result: " + found +
         "; what `evaluate` gives must depend on the state alone, and on what `commit` and `review` have set";
}

std::string threads_disagree(const std::string& found) {
  return fmt::format(
      "gives another result while a thread draws it: {}; `draw` and `outputs` run on a thread beside "
      "`evaluate`, and none of them may keep anything in a member, also a `mutable` one, or in a static "
      "variable",
      found);
}

int count_markers(const Type& type) {
  const auto between = std::ranges::find(type.parameters, "between", &Parameter::name);
  if (between == type.parameters.end()) return 0;
  if (between->kind == Parameter::Kind::marker_pair) return 2;
  if (between->example.empty()) return 0;
  return 1 + static_cast<int>(std::ranges::count(between->example, ','));
}

std::vector<std::string> sample_markers(const Type& type) {
  const int count = count_markers(type);
  if (count == 2) return sample_marker_pairs();
  std::string text = "[bodies.a_arm";
  for (int k = 1; k < count; ++k) text += ", " + (k == 1 ? "bodies.b_arm" : further_marker(k));
  return {text + "]"};
}

void add_further_frames(ModelBuilder& builder, int count) {
  if (count <= 2) return;
  Entity entity;
  entity.name = "further";
  builder.begin(std::move(entity), sample_body());
  for (int k = 2; k < count; ++k) {
    const double turn = 0.3 * k;
    const std::string name(1, static_cast<char>('a' + k));
    const Frame frame =
        builder.add_frame(name, so3::exp(Vec3(turn, -0.2, 0.1)), Vec3(0.7 * k, 0.4, -0.3 * k));
    builder.offer_marker(name, Marker::on_frame(frame, so3::exp(Vec3(0.2, turn, 0.5)), Vec3(0.1, 0.3, -0.2)));
  }
}

ForceVerdict verify_law(const Type& type, const JointVerification& how, const LawBounds& bounds) {
  ForceVerdict verdict;
  verdict.type = type.name;
  const bool on_coordinate = type.category == Type::Category::coordinate;
  const int markers = count_markers(type);
  verdict.has_markers = !on_coordinate;
  if (!on_coordinate && markers == 0) {
    verdict.not_checked =
        "it does not stand between markers (see it in a case: trammel check CASE --derivatives)";
    return verdict;
  }
  try {
    std::vector<std::string> entries;
    if (on_coordinate) {
      entries.push_back(coordinate_entry(type, how));
    } else {
      const JointSample sample = joint_samples(type, how.given).front();
      for (const std::string& between : sample_markers(type))
        entries.push_back(joint_entry(type, sample, between));
    }
    // Elements with mass require markers at the origins of frames.
    const auto builds = [&](const std::string& entry) {
      try {
        law_alone(type, entry);
        return true;
      } catch (const Error&) {
        return false;
      }
    };
    const std::string all = entries.front();
    std::vector<std::size_t> usable;
    for (std::size_t k = 0; k < entries.size(); ++k)
      if (builds(entries[k])) usable.push_back(k);
    if (usable.empty()) law_alone(type, all);  // throws, and says why
    for (std::size_t i = 0; i < usable.size(); ++i) {
      const std::size_t k = usable[i];
      const TypeAlone law = law_alone(type, entries[k]);
      const auto [range, instance] = law.instance();
      const bool free = !on_coordinate && (markers > 2 || k < 2);
      const std::string between =
          on_coordinate ? ", on a coordinate" : ", between " + sample_markers(type)[k];
      check_law(*range, instance, TestState(law.model(), range->stencil(instance)), between, free,
                static_cast<int>(i), how.states, static_cast<int>(usable.size()), verdict.check);
    }
  } catch (...) {
    verdict.failures.push_back("stops: " + thrown(type));
  }
  const LawCheck& c = verdict.check;
  const auto hold = [&](const char* what, const JointCheck::Worst& worst, double bound) {
    if (!(worst.error <= bound))
      verdict.failures.push_back(fmt::format("{} off by {:.2g} ({})", what, worst.error, worst.where));
  };
  hold("derivatives", c.derivative, bounds.derivative);
  hold("power", c.power, bounds.power);
  hold("objectivity", c.objectivity, bounds.objectivity);
  if (!c.unrepeated.empty()) verdict.failures.push_back(results_differ(c.unrepeated));
  if (!c.beside_a_thread.empty()) verdict.failures.push_back(threads_disagree(c.beside_a_thread));
  return verdict;
}

}  // namespace trammel
