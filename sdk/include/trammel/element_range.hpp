#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trammel/archive.hpp"
#include "trammel/block.hpp"
#include "trammel/canvas.hpp"
#include "trammel/linear_algebra.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"
#include "trammel/review.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// Receives the contribution of one element, and adds it to the global vector or matrix.
class ContributionSink {
 public:
  virtual ~ContributionSink() = default;
  virtual void add(int instance, LocalSystem& contribution) = 0;
  /// Those of neighbours that were evaluated together, from `first` on.
  virtual void add_together(int first, std::span<LocalSystem* const> contributions) {
    for (LocalSystem* const contribution : contributions) add(first++, *contribution);
  }
};

using ShareSink [[deprecated("now ContributionSink")]] = ContributionSink;

/// Receives the energy of one element.
class EnergySink {
 public:
  virtual ~EnergySink() = default;
  virtual void add(int instance, const Energy& energy) = 0;
};

/// The step that is being attempted.
struct StepInfo {
  double start = 0;         ///< time of the last accepted state
  double end = 0;           ///< time of the trial
  bool in_statics = false;  ///< it is a load step
  bool active = true;       ///< the element has an active row of its own, or no rows

  double size() const { return end - start; }
};

/// Why and how an element starts from a state that it has not committed.
struct Begin {
  enum class Why {
    start,      ///< of a stage
    restart,    ///< after an event: velocities may have jumped
    restore,    ///< from a snapshot; the history is restored already
    activated,  ///< the element's rows become active
  };
  Why why = Why::start;
  double step = 0;          ///< nominal size of the next steps [s]
  bool in_statics = false;  ///< the next steps are load steps
  bool active = true;       ///< as in StepInfo
};

/// The reaction of a joint that identified blocks of its two bodies and so has no multipliers. The kernel computes it from the
/// contributions to the residual on A's side of the identified blocks, for `outputs` and `draw`.
struct ReactionContributions {
  bool has_force = false;
  bool has_moment = false;
  Vec3 force_on_A =
      Vec3::Zero();  ///< if positions are identified: force of the joint on A, world components [N]
  Vec3 moment_on_A =
      Vec3::Zero();       ///< if rotations are identified: moment of the joint on A, world components [N m]
  bool active = true;     ///< as in StepInfo
  bool may_rest = false;  ///< the joint may become inactive, so that `active` is one of its outputs
};

using ReactionShares [[deprecated("now ReactionContributions")]] = ReactionContributions;

/// What a range's elements have besides `evaluate`. What none of them has is not asked for after each step.
struct ElementCalls {
  bool review = true, commit = true, energy = true;
  /// The residual of every element is the same at all states and times, and its tangents are zero: it is evaluated once.
  bool constant = false;
  std::uint32_t reserved = 0;
};

class JointSite;

/// A view of a joint for elements that act on its coordinates or read its reaction: the joint itself, with its present history. On a
/// rank that does not evaluate the joint, the view shows the joint as it was when the model was partitioned.
class JointView {
 public:
  virtual ~JointView() = default;
  /// Valid until an element is added to the model.
  virtual const JointSite& site() const = 0;
  /// The blocks that `evaluate` reads, in the order of its local state.
  virtual std::span<const BlockId> stencil() const = 0;
  virtual void evaluate(const LocalState& x, LocalSystem& out) const = 0;
};

/// The container of all elements of one C++ class on this rank. The kernel calls each function for one element, or for many in one
/// call. Authors rarely implement it: RangeOf does, for a class that describes one element.
class ElementRange {
 public:
  virtual ~ElementRange() = default;

  virtual int size() const = 0;
  /// Blocks that element i reads, in the order of its local system.
  virtual std::span<const BlockId> stencil(int i) const = 0;
  /// False if the entries of all tangents in the rows of block `row` and the columns of block `column` of the stencil are always zero.
  virtual bool couples(int i, int row, int column) const = 0;
  /// The entity of the case to which element i belongs (an index into Model::entities).
  virtual int entity(int i) const = 0;

  /// Evaluates elements [first, last) at `state`. `offsets[i]` points to the offsets of the blocks of element i, in the order of its
  /// stencil. Pure: may be called in any order, for any trial state. The sink receives each contribution.
  virtual void evaluate(int first, int last, const State& state, std::span<const BlockOffset* const> offsets,
                        const Request& request, ContributionSink& sink) const = 0;

  /// Called before the first step from a state that the element has not committed.
  virtual void begin(int i, const LocalState& x, const Begin& how) = 0;
  virtual void commit(int i, const LocalState& x, const StepInfo& step) = 0;
  /// Called after Newton's method has converged. The element may change its trial history here (a host element, a branch).
  /// `commit` makes the trial history permanent; `reject` restores that of the last commit.
  virtual Review review(int i, const LocalState& x, const StepInfo& step) = 0;
  /// Restores the history and the stencil of the last commit. True if this changes the stencil.
  virtual bool reject(int i) = 0;
  virtual Energy energy(int i, const LocalState& x) const = 0;
  /// The energies of elements [first, last), in this order. `offsets` as for `evaluate`.
  virtual void energies(int first, int last, const State& state, std::span<const BlockOffset* const> offsets,
                        EnergySink& sink) const {
    for (int i = first; i < last; ++i)
      sink.add(i, energy(i, LocalState(state, offsets[static_cast<std::size_t>(i)])));
  }
  /// `outputs` and `draw` may run on another thread while `evaluate` and `energy` run on the same element: none of them changes the
  /// element, also no `mutable` member, or calls MPI. No function that changes it runs meanwhile.
  virtual void outputs(int i, const LocalState& x, const ReactionContributions& contributions,
                       OutputSink& sink) const = 0;
  virtual void draw(int i, const LocalState& x, const ReactionContributions& contributions,
                    Canvas& canvas) const = 0;

  /// A view of element i if it is a joint (has `site()`), otherwise null.
  virtual std::shared_ptr<const JointView> joint(int i) const = 0;

  /// Tells element i, a joint that offered to identify blocks, whether the layout did so: then block k of its stencil, a
  /// multiplier, has no unknowns. Returns false if the element then has nothing to evaluate.
  virtual bool identified(int /*i*/, int /*k*/, bool /*yes*/) { return true; }
  virtual void set_stencil(int i, std::vector<BlockId> stencil, int dofs) = 0;
  /// Gives spare memory back: all elements have been added.
  virtual void shrink() {}

  /// Writes or reads the stencil and the history of the last commit of element i. Throws Error if it cannot read that version of
  /// the history.
  virtual void serialize(int i, Archive& archive) = 0;

  /// The same as long as the model is.
  virtual ElementCalls calls() const { return {}; }
};

}  // namespace trammel
