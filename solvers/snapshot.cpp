#include "solvers/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trammel {

namespace {

/// Where the numbers of a block lie in the fields of a state.
template <class S, class Use>
void each_field(S& state, const UnknownBlock& u, Use&& use) {
  use(state.value.data() + u.place.value, value_size(u.kind, u.size));
  for (const auto field : State::fields_by_dof()) use((state.*field).data() + u.place.dof, u.size);
}

}  // namespace

void Snapshot::serialize(Archive& archive) {
  int found = version;
  archive(found);
  if (found != version)
    throw Error(fmt::format("a snapshot of version {}, where {} is known", found, version));
  archive(stage_, rank_, ranks_, time_, blocks_, histories_, run_);
}

void Snapshot::take(int stage, const State& state, ModelHistory& history) {
  const Layout& layout = history.assembler().layout();
  stage_ = stage;
  rank_ = layout.rank();
  ranks_ = layout.ranks();
  time_ = state.time;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned) continue;
    std::vector<double>& all = blocks_[u.block];
    each_field(state, u, [&all](const double* from, int n) { all.insert(all.end(), from, from + n); });
  }
  Archive archive;
  history.serialize(archive);
  histories_ = archive.bytes();
}

void Snapshot::restore_histories(ModelHistory& history) const {
  Archive archive(histories_);
  history.serialize(archive);
}

State Snapshot::restore_state(const Model& model, Layout& layout) const {
  if (rank_ != layout.rank() || ranks_ != layout.ranks())
    throw Error(fmt::format("a snapshot of rank {} of {} cannot serve rank {} of {}", rank_, ranks_,
                            layout.rank(), layout.ranks()));
  State state = layout.initial_state();
  state.time = time_;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned) continue;
    const auto found = blocks_.find(u.block);
    int numbers = 0;
    each_field(state, u, [&numbers](double*, int n) { numbers += n; });
    if (found == blocks_.end() || found->second.size() != static_cast<std::size_t>(numbers))
      throw Error(fmt::format("the snapshot has no state of '{}'", model.block(u.block).name));
    const double* from = found->second.data();
    each_field(state, u, [&from](double* to, int n) {
      std::copy_n(from, n, to);
      from += n;
    });
  }
  State* const all[] = {&state};
  layout.revise(all, false);
  return state;
}

}  // namespace trammel
