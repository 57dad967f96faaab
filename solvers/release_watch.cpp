#include "solvers/release_watch.hpp"

#include <algorithm>

#include "trammel/collective_errors.hpp"
#include "trammel/plugin_call.hpp"
#include "trammel/rank_exchange.hpp"
#include "trammel/start_conditions.hpp"

namespace trammel {

namespace {

/// Collects the rows that equal their multiplier, of the multipliers that couple with themselves.
class EqualRows final : public ShareSink {
 public:
  EqualRows(const Model& model, const ElementRange& range) : model_(model), range_(range) {}
  void look_at(const State& state, const BlockPlace* places) {
    state_ = &state;
    places_ = places;
    rows.clear();
  }
  void add(int i, LocalSystem& share) override {
    const std::span<const BlockId> stencil = range_.stencil(i);
    int offset = 0;
    for (std::size_t k = 0; k < stencil.size(); ++k) {
      const Block& block = model_.block(stencil[k]);
      const int own = static_cast<int>(k);
      if (is_multiplier(block.kind) && range_.couples(i, own, own))
        for (int c = 0; c < block.size; ++c)
          if (share.residual()[offset + c] == state_->value[static_cast<std::size_t>(places_[k].value + c)])
            rows.insert(rows.end(), {stencil[k], c});
      offset += block.size;
    }
  }

  std::vector<int> rows;  ///< block, component, ...

 private:
  const Model& model_;
  const ElementRange& range_;
  const State* state_ = nullptr;
  const BlockPlace* places_ = nullptr;
};

/// A copy of some blocks with each multiplier moved, by little: what follows from it is found soon.
struct Moved {
  State state;
  std::vector<BlockPlace> places;

  void take(const Model& model, std::span<const BlockId> stencil, const State& at,
            const std::vector<BlockPlace>& from) {
    constexpr double little = 1e-6;
    places.clear();
    for (std::vector<double>* all : {&state.value, &state.rate, &state.acceleration, &state.remainder})
      all->clear();
    state.time = at.time;
    for (std::size_t k = 0; k < stencil.size(); ++k) {
      const Block& block = model.block(stencil[k]);
      places.push_back(
          {static_cast<std::int32_t>(state.value.size()), static_cast<std::int32_t>(state.rate.size())});
      const auto append = [](std::vector<double>& to, const std::vector<double>& all, int first, int count) {
        to.insert(to.end(), all.begin() + first, all.begin() + first + count);
      };
      append(state.value, at.value, from[k].value, value_size(block.kind, block.size));
      append(state.rate, at.rate, from[k].dof, block.size);
      append(state.acceleration, at.acceleration, from[k].dof, block.size);
      append(state.remainder, at.remainder, from[k].dof, block.size);
      if (is_multiplier(block.kind))
        for (auto value = state.value.end() - block.size; value != state.value.end(); ++value)
          *value += little;
    }
  }
};

}  // namespace

ReleaseWatch::ReleaseWatch(Assembler& assembler) : assembler_(assembler) {
  const Model& model = assembler.model();
  for (const Model::Range& range : model.ranges) {
    if (dynamic_cast<const StartConditions*>(range.instances.get()) != nullptr) continue;  // not in a stage
    for (int i = 0; i < range.instances->size(); ++i) {
      const std::span<const BlockId> stencil = range.instances->stencil(i);
      for (int k = 0; k < static_cast<int>(stencil.size()); ++k)
        if (is_multiplier(model.block(stencil[static_cast<std::size_t>(k)]).kind) &&
            range.instances->couples(i, k, k)) {
          candidates_.push_back({range.instances.get(), i});
          break;
        }
    }
  }
  int found = candidates_.empty() ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, assembler.layout().comm());
  needed_ = found != 0;
}

std::optional<std::vector<ConstraintRow>> ReleaseWatch::released(const State& state) const {
  const Layout& layout = assembler_.layout();
  const Model& model = assembler_.model();
  std::vector<int> numbers;
  LocalFault fault;
  const Entity* entity = nullptr;
  try {
    std::vector<BlockPlace> places;
    std::vector<const BlockPlace*> place_of;
    Moved moved;
    for (const Candidate& c : candidates_) {
      entity = &model.entities[static_cast<std::size_t>(c.range->entity(c.instance))];
      const PluginCall call(*entity);
      const std::span<const BlockId> stencil = c.range->stencil(c.instance);
      const auto at = static_cast<std::size_t>(c.instance);
      place_of.resize(std::max(place_of.size(), at + 1));
      EqualRows found(model, *c.range);
      const auto look = [&](const State& where, const BlockPlace* its_places) {
        place_of[at] = its_places;
        found.look_at(where, its_places);
        c.range->evaluate(c.instance, c.instance + 1, where, place_of, {}, found);
      };
      places.clear();
      for (const BlockId id : stencil) places.push_back(layout.place(id));
      look(state, places.data());
      if (found.rows.empty()) continue;
      // A force and a gap may both be zero: not so with another multiplier.
      moved.take(model, stencil, state, places);
      look(moved.state, moved.places.data());
      numbers.insert(numbers.end(), found.rows.begin(), found.rows.end());
    }
  } catch (...) {
    fault.capture(entity, layout.rank(), state.time);
  }
  if (!fault.agree(layout.comm())) return std::nullopt;
  if (layout.ranks() > 1) numbers = of_all_ranks(numbers, layout.comm());
  std::vector<ConstraintRow> rows;
  for (std::size_t i = 0; i < numbers.size(); i += 2) rows.push_back({numbers[i], numbers[i + 1]});
  std::ranges::sort(rows, {}, [](const ConstraintRow& row) { return std::pair(row.block, row.component); });
  return rows;
}

}  // namespace trammel
