#include "solvers/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "solvers/rank_bytes.hpp"

namespace trammel {

namespace {

/// Where the numbers of a block lie in the fields of a state.
template <class S, class Use>
void each_field(S& state, const UnknownBlock& u, Use&& use) {
  use(state.value.data() + u.offset.value, value_size(u.kind, u.size));
  for (const auto field : State::fields_by_dof()) use((state.*field).data() + u.offset.dof, u.size);
}

}  // namespace

void Snapshot::serialize(Archive& archive) {
  int found = version;
  archive(found);
  if (found != version)
    throw Error(fmt::format("a snapshot of version {}, where {} is known", found, version));
  archive(contents_);
}

void Snapshot::take(const StepReport& report, const State& state, ModelHistory& history) {
  const Layout& layout = history.assembler().layout();
  contents_.stage = report.stage;
  contents_.stage_ended = report.last;
  contents_.time = state.time;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned) continue;
    std::vector<double>& all = contents_.blocks[u.block];
    each_field(state, u, [&all](const double* from, int n) { all.insert(all.end(), from, from + n); });
  }
  unite_on_first(contents_.blocks, layout.comm());
  Archive rows;
  history.serialize(rows, contents_.histories);
  contents_.rows = rows.bytes();
}

void Snapshot::restore_histories(ModelHistory& history) const {
  Archive rows(contents_.rows);
  auto histories = contents_.histories;
  history.serialize(rows, histories);
}

State Snapshot::restore_state(const Model& model, Layout& layout) const {
  State state = layout.initial_state();
  state.time = contents_.time;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned) continue;
    const auto found = contents_.blocks.find(u.block);
    int numbers = 0;
    each_field(state, u, [&numbers](double*, int n) { numbers += n; });
    if (found == contents_.blocks.end() || found->second.size() != static_cast<std::size_t>(numbers))
      throw Error(fmt::format("nothing was saved of the state of '{}'", model.block(u.block).name));
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
