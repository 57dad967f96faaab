#include "kernel/tangent_sink.hpp"

#include <algorithm>

namespace trammel {

void TangentSink::take(const MatrixMap& from, const StencilBlock& row, const StencilBlock& column,
                       const Mat3* right, Small& out) {
  out.clear(row.size, column.size);
  add_part(from, row, column, right, 1.0, out);
}

void TangentSink::add_part(const MatrixMap& from, const StencilBlock& row, const StencilBlock& column,
                           const Mat3* right, double weight, Small& sum) {
  using Stride = Eigen::OuterStride<>;
  const double* source = from.data() + row.offset + column.offset * from.outerStride();
  const auto add = [&](auto to, const auto& its) {
    if (right == nullptr)
      to += weight * its;
    else
      to += its.lazyProduct(Mat3(weight * *right));
  };
  if (row.size == 3 && column.size == 3)
    add(Eigen::Map<Mat3>(sum.number), Eigen::Map<const Mat3, 0, Stride>(source, Stride(from.outerStride())));
  else
    add(Eigen::Map<Eigen::MatrixXd>(sum.number, row.size, column.size),
        Eigen::Map<const Eigen::MatrixXd, 0, Stride>(source, row.size, column.size,
                                                     Stride(from.outerStride())));
}

void TangentSink::turn_rows(const StencilBlock& row, Small& block) const {
  if (row.Q == nullptr) return;
  for (int j = 0; j < block.columns; ++j) {
    Eigen::Map<Vec3> column(block.number + 3 * j);
    column = (*row.Q * column).eval();
  }
}

void TangentSink::add_bias_rate(int i, std::size_t k, LocalSystem& contribution, const StencilBlock& row,
                                const StencilBlock& column, const Mat3* rate, Small& sum) const {
  // The bias is the derivative of B v along v. With G that of B v along increments, its own derivative along u is
  // 2 G u - B [u, v]: on rotations increments do not commute, [u, v] = u x v.
  Small part;
  take(contribution.rate_gradient(), row, column, rate, part);
  const int n = row.size * column.size;
  for (int j = 0; j < n; ++j) sum.number[j] += 2 * weights_.bias_rate * part.number[j];
  if (column.kind != BlockKind::rotation || !contribution.has_K()) return;
  const BlockOffset& offset = plan_->offset_of[static_cast<std::size_t>(i)][k];
  Mat3 turn = skew(Eigen::Map<const Vec3>(state_->rate.data() + offset.dof));
  if (rate != nullptr) turn = turn * *rate;
  take(contribution.K(), row, column, &turn, part);
  for (int j = 0; j < n; ++j) sum.number[j] += weights_.bias_rate * part.number[j];
}

void TangentSink::drop_compliance(const StencilBlock& row, Small& block) const {
  if (row.compliant == nullptr) return;
  for (int a = 0; a < block.rows; ++a)
    if (row.is_compliant(a) && !statuses_.inactive(row.id, a))
      for (int b = 0; b < block.columns; ++b) block.number[a + block.rows * b] = 0;
}

void TangentSink::fit_algebraic(const StencilBlock& row, const StencilBlock& column, Small& block) const {
  const double *of_row = nullptr, *of_column = nullptr;
  if (row.kind == BlockKind::algebraic && !weights_.algebraic_row.empty())
    of_row = weights_.algebraic_row.data() + row.local;
  if (column.kind == BlockKind::algebraic && !weights_.algebraic_column.empty())
    of_column = weights_.algebraic_column.data() + column.local;
  double* number = block.number;
  for (int b = 0; b < block.columns; ++b)
    for (int a = 0; a < block.rows; ++a, ++number)
      *number *= weights_.hold_algebraic
                     ? 0.0
                     : (of_row != nullptr ? of_row[a] : 1.0) * (of_column != nullptr ? of_column[b] : 1.0);
}

PetscScalar* TangentSink::write(PetscScalar* to, const Small& block, double scale) const {
  const int n = block.rows * block.columns;
  for (int k = 0; k < n; ++k) to[k] = scale * block.number[k];
  return to + n;
}

void TangentSink::add(int i, LocalSystem& contribution) {
  const auto blocks = plan_->stencil(i);
  if (increment_.size() < blocks.size()) {
    increment_.resize(blocks.size());
    rate_.resize(blocks.size());
    has_increment_.resize(blocks.size());
    has_rate_.resize(blocks.size());
  }
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const StencilBlock& b = blocks[k];
    has_increment_[k] = has_rate_[k] = 0;
    if (b.kind != BlockKind::rotation || b.unknown < 0) continue;
    const bool moved = !weights_.T.empty();
    if (b.Q != nullptr) {
      rate_[k] = b.Q->transpose();
      increment_[k] = moved ? Mat3(rate_[k] * weights_.T[static_cast<std::size_t>(b.unknown)]) : rate_[k];
      has_rate_[k] = has_increment_[k] = 1;
    } else if (moved) {
      increment_[k] = weights_.T[static_cast<std::size_t>(b.unknown)];
      has_increment_[k] = 1;
    }
  }

  PetscScalar* to = entries_.data() + plan_->entry_begin[static_cast<std::size_t>(i)];
  const double* kept = kept_.data() + plan_->kept_begin[static_cast<std::size_t>(i)];
  Small stiffness, part, sum;
  for (const BlockPair& pair : plan_->coupled(i)) {
    const auto r = static_cast<std::size_t>(pair.row), c = static_cast<std::size_t>(pair.column);
    const StencilBlock &row = blocks[r], &column = blocks[c];
    const Mat3* rate = has_rate_[c] ? &rate_[c] : nullptr;
    const bool from_constraint = row.kind == BlockKind::multiplier;
    // At acceleration level a constraint sees x through v' and v, so its columns do not turn with T. A v' + d/dt(A) v
    // changes with v by twice the gradient of A v, where A is that of something.
    const bool differentiated = weights_.bias_rate != 0;
    const bool slips = row.may_rest && statuses_.of(row.id, 0) == RowStatus::slips;
    const bool twice = differentiated && row.kind == BlockKind::velocity_multiplier && !slips;
    const Mat3* increment = twice || (differentiated && from_constraint) ? rate
                            : has_increment_[c]                          ? &increment_[c]
                                                                         : nullptr;
    const int n = row.size * column.size;

    const bool to_constraint = is_multiplier(column.kind);
    const double wK = from_constraint ? weights_.gradient
                      : to_constraint ? weights_.reaction
                      : twice         ? 2 * weights_.bias_rate * weights_.damping
                                      : weights_.stiffness;
    const StabilizingParts parts(row, column);
    const bool drops = from_constraint && to_constraint && weights_.stiffness == 0;
    const bool alone = parts.correction_column || parts.velocity_own || drops;
    sum.clear(row.size, column.size);
    if (alone) stiffness.clear(row.size, column.size);
    if (contribution.has_K() && wK != 0) {
      if (alone) {
        take(contribution.K(), row, column, increment, stiffness);
        if (drops) drop_compliance(row, stiffness);
        for (int k = 0; k < n; ++k) sum.number[k] = wK * stiffness.number[k];
        turn_rows(row, stiffness);
      } else {
        add_part(contribution.K(), row, column, increment, wK, sum);
      }
    }
    if (differentiated && from_constraint && is_kinematic(column.kind) && contribution.has_rate_gradient())
      add_bias_rate(i, c, contribution, row, column, rate, sum);
    // At a start the columns are accelerations, on which a sliding friction force does not depend.
    const double wD = column.kind == BlockKind::state    ? weights_.state_rate
                      : slips && weights_.stiffness == 0 ? 0.0
                                                         : weights_.damping;
    if (contribution.has_D() && wD != 0) add_part(contribution.D(), row, column, rate, wD, sum);
    if (contribution.has_M() && weights_.mass != 0)
      add_part(contribution.M(), row, column, rate, weights_.mass, sum);
    turn_rows(row, sum);
    if (row.kind == BlockKind::algebraic || column.kind == BlockKind::algebraic) {
      fit_algebraic(row, column, sum);
      if (alone) fit_algebraic(row, column, stiffness);
    }
    to = write(to, sum, row_scale(row) * column_scale(column));

    if (parts.correction_column)
      to = write(to, stiffness, -wK * row_scale(row) * weights_.stabilizing_column_mu);
    if (parts.velocity_row) {
      // d(B v + C_t) along w: through v by B, through the configuration by the gradient of the rate.
      take(contribution.K(), row, column, rate, part);
      for (int k = 0; k < n; ++k) sum.number[k] = weights_.damping * part.number[k];
      std::fill_n(part.number, n, 0.0);
      if (contribution.has_rate_gradient()) take(contribution.rate_gradient(), row, column, increment, part);
      for (int k = 0; k < n; ++k) sum.number[k] += part.number[k];
      to = write(to, sum, weights_.stabilizing_row_velocity * column_scale(column));
      if (parts.velocity_correction)
        to = write(to, part, -weights_.stabilizing_row_velocity * weights_.stabilizing_column_mu);
    }
    if (parts.correction_row) {
      const double factor = -weights_.step * weights_.stabilizing_row_mu * weights_.stabilizing_column_eta;
      for (int k = 0; k < n; ++k) to[k] = factor * kept[k];
      to += n;
      kept += n;
    }
    // In inactive rows eta vanishes like lambda.
    if (parts.velocity_own)
      to = write(to, stiffness, weights_.stabilizing_row_velocity * weights_.stabilizing_column_eta);
  }
  evaluated = i + 1;
}

void GradientSink::add(int i, LocalSystem& contribution) {
  double* to = kept_.data() + plan_->kept_begin[static_cast<std::size_t>(i)];
  const auto blocks = plan_->stencil(i);
  for (const BlockPair& pair : plan_->coupled(i)) {
    const StencilBlock& row = blocks[static_cast<std::size_t>(pair.row)];
    const StencilBlock& column = blocks[static_cast<std::size_t>(pair.column)];
    if (!StabilizingParts(row, column).correction_row) continue;
    const auto B_T = contribution.K().block(row.offset, column.offset, row.size, column.size);
    for (int c = 0; c < column.size; ++c) {
      for (int r = 0; r < row.size; ++r) to[r] = B_T(r, c);
      if (row.Q != nullptr) {
        Eigen::Map<Vec3> turned(to);
        turned = (*row.Q * turned).eval();
      }
      to += row.size;
    }
  }
  evaluated = i + 1;
}

}  // namespace trammel
