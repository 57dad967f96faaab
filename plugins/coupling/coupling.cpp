#include "coupling.hpp"
#include "signal_form.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trammel/builder.hpp"
#include "trammel/coordinate_element.hpp"
#include "trammel/plugin.hpp"

namespace trammel::coupling {

LinearForm::LinearForm(std::vector<Term> terms, std::vector<int> sizes)
    : terms_(std::move(terms)), sizes_(std::move(sizes)) {
  for (const int size : sizes_) {
    columns_.push_back(dofs_);
    dofs_ += size;
  }
}

void LinearForm::report(double force, OutputSink& sink) const {
  sink.scalar("force", "", force);
  for (const Term& t : terms_) sink.scalar("on_" + t.name, t.force_unit, t.factor * force);
}

CompliantCoupling::Tension CompliantCoupling::tension(const LocalState& x) const {
  Tension f;
  const double e = form_.value(x) - law_.constant, half = 0.5 * law_.play;
  if (std::abs(e) < half) return f;
  const double rate = form_.rate(x);
  f.depth = e < 0 ? e + half : e - half;
  f.elastic = law_.stiffness * f.depth;
  if (!(law_.play > 0)) {
    f.force = f.elastic + law_.damping * rate;
    f.by_value = law_.stiffness;
    f.by_rate = law_.damping;
    return f;
  }
  const double sign = e < 0 ? -1 : 1, factor = 1 + law_.damping * sign * rate;
  if (!(factor > 0)) return f;
  f.force = f.elastic * factor;
  f.by_value = law_.stiffness * factor;
  f.by_rate = f.elastic * law_.damping * sign;
  return f;
}

namespace {

using Kind = Parameter::Kind;

std::vector<Parameter> parameters() {
  return {
      Parameter::make(
          Kind::map, "terms", "",
          "{joint.coordinate: factor, ...}, two or more; or signals of positions: {gauge.distance: 1}")
          .must(),
      Parameter::make(Kind::real, "constant", "", "value of the sum; default: that at the start"),
      Parameter::make(
          Kind::flag, "assemble", "",
          "yes: the sum may differ from `constant` at the start; a stage of type assemble closes it")
          .defaults("no"),
      Parameter::make(Kind::real, "stiffness", "force", "of a compliant coupling; absent: a constraint")
          .positive(),
      Parameter::make(Kind::real, "damping", "force per rate", "of a compliant coupling; with play, [1/rate]")
          .not_negative()
          .defaults("0"),
      Parameter::make(Kind::real, "play", "", "width in which a compliant coupling has no force")
          .not_negative()
          .defaults("0")};
}

std::string joined(const std::vector<int>& entities, const Builder& builder) {
  std::string text;
  for (const int e : entities)
    text += (text.empty() ? "'" : ", '") + builder.entities()[static_cast<std::size_t>(e)].name + "'";
  return text;
}

double factor_of(const Parameters& in, const Value::Entry& entry) {
  const double factor = in.real(entry.value);
  if (factor == 0 || !std::isfinite(factor))
    throw Error(
        entry.value.where,
        fmt::format("the factor of '{}' must be a number other than zero, found {:g}", entry.key, factor));
  return factor;
}

void require_start(const Parameters& in, double start, double constant) {
  if (std::abs(start - constant) <= 1e-9 * (1 + std::abs(start) + std::abs(constant)) || in.flag("assemble"))
    return;
  throw Error(in.where("constant"),
              fmt::format("the sum is {:.9g} at the start, not {:.9g}; leave 'constant' away, or give "
                          "`assemble: yes` and a stage of type assemble",
                          start, constant));
}

/// A coupling of signals that are no coordinates.
void build_of_signals(const Parameters& in, const Value& list, Builder& builder) {
  for (const char* key : {"stiffness", "damping", "play"})
    if (in.has(key))
      throw Error(in.where(key), "'" + std::string(key) + "' belongs to a coupling of coordinates alone");
  std::vector<SignalTerm> terms;
  std::vector<BlockId> stencil;
  std::vector<Block> blocks;
  double largest = 0;
  for (const Value::Entry& entry : list.entries) {
    SignalTerm term{builder.signal(entry.key, entry.where), factor_of(in, entry), entry.key};
    largest = std::max(largest, std::abs(term.factor));
    for (const BlockId id : term.signal->blocks())
      if (std::ranges::find(stencil, id) == stencil.end()) {
        stencil.push_back(id);
        blocks.push_back(builder.block(id));
      }
    terms.push_back(std::move(term));
  }
  SignalForm form(std::move(terms), stencil, blocks);
  State state;
  std::vector<BlockOffset> offsets;
  for (const Block& block : blocks) {
    offsets.push_back(
        {static_cast<std::int32_t>(state.value.size()), static_cast<std::int32_t>(state.rate.size())});
    append_initial(block, state);
  }
  const LocalState x(state, offsets.data());
  if (const std::string why = form.obstacle(x); !why.empty())
    throw Error(list.where, why + ": a constraint needs positions, angles and distances");
  FormValue start;
  form.evaluate(x, false, start);
  const double constant = in.has("constant") ? in.real("constant") : start.value;
  require_start(in, start.value, constant);
  const double length = builder.length() > 0 ? builder.length() : 1.0;
  stencil.push_back(builder.add_multiplier("force", {{.measure = Measure::nominal(largest * length)}}));
  builder.add(SignalCoupling(std::move(form), constant), std::move(stencil));
}

void build(const Parameters& in, Builder& builder) {
  const Value& list = *in.value("terms");
  if (std::ranges::any_of(list.entries, [&](const Value::Entry& entry) {
        return builder.joint_named(entry.key.substr(0, entry.key.rfind('.'))) < 0 &&
               builder.has_signal(entry.key);
      })) {
    build_of_signals(in, list, builder);
    return;
  }
  if (list.entries.size() < 2)
    throw Error(list.where, "a coupling needs two terms or more, such as {sun.angle: 1, planet.angle: -2}");
  std::vector<Term> terms;
  std::vector<BlockId> stencil;
  std::vector<int> sizes;
  std::vector<CoordinateTerm> relation;
  double start = 0;
  double size = 0;  // of the largest term: lengths count by that of the model
  const double length = builder.length() > 0 ? builder.length() : 1.0;
  for (const Value::Entry& entry : list.entries) {
    const JointCoordinate c = builder.coordinate(entry.key, entry.where);
    const CoordinateTarget target = coordinate_target(c, builder);
    Term term;
    term.factor = factor_of(in, entry);
    const auto known = std::ranges::find(stencil, c.block);
    term.block = static_cast<int>(known - stencil.begin());
    if (known == stencil.end()) {
      stencil.push_back(c.block);
      sizes.push_back(target.size);
    }
    term.component = c.component;
    term.name = entry.key;
    term.force_unit = target.force_unit;
    size = std::max(size, std::abs(term.factor) * length / target.measure.metres(length));
    start += term.factor * builder.block(c.block).initial[static_cast<std::size_t>(c.component)];
    relation.push_back({c.block, c.component, term.factor});
    terms.push_back(std::move(term));
  }
  const double constant = in.has("constant") ? in.real("constant") : start;
  LinearForm form(std::move(terms), std::move(sizes));
  if (in.has("stiffness")) {
    builder.add(CompliantCoupling(std::move(form),
                                  {constant, in.real("stiffness"), in.real("damping"), in.real("play")}),
                std::move(stencil));
    return;
  }
  for (const char* key : {"damping", "play"})
    if (in.has(key))
      throw Error(in.where(key),
                  "'" + std::string(key) + "' needs a compliant coupling: give its 'stiffness'");
  require_start(in, start, constant);
  if (const auto others = builder.add_relation(relation); !others.empty())
    throw Error(list.where, "the coupling closes on itself: " + joined(others, builder) + " impose" +
                                (others.size() == 1 ? "s" : "") + " the same relation already");
  stencil.push_back(builder.add_multiplier("force", {{.measure = Measure::nominal(size)}}));
  builder.add(RigidCoupling(std::move(form), constant), std::move(stencil));
}

}  // namespace
}  // namespace trammel::coupling

TRAMMEL_PLUGIN("coupling", "0.1") {
  using namespace trammel;
  Type type;
  type.name = "coupling";
  type.category = Type::Category::joint;
  type.summary = "a linear relation between coordinates of any joints: gears, rack, differential";
  type.parameters = trammel::coupling::parameters();
  type.build = trammel::coupling::build;
  // A loop of couplings shows only where all of them stand.
  type.needs = [](const Parameters&, Needs& needs) {
    needs.meets_others = true;
    needs.unknowns = 1;
  };
  registry.add(std::move(type));
}
