#pragma once

#include <vector>

#include "kernel/range_sink.hpp"

namespace trammel {

/// Throws Error if the tangents of an instance violate the rules of algebraic unknowns (see
/// trammel/algebraic_rules.hpp).
class AlgebraicRulesSink final : public RangeSink {
 public:
  explicit AlgebraicRulesSink(const Model& model) : model_(model) {}

  void add(int i, LocalSystem& contribution) override;

 private:
  const Model& model_;
  std::vector<const Block*> blocks_;
};

/// `state` with all values that this rank knows changed by random amounts of moderate size. Only for the inspection
/// of derivatives.
State disturbed(const Model& model, const Layout& layout, State state, double model_length, unsigned seed);

}  // namespace trammel
