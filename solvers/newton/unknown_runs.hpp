#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernel/layout.hpp"
#include "solvers/newton/block_runs.hpp"

namespace trammel {

/// Blocks of unknowns that follow each other, in a local vector and in State alike, and are treated alike: what is the same for
/// each of their numbers is done for all of them at once.
struct UnknownRun {
  enum class Of { motion, states, algebraic, multipliers };  ///< motion: positions, rotations and coordinates

  Of of = Of::motion;
  int local = 0;  ///< first number, by UnknownBlock::local
  int size = 0;
  int value = 0,
      dof = 0;  ///< offset of the first number in State: of algebraic unknowns and multipliers; of the others
  bool owned = false;

  /// Begins so many numbers later.
  void skip(int numbers) {
    for (int* const first : {&local, &value, &dof}) *first += numbers;
  }
};

inline UnknownRun::Of run_of(BlockKind kind) {
  using enum UnknownRun::Of;
  return is_kinematic(kind)             ? motion
         : is_multiplier(kind)          ? multipliers
         : kind == BlockKind::algebraic ? algebraic
                                        : states;
}

/// The unknowns of a layout, in order. Valid until the layout changes.
inline std::vector<UnknownRun> runs_of(const Layout& layout) {
  std::vector<UnknownRun> runs;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (u.size == 0) continue;
    const UnknownRun next{run_of(u.kind), u.local, u.size, u.offset.value, u.offset.dof, u.owned};
    const bool by_dof = next.of == UnknownRun::Of::motion || next.of == UnknownRun::Of::states;
    if (!runs.empty()) {
      UnknownRun& last = runs.back();
      if (last.of == next.of && last.owned == next.owned && last.local + last.size == next.local &&
          last.dof + last.size == next.dof && (by_dof || last.value + last.size == next.value)) {
        last.size += next.size;
        continue;
      }
    }
    runs.push_back(next);
  }
  return runs;
}

using RunNumbers = Eigen::Map<Eigen::ArrayXd>;
using ConstRunNumbers = Eigen::Map<const Eigen::ArrayXd>;

/// Calls `use` for a run in parts so short that their numbers stay in the cache while several things are done with them. Each part of
/// frames has whole frames.
template <class Run, class Use>
void each_part(const Run& run, Use&& use) {
  constexpr int at_once = 85 * frame_size;
  Run part = run;
  for (int begin = 0; begin < run.size; begin += at_once) {
    part.size = std::min(at_once, run.size - begin);
    use(std::as_const(part));
    part.skip(part.size);
  }
}

}  // namespace trammel
