#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "commands.hpp"
#include "joint_verification.hpp"
#include "law_verification.hpp"
#include "session.hpp"
#include "standard_streams.hpp"
#include "text_table.hpp"

namespace trammel {

namespace {

std::string shown(double error) { return error == 0 ? "0" : fmt::format("{:.0e}", error); }

/// The largest of the difference tests, by the place where it is found.
const JointCheck::Worst& worst_derivative(const JointCheck& c) {
  const JointCheck::Worst* worst = &c.gradient;
  for (const JointCheck::Worst* one : {&c.stiffness, &c.rate, &c.bias, &c.other})
    if (one->error > worst->error || std::isnan(one->error)) worst = one;
  return *worst;
}

TableRow row_of(const JointVerdict& v) {
  const JointCheck& c = v.check;
  TableRow row{v.type};
  if (c.states == 0) return row;
  const bool wrong =
      v.degrees_of_freedom_stated >= 0 && v.degrees_of_freedom_stated != c.degrees_of_freedom();
  row.push_back(std::to_string(c.equations));
  row.push_back(std::to_string(c.rank));
  row.push_back(wrong ? fmt::format("{} ({} stated)", c.degrees_of_freedom(), v.degrees_of_freedom_stated)
                      : std::to_string(c.degrees_of_freedom()));
  for (const JointCheck::Worst* worst : {&c.gradient, &c.stiffness, &c.rate, &c.bias})
    row.push_back(shown(worst->error));
  row.push_back(v.absolute ? "absolute" : shown(c.objectivity.error));
  row.push_back(shown(c.power.error));
  for (const std::optional<double>& drift : v.drift)
    row.push_back(!drift ? "-" : v.at_rest ? "at rest" : shown(*drift));
  row.push_back(v.coordinates.empty() ? "-" : v.coordinates);
  row.push_back(worst_derivative(c).where.empty() ? "-" : worst_derivative(c).where);
  return row;
}

std::string legend(const JointVerification& how) {
  const JointBounds& b = how.bounds;
  std::string text = fmt::format(
      "Errors are relative, the worst of {} random states of each kind of joint, rotations up to pi, "
      "between\n"
      "markers on frames and ground, with and without an offset, at rest and moving. Bounds: gradient B,\n"
      "geometric stiffness, rate, bias {:.0e}; objectivity {:.0e}; power {:.0e}",
      how.states, b.derivative, b.objectivity, b.power);
  if (how.motion)
    text += fmt::format(
        ";\ndrift of the positions of two free bodies in {} s, step {} s, index 3, 2 and 1: {:.0e}\n(m or "
        "rad)",
        how.until, how.step, b.drift);
  return text +
         ". degrees of freedom: left between two bodies; absolute: holds velocities in the world. A title "
         "in\nbrackets: in a scene of "
         "its plugin (trammel/joint_scene.hpp).\n";
}

/// Joints by name, and elements and types on coordinates where a name is none of a joint.
std::vector<const Type*> named_types(const CommandLine& command, const Registry& registry) {
  std::vector<const Type*> types;
  for (const std::string& name : command.types) {
    const Type* found = nullptr;
    for (const Type::Category category :
         {Type::Category::joint, Type::Category::element, Type::Category::coordinate})
      if (found == nullptr) found = registry.find(category, name);
    types.push_back(found != nullptr ? found : &registry.get(Type::Category::joint, name, {}));
  }
  return types;
}

/// Prints the table of types that are laws of forces. Gives the failures in words.
std::string verify_laws(const std::vector<const Type*>& types, const JointVerification& how, bool markdown,
                        int& failed, bool prints) {
  const LawBounds bounds;
  std::vector<TableRow> rows{{"law", "derivatives", "objectivity", "power", "worst derivative"}};
  std::string notes, failures;
  for (const Type* type : types) {
    const ForceVerdict v = verify_law(*type, how, bounds);
    if (!v.not_checked.empty()) {
      notes += fmt::format("{}: not checked, {}\n", v.type, v.not_checked);
      continue;
    }
    if (!v.failures.empty()) ++failed;
    for (const std::string& failure : v.failures) failures += fmt::format("\n  {}: {}", v.type, failure);
    const LawCheck& c = v.check;
    if (c.states > 0)
      rows.push_back({v.type, shown(c.derivative.error), v.has_markers ? shown(c.objectivity.error) : "-",
                      shown(c.power.error), c.derivative.where.empty() ? "-" : c.derivative.where});
  }
  if (prints)
    say(
        fmt::format("{}\nErrors are relative, the worst of {} random states, rotations up to pi. power: r . "
                    "v against the rate of\n"
                    "the energies and what leaves the system. Bounds: derivatives {:.0e}; objectivity "
                    "{:.0e}; power {:.0e}.\n{}",
                    markdown ? markdown_table(rows) : aligned_table(rows), how.states, bounds.derivative,
                    bounds.objectivity, bounds.power, notes.empty() ? "" : "\n" + notes));
  return failures;
}

}  // namespace

void verify_types(const CommandLine& command, MPI_Comm comm) {
  const Plugins plugins(command);
  JointVerification how;
  how.states = command.states;
  how.motion = !command.without_motion;
  how.given = command.parameters;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);

  std::vector<const Type*> types = named_types(command, plugins.registry());
  const auto first_law = std::stable_partition(
      types.begin(), types.end(), [](const Type* type) { return type->category == Type::Category::joint; });
  const std::vector<const Type*> laws(first_law, types.end());
  types.erase(first_law, types.end());
  std::string failures;
  int failed = 0;
  if (!laws.empty()) failures = verify_laws(laws, how, command.markdown, failed, rank == 0);
  if (types.empty() && laws.empty())
    for (const Type* type : plugins.registry().all())
      if (type->category == Type::Category::joint) types.push_back(type);
  if (types.empty() && laws.empty()) throw Error("no joint types are loaded: see 'trammel list'");
  const std::size_t count = types.size() + laws.size();

  std::vector<TableRow> rows{{"joint", "equations", "rank", "degrees of freedom", "B", "stiffness", "rate",
                              "bias", "objectivity", "power", "drift 3", "drift 2", "drift 1", "coordinates",
                              "worst derivative"}};
  std::string notes;
  for (const Type* type : types) {
    std::vector<JointVerdict> verdicts = verify_scenes(*type, plugins.registry(), how);
    if (verdicts.empty()) verdicts.push_back(verify_joint(*type, plugins.registry(), how));
    bool fails = false;
    for (const JointVerdict& verdict : verdicts) {
      if (!verdict.not_checked.empty()) {
        notes += fmt::format("{}: not checked, {}\n", verdict.type, verdict.not_checked);
        continue;
      }
      rows.push_back(row_of(verdict));
      if (verdict.at_rest)
        notes += fmt::format("{}: at rest in its scene; its drift is not tested\n", verdict.type);
      fails = fails || !verdict.failures.empty();
      for (const std::string& failure : verdict.failures)
        failures += fmt::format("\n  {}: {}", verdict.type, failure);
    }
    if (fails) ++failed;
  }
  if (rank == 0 && !types.empty())
    say(fmt::format("{}\n{}{}", command.markdown ? markdown_table(rows) : aligned_table(rows), legend(how),
                    notes.empty() ? "" : "\n" + notes));
  if (failed > 0)
    throw Error(fmt::format("{} of {} {}types {}:{}", failed, count, laws.empty() ? "joint " : "",
                            failed == 1 ? "fails" : "fail", failures));
}

}  // namespace trammel
