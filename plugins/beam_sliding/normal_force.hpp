#pragma once

#include "trammel/marker.hpp"
#include "trammel/signal.hpp"

namespace trammel::beam_sliding {

/// The force that presses a slider which holds rotations across the beam [N]: with f the multipliers of the position in
/// axes of the slider, whose first axis is the section's normal t1, |(f2, f3)|. What friction on s multiplies; the
/// moment of the contact is not counted. Blocks: those of the slider's marker, the multipliers of the position.
class NormalForce final : public Signal {
 public:
  NormalForce(Marker slider, BlockId force) : slider_(std::move(slider)), force_(force) {}

  std::string unit() const override { return "N"; }
  std::vector<BlockId> blocks() const override;
  void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const override;

 private:
  Marker slider_;
  BlockId force_;
};

/// The whole force of a contact [N], along the beam and across it: what a bead, which has no axes, can tell. Block: the
/// multipliers of the position.
class ContactForce final : public Signal {
 public:
  explicit ContactForce(BlockId force) : force_(force) {}

  std::string unit() const override { return "N"; }
  std::vector<BlockId> blocks() const override { return {force_}; }
  void evaluate(const LocalState& x, int first, bool derivatives, SignalValue& out) const override;

 private:
  BlockId force_;
};

}  // namespace trammel::beam_sliding
