#include "joint_release.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/joint_reaction.hpp"

namespace trammel {

namespace {

/// A limit counts as reached from here on [of the limit].
constexpr double reached = 1 - 1e-6;
/// A step ends on the limit when it ends within this much above it [of the limit].
constexpr double above = 1e-4;

/// One joint that may let go. It holds through the step in which its limit is reached, and is free from the next on.
class Release {
 public:
  /// A block of the joint's stencil.
  struct Part {
    int size = 0;
    bool coordinate = false;
    bool multiplier = false;
    bool own() const { return coordinate || multiplier; }
  };

  Release(ReleaseLaw law, std::optional<JointReaction> reaction, std::vector<Part> parts)
      : law_(std::move(law)), reaction_(std::move(reaction)), parts_(std::move(parts)) {}

  bool released() const { return released_; }
  void reject() { released_ = committed_; }
  /// True for the blocks of the joint's own: multipliers and coordinates.
  bool owns(int block) const { return parts_[static_cast<std::size_t>(block)].own(); }

  /// The joint's share once it is free: its multipliers vanish, its coordinates stay where they are.
  void fill(const LocalState& x, LocalSystem& share) const {
    share.begin(share.size());
    int row = 0, k = 0;
    std::size_t next = 0;  // of what is held
    for (const Part& part : parts_) {
      const double* value = x.value(k++);
      for (int i = 0; part.own() && i < part.size; ++i) {
        share.residual()[row + i] = value[i] - (part.coordinate ? held_[next++] : 0);
        if (share.request.tangent) share.K()(row + i, row + i) = 1;
        // B a + bias stands for the equation of a multiplier at acceleration level, which is lambda = 0 here.
        if (share.request.bias && part.multiplier) share.bias()[row + i] = value[i];
      }
      row += part.size;
    }
    if (share.request.rates) {
      share.rate();
      if (share.request.tangent) share.rate_gradient();
    }
    if (share.request.bias) share.bias();
  }

  Review review(const LocalState& x, const StepInfo& step) {
    if (released_) return Review::keep();
    const double h = step.end - step.start;
    // The run begins after that time: there is no step that could have ended there.
    if (law_.at && *law_.at <= step.start + 1e-9 * h) {
      let_go(x);
      return Review::changed();
    }
    if (law_.at && *law_.at > step.start + 1e-9 * h && *law_.at < step.end - 1e-9 * h)
      return Review::cut(*law_.at);
    const double now = load(x);
    if (now <= 1 + above || h <= 1e-9 * std::max(1.0, std::abs(step.end)))
      return due(step) || now >= reached ? Review::cut(step.end) : Review::keep();  // `commit` lets go
    // By the secant, kept inside of the step so that it shrinks.
    const double part = load_before_ < 1 ? (1 - load_before_) / (now - load_before_) : 0.5;
    return Review::cut(step.start + std::clamp(part, 0.01, 0.99) * h);
  }

  void commit(const LocalState& x, const StepInfo& step) {
    committed_ = released_;
    if (released_) return;
    load_before_ = load(x);
    if (!due(step) && load_before_ < reached) return;
    let_go(x);
    committed_ = true;
  }

  void report(OutputSink& sink) const { sink.scalar("released", "", released_ ? 1 : 0); }

  std::vector<double> history() const {
    std::vector<double> h{released_ ? 1.0 : 0.0, load_before_};
    h.insert(h.end(), held_.begin(), held_.end());
    return h;
  }
  void restore(std::span<const double> h) {
    released_ = committed_ = h[0] != 0;
    load_before_ = h[1];
    held_.assign(h.begin() + 2, h.end());
  }

 private:
  bool due(const StepInfo& step) const {
    return law_.at && *law_.at <= step.end + 1e-9 * (step.end - step.start);
  }
  void let_go(const LocalState& x) {
    released_ = true;
    held_.clear();
    int k = 0;
    for (const Part& part : parts_) {
      const double* value = x.value(k++);
      if (part.coordinate) held_.insert(held_.end(), value, value + part.size);
    }
  }

  /// What the joint transmits, by its limit.
  double load(const LocalState& x) const {
    if (!reaction_) return 0;
    const Vec6 wrench = reaction_->evaluate(x, nullptr);
    return std::max(law_.force ? wrench.head<3>().norm() / *law_.force : 0.0,
                    law_.moment ? wrench.tail<3>().norm() / *law_.moment : 0.0);
  }

  ReleaseLaw law_;
  std::optional<JointReaction> reaction_;
  std::vector<Part> parts_;
  bool released_ = false, committed_ = false;
  double load_before_ = 0;
  std::vector<double> held_;  ///< coordinates at the release
};

/// A range some of whose instances are joints that may let go.
class ReleasableRange final : public ElementRange {
 public:
  ReleasableRange(std::unique_ptr<ElementRange> joints, std::vector<std::optional<Release>> releases)
      : joints_(std::move(joints)), releases_(std::move(releases)) {}

  int size() const override { return joints_->size(); }
  std::span<const BlockId> stencil(int i) const override { return joints_->stencil(i); }
  int entity(int i) const override { return joints_->entity(i); }
  bool couples(int i, int row, int column) const override {
    return (row == column && at(i) && at(i)->owns(row)) || joints_->couples(i, row, column);
  }

  void evaluate(int first, int last, const State& state, std::span<const BlockPlace* const> places,
                const Request& request, ShareSink& sink) const override {
    class Freed final : public ShareSink {
     public:
      Freed(const ReleasableRange& range, const State& state, std::span<const BlockPlace* const> places,
            ShareSink& sink)
          : range_(range), state_(state), places_(places), sink_(sink) {}
      void add(int i, LocalSystem& share) override {
        if (const auto& release = range_.at(i); release && release->released())
          release->fill(LocalState(state_, places_[static_cast<std::size_t>(i)]), share);
        sink_.add(i, share);
      }

     private:
      const ReleasableRange& range_;
      const State& state_;
      std::span<const BlockPlace* const> places_;
      ShareSink& sink_;
    } freed(*this, state, places, sink);
    joints_->evaluate(first, last, state, places, request, freed);
  }

  Review review(int i, const LocalState& x, const StepInfo& step) override {
    if (!at(i)) return joints_->review(i, x, step);
    if (at(i)->released()) return Review::keep();
    Review of_joint = joints_->review(i, x, step);
    return of_joint.verdict == Review::Verdict::keep ? at(i)->review(x, step) : of_joint;
  }
  void commit(int i, const LocalState& x, const StepInfo& step) override {
    joints_->commit(i, x, step);
    if (at(i)) at(i)->commit(x, step);
  }
  void reject(int i) override {
    joints_->reject(i);
    if (at(i)) at(i)->reject();
  }
  Energy energy(int i, const LocalState& x) const override {
    return at(i) && at(i)->released() ? Energy{} : joints_->energy(i, x);
  }
  void outputs(int i, const LocalState& x, const ReactionShares& shares, OutputSink& sink) const override {
    joints_->outputs(i, x, shares, sink);
    if (at(i)) at(i)->report(sink);
  }
  void draw(int i, const LocalState& x, const ReactionShares& shares, Canvas& canvas) const override {
    if (!at(i) || !at(i)->released()) joints_->draw(i, x, shares, canvas);
  }
  std::shared_ptr<const JointView> joint(int i) const override { return joints_->joint(i); }

  void keep(std::span<const int> instances) override {
    std::vector<std::optional<Release>> kept;
    for (const int i : instances) kept.push_back(std::move(releases_[static_cast<std::size_t>(i)]));
    releases_ = std::move(kept);
    joints_->keep(instances);
  }
  void set_stencil(int i, std::vector<BlockId> stencil, int dofs) override {
    joints_->set_stencil(i, std::move(stencil), dofs);
  }

  /// The joint's own history, then how much of it there is, then that of the release.
  std::vector<double> history(int i) const override {
    std::vector<double> h = joints_->history(i);
    if (!at(i)) return h;
    const auto own = static_cast<double>(h.size());
    const std::vector<double> more = at(i)->history();
    h.insert(h.begin(), own);
    h.insert(h.end(), more.begin(), more.end());
    return h;
  }
  void restore(int i, std::span<const double> history) override {
    if (!at(i)) return joints_->restore(i, history);
    const auto own = static_cast<std::size_t>(history[0]);
    joints_->restore(i, history.subspan(1, own));
    at(i)->restore(history.subspan(1 + own));
  }

 private:
  std::optional<Release>& at(int i) { return releases_[static_cast<std::size_t>(i)]; }
  const std::optional<Release>& at(int i) const { return releases_[static_cast<std::size_t>(i)]; }

  std::unique_ptr<ElementRange> joints_;
  std::vector<std::optional<Release>> releases_;
};

/// Whether some instance of the entity gives its reaction.
bool has_reaction(const Model& model, int entity) {
  for (const Model::Range& range : model.ranges)
    for (int i = 0; i < range.instances->size(); ++i)
      if (range.instances->entity(i) == entity && range.instances->joint(i) != nullptr) return true;
  return false;
}

Release make_release(const Model& model, const ElementRange& range, int i, const ReleaseLaw& law) {
  const std::span<const BlockId> stencil = range.stencil(i);
  std::vector<int> sizes;
  std::vector<Release::Part> parts;
  for (const BlockId id : stencil) {
    const Block& block = model.block(id);
    sizes.push_back(block.size);
    parts.push_back({block.size, block.kind == BlockKind::coordinate, is_multiplier(block.kind)});
  }
  std::optional<JointReaction> reaction;
  if (law.force || law.moment) {
    std::shared_ptr<const JointView> view = range.joint(i);
    if (view == nullptr)
      throw Error(
          law.where,
          has_reaction(model, range.entity(i))
              ? "this joint is made of several parts, as it is given here, and its reaction alone does not "
                "tell what they transmit together; it can let go at a time, by `release: {at: ...}`"
              : "a joint of this type gives no reaction that could break it; it can let go at a time, by "
                "`release: {at: ...}`");
    reaction.emplace(std::move(view), std::vector<BlockId>(stencil.begin(), stencil.end()), std::move(sizes),
                     law.where);
  }
  return {law, std::move(reaction), std::move(parts)};
}

}  // namespace

Parameter release_parameter() {
  using Kind = Parameter::Kind;
  return Parameter::make(Kind::map, "release", "", "when the joint lets go, for good: {at, force, moment}")
      .with({Parameter::make(Kind::real, "at", "s", "time").not_negative(),
             Parameter::make(Kind::real, "force", "N", "that it transmits at most").positive(),
             Parameter::make(Kind::real, "moment", "N m", "that it transmits at most").positive()});
}

void read_release(const Parameters& in, Builder& builder) {
  if (!in.has("release")) return;
  const Parameters what = in.map("release");
  auto law = std::make_shared<ReleaseLaw>();
  law->where = in.where("release");
  for (const auto& [name, limit] :
       {std::pair("at", &law->at), {"force", &law->force}, {"moment", &law->moment}})
    if (what.has(name)) *limit = what.real(name);
  if (!law->at && !law->force && !law->moment)
    throw Error(law->where, "'release' names none of 'at', 'force', 'moment'");
  builder.offer(release_name, law);
}

void apply_releases(Model& model, const std::map<int, ReleaseLaw>& laws) {
  for (Model::Range& range : model.ranges) {
    std::vector<std::optional<Release>> releases(static_cast<std::size_t>(range.instances->size()));
    for (int i = 0; i < range.instances->size(); ++i)
      if (const auto law = laws.find(range.instances->entity(i)); law != laws.end())
        releases[static_cast<std::size_t>(i)].emplace(make_release(model, *range.instances, i, law->second));
    if (std::ranges::any_of(releases, [](const auto& r) { return r.has_value(); }))
      range.instances = std::make_unique<ReleasableRange>(std::move(range.instances), std::move(releases));
  }
}

}  // namespace trammel
