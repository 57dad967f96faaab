#include "solvers/newton/algebraic_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "kernel/petsc_call.hpp"
#include "kernel/range_sink.hpp"

namespace trammel {

namespace {

/// Sums of |dg/dx| over the variables x, for each row g of an algebraic unknown, from the instances of this rank.
/// The arrays are indexed by local offset (Layout).
class SizesSink final : public RangeSink {
 public:
  explicit SizesSink(Assembler& assembler)
      : by_algebraic(static_cast<std::size_t>(assembler.layout().local_size()), 0.0),
        by_others(by_algebraic),
        rounding(by_algebraic),
        model_(assembler.model()),
        unknowns_(assembler.layout().unknowns()),
        model_length_(assembler.length()) {}

  void add(int i, LocalSystem& contribution) override {
    const BlockOffset* offsets = plan_->offset_of[static_cast<std::size_t>(i)];
    const auto blocks = plan_->stencil(i);
    for (const BlockPair& pair : plan_->coupled(i)) {
      const StencilBlock &row = blocks[static_cast<std::size_t>(pair.row)],
                         &column = blocks[static_cast<std::size_t>(pair.column)];
      if (row.kind != BlockKind::algebraic) continue;
      const Block& block = model_.block(column.id);
      const double* values = state_->value.data() + offsets[pair.column].value;
      const auto first = static_cast<std::size_t>(unknowns_[static_cast<std::size_t>(row.unknown)].local);
      for (int b = 0; b < column.size; ++b) {
        const double typical = model_length_ / block.measure(b).metres(model_length_);
        const double value = column.kind == BlockKind::rotation ? 1.0 : std::abs(values[b]);
        for (int a = 0; a < row.size; ++a) {
          const std::size_t at = first + static_cast<std::size_t>(a);
          const auto of = [&](const MatrixMap& m) { return std::abs(m(row.offset + a, column.offset + b)); };
          if (contribution.has_K()) {
            const double k = of(contribution.K());
            (column.kind == BlockKind::algebraic ? by_algebraic : by_others)[at] +=
                k * std::max(typical, value);
            rounding[at] += std::numeric_limits<double>::epsilon() * k * value;
          }
          if (contribution.has_D()) by_others[at] += of(contribution.D()) * typical;
        }
      }
    }
    evaluated = i + 1;
  }

  std::vector<double> by_algebraic;  ///< over the algebraic unknowns, each term times the size of its unknown
  std::vector<double> by_others;     ///< over all other variables, each term times the size of its variable
  /// Over all variables, each term times the value of its variable and the rounding unit.
  std::vector<double> rounding;

 private:
  const Model& model_;
  std::span<const UnknownBlock> unknowns_;
  double model_length_;
};

}  // namespace

bool algebraic_sizes(Assembler& assembler, const State& state, AlgebraicSizes& out) {
  SizesSink sink(assembler);
  if (!assembler.algebraic_tangents(state, sink)) return false;
  Layout& layout = assembler.layout();
  if (layout.ranks() > 1) {
    Vec sum = layout.create_vector();
    for (std::vector<double>* part : {&sink.by_algebraic, &sink.by_others, &sink.rounding}) {
      layout.sum_local(*part, sum);
      layout.to_local(sum, *part);
    }
    TRAMMEL_PETSC(VecDestroy(&sum));
  }
  for (std::size_t i = 0; i < sink.by_algebraic.size(); ++i)
    if (!(sink.by_algebraic[i] > 0)) sink.by_algebraic[i] = sink.by_others[i];
  out = {std::move(sink.by_algebraic), std::move(sink.rounding)};
  return true;
}

}  // namespace trammel
