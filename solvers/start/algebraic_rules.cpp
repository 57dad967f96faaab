#include "solvers/start/algebraic_rules.hpp"

#include <random>
#include <vector>

#include "kernel/range_sink.hpp"
#include "trammel/algebraic_rules.hpp"
#include "trammel/lie.hpp"

namespace trammel {

namespace {

/// Throws Error if the tangents of an instance violate the rules.
class RulesSink final : public RangeSink {
 public:
  explicit RulesSink(const Model& model) : model_(model) {}

  void add(int i, LocalSystem& contribution) override {
    evaluated = i;
    blocks_.clear();
    for (const StencilBlock& b : plan_->stencil(i)) blocks_.push_back(&model_.block(b.id));
    if (!algebraic_fault(blocks_, contribution).empty()) throw Error(named_fault(i, contribution));
    evaluated = i + 1;
  }

 private:
  /// With the full names of blocks.
  std::string named_fault(int i, LocalSystem& contribution) const {
    std::vector<Block> named;
    std::vector<const Block*> blocks;
    named.reserve(blocks_.size());
    for (const StencilBlock& b : plan_->stencil(i)) {
      named.push_back(model_.block_with_full_name(b.id));
      blocks.push_back(&named.back());
    }
    return algebraic_fault(blocks, contribution);
  }

  const Model& model_;
  std::vector<const Block*> blocks_;
};

/// `state` with all values that this rank knows changed by random amounts of moderate size.
State disturbed(const Model& model, const Layout& layout, State state, double model_length, unsigned seed) {
  constexpr double part = 0.1;  // of what is typical of a number
  std::mt19937 random(seed);
  const auto number = [&] { return std::uniform_real_distribution<double>(-1, 1)(random); };
  for (const BlockId id : layout.known_blocks()) {
    const Block& block = model.block(id);
    const BlockOffset offset = layout.offset(id);
    double* value = state.value.data() + offset.value;
    for (int k = 0; k < block.size; ++k) {
      const double typical = model_length / block.measure(k).metres(model_length);
      const auto at = static_cast<std::size_t>(offset.dof + k);
      if (has_rate(block.kind)) state.rate[at] += part * typical * number();
      if (is_kinematic(block.kind)) state.acceleration[at] += number();
      if (block.kind != BlockKind::rotation)
        value[k] += is_multiplier(block.kind) ? number() : part * typical * number();
    }
    if (block.kind == BlockKind::rotation)
      set_rotation(value,
                   quaternion_of(value) * Quaternion(so3::exp(part * Vec3(number(), number(), number()))));
  }
  return state;
}

}  // namespace

void require_algebraic_rules(Assembler& assembler, const State& state) {
  if (!assembler.has_algebraic()) return;
  constexpr unsigned states = 3;
  RulesSink sink(assembler.model());
  for (unsigned k = 0; k < states; ++k)
    assembler.algebraic_tangents(
        k == 0 ? state : disturbed(assembler.model(), assembler.layout(), state, assembler.length(), k),
        sink);
}

}  // namespace trammel
