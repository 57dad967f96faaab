#include "sample_values.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel {

namespace {

using Kind = Parameter::Kind;

const Parameter* find(const Type& type, const std::string& name) {
  const auto at = std::ranges::find(type.parameters, name, &Parameter::name);
  return at == type.parameters.end() ? nullptr : &*at;
}

std::string number_in_range(const Parameter& p, double free_choice) {
  if (p.least && p.most) return fmt::format("{}", 0.5 * (*p.least + *p.most));
  if (p.least) return fmt::format("{}", *p.least + free_choice);
  if (p.most) return fmt::format("{}", *p.most - free_choice);
  return fmt::format("{}", free_choice);
}

bool is_on(const Parameter& flag) {
  static const std::vector<std::string> words{"yes", "true", "on"};
  return std::ranges::find(words, flag.default_text) != words.end();
}

}  // namespace

std::optional<std::string> sample_value(const Parameter& p) {
  if (!p.example.empty()) return p.example;
  switch (p.kind) {
    case Kind::real:
      return number_in_range(p, 0.7);
    case Kind::integer:
      return number_in_range(p, 1);
    case Kind::flag:
      return "yes";
    case Kind::choice:
      return p.choices.empty() ? std::nullopt : std::optional(p.choices.front());
    case Kind::vector3:
      return "[1, 2, 3]";
    case Kind::rotation:
      return "{axis: [1, 2, 3], angle: 0.7}";
    case Kind::function:
      return "0.7 + 0.1*sin(t)";
    case Kind::functions:
      return "[0.1*t, 0, sin(t)]";
    default:
      return std::nullopt;
  }
}

std::vector<JointSample> joint_samples(const Type& type,
                                       const std::vector<std::pair<std::string, std::string>>& given) {
  JointSample first;
  for (const auto& [name, text] : given)
    if (find(type, name) != nullptr) first.values.emplace_back(name, text);
  const auto is_given = [&first](const std::string& name) {
    return std::ranges::find(first.values, name, &std::pair<std::string, std::string>::first) !=
           first.values.end();
  };
  for (const Parameter& p : type.parameters) {
    if (p.kind == Kind::marker_pair || p.name == "between" || is_given(p.name) ||
        (!p.required && p.example.empty()))
      continue;
    const std::optional<std::string> value = sample_value(p);
    if (!value)
      throw Error(fmt::format("'{}' ({}) has no example: give it one (Parameter::such_as) or --set {}=VALUE",
                              p.name, kind_name(p.kind), p.name));
    first.values.emplace_back(p.name, *value);
  }
  std::vector<JointSample> all{first};
  for (const Parameter& p : type.parameters) {
    if (p.kind != Kind::flag || p.required || is_given(p.name) || p.name == "share" || p.name == "assemble" ||
        p.name == "show")
      continue;
    JointSample other = first;
    const char* value = is_on(p) ? "no" : "yes";
    other.values.emplace_back(p.name, value);
    other.title = p.name + ": " + value;
    all.push_back(std::move(other));
  }
  return all;
}

std::string joint_entry(const Type& type, const JointSample& sample, const std::string& between) {
  std::string text = "{between: " + between;
  if (find(type, "assemble") != nullptr) text += ", assemble: yes";
  if (find(type, "share") != nullptr) text += ", share: no";
  for (const auto& [name, value] : sample.values) text += ", " + name + ": " + value;
  return text + "}";
}

bool connects_markers(const Type& type) {
  return std::ranges::any_of(type.parameters, [](const Parameter& p) {
    return p.name == "between" && p.kind == Kind::marker_pair && p.required;
  });
}

}  // namespace trammel
