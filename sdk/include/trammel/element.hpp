#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
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

namespace detail {

/// A history whose `serialize` is told the version of what it reads or writes.
template <class H>
concept ReadsVersions = requires(H& h, Archive& archive) {
  h.serialize(archive, H::version);
  { H::oldest } -> std::convertible_to<int>;
};
template <class H>
concept ReadsOneVersion = requires(H& h, Archive& archive) {
  H::version;
  h.serialize(archive);
};
template <class H>
concept History = ReadsVersions<H> || ReadsOneVersion<H>;

}  // namespace detail

/// An element class with a history: internal memory from step to step.
template <class E>
concept WithHistory = requires(E& e) {
  requires detail::History<std::remove_reference_t<decltype(e.history())>>;
};

/// An element class that computes the residuals of several elements at once, in the lanes of a processor's wide registers (see RangeOf).
template <class E>
concept EvaluatesTogether = requires(std::span<const E* const> elements, std::span<const LocalState> x,
                                     std::span<LocalSystem* const> out) {
  requires E::together >= 2;
  { E::together } -> std::convertible_to<int>;
  { E::evaluate_residuals(elements, x, out) } -> std::same_as<bool>;
};
/// One that computes their tangents so, too.
template <class E>
concept EvaluatesTangentsTogether = EvaluatesTogether<E> &&
    requires(std::span<const E* const> elements, std::span<const LocalState> x,
             std::span<LocalSystem* const> out) {
  { E::evaluate_tangents(elements, x, out) } -> std::same_as<bool>;
};
/// One that computes their energies so.
template <class E>
concept HasEnergiesTogether = EvaluatesTogether<E> &&
    requires(std::span<const E* const> elements, std::span<const LocalState> x, std::span<Energy> out) {
  { E::energies(elements, x, out) } -> std::same_as<bool>;
};

namespace detail {

/// The history of an element without one.
struct NoHistory {};

template <class E>
struct HistoryOf {
  using type = NoHistory;
};
template <WithHistory E>
struct HistoryOf<E> {
  using type = std::remove_cvref_t<decltype(std::declval<E&>().history())>;
};

/// Throws Error if a history of version `found` cannot be read where those from `oldest` to `newest` can.
TRAMMEL_API void require_version(int found, int oldest, int newest);

/// Writes a history behind its version, or reads one of any version that its class can read.
template <class H>
void serialize_history(H& history, Archive& archive) {
  int version = H::version;
  archive(version);
  if constexpr (ReadsVersions<H>) {
    require_version(version, H::oldest, H::version);
    history.serialize(archive, version);
  } else {
    require_version(version, H::version, H::version);
    history.serialize(archive);
  }
}

}  // namespace detail

/// The container for an author's class E, which describes one element (docs/writing_an_element.md). E must have
///
///     void evaluate(const LocalState& x, LocalSystem& out) const;
///
/// and may have
///
///     static bool couples(int row_block, int column_block);   // or a const member
///     static constexpr int together = 4;
///     static bool evaluate_residuals(std::span<const E* const> elements, std::span<const LocalState> x,
///                                    std::span<LocalSystem* const> out);
///     static bool evaluate_tangents(std::span<const E* const> elements, std::span<const LocalState> x,
///                                   std::span<LocalSystem* const> out);
///     static bool energies(std::span<const E* const> elements, std::span<const LocalState> x,
///                          std::span<Energy> out);
///     void begin(const LocalState&, const Begin&);
///     void commit(const LocalState&, const StepInfo&);
///     Review review(const LocalState&, const StepInfo&);
///     Energy energy(const LocalState&) const;
///     void outputs(const LocalState&, const ReactionContributions&, OutputSink&) const;
///     void draw(const LocalState&, const ReactionContributions&, Canvas&) const;  // on another thread: see ElementRange
///     History& history();
///     void restored();
///     bool identified(int block, bool yes);                    // as in ElementRange
///     bool has_energy() const;      // false: energy(x) is zero at every state
///     static bool has_review();     // false: review(x, step) is Review::keep() whatever happens, and commit does nothing
///     bool is_constant() const;     // true: the residual depends on nothing, and all tangents are zero
///
/// evaluate_residuals does what `evaluate` does for `together` elements where no tangents are wanted: element k reads `x[k]` and fills
/// `out[k]`, the residual, which comes as zeros, and what `out[k]->request` wants of rates and biases. The elements are neighbours
/// in the order of `add`, of any entities; where fewer are left, the last one fills the group. The same state gives the same bits. False
/// where they do not suit each other: what was written is dropped, and each is evaluated alone. Throws nothing: return false where an
/// element must reject the step, which it then does alone. evaluate_tangents does the same where tangents are wanted, and fills them
/// too; `energies` does what `energy` does, and its `out` comes as zeros. `trammel check --derivatives` compares both ways.
///
/// History is a struct with `static constexpr int version` and `void serialize(Archive&)`: all that the element remembers. One that
/// reads what earlier versions of its plugin wrote has `static constexpr int oldest`, the first such version, and
/// `void serialize(Archive&, int version)`: told `version` where it writes, and the version of what was written where it reads. What
/// that version lacks keeps the value of a new element unless `serialize` sets it.
/// `history()` returns the trial history. The container stores the committed one, and assigns it to the trial history when a step is
/// rejected; `restored()` then lets the element discard values that it derived from its history.
template <class E>
class RangeOf final : public ElementRange {
 public:
  void add(E instance, std::vector<BlockId> stencil, int dofs, int entity) {
    instances_.push_back({store(stencil), dofs, entity, std::move(instance)});
    if constexpr (WithHistory<E>) instances_.back().committed = instances_.back().element.history();
  }

  void shrink() override {
    instances_.shrink_to_fit();
    blocks_.shrink_to_fit();
  }
  int size() const override { return static_cast<int>(instances_.size()); }
  std::span<const BlockId> stencil(int i) const override {
    const Stencil& s = at(i).stencil;
    return {blocks_.data() + s.begin, s.size};
  }
  int entity(int i) const override { return at(i).entity; }

  bool couples(int i, int row, int column) const override {
    if constexpr (requires(const E& e) {
                    { e.couples(row, column) } -> std::convertible_to<bool>;
                  })
      return at(i).element.couples(row, column);
    else
      return true;
  }

  void evaluate(int first, int last, const State& state, std::span<const BlockOffset* const> offsets,
                const Request& request, ContributionSink& sink) const override {
    if constexpr (EvaluatesTogether<E>)
      if (!request.tangent)
        first = evaluate_groups(first, last, state, offsets, request, sink, group_numbers(),
                                [](auto&... group) { return E::evaluate_residuals(group...); });
    if constexpr (EvaluatesTangentsTogether<E>)
      if (request.tangent)
        first = evaluate_groups(first, last, state, offsets, request, sink, group_numbers(),
                                [](auto&... group) { return E::evaluate_tangents(group...); });
    evaluate_alone(first, last, state, offsets, request, sink);
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
    if (!moved_from_.empty()) moved_from_.erase(i);
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
    const auto before = moved_from_.find(i);
    if (before == moved_from_.end()) return false;
    replace(instance, before->second.stencil, before->second.dofs);
    moved_from_.erase(before);
    return true;
  }
  Energy energy(int i, const LocalState& x) const override {
    if constexpr (requires(const E& e) { e.energy(x); })
      return at(i).element.energy(x);
    else
      return {};
  }
  void energies(int first, int last, const State& state, std::span<const BlockOffset* const> offsets,
                EnergySink& sink) const override {
    if constexpr (HasEnergiesTogether<E>)
      first = energies_of_groups(first, last, state, offsets, sink, group_numbers());
    ElementRange::energies(first, last, state, offsets, sink);
  }
  void outputs(int i, const LocalState& x, const ReactionContributions& contributions,
               OutputSink& sink) const override {
    if constexpr (requires(const E& e) { e.outputs(x, contributions, sink); })
      at(i).element.outputs(x, contributions, sink);
  }
  void draw(int i, const LocalState& x, const ReactionContributions& contributions,
            Canvas& canvas) const override {
    if constexpr (requires(const E& e) { e.draw(x, contributions, canvas); })
      at(i).element.draw(x, contributions, canvas);
  }
  void serialize(int i, Archive& archive) override {
    Instance& instance = at(i);
    std::vector<BlockId> blocks(stencil(i).begin(), stencil(i).end());
    int dofs = instance.dofs;
    archive(blocks, dofs);
    if (archive.reads()) replace(instance, blocks, dofs);
    if constexpr (WithHistory<E>) {
      detail::serialize_history(instance.committed, archive);
      if (archive.reads()) take_history(instance);
    }
    if (archive.reads()) moved_from_.erase(i);
  }

  std::shared_ptr<const JointView> joint(int i) const override {
    if constexpr (is_joint)
      return std::make_shared<const View>(*this, i);
    else
      return nullptr;
  }

  ElementCalls calls() const override {
    ElementCalls all;
    all.energy = requires(const E& e, const LocalState& x) { e.energy(x); };
    if constexpr (requires(const E& e) { e.has_energy(); })
      all.energy = std::ranges::any_of(instances_, [](const Instance& i) { return i.element.has_energy(); });
    all.review = requires(E & e, const LocalState& x, const StepInfo& step) { e.review(x, step); };
    all.commit = all.review || WithHistory<E> || requires(E & e, const LocalState& x, const StepInfo& step) {
      e.commit(x, step);
    };
    if constexpr (requires { E::has_review(); }) all.review = all.commit = E::has_review();
    if constexpr (requires(const E& e) { e.is_constant(); })
      all.constant =
          std::ranges::all_of(instances_, [](const Instance& i) { return i.element.is_constant(); });
    return all;
  }

  bool identified(int i, int k, bool yes) override {
    if constexpr (requires(E & e) {
                    { e.identified(k, yes) } -> std::convertible_to<bool>;
                  })
      return at(i).element.identified(k, yes);
    else
      return true;
  }
  void set_stencil(int i, std::vector<BlockId> blocks, int dofs) override {
    Instance& instance = at(i);
    const auto now = stencil(i);
    moved_from_.try_emplace(i, Moved{{now.begin(), now.end()}, instance.dofs});
    replace(instance, blocks, dofs);
  }

 private:
  static constexpr bool is_joint = requires(const E& e) {
    { e.site() } -> std::convertible_to<const JointSite&>;
  };
  // A member of one of these names that cannot be called as above would be passed over without a word.
  static_assert(
      !requires { &E::couples; } || requires(const E& e) { bool(e.couples(0, 0)); },
      "couples must be: static bool couples(int row_block, int column_block)");
  // `together` of another type is that of VelocityConstraint.
  static constexpr bool has_residuals_of_several = requires {
    { E::together } -> std::convertible_to<int>;
  }
  || requires { &E::evaluate_residuals; };
  static_assert(!has_residuals_of_several || EvaluatesTogether<E>,
                "evaluate_residuals needs static constexpr int together, 2 or more, and must be: static bool "
                "evaluate_residuals(std::span<const E* const>, std::span<const LocalState>, "
                "std::span<LocalSystem* const>)");
  static_assert(
      !requires { &E::evaluate_tangents; } || EvaluatesTangentsTogether<E>,
      "evaluate_tangents needs evaluate_residuals, and must be: static bool "
      "evaluate_tangents(std::span<const "
      "E* const>, std::span<const LocalState>, std::span<LocalSystem* const>)");
  static_assert(
      !requires { &E::energies; } || HasEnergiesTogether<E>,
      "energies needs evaluate_residuals, and must be: static bool energies(std::span<const E* const>, "
      "std::span<const LocalState>, std::span<Energy>)");
  static_assert(
      !requires { &E::begin; } || requires(E & e, const LocalState& x, const Begin& how) { e.begin(x, how); },
      "begin must be: void begin(const LocalState&, const Begin&)");
  static_assert(
      !requires { &E::commit; } ||
          requires(E & e, const LocalState& x, const StepInfo& step) { e.commit(x, step); },
      "commit must be: void commit(const LocalState&, const StepInfo&)");
  static_assert(
      !requires { &E::review; } ||
          requires(E & e, const LocalState& x, const StepInfo& step) { Review(e.review(x, step)); },
      "review must be: Review review(const LocalState&, const StepInfo&)");
  static_assert(
      !requires { &E::energy; } || requires(const E& e, const LocalState& x) { Energy(e.energy(x)); },
      "energy must be: Energy energy(const LocalState&) const");
  static_assert(
      !requires { &E::outputs; } || requires(const E& e, const LocalState& x, const ReactionContributions& c,
                                             OutputSink& sink) { e.outputs(x, c, sink); },
      "outputs must be: void outputs(const LocalState&, const ReactionContributions&, OutputSink&) const");
  static_assert(
      !requires { &E::draw; } || requires(const E& e, const LocalState& x, const ReactionContributions& c,
                                          Canvas& canvas) { e.draw(x, c, canvas); },
      "draw must be: void draw(const LocalState&, const ReactionContributions&, Canvas&) const");
  static_assert(
      !requires { &E::history; } || WithHistory<E>,
      "history must be: H& history(), where H has static constexpr int version and void "
      "serialize(Archive&)");
  static_assert(
      !requires { &E::restored; } || requires(E & e) { e.restored(); }, "restored must be: void restored()");
  static_assert(
      !requires { &E::has_energy; } || requires(const E& e) { bool(e.has_energy()); },
      "has_energy must be: bool has_energy() const");
  static_assert(
      !requires { &E::has_review; } || requires { bool(E::has_review()); },
      "has_review must be: static bool has_review()");
  static_assert(
      !requires { &E::is_constant; } || requires(const E& e) { bool(e.is_constant()); },
      "is_constant must be: bool is_constant() const");
  static_assert(
      !requires { &E::identified; } || requires(E & e) { bool(e.identified(0, true)); },
      "identified must be: bool identified(int block, bool yes)");

  using History = typename detail::HistoryOf<E>::type;
  /// Where the blocks of an instance are among those of all instances.
  struct Stencil {
    std::uint32_t begin = 0;
    std::uint16_t size = 0, room = 0;
  };
  struct Instance {
    Stencil stencil;
    int dofs;
    int entity;
    E element;
    [[no_unique_address]] History committed{};
  };
  struct Moved {
    std::vector<BlockId> stencil;
    int dofs;
  };

  /// Refers to an element by its number, because the container may move it in memory.
  class View final : public JointView {
   public:
    View(const RangeOf& range, int i) : range_(&range), i_(i) {}
    const JointSite& site() const override { return range_->at(i_).element.site(); }
    std::span<const BlockId> stencil() const override { return range_->stencil(i_); }
    void evaluate(const LocalState& x, LocalSystem& out) const override {
      range_->at(i_).element.evaluate(x, out);
    }

   private:
    const RangeOf* range_;
    int i_;
  };

  void evaluate_alone(int first, int last, const State& state, std::span<const BlockOffset* const> offsets,
                      const Request& request, ContributionSink& sink) const {
    thread_local LocalSystems systems;
    LocalSystem& contribution = systems.of(request);
    for (int i = first; i < last; ++i) {
      const Instance& instance = at(i);
      contribution.begin(instance.dofs);
      instance.element.evaluate(LocalState(state, offsets[static_cast<std::size_t>(i)]), contribution);
      sink.add(i, contribution);
    }
  }
  static constexpr auto group_numbers() {
    return std::make_index_sequence<static_cast<std::size_t>(E::together)>();
  }
  /// Neighbours from `first` on that are evaluated together: `count` of them, of which the last is repeated until the group is whole.
  template <std::size_t... k>
  struct Group {
    int first, count;
    std::array<const E*, sizeof...(k)> elements;
    std::array<LocalState, sizeof...(k)> x;

    Group(const RangeOf& range, int begin, int last, const State& state,
          std::span<const BlockOffset* const> offsets, std::index_sequence<k...>)
        : first(begin),
          count(std::min(last - begin, E::together)),
          elements{&range.at(place(k)).element...},
          x{LocalState(state, offsets[static_cast<std::size_t>(place(k))])...} {}

    int place(std::size_t lane) const { return first + std::min(static_cast<int>(lane), count - 1); }
  };
  /// Lets the processor fetch the elements [first, last) that the next group will read, in ranges that are larger than its cache. They
  /// are read once in an evaluation, and are not to displace what is read more often.
  void fetch(int first, int last) const {
    constexpr std::size_t in_cache = 500'000, line = 64;
    if (first >= last || instances_.size() * sizeof(Instance) < in_cache) return;
    const auto* const begin = reinterpret_cast<const char*>(&at(first));
    const std::size_t bytes = static_cast<std::size_t>(last - first) * sizeof(Instance);
    for (std::size_t i = 0; i < bytes; i += line) __builtin_prefetch(begin + i, 0, 0);
  }
  /// Groups of two elements or more, by evaluate_group(elements, x, out); returns the first element that is left.
  template <std::size_t... k, class EvaluateGroup>
  int evaluate_groups(int first, int last, const State& state, std::span<const BlockOffset* const> offsets,
                      const Request& request, ContributionSink& sink, std::index_sequence<k...> numbers,
                      EvaluateGroup&& evaluate_group) const {
    thread_local std::array<LocalSystems, sizeof...(k)> systems;
    const std::array<LocalSystem*, sizeof...(k)> out{&systems[k].of(request)...};
    while (last - first >= 2) {
      const Group<k...> group(*this, first, last, state, offsets, numbers);
      fetch(first + E::together, std::min(last, first + 2 * E::together));
      (out[k]->begin(at(group.place(k)).dofs), ...);
      if (evaluate_group(group.elements, group.x, out))
        sink.add_together(first, std::span(out).first(static_cast<std::size_t>(group.count)));
      else
        evaluate_alone(first, first + group.count, state, offsets, request, sink);
      first += group.count;
    }
    return first;
  }
  template <std::size_t... k>
  int energies_of_groups(int first, int last, const State& state, std::span<const BlockOffset* const> offsets,
                         EnergySink& sink, std::index_sequence<k...> numbers) const {
    while (last - first >= 2) {
      const Group<k...> group(*this, first, last, state, offsets, numbers);
      std::array<Energy, sizeof...(k)> all{};
      const int end = first + group.count;
      if (!E::energies(group.elements, group.x, all))
        ElementRange::energies(first, end, state, offsets, sink);
      else
        for (std::size_t i = 0; first + static_cast<int>(i) < end; ++i)
          sink.add(first + static_cast<int>(i), all[i]);
      first = end;
    }
    return first;
  }

  Stencil store(std::span<const BlockId> blocks) {
    const auto size = static_cast<std::uint16_t>(blocks.size());
    const Stencil stored{static_cast<std::uint32_t>(blocks_.size()), size, size};
    blocks_.insert(blocks_.end(), blocks.begin(), blocks.end());
    return stored;
  }
  void replace(Instance& instance, std::span<const BlockId> blocks, int dofs) {
    if (blocks.size() <= instance.stencil.room) {
      std::ranges::copy(blocks, blocks_.begin() + instance.stencil.begin);
      instance.stencil.size = static_cast<std::uint16_t>(blocks.size());
    } else {
      instance.stencil = store(blocks);
    }
    instance.dofs = dofs;
  }

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
  std::vector<BlockId> blocks_;      ///< stencils of all instances
  std::map<int, Moved> moved_from_;  ///< stencils of the last commit, where they differ
};

}  // namespace trammel
