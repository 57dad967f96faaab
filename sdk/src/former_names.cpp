#include "trammel/former_names.hpp"

namespace trammel {

std::string present_name(std::string_view name) {
  std::string present;
  bool renamed = false;
  for (bool last = false; !last;) {
    const auto dot = name.find('.');
    last = dot == std::string_view::npos;
    std::string_view part = name.substr(0, dot);
    if (!present.empty())  // the first part names a sensor
      for (const FormerName& f : former_outputs)
        if (part == f.former) {
          part = f.now;
          renamed = true;
        }
    present.append(part);
    if (!last) {
      present += '.';
      name.remove_prefix(dot + 1);
    }
  }
  return renamed ? present : "";
}

std::string told_of_former_name(std::string_view former, std::string_view now) {
  return "'" + std::string(former) + "' is now called '" + std::string(now) +
         "'; the former name is read in this version";
}

}  // namespace trammel
