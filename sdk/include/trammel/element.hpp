#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "trammel/element_range.hpp"
#include "trammel/export.hpp"

namespace trammel {

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
    requires(const E& element, std::span<const E* const> elements, std::span<const LocalState> x,
             std::span<Energy> out) {
  { element.energy(x[0]) } -> std::same_as<Energy>;
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
        first = evaluate_groups(first, last, state, offsets, request, sink,
                                [](auto&... group) { return E::evaluate_residuals(group...); });
    if constexpr (EvaluatesTangentsTogether<E>)
      if (request.tangent)
        first = evaluate_groups(first, last, state, offsets, request, sink,
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
    if constexpr (HasEnergiesTogether<E>) first = energies_of_groups(first, last, state, offsets, sink);
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
      "energies needs energy and evaluate_residuals, and must be: static bool energies(std::span<const E* "
      "const>, "
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
  /// Neighbours from `first` on that are evaluated together: `count` of them, of which the last is repeated until the group is whole.
  template <std::size_t lanes>
  struct Group {
    int first, count;
    std::array<const E*, lanes> elements;
    std::array<LocalState, lanes> x;

    template <std::size_t... k>
    Group(const RangeOf& range, int begin, int last, const State& state,
          std::span<const BlockOffset* const> offsets, std::index_sequence<k...>)
        : first(begin),
          count(std::min(last - begin, static_cast<int>(lanes))),
          elements{&range.at(place(k)).element...},
          x{LocalState(state, offsets[static_cast<std::size_t>(place(k))])...} {}

    int place(std::size_t lane) const { return first + std::min(static_cast<int>(lane), count - 1); }
  };
  /// Calls use(group) for groups of two elements or more; returns the first element that is left.
  template <class Use>
  int for_each_group(int first, int last, const State& state, std::span<const BlockOffset* const> offsets,
                     Use&& use) const {
    constexpr auto lanes = static_cast<std::size_t>(E::together);
    while (last - first >= 2) {
      const Group<lanes> group(*this, first, last, state, offsets, std::make_index_sequence<lanes>());
      first += group.count;
      fetch(first, std::min(last, first + E::together));
      use(group);
    }
    return first;
  }
  /// Lets the processor fetch the elements [first, last) that the next group will read, in ranges that are larger than its cache. They
  /// are read once in an evaluation, and are not to displace what is read more often.
  void fetch(int first, int last) const {
    constexpr std::size_t in_cache = 500'000, line = 64;
    if (first >= last || instances_.size() * sizeof(Instance) < in_cache) return;
    const auto* const begin = reinterpret_cast<const char*>(&at(first));
    const std::size_t bytes = static_cast<std::size_t>(last - first) * sizeof(Instance);
    for (std::size_t i = 0; i < bytes; i += line) __builtin_prefetch(begin + i, 0, 0);
  }
  /// By evaluate_group(elements, x, out); returns the first element that is left.
  template <class EvaluateGroup>
  int evaluate_groups(int first, int last, const State& state, std::span<const BlockOffset* const> offsets,
                      const Request& request, ContributionSink& sink, EvaluateGroup&& evaluate_group) const {
    constexpr auto lanes = static_cast<std::size_t>(E::together);
    thread_local std::array<LocalSystems, lanes> systems;
    std::array<LocalSystem*, lanes> filled;
    for (std::size_t k = 0; k < lanes; ++k) filled[k] = &systems[k].of(request);
    const std::span<LocalSystem* const> out(filled);
    return for_each_group(first, last, state, offsets, [&](const Group<lanes>& group) {
      for (std::size_t k = 0; k < lanes; ++k) out[k]->begin(at(group.place(k)).dofs);
      if (evaluate_group(group.elements, group.x, out))
        sink.add_together(group.first, out.first(static_cast<std::size_t>(group.count)));
      else
        evaluate_alone(group.first, group.first + group.count, state, offsets, request, sink);
    });
  }
  int energies_of_groups(int first, int last, const State& state, std::span<const BlockOffset* const> offsets,
                         EnergySink& sink) const {
    constexpr auto lanes = static_cast<std::size_t>(E::together);
    return for_each_group(first, last, state, offsets, [&](const Group<lanes>& group) {
      std::array<Energy, lanes> all{};
      if (E::energies(group.elements, group.x, all))
        for (int k = 0; k < group.count; ++k) sink.add(group.first + k, all[static_cast<std::size_t>(k)]);
      else
        ElementRange::energies(group.first, group.first + group.count, state, offsets, sink);
    });
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
