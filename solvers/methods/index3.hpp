#pragma once

#include "solvers/constraints/constraint_turn.hpp"
#include "solvers/methods/constraint_form.hpp"

namespace trammel {

/// Index 3: the position constraints alone. The steps leave B v + C_t = h^2 (kappa B v'' + ...), see
/// ConsistentStart.
class Index3 final : public ConstraintForm {
 public:
  Index3(Assembler& assembler, ConsistentStart& start, double radius)
      : assembler_(assembler), start_(start), turn_(start.system()), radius_(radius) {}

  void start_algorithmic(State& base, std::vector<double>& algorithmic, double h,
                         const AlphaCoefficients& c) override {
    start_.start_algorithmic(base, algorithmic, h, c.time_shift(), c.kappa());
  }
  void change_step(State& base, double from, double to, const AlphaCoefficients& c) override {
    start_.change_step(base, from, to, c.kappa());
  }
  bool improve_start(State& base, const State& end, std::vector<double>& algorithmic,
                     const AlphaCoefficients& c) override {
    return start_.follow_motion(base, end, c.time_shift(), c.time_shift1(), algorithmic);
  }
  void begin_anew(State& base) override { start_.set_massless_rates(base); }
  void begin(const State& base, double /*h*/, const AlphaCoefficients&) override { base_ = &base; }
  bool close(State& solution, double h, const AlphaCoefficients&, bool) override;
  void accept(RankTotals&) override { turn_.take(*base_, *solution_); }
  void drop_tangent() override { turn_.revise(); }
  std::string warning() const override;
  double rate_at_end(const State& state) override;
  double error_growth(const AlphaCoefficients& c) const override { return c.noise() / c.acceleration(); }
  double reaction_error(const AlphaCoefficients& c) const override { return c.reaction_error_by_positions(); }

 private:
  Assembler& assembler_;
  ConsistentStart& start_;
  ConstraintTurn turn_;
  double radius_;
  // Of the present attempt.
  const State* base_ = nullptr;
  const State* solution_ = nullptr;
  double step_ = 0;
};

}  // namespace trammel
