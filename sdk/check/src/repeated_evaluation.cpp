#include <cstring>

#include "trammel/element_check.hpp"

namespace trammel {

namespace {

/// Evaluations at one state: all terms at once, and the residual alone, which an instance may compute in another
/// way.
struct Given {
  Evaluation all;
  Eigen::VectorXd residual;
};

Given given(const ElementRange& range, int instance, const TestState& at) {
  return {evaluate(range, instance, at, {true, true, true}), evaluate(range, instance, at, {}).residual};
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

std::string row_of(const TestState& at, Eigen::Index row) {
  for (std::size_t k = 0; k < at.blocks().size(); ++k) {
    const int first = at.offset(static_cast<int>(k));
    if (row >= first && row < first + at.blocks()[k].size)
      return "'" + at.blocks()[k].name + "', row " + std::to_string(row - first + 1);
  }
  return "row " + std::to_string(row + 1);
}

std::string difference(const TestState& at, const Given& a, const Given& b) {
  std::string found;
  const auto compare = [&](const char* what, const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) {
    if (!found.empty()) return;
    if (x.size() != y.size()) found = what;
    for (Eigen::Index column = 0; column < x.cols() && found.empty(); ++column)
      for (Eigen::Index row = 0; row < x.rows() && found.empty(); ++row)
        if (!same_bits(x(row, column), y(row, column))) found = std::string(what) + " of " + row_of(at, row);
  };
  compare("residual", a.all.residual, b.all.residual);
  compare("residual", a.residual, b.residual);
  compare("rate", a.all.rate, b.all.rate);
  compare("bias", a.all.bias, b.all.bias);
  compare("K", a.all.K, b.all.K);
  compare("D", a.all.D, b.all.D);
  compare("M", a.all.M, b.all.M);
  compare("rate gradient", a.all.rate_gradient, b.all.rate_gradient);
  return found;
}

}  // namespace

std::string differs_when_repeated(const ElementRange& range, int instance,
                                  std::span<const TestState> states) {
  std::vector<Given> first;
  first.reserve(states.size());
  for (const TestState& state : states) {
    first.push_back(given(range, instance, state));
    if (std::string found = difference(state, first.back(), given(range, instance, state)); !found.empty())
      return found + ", evaluated twice in turn";
  }
  for (std::size_t k = states.size(); k-- > 0;)
    if (std::string found = difference(states[k], first[k], given(range, instance, states[k]));
        !found.empty())
      return found + ", evaluated after other states";
  return {};
}

std::string differs_between(const ElementRange& range, int instance, const ElementRange& other_range,
                            int other_instance, std::span<const TestState> states) {
  for (const TestState& state : states)
    if (std::string found =
            difference(state, given(range, instance, state), given(other_range, other_instance, state));
        !found.empty())
      return found;
  return {};
}

}  // namespace trammel
