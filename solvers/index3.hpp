#pragma once

#include "solvers/constraint_form.hpp"

namespace trammel {

/// Index 3: the position constraints alone. Steps leave B v + C_t open by a part of h^2, which belongs to the motion.
class Index3 final : public ConstraintForm {
 public:
  Index3(Assembler& assembler, ConsistentStart& start) : assembler_(assembler), start_(start) {}

  void lead(State& base, std::vector<double>& algorithmic, double h, const AlphaCoefficients& c) override {
    start_.lead(base, algorithmic, h, c.lead(), c.kappa());
  }
  void change_step(State& base, double from, double to, const AlphaCoefficients& c) override {
    start_.change_step(base, from, to, c.kappa());
  }
  void begin_anew(State& base) override { start_.settle(base); }
  double rate_at_end(const State& state) override;

 private:
  Assembler& assembler_;
  ConsistentStart& start_;
};

}  // namespace trammel
