#include "kernel/algebraic_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel {

void AlgebraicSizesSink::add(int i, LocalSystem& contribution) {
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

}  // namespace trammel
