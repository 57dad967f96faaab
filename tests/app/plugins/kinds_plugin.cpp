#include "trammel/plugin.hpp"
#include "trammel/time_function.hpp"

namespace {

using namespace trammel;
using Kind = Parameter::Kind;

Value scalar(std::string text) {
  Value value;
  value.kind = Value::Kind::scalar;
  value.text = std::move(text);
  return value;
}

Value map_of(std::vector<std::pair<std::string, std::string>> entries) {
  Value map;
  map.kind = Value::Kind::map;
  for (auto& [key, text] : entries) map.entries.push_back({std::move(key), {}, scalar(std::move(text))});
  return map;
}

}  // namespace

TRAMMEL_PLUGIN("kinds", "1.0") {
  Type parabola;
  parabola.name = "parabola";
  parabola.category = Type::Category::function;
  parabola.summary = "for tests";
  parabola.parameters = {Parameter::make(Kind::real, "factor", "", "of the square").must()};
  parabola.make_function = [](const Parameters& in) {
    const double factor = in.real("factor");
    return time_function([factor](Jet t) { return Jet{factor} * t * t; });
  };
  registry.add(std::move(parabola));

  Type twice;
  twice.name = "load_then_move";
  twice.category = Type::Category::stage;
  twice.summary = "for tests";
  twice.parameters = {Parameter::make(Kind::text, "until", "s", "end of the motion").must()};
  twice.make_stages = [](const Parameters& in) {
    return std::vector<Value>{
        map_of({{"type", "static"}}),
        map_of({{"type", "dynamic"}, {"from", "0"}, {"until", in.text("until")}, {"step", "0.01"}})};
  };
  registry.add(std::move(twice));
}
