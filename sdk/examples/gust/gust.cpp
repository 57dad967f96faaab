#include <numbers>

#include <trammel/plugin.hpp>
#include <trammel/time_function.hpp>

using trammel::Jet;
using trammel::Parameter;
using trammel::Parameters;

TRAMMEL_PLUGIN("gust", "1.0") {
  trammel::Type type;
  type.name = "gust";
  type.category = trammel::Type::Category::function;
  type.summary = "a gust that rises and falls once, peak/2 (1 - cos(2 pi (t - start)/duration))";
  type.parameters = {
      Parameter::make(Parameter::Kind::real, "peak", "", "largest value, half-way").must(),
      Parameter::make(Parameter::Kind::real, "start", "s", "time at which it begins").defaults("0"),
      Parameter::make(Parameter::Kind::real, "duration", "s", "time that it lasts").positive().must()};
  type.make_function = [](const Parameters& in) {
    const double peak = in.real("peak"), start = in.real("start"), duration = in.real("duration");
    return trammel::time_function([=](const Jet& t) {
      if (t.value <= start || t.value >= start + duration) return Jet{0.0};
      return peak / 2 * (1.0 - cos(2 * std::numbers::pi / duration * (t - start)));
    });
  };
  registry.add(std::move(type));
}
