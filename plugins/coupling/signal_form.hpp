#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/element.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"
#include "trammel/signal.hpp"

namespace trammel::coupling {

/// factor times a signal.
struct SignalTerm {
  std::shared_ptr<const Signal> signal;
  double factor = 0;
  std::string name;  ///< "gauge.distance"
};

/// What a sum of signals is at a state, with its derivatives by the unknowns of the stencil.
struct FormValue {
  double value = 0, rate = 0, second_rate = 0;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd second;  ///< (i, j): derivative of gradient i along increment j
};

/// sum of a_i s_i over signals of configurations. Stencil: their blocks, each once.
class SignalForm {
 public:
  /// `blocks` are all the blocks that the terms read, each once.
  SignalForm(std::vector<SignalTerm> terms, const std::vector<BlockId>& ids,
             const std::vector<Block>& blocks);

  int blocks() const { return static_cast<int>(kinds_.size()); }
  int dofs() const { return dofs_; }
  const std::vector<SignalTerm>& terms() const { return terms_; }
  void evaluate(const LocalState& x, bool derivatives, FormValue& out) const;
  /// Sum of gradient and the rates of the blocks, or their second rates.
  double along(const LocalState& x, const Eigen::VectorXd& gradient, bool second) const;
  /// Gives, where the form is of no use for a constraint, why: names the signal. Empty where it is.
  std::string obstacle(const LocalState& x) const;

 private:
  struct Part {
    std::vector<int> blocks;   ///< of the signal, as indices into the stencil
    std::vector<int> columns;  ///< by unknown of the signal's blocks
  };
  void evaluate_term(std::size_t i, const LocalState& x, bool derivatives, SignalValue& out) const;

  std::vector<SignalTerm> terms_;
  std::vector<Part> parts_;
  std::vector<BlockKind> kinds_;
  std::vector<int> sizes_, first_;
  int dofs_ = 0;
};

/// sum of a_i s_i = constant, with a multiplier: r = lambda G on all that the signals depend on, G the gradient.
class SignalCoupling {
 public:
  SignalCoupling(SignalForm form, double constant) : form_(std::move(form)), constant_(constant) {}

  bool couples(int row, int column) const { return row < form_.blocks() || column < form_.blocks(); }
  void evaluate(const LocalState& x, LocalSystem& out) const;
  Energy energy(const LocalState& x) const;
  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const;

 private:
  SignalForm form_;
  double constant_;
};

}  // namespace trammel::coupling
