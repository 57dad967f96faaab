#include "trammel/track_end.hpp"

#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel {

Parameter ends_parameter(std::string text) {
  return Parameter::make(Parameter::Kind::choice, "ends", "", std::move(text))
      .one_of({"error", "stop", "inactive"})
      .defaults("error");
}

AtEnd read_ends(const Parameters& in, std::initializer_list<const char*> stop_keys) {
  const std::string ends = in.text("ends");
  for (const char* key : stop_keys)
    if (in.has(key) && ends != "stop")
      throw Error(in.where(key), fmt::format("'{}' belongs to `ends: stop`", key));
  if (ends != "stop") return ends == "inactive" ? AtEnd::inactive : AtEnd::error;
  const char* needed = *stop_keys.begin();
  if (!in.has(needed)) throw Error(in.where("ends"), fmt::format("`ends: stop` needs '{}' [N/m]", needed));
  return AtEnd::stop;
}

}  // namespace trammel
