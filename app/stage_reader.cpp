#include "stage_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/accuracy/step_plan.hpp"
#include "trammel/nearest_name.hpp"
#include "trammel/number_text.hpp"

namespace trammel {

namespace {

using Kind = Parameter::Kind;

// A residual above 1e-3 of its scale is no solution: errors of energy and drift become visible. Below 1e-16 is rounding.
constexpr double finest_tolerance = 1e-16, coarsest_tolerance = 1e-3;
// A step that is halved 30 times is 1e-9 of its size; times closer than this count as equal (docs/time_integration.md).
constexpr int most_cuts = 30;
// The solver counts the steps of a stage up to here.
constexpr double most_steps = 1e9;
// Femtoseconds to thirty thousand years: beyond either, a unit is wrong.
constexpr double shortest_step = 1e-15, latest_time = 1e12;
// A tenth of the range is no accuracy; below 1e-10, errors of rounding in accelerations show in positions.
constexpr double finest_accuracy = 1e-10, coarsest_accuracy = 0.1;

Parameter check_parameter(const char* standard) {
  return Parameter::make(Kind::choice, "check", "",
                         "a second run tells what positions err by: `coarser`, with steps three times as "
                         "long, or `finer` or `yes`, with steps half as long")
      .one_of({"coarser", "finer", "yes", "no"})
      .defaults(standard);
}

std::vector<Parameter> accuracy_parameters() {
  return {
      Parameter::make(Kind::real, "value", "", "part of each channel's range that positions may err by")
          .must(),
      check_parameter("coarser"),
      Parameter::make(Kind::flag, "reach", "",
                      "where the second run tells a larger error, all is run again with a smaller accuracy")
          .defaults("no"),
      Parameter::make(Kind::flag, "reactions", "",
                      "multipliers, and with them reactions, may also err by this part of their ranges")
          .defaults("no"),
      Parameter::make(Kind::flag, "massless", "",
                      "coordinates without mass, such as that of a slider, are judged as positions are")
          .defaults("no"),
      Parameter::make(Kind::flag, "vibrations", "",
                      "free vibrations are followed by steps that keep their phase, too")
          .defaults("no")};
}

Parameter newton_parameter(const NewtonOptions& standard) {
  return Parameter::make(Kind::map, "newton", "", "how Newton's method is run")
      .defaults("{}")
      .with({Parameter::make(Kind::real, "tolerance", "", "relative tolerance of each field")
                 .between(finest_tolerance, coarsest_tolerance)
                 .defaults(number_text(standard.tolerance)),
             Parameter::make(Kind::integer, "max_iterations", "",
                             "iterations of an attempt at a step, in all, before it is cut")
                 .between(1, 1000)
                 .defaults(std::to_string(standard.max_iterations)),
             Parameter::make(Kind::flag, "keep_tangent", "", "keep the factorized tangent while it converges")
                 .defaults("yes"),
             Parameter::make(Kind::integer, "keep_iterations", "",
                             "a kept tangent is renewed where more iterations than this are still needed; "
                             "by default from what a factorization takes, at least 3")
                 .between(1, 100),
             Parameter::make(Kind::flag, "backtracking", "", "try parts of increments before a step is cut")
                 .defaults("yes")});
}

Parameter name_parameter() { return Parameter::make(Kind::text, "name", "", "name of the stage in the log"); }
Parameter from_parameter() {
  return Parameter::make(Kind::real, "from", "s",
                         "sets the clock; it goes on from the stage before where absent")
      .between(-latest_time, latest_time);
}
Parameter until_parameter() {
  return Parameter::make(Kind::real, "until", "s", "time at the end").between(-latest_time, latest_time);
}
Parameter cuts_parameter(const char* what, int standard) {
  return Parameter::make(Kind::integer, "max_cuts", "", what)
      .between(0, most_cuts)
      .defaults(std::to_string(standard));
}

Parameter redundant_parameter() {
  return Parameter::make(
             Kind::choice, "redundant", "",
             "what becomes of the equations of redundant constraints: they do not count, or the run ends")
      .one_of({"leave_out", "stop"})
      .defaults("leave_out");
}
Redundancy read_redundant(const Parameters& in) {
  return in.text("redundant") == "stop" ? Redundancy::stop : Redundancy::remove;
}

DynamicStage::Form read_form(const std::string& text) {
  if (text == "index1") return DynamicStage::Form::index1;
  if (text == "index2") return DynamicStage::Form::index2;
  return text == "index3" ? DynamicStage::Form::index3 : DynamicStage::Form::projected;
}

DynamicStage::EnergyPolicy read_energy(const std::string& text) {
  using Policy = DynamicStage::EnergyPolicy;
  return text == "stop" ? Policy::stop : text == "warn" ? Policy::warn : Policy::ignore;
}

NewtonOptions read_newton(const Parameters& stage) {
  const Parameters in = stage.map("newton");
  NewtonOptions newton;
  newton.tolerance = in.real("tolerance");
  newton.max_iterations = in.integer("max_iterations");
  newton.keep_tangent = in.flag("keep_tangent");
  if (in.has("keep_iterations")) newton.keep_iterations = in.integer("keep_iterations");
  newton.backtracking = in.flag("backtracking");
  return newton;
}

/// Steps of h from `begin` to `until`: not too many, and none shorter than the clock can tell.
void check_steps(const Location& where, const std::string& what, double begin, double until, double h) {
  const double count = (until - begin) / h;
  if (!(count <= most_steps))
    throw Error(
        where, fmt::format("{}: {:.3g} steps from t = {} s to {} s are too many; at most {} in a stage", what,
                           count, number_text(begin), number_text(until), number_text(most_steps)));
  const double shortest = StepPlan::clock_digits * std::max(std::abs(begin), std::abs(until));
  if (h < shortest)
    throw Error(
        where, fmt::format(
                   "{}: at t = {} s a step must be at least {:.3g} s, a thousand times the last digit of the "
                   "clock",
                   what, number_text(std::abs(until) > std::abs(begin) ? until : begin), shortest));
}

/// Moves the clock through a stage.
void read_times(const Parameters& in, double& clock, std::optional<double>& from, double& until) {
  if (in.has("from")) {
    from = in.real("from");
    clock = *from;
  }
  until = in.real("until");
  if (!(until > clock))
    throw Error(in.where("until"),
                fmt::format("'until' = {} s: must be after the stage's start at {} s", until, clock));
  clock = until;
}

DynamicStage::SecondRun second_run(const std::string& check) {
  return check == "no"        ? DynamicStage::SecondRun::none
         : check == "coarser" ? DynamicStage::SecondRun::coarser
                              : DynamicStage::SecondRun::finer;
}

/// `accuracy: 1e-4`, or `accuracy: {value: 1e-4, check: yes}`.
void read_accuracy(const Parameters& in, DynamicStage& motion) {
  const Value& given = *in.value("accuracy");
  const Value* number = &given;
  motion.second_run = DynamicStage::SecondRun::coarser;
  bool reach = false;
  if (given.is_map()) {
    const Parameters inner = in.map(given, accuracy_parameters());
    number = inner.value("value");
    motion.second_run = second_run(inner.text("check"));
    reach = inner.flag("reach");
    if (reach && motion.second_run == DynamicStage::SecondRun::none)
      throw Error(inner.where("reach"), "'reach: yes' needs the check, which `check: no` omits");
    motion.accuracy_of_reactions = inner.flag("reactions");
    motion.accuracy_of_massless = inner.flag("massless");
    motion.accuracy_of_vibrations = inner.flag("vibrations");
  }
  motion.accuracy = in.real(*number);
  const std::string found = number_text(motion.accuracy);
  if (!(motion.accuracy > 0))
    throw Error(
        number->where,
        fmt::format("'accuracy' = {}: must be above 0, the part of the range of each position that it "
                    "may err by, such as 1e-4",
                    found));
  if (motion.accuracy < finest_accuracy)
    throw Error(number->where, fmt::format("'accuracy' = {} is finer than rounding allows: at least {}",
                                           found, number_text(finest_accuracy)));
  if (motion.accuracy > coarsest_accuracy)
    throw Error(number->where,
                fmt::format("'accuracy' = {}: a part of the range of each position; at most {}", found,
                            number_text(coarsest_accuracy)));
  if (reach) motion.reach = motion.accuracy;
}

/// Steps of one size, or by accuracy.
void read_steps(const Parameters& in, double start, DynamicStage& motion) {
  static constexpr std::array<const char*, 3> ways{"accuracy", "step", "steps"};
  std::vector<std::string> given;
  for (const char* const way : ways)
    if (in.has(way)) given.push_back(fmt::format("'{}'", way));
  if (given.size() > 1)
    throw Error(in.where(ways[1]),
                fmt::format("{} exclude each other: steps have the size that is given, or one that follows "
                            "from the accuracy",
                            fmt::join(given, " and ")));
  if (given.empty()) throw Error(in.where(), "a dynamic stage needs one of 'accuracy', 'step' and 'steps'");
  if (in.has("accuracy")) {
    if (in.has("check"))
      throw Error(
          in.where("check"),
          fmt::format("'check' beside 'accuracy' is written inside it: accuracy: {{value: ..., check: {}}}",
                      in.text("check")));
    return read_accuracy(in, motion);
  }
  motion.second_run = second_run(in.text("check"));
  motion.step = in.has("step") ? in.real("step") : (motion.until - start) / in.integer("steps");
  const char* const key = in.has("step") ? "step" : "steps";
  check_steps(in.where(key), fmt::format("'{}' = {}", key, number_text(in.real(key))), start, motion.until,
              motion.step);
}

Stage read_stage(const StageType& type, const Parameters& in, double& clock) {
  Stage stage;
  if (in.has("name")) stage.name = in.text("name");
  if (type.name == "assemble") {
    AssembleStage assemble;
    assemble.tolerance = in.real("tolerance");
    assemble.max_iterations = in.integer("max_iterations");
    stage.what = assemble;
  } else if (type.name == "static") {
    StaticStage loading;
    const double start = in.has("from") ? in.real("from") : clock;
    read_times(in, clock, loading.from, loading.until);
    loading.steps = in.integer("steps");
    check_steps(in.where(in.has("steps") ? "steps" : "until"), fmt::format("'steps' = {}", loading.steps),
                start, clock, (clock - start) / loading.steps);
    loading.max_cuts = in.integer("max_cuts");
    loading.redundancy = read_redundant(in);
    loading.newton = read_newton(in);
    stage.what = loading;
  } else {
    DynamicStage motion;
    const double start = in.has("from") ? in.real("from") : clock;
    read_times(in, clock, motion.from, motion.until);
    read_steps(in, start, motion);
    if (in.text("method") == "radau") {
      motion.method = DynamicStage::Method::radau;
      for (const char* const other : {"accuracy", "radius", "form", "projection"})
        if (in.has(other))
          throw Error(in.where(other),
                      fmt::format("'{}' belongs to `method: generalized_alpha`; `method: radau` has steps of "
                                  "one size and the stabilized form, and damps high frequencies by itself",
                                  other));
    }
    motion.radius = in.real("radius");
    motion.form = read_form(in.text("form"));
    if (in.has("projection") && motion.form != DynamicStage::Form::index1)
      throw Error(in.where("projection"),
                  "'projection' belongs to 'form: index1'; the form here is " + in.text("form"));
    motion.projection = in.flag("projection");
    motion.start =
        in.text("start") == "as_given" ? DynamicStage::Start::as_given : DynamicStage::Start::consistent;
    motion.max_cuts = in.integer("max_cuts");
    motion.redundancy = read_redundant(in);
    motion.energy = read_energy(in.text("energy"));
    motion.newton = read_newton(in);
    stage.what = motion;
  }
  return stage;
}

}  // namespace

const std::vector<StageType>& stage_types() {
  static const std::vector<StageType> types{
      {"assemble",
       "Moves the bodies until the position constraints hold: the mass-weighted least displacements",
       {name_parameter(),
        Parameter::make(Kind::real, "tolerance", "", "of a constraint, relative to the model's length")
            .between(finest_tolerance, coarsest_tolerance)
            .defaults(number_text(AssembleStage{}.tolerance)),
        Parameter::make(Kind::integer, "max_iterations", "", "iterations")
            .between(1, 10000)
            .defaults(std::to_string(AssembleStage{}.max_iterations))}},
      {"static",
       "Equilibrium by load steps; functions of time see the clock",
       {name_parameter(), from_parameter(), until_parameter().defaults("1"),
        Parameter::make(Kind::integer, "steps", "", "load steps").between(1, most_steps).defaults("1"),
        cuts_parameter("times a load step may be halved", StaticStage{}.max_cuts), redundant_parameter(),
        newton_parameter(StaticStage{}.newton)}},
      {"dynamic",
       "Motion by the Lie-group generalized-alpha method, with steps of one size or by accuracy, or by Radau "
       "IIA; a step "
       "that fails is halved",
       {name_parameter(), from_parameter(), until_parameter().must(),
        Parameter::make(
            Kind::any, "accuracy", "",
            "instead of `step`: part of each channel's range that positions may err by over the stage; steps "
            "follow from it. A number, or {value: 1e-4, check: finer}")
            .such_as("1e-4"),
        Parameter::make(Kind::real, "step", "s", "time step; shortened so that the last one ends at `until`")
            .between(shortest_step, latest_time),
        Parameter::make(Kind::integer, "steps", "", "number of steps, instead of `step`")
            .between(1, most_steps),
        check_parameter("no"),
        Parameter::make(Kind::choice, "method", "",
                        "generalized-alpha, of second order, or two-stage Radau IIA, of third order")
            .one_of({"generalized_alpha", "radau"})
            .defaults("generalized_alpha"),
        Parameter::make(Kind::real, "radius", "", "spectral radius at infinite frequency")
            .between(0, 1)
            .defaults("0.9"),
        Parameter::make(Kind::choice, "form", "",
                        "position constraints with projected velocities, these alone, stabilized, or "
                        "acceleration constraints with a projection")
            .one_of({"projected", "index3", "index2", "index1"})
            .defaults("projected"),
        Parameter::make(
            Kind::flag, "projection", "",
            "of index1: positions and velocities are brought back onto the constraints after each step")
            .defaults("yes"),
        Parameter::make(Kind::choice, "start", "", "velocities, accelerations and multipliers at the start")
            .one_of({"consistent", "as_given"})
            .defaults("consistent"),
        cuts_parameter("times a step may be halved", DynamicStage{}.max_cuts), redundant_parameter(),
        Parameter::make(Kind::choice, "energy", "",
                        "where energy comes from nowhere: the run ends, the log has a warning, or nothing")
            .one_of({"stop", "warn", "ignore"})
            .defaults("stop"),
        newton_parameter(DynamicStage{}.newton)}}};
  return types;
}

namespace {

/// Reads the items of a list of stages. A kind that a plugin adds is replaced by the stages that it consists of.
class StageList {
 public:
  StageList(const CaseFile& file, const Registry& registry) : file_(file), registry_(registry) {
    for (const StageType& type : stage_types()) names_.push_back(type.name);
    for (std::string& name : registry.names(Type::Category::stage)) names_.push_back(std::move(name));
    for (const std::string& name : names_) known_ += (known_.empty() ? "" : ", ") + name;
  }

  void read(const Value& item, const std::string& title, int depth) {
    if (!item.is_map()) throw Error(item.where, title + " must be a map, found " + item.described());
    const Value* name = item.find("type");
    if (name == nullptr) throw Error(item.where, title + ": 'type' is missing: one of " + known_);
    const StageType* type = nullptr;
    for (const StageType& one : stage_types())
      if (one.name == name->text) type = &one;
    const Type* offered = registry_.find(Type::Category::stage, name->text);
    if (type == nullptr && offered == nullptr) {
      const std::string near = did_you_mean(name->text, names_);
      throw Error(name->where, title + ": unknown stage type " + name->described() +
                                   (near.empty() ? "." : near) + " Types here: " + known_);
    }
    Value rest = item;
    std::erase_if(rest.entries, [](const Value::Entry& entry) { return entry.key == "type"; });
    try {
      if (type != nullptr)
        stages.push_back(read_stage(*type, Parameters(rest, type->parameters, file_.context()), clock_));
      else
        expand(*offered, rest, title, depth);
    } catch (const Error& error) {
      throw Error(error.where().file.empty() ? item.where : error.where(),
                  title + " (" + name->text + "): " + error.what());
    }
  }

  std::vector<Stage> stages;

 private:
  void expand(const Type& type, const Value& map, const std::string& title, int depth) {
    constexpr int deepest = 8;
    if (depth == deepest)
      throw Error("stages that stand for stages, more than " + std::to_string(deepest) + " deep");
    const std::vector<Value> its = type.make_stages(Parameters(map, type.parameters, file_.context()));
    if (its.empty()) throw Error("plugin '" + type.plugin + "' makes no stage of it");
    for (std::size_t i = 0; i < its.size(); ++i) read(its[i], title + "." + std::to_string(i + 1), depth + 1);
  }

  const CaseFile& file_;
  const Registry& registry_;
  std::vector<std::string> names_;
  std::string known_;
  double clock_ = 0;
};

}  // namespace

std::vector<Stage> read_stages(const CaseFile& file, const Registry& registry) {
  const Value* list = file.stages();
  if (list == nullptr || list->is_null() || (list->is_sequence() && list->items.empty()))
    throw Error(Location{file.file(), 0, 0}, "the case has no 'stages': nothing to run");
  if (!list->is_sequence()) throw Error(list->where, "'stages' must be a list, found " + list->described());
  StageList all(file, registry);
  for (std::size_t i = 0; i < list->items.size(); ++i)
    all.read(list->items[i], "stage " + std::to_string(i + 1), 0);
  return std::move(all.stages);
}

}  // namespace trammel
