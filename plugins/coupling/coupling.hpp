#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trammel/element.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"

namespace trammel::coupling {

/// factor times component `component` of block `block` of the stencil.
struct Term {
  int block = 0;
  int component = 0;
  double factor = 0;
  std::string name;  ///< "sun.angle"
  std::string force_unit;
};

/// sum of a_i q_i over coordinates of any joints. Stencil: their blocks, each once.
class LinearForm {
 public:
  LinearForm(std::vector<Term> terms, std::vector<int> sizes);

  int blocks() const { return static_cast<int>(sizes_.size()); }
  /// Unknowns of the blocks.
  int dofs() const { return dofs_; }
  const std::vector<Term>& terms() const { return terms_; }
  int column(const Term& t) const { return columns_[static_cast<std::size_t>(t.block)] + t.component; }
  bool reads(int block) const { return block < blocks(); }

  double value(const LocalState& x) const {
    double sum = 0;
    for (const Term& t : terms_) sum += t.factor * x.value(t.block)[t.component];
    return sum;
  }
  double rate(const LocalState& x) const {
    double sum = 0;
    for (const Term& t : terms_) sum += t.factor * x.rate(t.block)[t.component];
    return sum;
  }
  /// Reports what a force along the form does to each coordinate.
  void report(double force, OutputSink& sink) const;

 private:
  std::vector<Term> terms_;
  std::vector<int> sizes_, columns_;
  int dofs_ = 0;
};

/// sum of a_i q_i = constant, with a multiplier. The force on coordinate i is -a_i lambda.
class RigidCoupling {
 public:
  RigidCoupling(LinearForm form, double constant) : form_(std::move(form)), constant_(constant) {}

  bool couples(int row, int column) const { return form_.reads(row) != form_.reads(column); }

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const int row = form_.dofs();
    const double lambda = *x.value(form_.blocks());
    auto r = out.residual();
    r[row] = form_.value(x) - constant_;
    for (const Term& t : form_.terms()) r[form_.column(t)] = t.factor * lambda;
    if (out.request.tangent) {
      auto K = out.K();
      for (const Term& t : form_.terms()) K(row, form_.column(t)) = K(form_.column(t), row) = t.factor;
    }
    if (out.request.rates) {
      out.rate()[row] = form_.rate(x);
      if (out.request.tangent) out.rate_gradient();
    }
    if (out.request.bias) out.bias();
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    form_.report(-*x.value(form_.blocks()), sink);
  }

 private:
  LinearForm form_;
  double constant_;
};

/// The same with a spring, a damper and play. Along the form e = sum of a_i q_i - constant acts the force -(k e + c e');
/// with play, where |e| exceeds half the play by d, -k d (1 + c d') with the sign of e, as long as it does not pull: so
/// it is continuous when the flanks meet and part.
class CompliantCoupling {
 public:
  struct Law {
    double constant = 0;
    double stiffness = 0;
    double damping = 0;  ///< c: force per rate; with play, per rate of d
    double play = 0;     ///< full width, in the unit of e
  };

  CompliantCoupling(LinearForm form, const Law& law) : form_(std::move(form)), law_(law) {}

  void evaluate(const LocalState& x, LocalSystem& out) const {
    const Tension f = tension(x);
    auto r = out.residual();
    for (const Term& t : form_.terms()) r[form_.column(t)] = t.factor * f.force;
    if (!out.request.tangent) return;
    auto K = out.K();
    auto D = out.D();
    for (const Term& t : form_.terms())
      for (const Term& u : form_.terms()) {
        K(form_.column(t), form_.column(u)) = t.factor * f.by_value * u.factor;
        D(form_.column(t), form_.column(u)) = t.factor * f.by_rate * u.factor;
      }
  }

  Energy energy(const LocalState& x) const {
    Energy e;
    const Tension f = tension(x);
    e.strain = 0.5 * f.elastic * f.depth;
    e.dissipated_power = (f.force - f.elastic) * form_.rate(x);
    return e;
  }

  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    const Tension f = tension(x);
    form_.report(-f.force, sink);
    sink.scalar("depth", "", f.depth);
  }

 private:
  struct Tension {
    double depth = 0, elastic = 0, force = 0, by_value = 0, by_rate = 0;
  };
  Tension tension(const LocalState& x) const;

  LinearForm form_;
  Law law_;
};

}  // namespace trammel::coupling
