#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "trammel/archive.hpp"
#include "trammel/block.hpp"
#include "trammel/canvas.hpp"
#include "trammel/export.hpp"
#include "trammel/local_system.hpp"
#include "trammel/outputs.hpp"
#include "trammel/review.hpp"
#include "trammel/state.hpp"

namespace trammel {

/// Takes the share of one instance of a range and puts it where it belongs.
class ShareSink {
 public:
  virtual ~ShareSink() = default;
  virtual void add(int instance, LocalSystem& share) = 0;
};

/// The step that a trial belongs to.
struct StepInfo {
  double start = 0;         ///< time of the last accepted state
  double end = 0;           ///< time of the trial
  bool in_statics = false;  ///< it is a load step
  bool active = true;       ///< some row of the instance's own is active, or it has none

  double size() const { return end - start; }
};

/// Where an instance begins to be integrated, or goes on with another state than it committed.
struct Begin {
  enum class Why {
    start,      ///< of a stage
    restart,    ///< after an event: velocities may have jumped
    restore,    ///< from a snapshot; its history was restored before
    activated,  ///< its rows become active there
  };
  Why why = Why::start;
  double step = 0;          ///< nominal, of the steps that follow [s]
  bool in_statics = false;  ///< these are load steps
  bool active = true;       ///< as in StepInfo
};

/// A part of an instance that draws, reports or moves its own reaction needs these from the kernel: the residual
/// share of the blocks at a shared joint.
struct ReactionShares {
  bool has_force = false;
  bool has_moment = false;
  Vec3 force_on_A =
      Vec3::Zero();  ///< at a shared position: force of the joint on A's side, world components [N]
  Vec3 moment_on_A =
      Vec3::Zero();       ///< at a shared rotation: moment of the joint on A's side, world components [N m]
  bool active = true;     ///< as in StepInfo
  bool may_rest = false;  ///< whether it is active is an output
};

class JointSite;

/// A joint as whatever hangs on it sees it: the living instance, with its history. On a rank that another evaluates the joint on,
/// it is the instance as it was when the model was partitioned.
class JointView {
 public:
  virtual ~JointView() = default;
  /// Valid until an instance is added to the model: to be asked for anew.
  virtual const JointSite& site() const = 0;
  /// The blocks that `evaluate` reads, in its order.
  virtual std::span<const BlockId> stencil() const = 0;
  virtual void evaluate(const LocalState& x, LocalSystem& out) const = 0;
};

/// All instances of one C++ type that this rank has built, evaluated a range at a time.
class ElementRange {
 public:
  virtual ~ElementRange() = default;

  virtual int size() const = 0;
  /// Blocks that instance i reads, in the order of its local system.
  virtual std::span<const BlockId> stencil(int i) const = 0;
  /// False where rows of stencil block `row` never hold a number in columns of stencil block `column`.
  virtual bool couples(int i, int row, int column) const = 0;
  /// The entity of the case that instance i belongs to (an index into Model::entities).
  virtual int entity(int i) const = 0;

  /// Evaluates instances [first, last) at `state`; `places` gives the stencil of instance i from `places[i]` on. Pure:
  /// may be called in any order, for any trial. Each share goes to the sink.
  virtual void evaluate(int first, int last, const State& state, std::span<const BlockPlace* const> places,
                        const Request& request, ShareSink& sink) const = 0;

  /// Before the first step from a state that the instance did not commit itself.
  virtual void begin(int i, const LocalState& x, const Begin& how) = 0;
  virtual void commit(int i, const LocalState& x, const StepInfo& step) = 0;
  /// Asks instance i after Newton has converged. The instance may change its trial history here (a host, a branch);
  /// `commit` makes it last and `reject` takes it back to that of the last commit.
  virtual Review review(int i, const LocalState& x, const StepInfo& step) = 0;
  /// Takes history and stencil back to those of the last commit. True where the stencil is another one then.
  virtual bool reject(int i) = 0;
  virtual Energy energy(int i, const LocalState& x) const = 0;
  virtual void outputs(int i, const LocalState& x, const ReactionShares& shares, OutputSink& sink) const = 0;
  virtual void draw(int i, const LocalState& x, const ReactionShares& shares, Canvas& canvas) const = 0;

  /// A view of instance i where it is a joint with a `site()`, else null.
  virtual std::shared_ptr<const JointView> joint(int i) const = 0;

  /// Tells instance i, a joint that offered it, whether block k of its stencil, a multiplier, carries no unknowns because the
  /// layout identified the frames that its rows hold together. False where the instance then has nothing to evaluate.
  virtual bool identified(int /*i*/, int /*k*/, bool /*yes*/) { return true; }
  virtual void set_stencil(int i, std::vector<BlockId> stencil, int dofs) = 0;

  /// Writes or reads the stencil and the history of the last commit of instance i. Throws Error where what is read is of
  /// another version.
  virtual void serialize(int i, Archive& archive) = 0;
};

/// An element type with a history: what it remembers from step to step.
template <class E>
concept WithHistory = requires(E& e, Archive& archive) {
  e.history().serialize(archive);
  std::remove_reference_t<decltype(e.history())>::version;
};

namespace detail {

/// Of an element without history: nothing.
struct NoHistory {};

template <class E>
struct HistoryOf {
  using type = NoHistory;
};
template <WithHistory E>
struct HistoryOf<E> {
  using type = std::remove_cvref_t<decltype(std::declval<E&>().history())>;
};

/// Throws Error where a version that was read is not the one that is known.
TRAMMEL_API void require_version(int found, int known);

}  // namespace detail

/// Makes a range from an author's one-instance type E. Of E it needs
///
///     void evaluate(const LocalState& x, LocalSystem& out) const;
///
/// and it uses, where E has them,
///
///     static bool couples(int row_block, int column_block);   // or a const member
///     void begin(const LocalState&, const Begin&);
///     void commit(const LocalState&, const StepInfo&);
///     Review review(const LocalState&, const StepInfo&);
///     Energy energy(const LocalState&) const;
///     void outputs(const LocalState&, const ReactionShares&, OutputSink&) const;
///     void draw(const LocalState&, const ReactionShares&, Canvas&) const;
///     History& history();
///     void restored();
///     bool identified(int block, bool yes);                    // as in ElementRange
///
/// where History is a struct with `static constexpr int version` and `void serialize(Archive&)` that holds whatever the
/// instance remembers; `history()` is that of the trial. The range keeps the committed one: rejecting a step is assignment,
/// after which `restored()` tells the instance to forget what it derived from its history.
template <class E>
class RangeOf final : public ElementRange {
 public:
  void add(E instance, std::vector<BlockId> stencil, int dofs, int entity) {
    instances_.push_back({std::move(instance), std::move(stencil), {}, {}, dofs, entity});
    if constexpr (WithHistory<E>) instances_.back().committed = instances_.back().element.history();
  }

  int size() const override { return static_cast<int>(instances_.size()); }
  std::span<const BlockId> stencil(int i) const override { return at(i).stencil; }
  int entity(int i) const override { return at(i).entity; }

  bool couples(int i, int row, int column) const override {
    if constexpr (requires(const E& e) {
                    { e.couples(row, column) } -> std::convertible_to<bool>;
                  })
      return at(i).element.couples(row, column);
    else
      return true;
  }

  void evaluate(int first, int last, const State& state, std::span<const BlockPlace* const> places,
                const Request& request, ShareSink& sink) const override {
    thread_local LocalSystems systems;
    LocalSystem& share = systems.of(request);
    for (int i = first; i < last; ++i) {
      const Instance& instance = at(i);
      share.begin(instance.dofs);
      instance.element.evaluate(LocalState(state, places[static_cast<std::size_t>(i)]), share);
      sink.add(i, share);
    }
  }

  void begin(int i, const LocalState& x, const Begin& how) override {
    if constexpr (requires(E & e) { e.begin(x, how); }) {
      at(i).element.begin(x, how);
      keep_history(at(i));
    }
  }
  void commit(int i, const LocalState& x, const StepInfo& step) override {
    if constexpr (requires(E & e) { e.commit(x, step); }) at(i).element.commit(x, step);
    keep_history(at(i));
    at(i).moved_from.clear();
  }
  Review review(int i, const LocalState& x, const StepInfo& step) override {
    if constexpr (requires(E & e) { e.review(x, step); })
      return at(i).element.review(x, step);
    else
      return Review::keep();
  }
  bool reject(int i) override {
    Instance& instance = at(i);
    take_history(instance);
    if (instance.moved_from.empty()) return false;
    std::swap(instance.stencil, instance.moved_from);
    std::swap(instance.dofs, instance.dofs_before);
    instance.moved_from.clear();
    return true;
  }
  Energy energy(int i, const LocalState& x) const override {
    if constexpr (requires(const E& e) { e.energy(x); })
      return at(i).element.energy(x);
    else
      return {};
  }
  void outputs(int i, const LocalState& x, const ReactionShares& shares, OutputSink& sink) const override {
    if constexpr (requires(const E& e) { e.outputs(x, shares, sink); })
      at(i).element.outputs(x, shares, sink);
  }
  void draw(int i, const LocalState& x, const ReactionShares& shares, Canvas& canvas) const override {
    if constexpr (requires(const E& e) { e.draw(x, shares, canvas); }) at(i).element.draw(x, shares, canvas);
  }
  void serialize(int i, Archive& archive) override {
    Instance& instance = at(i);
    archive(instance.stencil, instance.dofs);
    if constexpr (WithHistory<E>) {
      int version = History::version;
      archive(version);
      detail::require_version(version, History::version);
      instance.committed.serialize(archive);
      if (archive.reads()) take_history(instance);
    }
    if (archive.reads()) instance.moved_from.clear();
  }

  std::shared_ptr<const JointView> joint(int i) const override {
    if constexpr (is_joint)
      return std::make_shared<const View>(*this, i);
    else
      return nullptr;
  }

  bool identified(int i, int k, bool yes) override {
    if constexpr (requires(E & e) {
                    { e.identified(k, yes) } -> std::convertible_to<bool>;
                  })
      return at(i).element.identified(k, yes);
    else
      return true;
  }
  void set_stencil(int i, std::vector<BlockId> stencil, int dofs) override {
    Instance& instance = at(i);
    if (instance.moved_from.empty()) {
      instance.moved_from = std::move(instance.stencil);
      instance.dofs_before = instance.dofs;
    }
    instance.stencil = std::move(stencil);
    instance.dofs = dofs;
  }

 private:
  static constexpr bool is_joint = requires(const E& e) {
    { e.site() } -> std::convertible_to<const JointSite&>;
  };
  using History = typename detail::HistoryOf<E>::type;
  struct Instance {
    E element;
    std::vector<BlockId> stencil;
    std::vector<BlockId> moved_from;  ///< the stencil of the last commit, where that was another
    [[no_unique_address]] History committed;
    int dofs;
    int entity;
    int dofs_before = 0;
  };

  /// An instance by its number, so that it stays the living one wherever the range keeps it.
  class View final : public JointView {
   public:
    View(const RangeOf& range, int i) : range_(&range), i_(i) {}
    const JointSite& site() const override { return range_->at(i_).element.site(); }
    std::span<const BlockId> stencil() const override { return range_->at(i_).stencil; }
    void evaluate(const LocalState& x, LocalSystem& out) const override {
      range_->at(i_).element.evaluate(x, out);
    }

   private:
    const RangeOf* range_;
    int i_;
  };

  static void keep_history([[maybe_unused]] Instance& instance) {
    if constexpr (WithHistory<E>) instance.committed = instance.element.history();
  }
  static void take_history([[maybe_unused]] Instance& instance) {
    if constexpr (WithHistory<E>) {
      instance.element.history() = instance.committed;
      if constexpr (requires(E & e) { e.restored(); }) instance.element.restored();
    }
  }

  Instance& at(int i) { return instances_[static_cast<std::size_t>(i)]; }
  const Instance& at(int i) const { return instances_[static_cast<std::size_t>(i)]; }

  std::vector<Instance> instances_;
};

}  // namespace trammel
