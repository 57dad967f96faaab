#include "trammel/algebraic_rules.hpp"

#include <algorithm>

namespace trammel {

namespace {

constexpr double rounding = 1e-12;

bool is_algebraic(const Block& block) { return block.kind == BlockKind::algebraic; }

}  // namespace

std::string algebraic_fault(std::span<const Block* const> blocks, LocalSystem& tangents) {
  const MatrixMap none(nullptr, 0, 0);
  return algebraic_fault(blocks, tangents.has_K() ? tangents.K() : none,
                         tangents.has_D() ? tangents.D() : none, tangents.has_M() ? tangents.M() : none);
}

std::string algebraic_fault(std::span<const Block* const> blocks, const Eigen::Ref<const Eigen::MatrixXd>& K,
                            const Eigen::Ref<const Eigen::MatrixXd>& D,
                            const Eigen::Ref<const Eigen::MatrixXd>& M) {
  if (std::ranges::none_of(blocks, [](const Block* b) { return is_algebraic(*b); })) return {};
  int row = 0;
  for (const Block* r : blocks) {
    int column = 0;
    for (const Block* c : blocks) {
      const auto has = [&](const Eigen::Ref<const Eigen::MatrixXd>& m) {
        for (int i = row; m.size() > 0 && i < row + r->size; ++i)
          if (m.row(i).segment(column, c->size).cwiseAbs().maxCoeff() >
              rounding * m.row(i).cwiseAbs().maxCoeff())
            return true;
        return false;
      };
      const bool of_algebraic = is_algebraic(*r), by_algebraic = is_algebraic(*c);
      const std::string equation = "the equation of the algebraic unknown '" + r->name + "' depends on the ";
      if (of_algebraic && is_multiplier(c->kind) && has(K)) return equation + "multiplier '" + c->name + "'";
      if (of_algebraic && has(M)) return equation + "acceleration of '" + c->name + "'";
      if (of_algebraic && c->kind == BlockKind::state && has(D))
        return equation + "rate of the first-order state '" + c->name + "'";
      if (by_algebraic && is_multiplier(r->kind) && has(K))
        return "the constraint of the multiplier '" + r->name + "' depends on the algebraic unknown '" +
               c->name + "'";
      if (by_algebraic && (has(D) || has(M)))
        return "the row of '" + r->name + "' depends on a rate of the algebraic unknown '" + c->name +
               "', which has none";
      column += c->size;
    }
    row += r->size;
  }
  return {};
}

}  // namespace trammel
