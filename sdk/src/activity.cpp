#include "trammel/activity.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace trammel {

namespace {

// Beside a time, of a step.
constexpr double just = 1e-6;
constexpr double same_time = 1e-9;

}  // namespace

bool Activity::after(double t, double h) const {
  if (by_instance) return true;
  if (function) return function->at(t + just * h).value > 0;
  return !until || t < *until - same_time * h;
}

std::optional<double> Activity::change(const StepInfo& step) const {
  const double h = step.size();
  if (!function) {
    const bool inside = until && *until > step.start + same_time * h && *until < step.end - same_time * h;
    return inside ? until : std::nullopt;
  }
  constexpr int points = 16;
  const bool begin = after(step.start, h);
  double low = step.start + just * h;
  for (int i = 1; i <= points; ++i) {
    double high = i == points ? step.end : step.start + h * i / points;
    if ((function->at(high).value > 0) == begin) {
      low = high;
      continue;
    }
    for (double middle = 0.5 * (low + high); middle > low && middle < high; middle = 0.5 * (low + high))
      ((function->at(middle).value > 0) == begin ? low : high) = middle;
    return high;
  }
  return std::nullopt;
}

namespace {

std::vector<Parameter> limits() {
  using Kind = Parameter::Kind;
  return {Parameter::make(Kind::real, "until", "s", "time").not_negative(),
          Parameter::make(Kind::real, "force", "N", "that it transmits at most").positive(),
          Parameter::make(Kind::real, "moment", "N m", "that it transmits at most").positive()};
}

bool is_one_of(const Value& value, std::initializer_list<std::string_view> words) {
  return value.is_scalar() && std::ranges::find(words, value.text) != words.end();
}

}  // namespace

Parameter active_parameter() {
  return Parameter::make(Parameter::Kind::any, "active", "",
                         "yes, no, or a function of time: active while it is positive; {until, force, "
                         "moment}: until a time, or until it transmits that much, and inactive for good then")
      .defaults("yes")
      .with(limits());
}

std::optional<Activity> read_activity(const Parameters& in,
                                      const std::function<FunctionPtr(FunctionPtr)>& of_time) {
  const Value& value = *in.value("active");
  if (is_one_of(value, {"yes", "true", "on"})) return std::nullopt;
  Activity activity;
  activity.parameter = "active";
  activity.where = value.where;
  if (is_one_of(value, {"no", "false", "off"})) {
    activity.function = constant_function(0);
  } else if (value.is_map() && value.find("type") == nullptr) {
    const Parameters map = in.map(value, limits());
    for (const auto& [name, limit] :
         {std::pair("until", &activity.until), {"force", &activity.force}, {"moment", &activity.moment}})
      if (map.has(name)) *limit = map.real(name);
    if (!activity.until && !activity.force && !activity.moment)
      throw Error(activity.where, "'active' names none of 'until', 'force', 'moment'");
  } else {
    activity.function = in.context().function(value);
    if (of_time) activity.function = of_time(activity.function);
    if (!activity.function->depends_on_time_only())
      throw Error(activity.where, "'active' reads the signal '" + activity.function->signals().front() +
                                      "', but only a function of time is allowed here");
  }
  return activity;
}

}  // namespace trammel
