#include "trammel/former_names.hpp"

#include <array>
#include <vector>

namespace trammel {

namespace {

/// Components of strains and of section forces were numbers of one output.
struct FormerComponent {
  std::string_view former_output, former, output, now;
};
constexpr std::array former_components{
    FormerComponent{"section_force", "N1", "section_force", "N"},
    FormerComponent{"section_force", "N2", "section_force", "Q2"},
    FormerComponent{"section_force", "N3", "section_force", "Q3"},
    FormerComponent{"section_force", "M1", "section_moment", "T"},
    FormerComponent{"section_force", "M2", "section_moment", "M2"},
    FormerComponent{"section_force", "M3", "section_moment", "M3"},
    FormerComponent{"strain", "kappa1", "curvature", "kappa1"},
    FormerComponent{"strain", "kappa2", "curvature", "kappa2"},
    FormerComponent{"strain", "kappa3", "curvature", "kappa3"},
};

/// The output may have a number or a side behind its name: "section_force_2", "section_force_before".
bool is_output(std::string_view part, std::string_view output) {
  return part.starts_with(output) && (part.size() == output.size() || part[output.size()] == '_');
}

}  // namespace

std::string present_name(std::string_view name) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first != std::string_view::npos;) {
    const std::size_t dot = name.find('.', first);
    parts.emplace_back(name.substr(first, dot == std::string_view::npos ? dot : dot - first));
    first = dot == std::string_view::npos ? dot : dot + 1;
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {  // the first part names a sensor
    for (const FormerName& f : former_outputs)
      if (parts[i] == f.former) parts[i] = f.now;
    if (i + 1 == parts.size()) continue;
    for (const FormerComponent& f : former_components)
      if (parts[i + 1] == f.former && is_output(parts[i], f.former_output)) {
        parts[i].replace(0, f.former_output.size(), f.output);
        parts[i + 1] = f.now;
        break;
      }
  }
  std::string present;
  for (const std::string& part : parts) present += (present.empty() ? "" : ".") + part;
  return present == name ? "" : present;
}

std::string told_of_former_name(std::string_view former, std::string_view now) {
  return "'" + std::string(former) + "' is now called '" + std::string(now) +
         "'; the former name is read in this version";
}

}  // namespace trammel
