#pragma once

#include <memory>
#include <span>
#include <vector>

#include "trammel/coordinate_element.hpp"
#include "trammel/element.hpp"
#include "trammel/start_conditions.hpp"

namespace trammel::coordinates {

/// Initial value of a coordinate q or of its rate: q - value = 0 while positions are assembled, or q' - value = 0
/// while velocities are made consistent. Local system: the coordinate's block, one multiplier.
struct Initial {
  CoordinateTarget target;
  double value = 0;
  bool of_rate = false;
};

/// All of them: a start needs to know which they are.
class InitialRange final : public ElementRange, public StartConditions {
 public:
  void add(Initial what, BlockId coordinate, BlockId multiplier, int entity);

  std::vector<BlockId> rows(StartPhase phase) const override;
  double begin(const State& state, const std::function<const BlockOffset*(BlockId)>& offset_of,
               double length) override;
  void aim(double part) override { part_ = part; }

  int size() const override { return static_cast<int>(instances_.size()); }
  std::span<const BlockId> stencil(int i) const override { return at(i).stencil; }
  int entity(int i) const override { return at(i).entity; }
  bool couples(int, int row, int column) const override { return row != column; }
  void evaluate(int first, int last, const State& state, std::span<const BlockOffset* const> offsets,
                const Request& request, ContributionSink& sink) const override;

  void begin(int, const LocalState&, const Begin&) override {}
  void commit(int, const LocalState&, const StepInfo&) override {}
  Review review(int, const LocalState&, const StepInfo&) override { return Review::keep(); }
  bool reject(int) override { return false; }
  Energy energy(int, const LocalState&) const override { return {}; }
  void outputs(int, const LocalState&, const ReactionContributions&, OutputSink&) const override {}
  void draw(int, const LocalState&, const ReactionContributions&, Canvas&) const override {}
  std::shared_ptr<const JointView> joint(int) const override { return nullptr; }
  void set_stencil(int i, std::vector<BlockId> stencil, int) override;
  void serialize(int i, Archive& archive) override { archive(at(i).stencil); }

 private:
  struct Instance {
    Initial what;
    std::vector<BlockId> stencil;
    int entity = -1;
    double from = 0;  ///< the value that the coordinate had before
  };

  Instance& at(int i) { return instances_[static_cast<std::size_t>(i)]; }
  const Instance& at(int i) const { return instances_[static_cast<std::size_t>(i)]; }
  void evaluate(const Instance& instance, const LocalState& x, LocalSystem& out) const;

  std::vector<Instance> instances_;
  mutable LocalSystems systems_;
  double part_ = 1;
};

}  // namespace trammel::coordinates
