#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trammel/builder.hpp"
#include "trammel/export.hpp"
#include "trammel/function.hpp"
#include "trammel/local_system.hpp"
#include "trammel/signal.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// A scalar function of time, signals and rates of joint coordinates, bound to the blocks that it reads. A signal goes
/// by its name, the rate of the coordinate `hinge.angle` by `hinge.angle_rate`.
class TRAMMEL_API BoundFunction {
 public:
  BoundFunction() = default;
  /// Throws Error with the nearest name where a signal does not exist.
  BoundFunction(FunctionPtr f, Builder& builder);
  /// For tests: the names in their order, each with its signal, or of its rate.
  struct Source {
    std::shared_ptr<const Signal> signal;
    bool rate = false;  ///< its rate is read, not its value
  };
  BoundFunction(FunctionPtr f, std::vector<Source> sources, std::vector<int> widths);

  explicit operator bool() const { return f_ != nullptr; }
  const Function& function() const { return *f_; }
  /// Blocks to be put into the stencil; one may stand there more than once.
  const std::vector<BlockId>& blocks() const { return blocks_; }
  /// Unknowns in them.
  int dofs() const { return dofs_; }

  /// The value at x, where the blocks stand from index `first` on.
  double at(const LocalState& x, int first) const;
  /// The value; adds factor times its derivatives to row `row` of K, D and M, where the blocks' unknowns begin with
  /// column `column`.
  double add_gradient(const LocalState& x, int first, int column, int row, double factor,
                      LocalSystem& out) const;

 private:
  struct Reading {
    Source source;
    int first_block = 0;
    int first_column = 0;
    int width = 0;
  };
  void add(Source source, std::span<const int> widths);

  FunctionPtr f_;
  std::vector<Reading> readings_;
  std::vector<BlockId> blocks_;
  int dofs_ = 0;
};

}  // namespace trammel
