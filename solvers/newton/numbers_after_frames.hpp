#pragma once

#include <cstddef>
#include <vector>

#include "solvers/newton/block_runs.hpp"

namespace trammel {

/// Numbers by local unknown, of all but those own frames with which a layout begins: what is the same for every frame is not stored for
/// each, which in large models saves memory and its traffic.
class NumbersAfterFrames {
 public:
  /// `runs`: those of the layout.
  void assign(const Layout& layout, const std::vector<BlockRun>& runs, double value) {
    const bool begins = !runs.empty() && runs[0].of == BlockRun::Of::frames && runs[0].owned;
    frames_ = begins ? static_cast<std::size_t>(runs[0].size) : 0;
    numbers_.assign(static_cast<std::size_t>(layout.local_size()) - frames_, value);
  }

  /// Whether it has the number of this local unknown.
  bool has(int local) const { return static_cast<std::size_t>(local) >= frames_; }
  double& operator[](std::size_t local) { return numbers_[local - frames_]; }
  double operator[](std::size_t local) const { return numbers_[local - frames_]; }
  /// Those of a run or a block that begins with this local unknown.
  double* from(int local) { return numbers_.data() + (static_cast<std::size_t>(local) - frames_); }
  const double* from(int local) const {
    return numbers_.data() + (static_cast<std::size_t>(local) - frames_);
  }

 private:
  std::size_t frames_ = 0;
  std::vector<double> numbers_;
};

}  // namespace trammel
