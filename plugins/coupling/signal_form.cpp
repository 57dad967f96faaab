#include "signal_form.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/local_copy.hpp"

namespace trammel::coupling {

SignalForm::SignalForm(std::vector<SignalTerm> terms, const std::vector<BlockId>& ids,
                       const std::vector<Block>& blocks)
    : terms_(std::move(terms)) {
  for (const Block& b : blocks) {
    kinds_.push_back(b.kind);
    sizes_.push_back(b.size);
    first_.push_back(dofs_);
    dofs_ += b.size;
  }
  for (const SignalTerm& term : terms_) {
    Part part;
    for (const BlockId id : term.signal->blocks()) {
      const auto k = static_cast<std::size_t>(std::ranges::find(ids, id) - ids.begin());
      part.blocks.push_back(static_cast<int>(k));
      for (int i = 0; i < sizes_[k]; ++i) part.columns.push_back(first_[k] + i);
    }
    parts_.push_back(std::move(part));
  }
}

void SignalForm::evaluate_term(std::size_t i, const LocalState& x, bool derivatives, SignalValue& out) const {
  const NestedScratch<LocalCopy> copy;
  copy->clear(x.time());
  for (const int k : parts_[i].blocks)
    copy->take(x, k, kinds_[static_cast<std::size_t>(k)], sizes_[static_cast<std::size_t>(k)]);
  out.forget_rates();
  terms_[i].signal->evaluate(copy->local(), 0, derivatives, out);
}

void SignalForm::evaluate(const LocalState& x, bool derivatives, FormValue& out) const {
  const NestedScratch<SignalValue> scratch;
  SignalValue& s = *scratch;
  out.value = out.rate = out.second_rate = 0;
  if (derivatives) {
    out.gradient.setZero(dofs_);
    out.second.setZero(dofs_, dofs_);
  }
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    evaluate_term(i, x, derivatives, s);
    const double a = terms_[i].factor;
    out.value += a * s.value;
    out.rate += a * s.rate;
    out.second_rate += a * s.second_rate;
    if (!derivatives) continue;
    const std::vector<int>& columns = parts_[i].columns;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      out.gradient[columns[k]] += a * s.gradient[row];
      for (std::size_t l = 0; l < columns.size(); ++l)
        out.second(columns[k], columns[l]) += a * s.second(row, static_cast<Eigen::Index>(l));
    }
  }
}

double SignalForm::along(const LocalState& x, const Eigen::VectorXd& gradient, bool second) const {
  double sum = 0;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (!has_rate(kinds_[k])) continue;
    const double* rate = second ? x.second_rate(static_cast<int>(k)) : x.rate(static_cast<int>(k));
    for (int i = 0; i < sizes_[k]; ++i) sum += gradient[first_[k] + i] * rate[i];
  }
  return sum;
}

std::string SignalForm::obstacle(const LocalState& x) const {
  SignalValue s;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    evaluate_term(i, x, true, s);
    const std::string title = "the coupling holds '" + terms_[i].name + "', ";
    if (!std::ranges::all_of(parts_[i].blocks,
                             [&](int k) { return is_kinematic(kinds_[static_cast<std::size_t>(k)]); }))
      return title + "which depends on more than positions";
    if (s.by_rate.size() > 0 || s.by_second_rate.size() > 0) return title + "which depends on velocities";
    if (s.second.rows() != s.gradient.size() || std::isnan(s.rate) || std::isnan(s.second_rate))
      return title + "whose second derivatives are not known";
  }
  return {};
}

void SignalCoupling::evaluate(const LocalState& x, LocalSystem& out) const {
  const NestedScratch<FormValue> scratch;
  FormValue& f = *scratch;
  form_.evaluate(x, true, f);
  const int row = form_.dofs();
  const double lambda = *x.value(form_.blocks());
  auto r = out.residual();
  r.head(row) = lambda * f.gradient;
  r[row] = f.value - constant_;
  if (out.request.tangent) {
    auto K = out.K();
    K.topLeftCorner(row, row) = lambda * f.second;
    K.row(row).head(row) = f.gradient.transpose();
    K.col(row).head(row) = f.gradient;
  }
  if (out.request.rates) {
    out.rate()[row] = f.rate;
    if (out.request.tangent) {
      auto gradient = out.rate_gradient();
      for (int j = 0; j < row; ++j) gradient(row, j) = form_.along(x, f.second.col(j), false);
    }
  }
  if (out.request.bias) out.bias()[row] = f.second_rate - form_.along(x, f.gradient, true);
}

Energy SignalCoupling::energy(const LocalState& x) const {
  // Work that a signal of time does.
  FormValue f;
  form_.evaluate(x, true, f);
  Energy e;
  const double of_blocks = form_.along(x, f.gradient, false), by_time = f.rate - of_blocks;
  constexpr double rounding = 1e-11;
  if (std::abs(by_time) > rounding * std::abs(of_blocks))
    e.dissipated_power = -*x.value(form_.blocks()) * by_time;
  return e;
}

void SignalCoupling::outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
  const double force = -*x.value(form_.blocks());
  sink.scalar("force", "", force);
  for (const SignalTerm& t : form_.terms()) sink.scalar("on_" + t.name, "", t.factor * force);
}

}  // namespace trammel::coupling
