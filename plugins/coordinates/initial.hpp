#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "trammel/attachment.hpp"
#include "trammel/element.hpp"
#include "trammel/start_conditions.hpp"

namespace trammel::coordinates {

/// What a coordinate q, or its rate, is at the start: q - value = 0 while positions are assembled, or q' - value = 0 while
/// velocities are made consistent. Local system: the coordinate's block, one multiplier.
struct Initial {
  CoordinateTarget target;
  double value = 0;
  bool of_rate = false;
};

/// All of them. Their equations need the phase of the start, which one instance could not know.
class InitialRange final : public ElementRange, public StartConditions {
 public:
  void add(Initial what, BlockId coordinate, BlockId multiplier, int entity);

  bool any(StartPhase phase) const override;
  void hold(StartPhase phase) override { phase_ = phase; }
  double begin(const Layout& layout, const State& state, double length) override;
  void aim(double part) override { part_ = part; }

  int size() const override { return static_cast<int>(instances_.size()); }
  std::span<const BlockId> stencil(int i) const override { return at(i).stencil; }
  int entity(int i) const override { return at(i).entity; }
  bool couples(int, int row, int column) const override { return row != column || row == 1; }
  void evaluate(int first, int last, const State& state, std::span<const BlockPlace* const> places,
                const Request& request, ShareSink& sink) const override;

  void commit(int, const LocalState&, const StepInfo&) override {}
  Review review(int, const LocalState&, const StepInfo&) override { return Review::keep(); }
  void reject(int) override {}
  Energy energy(int, const LocalState&) const override { return {}; }
  void outputs(int, const LocalState&, const ReactionShares&, OutputSink&) const override {}
  void draw(int, const LocalState&, const ReactionShares&, Canvas&) const override {}
  std::shared_ptr<const JointView> joint(int) const override { return nullptr; }
  void keep(std::span<const int> instances) override;
  void set_stencil(int i, std::vector<BlockId> stencil, int) override;
  std::vector<double> history(int) const override { return {}; }
  void restore(int, std::span<const double>) override {}

 private:
  struct Instance {
    Initial what;
    std::vector<BlockId> stencil;
    int entity = -1;
    double from = 0;  ///< the value that the coordinate had before
  };

  const Instance& at(int i) const { return instances_[static_cast<std::size_t>(i)]; }
  void evaluate(const Instance& instance, const LocalState& x, LocalSystem& out) const;

  std::vector<Instance> instances_;
  mutable std::array<std::unique_ptr<LocalSystem>, 8> scratch_;  ///< by request
  StartPhase phase_ = StartPhase::none;
  double part_ = 1;
};

}  // namespace trammel::coordinates
