#include "kernel/layout.hpp"

#include <algorithm>
#include <map>

#include "kernel/partition.hpp"
#include "kernel/petsc_call.hpp"
#include "kernel/rank_exchange.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

void sort_out(std::vector<BlockId>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

/// Frames first, then what is alike, so that solvers treat long runs of numbers alike.
void sort_by_kind(const Model& model, std::vector<BlockId>& ids) {
  std::map<BlockKind, std::vector<BlockId>> of_kind;
  for (const BlockId id : ids) {
    const BlockKind kind = model.block(id).kind;
    of_kind[kind == BlockKind::rotation ? BlockKind::position : kind].push_back(id);
  }
  ids.clear();
  for (const auto& [kind, its] : of_kind) ids.insert(ids.end(), its.begin(), its.end());
}

}  // namespace

int Layout::owner(BlockId root) const {
  if (ranks_ == 1) return 0;
  return model_->partition.whole() ? owner_[root] : model_->partition.speaker(entity_of(root));
}

/// The rank that evaluates an instance: the rank that owns most of its unknowns (of several, the lowest). In a model that is
/// expanded by partition it is the rank that has the entity or, if all ranks have it, the rank that has its target.
int Layout::evaluator(const ElementRange& range, int instance) const {
  if (ranks_ == 1) return 0;
  const ModelPartition& partition = model_->partition;
  if (!partition.whole()) {
    const int rank = partition.owner[at(range.entity(instance))];
    const auto stencil = range.stencil(instance);
    return rank >= 0 || stencil.empty() ? std::max(rank, 0) : owner(stencil[0]);
  }
  if (const auto read = model_->read_instances.find(range.entity(instance));
      read != model_->read_instances.end() && read->second.range != nullptr)
    return evaluator(*read->second.range, read->second.number);
  std::map<int, int> count;
  for (const BlockId id : range.stencil(instance)) {
    const BlockRoot& r = root(id);
    if (!r.fixed) count[owner(r.root)] += model_->block(id).size;
  }
  const auto best = std::ranges::max_element(count, {}, [](const auto& of_rank) { return of_rank.second; });
  return best == count.end() ? 0 : best->first;
}

Layout::Layout(MPI_Comm comm, const Model& model, const LayoutOptions& options)
    : comm_(comm), model_(&model), options_(options), identification_(model, options.identify, comm) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
  tell_joints();
  if (ranks_ > 1 && model.partition.whole()) owner_ = partition(comm_, model, identification_);
  for (const Model::Range& range : model.ranges) {
    std::vector<int>& mine = instances_.emplace_back();
    for (int i = 0; i < range.instances->size(); ++i)
      if (evaluator(*range.instances, i) == rank_) mine.push_back(i);
  }
  find_corrected();
  number_roots();
  arrange();
}

Layout::~Layout() {
  VecScatterDestroy(&scatter_);
  VecDestroy(&ghosts_);
}

/// Tells the instances of joints which of their multipliers carry no unknowns.
void Layout::tell_joints() {
  const Model& model = *model_;
  without_equations_.resize(model.ranges.size());
  if (model.offers.empty()) return;
  for (std::size_t r = 0; r < model.ranges.size(); ++r) {
    ElementRange& range = *model.ranges[r].instances;
    for (int i = 0; i < range.size(); ++i) {
      const auto offers = model.offers.find(range.entity(i));
      if (offers == model.offers.end()) continue;
      const auto stencil = range.stencil(i);
      bool any = true;
      for (const IdentityOffer& offer : offers->second) {
        const auto its = std::ranges::find(stencil, offer.multiplier);
        if (its == stencil.end()) continue;
        any = range.identified(i, static_cast<int>(its - stencil.begin()), root(offer.multiplier).fixed);
      }
      if (!any) without_equations_[r].push_back(i);
    }
  }
}

void Layout::set_stabilized(bool stabilized) {
  if (stabilized == options_.stabilized) return;
  options_.stabilized = stabilized;
  if (stabilized) find_corrected();
  number_roots();
  arrange();
}

void Layout::find_corrected() {
  const Model& model = *model_;
  std::vector<BlockId> touched;
  for (std::size_t r = 0; r < model.ranges.size(); ++r) {
    const ElementRange& range = *model.ranges[r].instances;
    for (const int i : instances(r)) {
      const auto stencil = range.stencil(i);
      const int blocks = static_cast<int>(stencil.size());
      for (int a = 0; a < blocks; ++a) {
        const BlockId row = stencil[at(a)];
        if (model.block(row).kind != BlockKind::multiplier || !carries_unknowns(row)) continue;
        for (int b = 0; b < blocks; ++b)
          if (is_kinematic(model.block(stencil[at(b)]).kind) && range.couples(i, a, b))
            touched.push_back(root(stencil[at(b)]).root);
      }
    }
  }
  sort_out(touched);
  corrected_.clear();
  ByRank to(at(ranks_));
  for (const BlockId id : touched) {
    const int rank = owner(id);
    if (rank == rank_)
      corrected_.push_back(id);
    else
      to[at(rank)].push_back(id);
  }
  if (ranks_ == 1) return;
  for (const auto& ids : exchange_by_rank(to, comm_))
    corrected_.insert(corrected_.end(), ids.begin(), ids.end());
  sort_out(corrected_);
}

void Layout::number_roots() {
  const Model& model = *model_;
  global_.clear();
  stabilizing_.clear();
  const auto has_stabilizing = [&](BlockId id) {
    const BlockKind kind = model.block(id).kind;
    return options_.stabilized && (kind == BlockKind::multiplier ||
                                   (is_kinematic(kind) && std::ranges::binary_search(corrected_, id)));
  };
  std::vector<BlockId> own;
  for (const BlockId id : model.blocks.ids())
    if (carries_unknowns(id) && owner(id) == rank_) own.push_back(id);
  sort_by_kind(model, own);
  owned_size_ = 0;
  for (const BlockId id : own) owned_size_ += model.block(id).size * (has_stabilizing(id) ? 2 : 1);
  PetscInt end = 0;
  MPI_Scan(&owned_size_, &end, 1, MPIU_INT, MPI_SUM, comm_);
  MPI_Allreduce(&owned_size_, &global_size_, 1, MPIU_INT, MPI_SUM, comm_);
  PetscInt next = end - owned_size_;
  for (const BlockId id : own) {
    global_.put(id) = next;
    next += model.block(id).size;
    if (has_stabilizing(id)) {
      stabilizing_.put(id) = next;
      next += model.block(id).size;
    }
  }
}

/// Asks their owners for the numbers of those blocks that have none here. Collective.
void Layout::number_ghosts(const std::vector<BlockId>& wanted) {
  ByRank ask(at(ranks_));
  for (const BlockId id : wanted)
    if (carries_unknowns(id) && owner(id) != rank_) ask[at(owner(id))].push_back(id);
  const ByRank asked = exchange_by_rank(ask, comm_);
  ByRank answer(asked.size());
  for (std::size_t r = 0; r < asked.size(); ++r)
    for (const BlockId id : asked[r]) answer[r].insert(answer[r].end(), {global_[id], stabilizing_[id]});
  const ByRank numbers = exchange_by_rank(answer, comm_);
  for (std::size_t r = 0; r < ask.size(); ++r)
    for (std::size_t k = 0; k < ask[r].size(); ++k) {
      global_.put(ask[r][k]) = static_cast<PetscInt>(numbers[r][2 * k]);
      stabilizing_.put(ask[r][k]) = static_cast<PetscInt>(numbers[r][2 * k + 1]);
    }
}

/// The blocks that this rank must know: its own, and those that its instances read or may read later.
std::vector<BlockId> Layout::wanted_blocks() const {
  const Model& model = *model_;
  BlockValues<char> touched(model.blocks);
  const auto touch = [&](std::span<const BlockId> blocks) {
    for (const BlockId id : blocks)
      for (const BlockId one : {id, root(id).root})
        if (model.blocks.find(one) >= 0) touched.put(one) = 1;
  };
  for (std::size_t r = 0; r < model.ranges.size(); ++r) {
    const ElementRange& range = *model.ranges[r].instances;
    const auto reaches = model.reaches.find(&range);
    for (const int i : instances(r)) {
      touch(range.stencil(i));
      if (reaches == model.reaches.end()) continue;
      if (const auto reach = reaches->second.find(i); reach != reaches->second.end()) touch(reach->second);
    }
  }
  std::vector<BlockId> wanted;
  for (const BlockId id : model.blocks.ids())
    if (touched[id] != 0 || (carries_unknowns(id) && owner(id) == rank_)) wanted.push_back(id);
  sort_by_kind(model, wanted);
  return wanted;
}

void Layout::arrange() {
  const Model& model = *model_;
  const std::vector<BlockId> wanted = wanted_blocks();
  if (ranks_ > 1) number_ghosts(wanted);

  unknowns_.clear();
  known_.clear();
  offsets_.clear();
  unknown_index_.clear();
  offset_index_.clear();
  value_count_ = dof_count_ = 0;
  int local = 0;
  const auto add_offset = [&](BlockId id) {
    const Block& b = model.block(id);
    offset_index_.put(id) = static_cast<std::int32_t>(offsets_.size());
    offsets_.push_back({static_cast<std::int32_t>(value_count_), static_cast<std::int32_t>(dof_count_)});
    known_.push_back(id);
    value_count_ += at(value_size(b.kind, b.size));
    dof_count_ += at(b.size);
  };
  const auto add_unknown = [&](BlockId id, bool owned) {
    const Block& b = model.block(id);
    add_offset(id);
    UnknownBlock u{.block = id,
                   .kind = b.kind,
                   .size = b.size,
                   .offset = offsets_.back(),
                   .local = local,
                   .global = global_[id],
                   .owned = owned};
    local += b.size;
    if (stabilizing_[id] >= 0) {
      u.stabilizing_local = local;
      u.stabilizing_global = stabilizing_[id];
      local += b.size;
    }
    unknown_index_.put(id) = static_cast<std::int32_t>(unknowns_.size());
    unknowns_.push_back(u);
  };
  for (const bool owned : {true, false})
    for (const BlockId id : wanted)
      if (carries_unknowns(id) && (owner(id) == rank_) == owned) add_unknown(id, owned);
  for (const BlockId id : wanted)
    if (!carries_unknowns(id)) add_offset(id);
  local_size_ = local;

  TRAMMEL_PETSC(VecScatterDestroy(&scatter_));
  TRAMMEL_PETSC(VecDestroy(&ghosts_));
  if (ranks_ == 1) return;
  // The numbers of this rank come first, in the order that a vector has them.
  std::vector<PetscInt> from(at(local_size_ - owned_size_));
  for (const UnknownBlock& u : unknowns_)
    for (int k = 0; k < u.size && !u.owned; ++k) {
      from[at(u.local + k - owned_size_)] = u.global + k;
      if (u.stabilizing_local >= 0)
        from[at(u.stabilizing_local + k - owned_size_)] = u.stabilizing_global + k;
    }
  const auto ghosts = static_cast<PetscInt>(from.size());
  Vec x = create_vector();
  IS is = nullptr;
  TRAMMEL_PETSC(VecCreateSeq(PETSC_COMM_SELF, ghosts, &ghosts_));
  TRAMMEL_PETSC(ISCreateGeneral(comm_, ghosts, from.data(), PETSC_COPY_VALUES, &is));
  TRAMMEL_PETSC(VecScatterCreate(x, is, ghosts_, nullptr, &scatter_));
  TRAMMEL_PETSC(ISDestroy(&is));
  TRAMMEL_PETSC(VecDestroy(&x));
}

const UnknownBlock* Layout::unknown_of(BlockId id) const {
  const BlockRoot& r = root(id);
  if (r.fixed) return nullptr;
  const std::int32_t i = unknown_index_[r.root];
  return i < 0 ? nullptr : &unknowns_[at(i)];
}

const BlockOffset& Layout::offset(BlockId id) const { return offsets_[at(offset_index_[id])]; }

State Layout::initial_state() const {
  State s;
  s.value.reserve(value_count_);
  s.rate.reserve(dof_count_);
  for (const BlockId id : known_) append_initial(model_->block(id), s);
  update_shared(s);
  return s;
}

Vec Layout::create_vector() const {
  Vec x = nullptr;
  TRAMMEL_PETSC(VecCreate(comm_, &x));
  TRAMMEL_PETSC(VecSetSizes(x, owned_size_, global_size_));
  TRAMMEL_PETSC(VecSetType(x, ranks_ == 1 ? VECSEQ : VECMPI));
  return x;
}

void Layout::to_local(Vec x, std::vector<double>& local) const {
  local.resize(at(local_size_));
  const auto copy = [](Vec from, double* to) {
    const PetscScalar* values = nullptr;
    PetscInt size = 0;
    TRAMMEL_PETSC(VecGetLocalSize(from, &size));
    TRAMMEL_PETSC(VecGetArrayRead(from, &values));
    std::copy_n(values, size, to);
    TRAMMEL_PETSC(VecRestoreArrayRead(from, &values));
  };
  if (ranks_ > 1) TRAMMEL_PETSC(VecScatterBegin(scatter_, x, ghosts_, INSERT_VALUES, SCATTER_FORWARD));
  copy(x, local.data());
  if (ranks_ == 1) return;
  TRAMMEL_PETSC(VecScatterEnd(scatter_, x, ghosts_, INSERT_VALUES, SCATTER_FORWARD));
  copy(ghosts_, local.data() + owned_size_);
}

void Layout::sum_local(const std::vector<double>& local, Vec x) const {
  PetscScalar* values = nullptr;
  TRAMMEL_PETSC(VecGetArrayWrite(x, &values));
  std::copy_n(local.begin(), owned_size_, values);
  TRAMMEL_PETSC(VecRestoreArrayWrite(x, &values));
  if (ranks_ == 1) return;
  TRAMMEL_PETSC(VecGetArrayWrite(ghosts_, &values));
  std::copy(local.begin() + owned_size_, local.end(), values);
  TRAMMEL_PETSC(VecRestoreArrayWrite(ghosts_, &values));
  TRAMMEL_PETSC(VecScatterBegin(scatter_, ghosts_, x, ADD_VALUES, SCATTER_REVERSE));
  TRAMMEL_PETSC(VecScatterEnd(scatter_, ghosts_, x, ADD_VALUES, SCATTER_REVERSE));
}

void Layout::update_shared(State& state) const {
  for (std::size_t k = unknowns_.size(); k < known_.size(); ++k) {
    const BlockId id = known_[k];
    const BlockRoot& r = root(id);
    if (r.root == id) continue;
    const BlockOffset to = offsets_[k];
    const BlockOffset from = offset(r.root);
    const Block& b = model_->block(id);
    if (r.Q != nullptr) {
      set_rotation(state.value.data() + to.value,
                   quaternion_of(state.value.data() + from.value) * Quaternion(*r.Q));
      for (std::vector<double>* array : {&state.rate, &state.acceleration}) {
        const Vec3 root_rate = Eigen::Map<const Vec3>(array->data() + from.dof);
        Eigen::Map<Vec3>(array->data() + to.dof) = r.Q->transpose() * root_rate;
      }
    } else {
      std::copy_n(state.value.begin() + from.value, value_size(b.kind, b.size),
                  state.value.begin() + to.value);
      for (std::vector<double>* array : {&state.rate, &state.acceleration, &state.compensation})
        std::copy_n(array->begin() + from.dof, b.size, array->begin() + to.dof);
    }
  }
}

void Layout::revise(std::span<State* const> states, bool ghosts_are_current) {
  const std::vector<BlockId> wanted = wanted_blocks();
  int changed[2] = {0, 0};  // the corrected blocks, the known ones
  changed[1] = wanted.size() != known_.size() ||
               !std::ranges::all_of(wanted, [this](BlockId id) { return knows(id); });
  if (options_.stabilized) {
    // Constraints may have moved on to other blocks, which are corrected from now on.
    const std::vector<BlockId> before = corrected_;
    find_corrected();
    changed[0] = corrected_ != before;
  }
  if (ranks_ > 1) MPI_Allreduce(MPI_IN_PLACE, changed, 2, MPI_INT, MPI_MAX, comm_);
  if (ghosts_are_current && changed[0] == 0 && changed[1] == 0) return;
  if (changed[0] != 0) number_roots();
  const std::vector<BlockOffset> old_offsets = std::move(offsets_);
  const BlockValues<std::int32_t> old_index = std::move(offset_index_);
  arrange();
  Vec x = create_vector();
  std::vector<double> local;
  for (State* const state : states) {
    State fresh = initial_state();
    fresh.time = state->time;
    // Ghosts get the values of their owners. `part`: where those of a block lie in an array, and how many they are.
    const auto fetch = [&](std::vector<double> State::*array, auto&& part) {
      PetscScalar* values = nullptr;
      TRAMMEL_PETSC(VecZeroEntries(x));
      TRAMMEL_PETSC(VecGetArray(x, &values));
      for (const UnknownBlock& u : unknowns_) {
        if (!u.owned) continue;
        const auto [begin, size] = part(u, old_offsets[at(old_index[u.block])]);
        std::copy_n((state->*array).data() + begin, size, values + u.local);
      }
      TRAMMEL_PETSC(VecRestoreArray(x, &values));
      to_local(x, local);
      for (const UnknownBlock& u : unknowns_) {
        const auto [begin, size] = part(u, u.offset);
        std::copy_n(local.data() + u.local, size, (fresh.*array).data() + begin);
      }
    };
    // A block of x has room for three numbers, so a rotation's quaternion travels in two parts: its w first, then x, y, z.
    constexpr BlockKind turned = BlockKind::rotation;
    fetch(&State::value, [](const UnknownBlock& u, const BlockOffset& from) {
      return std::pair(from.value + 9, u.kind == turned ? 1 : 0);
    });
    fetch(&State::value, [](const UnknownBlock& u, const BlockOffset& from) {
      return std::pair(from.value + (u.kind == turned ? 10 : 0), u.size);
    });
    for (const UnknownBlock& u : unknowns_)
      if (double* value = fresh.value.data() + u.offset.value; u.kind == turned)
        set_rotation(value, Quaternion(value[9], value[10], value[11], value[12]));
    for (const auto array : State::fields_by_dof())
      fetch(array,
            [](const UnknownBlock& u, const BlockOffset& from) { return std::pair(from.dof, u.size); });
    update_shared(fresh);
    *state = std::move(fresh);
  }
  TRAMMEL_PETSC(VecDestroy(&x));
}

RankPartition Layout::own_partition() const {
  RankPartition s{owned_size_, local_size_ - owned_size_};
  for (const std::vector<int>& mine : instances_) s.instances += static_cast<PetscInt>(mine.size());
  return s;
}

RankPartition Layout::largest_partition() const {
  const RankPartition s = own_partition();
  PetscInt in[3] = {s.owned_unknowns + s.ghost_unknowns, s.ghost_unknowns, s.instances}, out[3];
  MPI_Allreduce(in, out, 3, MPIU_INT, MPI_MAX, comm_);
  return {out[0] - out[1], out[1], out[2]};
}

}  // namespace trammel
