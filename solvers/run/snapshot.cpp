#include "solvers/run/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/newton/named_blocks.hpp"
#include "solvers/ranks/rank_bytes.hpp"

namespace trammel {

namespace {

/// Where the numbers of a block lie in the fields of a state.
template <class S, class Use>
void each_field(S& state, const UnknownBlock& u, Use&& use) {
  use(state.value.data() + u.offset.value, value_size(u.kind, u.size));
  for (const auto field : State::fields_by_dof()) use((state.*field).data() + u.offset.dof, u.size);
}

constexpr std::array fields_of_identified{&State::rate, &State::acceleration};

template <class S, class Use>
void each_field_of_identified(S& state, const Block& block, const BlockOffset& offset, Use&& use) {
  use(state.value.data() + offset.value, value_size(block.kind, block.size));
  for (const auto field : fields_of_identified) use((state.*field).data() + offset.dof, block.size);
}

/// What joints identified with other blocks or with the ground, of those that this rank knows.
template <class Use>
void each_identified(const Model& model, const Layout& layout, Use&& use) {
  for (const BlockId id : layout.known_blocks())
    if (!layout.carries_unknowns(id) && !is_multiplier(model.block(id).kind)) use(id, model.block(id));
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
  each_identified(history.assembler().model(), layout, [&](BlockId id, const Block& block) {
    std::vector<double>& all = contents_.identified[id];
    each_field_of_identified(state, block, layout.offset(id),
                             [&all](const double* from, int n) { all.insert(all.end(), from, from + n); });
  });
  unite_on_first(contents_.identified, layout.comm());
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
      throw Error(fmt::format("nothing was saved of the state of '{}'", model.block_name(u.block)));
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

State Snapshot::transfer(const Model& model, ModelHistory& history) const {
  Assembler& assembler = history.assembler();
  Layout& layout = assembler.layout();
  Archive rows(contents_.rows);
  RowStates states;
  rows(states);
  assembler.row_states() = states;
  history.transfer(contents_.histories);
  State state = layout.initial_state();
  state.time = contents_.time;
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned) continue;
    const double* from = nullptr;
    const auto take = [&from](double* to, int n) {
      std::copy_n(from, n, to);
      from += n;
    };
    if (const auto own = contents_.blocks.find(u.block); own != contents_.blocks.end()) {
      from = own->second.data();
      each_field(state, u, take);
    } else if (const auto other = contents_.identified.find(u.block); other != contents_.identified.end()) {
      from = other->second.data();
      each_field_of_identified(state, model.block(u.block), u.offset, take);
    }
  }
  State* const all[] = {&state};
  layout.revise(all, false);
  require_together(model, layout, state);
  return state;
}

void Snapshot::require_together(const Model& model, const Layout& layout, const State& state) const {
  constexpr double allowed = 1e-6;  // [m], of the entries of a rotation matrix
  std::vector<NamedBlock> apart;
  each_identified(model, layout, [&](BlockId id, const Block& block) {
    auto was = contents_.blocks.find(id);
    if (was == contents_.blocks.end()) {
      was = contents_.identified.find(id);
      if (was == contents_.identified.end()) return;
    }
    const double* now = state.value.data() + layout.offset(id).value;
    double most = 0;
    // Of a rotation the entries of the matrix: its quaternion has two signs.
    for (int i = 0; i < std::min(9, value_size(block.kind, block.size)); ++i)
      most = std::max(most, std::abs(now[i] - was->second[static_cast<std::size_t>(i)]));
    if (most > allowed) apart.push_back({id, 0, fmt::format("'{}' by {:.3g}", model.block_name(id), most)});
  });
  constexpr std::size_t most_named = 5;
  const std::string names = joined_names(apart, most_named, layout.comm());
  if (!names.empty())
    throw Error("joints that the checkpoint does not know are to hold together what has moved apart: " +
                names);
}

}  // namespace trammel
