#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trammel/block.hpp"
#include "trammel/export.hpp"
#include "trammel/signal.hpp"

namespace trammel {

/// A signal that is a sum of numbers, each of some blocks, of which only the value is known: differentiated by central
/// differences of fourth order. In all but functions that turn within 1e-4 rad, 1e-5 of the model's length, or 1e-5 of a unit of
/// velocity the gradients are right to about 1e-9 of their largest entry. Rates are not known: not a number.
class TRAMMEL_API DifferenceSignal : public Signal {
 public:
  /// `length`: the model's [m], which displacements are small against.
  DifferenceSignal(std::string unit, double length) : unit_(std::move(unit)), length_(length) {}

  std::string unit() const override { return unit_; }
  std::vector<BlockId> blocks() const override;
  void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const override;

 protected:
  /// The next number, of these blocks; `block(id)` gives each.
  template <class BlockOf>
  void add_part(std::span<const BlockId> ids, const BlockOf& block) {
    parts_.emplace_back();
    for (const BlockId id : ids) take(id, block(id));
  }
  std::span<const BlockId> blocks_of(int part) const { return parts_[static_cast<std::size_t>(part)].ids; }
  /// Number `part` at x, where its blocks stand from index 0 on.
  virtual double value(int part, const LocalState& x) const = 0;

 private:
  /// A block, and by how much it is moved to take differences.
  struct Moved {
    BlockKind kind;
    int size;
    double step, rate_step;
  };
  struct Part {
    std::vector<BlockId> ids;
    std::vector<Moved> moved;
    int dofs = 0;
  };
  void take(BlockId id, const Block& block);
  void add_differences(int number, class LocalCopy& numbers, int column, SignalValue& out) const;

  std::string unit_;
  double length_;
  std::vector<Part> parts_;
  int dofs_ = 0;
};

}  // namespace trammel
