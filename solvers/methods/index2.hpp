#pragma once

#include "solvers/methods/constraint_form.hpp"

namespace trammel {

/// Stabilized index 2 (Gear, Gupta and Leimkuhler 1985; Arnold, Cardona and Bruls 2015): constraints and their rates, with
/// a multiplier eta of the rates and a correction mu of the configuration as stabilizing unknowns.
class Index2 final : public ConstraintForm {
 public:
  explicit Index2(Assembler& assembler) : assembler_(assembler) {}

  bool stabilizing() const override { return true; }
  bool improve_start(State& base, const State& end, std::vector<double>& algorithmic,
                     const AlphaCoefficients& c) override {
    return follow_accelerations(assembler_, base, end, algorithmic, c);
  }
  void begin(const State& base, double /*h*/, const AlphaCoefficients&) override {
    assembler_.keep_gradients(base);
  }

 private:
  Assembler& assembler_;
};

}  // namespace trammel
