#include "beam_signals.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "node_motion.hpp"
#include "trammel/glyph.hpp"

namespace trammel::beam {

namespace {

class ElementSignal final : public Signal {
 public:
  ElementSignal(std::shared_ptr<const ElementConstants> constants, const Frame& a, const Frame& b, bool force,
                int component)
      : constants_(std::move(constants)),
        blocks_{a.position, a.rotation, b.position, b.rotation},
        force_(force),
        component_(component) {}

  std::string unit() const override {
    const bool moment = component_ >= 3;
    if (force_) return moment ? "N m" : "N";
    return moment ? "1/m" : "";
  }
  std::vector<BlockId> blocks() const override { return {blocks_.begin(), blocks_.end()}; }

  void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const override {
    const ElasticLaw& law = constants_->elastic;
    const NodeMotion n1 = node_motion(x, first), n2 = node_motion(x, first + 2);
    const ElasticForces elastic(law, n1, n2);
    const Vec6 rate = law.strain_rate(elastic.helicoid(), n1, n2);
    const bool damped = force_ && law.damped;
    constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
    out.value = force_ ? elastic.section_force()[component_] : law.strain(elastic.helicoid())[component_];
    out.rate = damped ? not_known : force_ ? law.stiffness.row(component_).dot(rate) : rate[component_];
    out.second_rate = not_known;
    if (!derivatives) return;
    if (force_)
      out.gradient = elastic.section_force_gradient().row(component_).transpose();
    else
      out.gradient = elastic.helicoid_gradient().row(component_).transpose() / law.length;
    if (damped)
      out.by_rate = (law.damping.row(component_) / law.length * elastic.helicoid_gradient()).transpose();
    out.second.resize(0, 0);
  }

 private:
  std::shared_ptr<const ElementConstants> constants_;
  std::array<BlockId, 4> blocks_;
  bool force_;
  int component_;
};

}  // namespace

std::shared_ptr<const Signal> BeamSignals::signal(std::string_view name) const {
  struct Output {
    std::string_view head;
    const std::array<std::string_view, 3>& components;
    bool force;
    int first;
  };
  static const std::array<Output, 4> outputs{{{"strain_", strain_names, false, 0},
                                              {"curvature_", curvature_names, false, 3},
                                              {"section_force_", section_force_names, true, 0},
                                              {"section_moment_", section_moment_names, true, 3}}};
  for (const Output& output : outputs) {
    if (!name.starts_with(output.head)) continue;
    const std::string_view rest = name.substr(output.head.size());
    std::size_t number = 0;
    const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const std::string_view component = rest.substr(static_cast<std::size_t>(end - rest.data()));
    if (fault != std::errc() || number < 1 || number > elements_.size() || !component.starts_with('.'))
      continue;
    const auto found = std::ranges::find(output.components, component.substr(1));
    if (found == output.components.end()) continue;
    return std::make_shared<ElementSignal>(
        elements_[number - 1], nodes_[number - 1], nodes_[number], output.force,
        output.first + static_cast<int>(found - output.components.begin()));
  }
  return nullptr;
}

}  // namespace trammel::beam
