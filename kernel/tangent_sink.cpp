#include "kernel/tangent_sink.hpp"

#include <algorithm>

namespace trammel {

namespace {

/// Turns rows of an identified rotation into those of its root.
void turn_rows(const StencilBlock& row, double* numbers, int columns) {
  for (int j = 0; row.Q() != nullptr && j < columns; ++j, numbers += 3)
    Eigen::Map<Vec3>{numbers} = (*row.Q() * Eigen::Map<const Vec3>(numbers)).eval();
}

}  // namespace

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

void TangentSink::add_bias_rate(int i, std::size_t k, LocalSystem& contribution, const StencilBlock& row,
                                const StencilBlock& column, const Mat3* rate, Small& sum) {
  // The bias is the derivative of B v along v. With G that of B v along increments, its own derivative along u is
  // 2 G u - B [u, v]: on rotations increments do not commute, [u, v] = u x v.
  Small& part = rate_part_;
  take(contribution.rate_gradient(), row, column, rate, part);
  const int n = row.size * column.size;
  for (int j = 0; j < n; ++j) sum.number[j] += 2 * weights_.bias_rate * part.number[j];
  if (column.kind != BlockKind::rotation || !contribution.has_K()) return;
  const BlockOffset& offset = plan_->offset_of[at(i)][k];
  Mat3 turn = skew(Eigen::Map<const Vec3>(state_->rate.data() + offset.dof));
  if (rate != nullptr) turn = turn * *rate;
  take(contribution.K(), row, column, &turn, part);
  for (int j = 0; j < n; ++j) sum.number[j] += weights_.bias_rate * part.number[j];
}

void TangentSink::drop_compliance(const StencilBlock& row, Small& block) const {
  if (!row.is_compliant()) return;
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

const PetscInt* TangentSink::add_block(const PetscInt* slot, const double* number, const Small& size,
                                       double scale) const {
  for (int a = 0; a < size.rows; ++a)
    for (int b = 0; b < size.columns; ++b) entries_[slot[a] + b] += scale * number[a + size.rows * b];
  return slot + size.rows;
}

void TangentSink::look_at(std::span<const StencilBlock> blocks) {
  if (seen_.size() < blocks.size()) seen_.resize(blocks.size());
  const bool moved = !weights_.T.empty();
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const StencilBlock& b = blocks[k];
    Seen& seen = seen_[k];
    seen.increment = seen.rate = nullptr;
    seen.multiplier = b.kind == BlockKind::multiplier;
    seen.plain = weights_.bias_rate == 0 && b.Q() == nullptr && !b.stabilizing && !b.may_rest &&
                 (seen.multiplier || is_kinematic(b.kind));
    if (b.kind != BlockKind::rotation || b.unknown < 0) continue;
    const Mat3* T = moved ? &weights_.T[at(b.unknown)] : nullptr;
    seen.increment = T;
    if (b.Q() == nullptr) continue;
    seen.turned_rate = b.Q()->transpose();
    if (moved) seen.turned_increment = seen.turned_rate * *T;
    seen.rate = &seen.turned_rate;
    seen.increment = moved ? &seen.turned_increment : seen.rate;
  }
}

void TangentSink::add_plain(LocalSystem& from, const StencilBlock& row, const StencilBlock& column,
                            const Mat3* T, double wK, const PetscInt* slot) {
  const double scale = row_scale(row) * column_scale(column);
  const auto part = [&](const MatrixMap& all) {
    return Eigen::Map<const Mat3, 0, Eigen::OuterStride<>>(
        all.data() + row.offset + column.offset * all.outerStride(), Eigen::OuterStride<>(all.outerStride()));
  };
  const bool has_K = from.has_K() && wK != 0, has_D = from.has_D() && weights_.damping != 0;
  const bool has_M = from.has_M() && weights_.mass != 0;
  if (!has_K && !has_D && !has_M) return;
  Mat3 sum = Mat3::Zero();
  if (has_K && T != nullptr)
    sum = part(from.K()).lazyProduct(Mat3(scale * wK * *T));
  else if (has_K)
    sum = scale * wK * part(from.K());
  if (has_D) sum += scale * weights_.damping * part(from.D());
  if (has_M) sum += scale * weights_.mass * part(from.M());
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) entries_[slot[a] + b] += sum(a, b);
}

void TangentSink::add_plain_of_any_size(LocalSystem& from, const StencilBlock& row,
                                        const StencilBlock& column, const Mat3* T, double wK,
                                        const PetscInt* slot) {
  const double scale = row_scale(row) * column_scale(column);
  const auto add = [&](const MatrixMap& all, double weight, const Mat3* turn) {
    const auto stride = all.outerStride();
    const double* its = all.data() + row.offset + column.offset * stride;
    for (int b = 0; b < column.size; ++b)
      for (int a = 0; a < row.size; ++a) {
        const double number = turn == nullptr ? its[a + b * stride]
                                              : its[a] * (*turn)(0, b) + its[a + stride] * (*turn)(1, b) +
                                                    its[a + 2 * stride] * (*turn)(2, b);
        entries_[slot[a] + b] += weight * number;
      }
  };
  if (from.has_K() && wK != 0) add(from.K(), scale * wK, T);
  if (from.has_D() && weights_.damping != 0) add(from.D(), scale * weights_.damping, nullptr);
  if (from.has_M() && weights_.mass != 0) add(from.M(), scale * weights_.mass, nullptr);
}

void TangentSink::add(int i, LocalSystem& contribution) {
  const auto blocks = plan_->stencil(i);
  look_at(blocks);
  const PetscInt* slot = slots_ + plan_->slot_begin[at(i)];
  const double* kept = kept_.data() + plan_->kept_begin[at(i)];
  Small &stiffness = stiffness_, &part = part_, &sum = sum_;
  for (const BlockPair& pair : plan_->coupled(i)) {
    const auto r = at(pair.row), c = at(pair.column);
    const StencilBlock &row = blocks[r], &column = blocks[c];
    const Seen &its_row = seen_[r], &its_column = seen_[c];
    const bool passes = !rows.empty() && rows[at(row.unknown)] == 0;
    if (passes) slot += row.size;
    if (passes) continue;
    if (its_row.plain && its_column.plain && !(its_row.multiplier && its_column.multiplier)) {
      const double wK = its_row.multiplier      ? weights_.gradient
                        : its_column.multiplier ? weights_.reaction
                                                : weights_.stiffness;
      if (row.size == 3 && column.size == 3)
        add_plain(contribution, row, column, its_column.increment, wK, slot);
      else
        add_plain_of_any_size(contribution, row, column, its_column.increment, wK, slot);
      slot += row.size;
      continue;
    }
    const Mat3* rate = its_column.rate;
    const bool from_constraint = its_row.multiplier;
    // At acceleration level a constraint sees x through v' and v, so its columns do not turn with T. A v' + d/dt(A) v
    // changes with v by twice the gradient of A v, where A is that of something.
    const bool differentiated = weights_.bias_rate != 0;
    const bool slips = row.may_rest && statuses_.of(row.id, 0) == RowStatus::slips;
    const bool twice = differentiated && row.kind == BlockKind::velocity_multiplier && !slips;
    const Mat3* increment = twice || (differentiated && from_constraint) ? rate : its_column.increment;
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
        turn_rows(row, stiffness.number, column.size);
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
    turn_rows(row, sum.number, column.size);
    if (row.kind == BlockKind::algebraic || column.kind == BlockKind::algebraic) {
      fit_algebraic(row, column, sum);
      if (alone) fit_algebraic(row, column, stiffness);
    }
    slot = add_block(slot, sum.number, sum, row_scale(row) * column_scale(column));

    if (parts.correction_column)
      slot =
          add_block(slot, stiffness.number, stiffness, -wK * row_scale(row) * weights_.stabilizing_column_mu);
    if (parts.velocity_row) {
      // d(B v + C_t) along w: through v by B, through the configuration by the gradient of the rate.
      take(contribution.K(), row, column, rate, part);
      for (int k = 0; k < n; ++k) sum.number[k] = weights_.damping * part.number[k];
      std::fill_n(part.number, n, 0.0);
      if (contribution.has_rate_gradient()) take(contribution.rate_gradient(), row, column, increment, part);
      for (int k = 0; k < n; ++k) sum.number[k] += part.number[k];
      slot = add_block(slot, sum.number, sum, weights_.stabilizing_row_velocity * column_scale(column));
      if (parts.velocity_correction)
        slot = add_block(slot, part.number, part,
                         -weights_.stabilizing_row_velocity * weights_.stabilizing_column_mu);
    }
    if (parts.correction_row) {
      const double factor = -weights_.step * weights_.stabilizing_row_mu * weights_.stabilizing_column_eta;
      slot = add_block(slot, kept, sum, factor);
      kept += n;
    }
    // In inactive rows eta vanishes like lambda.
    if (parts.velocity_own)
      slot = add_block(slot, stiffness.number, stiffness,
                       weights_.stabilizing_row_velocity * weights_.stabilizing_column_eta);
  }
  evaluated = i + 1;
}

void GradientSink::add(int i, LocalSystem& contribution) {
  double* to = kept_.data() + plan_->kept_begin[at(i)];
  const auto blocks = plan_->stencil(i);
  for (const BlockPair& pair : plan_->coupled(i)) {
    const StencilBlock &row = blocks[at(pair.row)], &column = blocks[at(pair.column)];
    if (!StabilizingParts(row, column).correction_row) continue;
    Eigen::Map<Eigen::MatrixXd>(to, row.size, column.size) =
        contribution.K().block(row.offset, column.offset, row.size, column.size);
    turn_rows(row, to, column.size);
    to += row.size * column.size;
  }
  evaluated = i + 1;
}

}  // namespace trammel
