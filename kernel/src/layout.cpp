#include "trammel/layout.hpp"

#include <algorithm>
#include <map>

#include "partition.hpp"
#include "petsc_call.hpp"

namespace trammel {

namespace {

std::size_t index(BlockId id) { return static_cast<std::size_t>(id); }

/// The rank that evaluates an instance: the one that owns most of its unknowns, the lowest of them.
int evaluator(const Model& model, const std::vector<int>& owner, std::span<const BlockId> stencil,
              int ranks) {
  if (ranks == 1) return 0;
  std::map<int, int> count;
  for (const BlockId id : stencil) {
    const BlockRoot& r = model.root(id);
    if (!r.fixed) count[owner[index(r.root)]] += model.block(id).size;
  }
  int best = 0, most = 0;
  for (const auto& [rank, n] : count)
    if (n > most) {
      best = rank;
      most = n;
    }
  return best;
}

}  // namespace

Layout::Layout(MPI_Comm comm, Model& model, const LayoutOptions& options)
    : comm_(comm), model_(&model), options_(options) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
  owner_ = partition(comm_, model);
  find_corrected();
  number_roots(owner_);
  if (ranks_ > 1)
    for (Model::Range& range : model.ranges) {
      std::vector<int> mine;
      for (int i = 0; i < range.instances->size(); ++i)
        if (evaluator(model, owner_, range.instances->stencil(i), ranks_) == rank_) mine.push_back(i);
      range.instances->keep(mine);
    }
  arrange();
}

Layout::~Layout() {
  VecScatterDestroy(&scatter_);
  VecDestroy(&local_vector_);
}

void Layout::set_stabilized(bool stabilized) {
  if (stabilized == options_.stabilized) return;
  options_.stabilized = stabilized;
  if (stabilized) find_corrected();
  number_roots(owner_);
  arrange();
}

void Layout::find_corrected() {
  const Model& model = *model_;
  corrected_.assign(model.blocks.size(), 0);
  for (const Model::Range& range : model.ranges)
    for (int i = 0; i < range.instances->size(); ++i) {
      const auto stencil = range.instances->stencil(i);
      const int blocks = static_cast<int>(stencil.size());
      for (int a = 0; a < blocks; ++a) {
        if (model.block(stencil[index(a)]).kind != BlockKind::multiplier) continue;
        for (int b = 0; b < blocks; ++b)
          if (is_kinematic(model.block(stencil[index(b)]).kind) && range.instances->couples(i, a, b))
            corrected_[index(model.root(stencil[index(b)]).root)] = 1;
      }
    }
  if (ranks_ > 1)
    MPI_Allreduce(MPI_IN_PLACE, corrected_.data(), static_cast<int>(corrected_.size()), MPI_CHAR, MPI_MAX,
                  comm_);
}

void Layout::number_roots(const std::vector<int>& owner) {
  const Model& model = *model_;
  const std::size_t n = model.blocks.size();
  global_.assign(n, -1);
  companion_.assign(n, -1);
  std::vector<PetscInt> count(static_cast<std::size_t>(ranks_), 0);
  const auto has_companion = [&](BlockId id) {
    const BlockKind kind = model.block(id).kind;
    return options_.stabilized &&
           (kind == BlockKind::multiplier || (is_kinematic(kind) && corrected_[index(id)]));
  };
  const auto each_root = [&](auto&& visit) {
    for (BlockId id = 0; id < static_cast<BlockId>(n); ++id)
      if (model.root(id).root == id && !model.root(id).fixed) visit(id);
  };
  each_root([&](BlockId id) {
    count[static_cast<std::size_t>(owner[index(id)])] += model.block(id).size * (has_companion(id) ? 2 : 1);
  });
  std::vector<PetscInt> next(count.size(), 0);
  for (std::size_t r = 1; r < count.size(); ++r) next[r] = next[r - 1] + count[r - 1];
  owned_size_ = count[static_cast<std::size_t>(rank_)];
  global_size_ = next.back() + count.back();
  each_root([&](BlockId id) {
    PetscInt& at = next[static_cast<std::size_t>(owner[index(id)])];
    global_[index(id)] = at;
    at += model.block(id).size;
    if (has_companion(id)) {
      companion_[index(id)] = at;
      at += model.block(id).size;
    }
  });
}

void Layout::arrange() {
  const Model& model = *model_;
  const std::size_t n = model.blocks.size();
  std::vector<char> wanted(n, 0);
  for (const Model::Range& range : model.ranges)
    for (int i = 0; i < range.instances->size(); ++i)
      for (const BlockId id : range.instances->stencil(i))
        wanted[index(id)] = wanted[index(model.root(id).root)] = 1;
  for (std::size_t id = 0; id < n; ++id)
    if (owner_[id] == rank_ && global_[id] >= 0) wanted[id] = 1;

  unknowns_.clear();
  known_.clear();
  places_.clear();
  unknown_index_.assign(n, -1);
  place_index_.assign(n, -1);
  value_count_ = dof_count_ = 0;
  int local = 0;
  const auto add_place = [&](BlockId id) {
    const Block& b = model.block(id);
    place_index_[index(id)] = static_cast<std::int32_t>(places_.size());
    places_.push_back({static_cast<std::int32_t>(value_count_), static_cast<std::int32_t>(dof_count_)});
    known_.push_back(id);
    value_count_ += static_cast<std::size_t>(value_size(b.kind, b.size));
    dof_count_ += static_cast<std::size_t>(b.size);
  };
  const auto add_unknown = [&](BlockId id, bool owned) {
    const Block& b = model.block(id);
    add_place(id);
    UnknownBlock u;
    u.block = id;
    u.kind = b.kind;
    u.size = b.size;
    u.place = places_.back();
    u.local = local;
    u.global = global_[index(id)];
    u.owned = owned;
    local += b.size;
    if (companion_[index(id)] >= 0) {
      u.companion_local = local;
      u.companion_global = companion_[index(id)];
      local += b.size;
    }
    unknown_index_[index(id)] = static_cast<std::int32_t>(unknowns_.size());
    unknowns_.push_back(u);
  };
  for (const bool owned : {true, false})
    for (BlockId id = 0; id < static_cast<BlockId>(n); ++id)
      if (wanted[index(id)] && global_[index(id)] >= 0 && (owner_[index(id)] == rank_) == owned)
        add_unknown(id, owned);
  for (BlockId id = 0; id < static_cast<BlockId>(n); ++id)
    if (wanted[index(id)] && global_[index(id)] < 0) add_place(id);
  local_size_ = local;

  TRAMMEL_PETSC(VecScatterDestroy(&scatter_));
  TRAMMEL_PETSC(VecDestroy(&local_vector_));
  if (ranks_ == 1) return;
  std::vector<PetscInt> from(static_cast<std::size_t>(local_size_));
  for (const UnknownBlock& u : unknowns_)
    for (int k = 0; k < u.size; ++k) {
      from[static_cast<std::size_t>(u.local + k)] = u.global + k;
      if (u.companion_local >= 0)
        from[static_cast<std::size_t>(u.companion_local + k)] = u.companion_global + k;
    }
  Vec x = create_vector();
  IS is = nullptr;
  TRAMMEL_PETSC(VecCreateSeq(PETSC_COMM_SELF, local_size_, &local_vector_));
  TRAMMEL_PETSC(ISCreateGeneral(comm_, local_size_, from.data(), PETSC_COPY_VALUES, &is));
  TRAMMEL_PETSC(VecScatterCreate(x, is, local_vector_, nullptr, &scatter_));
  TRAMMEL_PETSC(ISDestroy(&is));
  TRAMMEL_PETSC(VecDestroy(&x));
}

const UnknownBlock* Layout::unknown_of(BlockId id) const {
  const BlockRoot& r = model_->root(id);
  if (r.fixed) return nullptr;
  const std::int32_t i = unknown_index_[index(r.root)];
  return i < 0 ? nullptr : &unknowns_[static_cast<std::size_t>(i)];
}

const BlockPlace& Layout::place(BlockId id) const {
  return places_[static_cast<std::size_t>(place_index_[index(id)])];
}

State Layout::initial_state() const {
  State s;
  s.value.reserve(value_count_);
  s.rate.reserve(dof_count_);
  for (const BlockId id : known_) append_initial(model_->block(id), s);
  s.acceleration.assign(dof_count_, 0.0);
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
  local.resize(static_cast<std::size_t>(local_size_));
  Vec source = x;
  if (ranks_ > 1) {
    TRAMMEL_PETSC(VecScatterBegin(scatter_, x, local_vector_, INSERT_VALUES, SCATTER_FORWARD));
    TRAMMEL_PETSC(VecScatterEnd(scatter_, x, local_vector_, INSERT_VALUES, SCATTER_FORWARD));
    source = local_vector_;
  }
  const PetscScalar* values = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(source, &values));
  std::copy_n(values, local.size(), local.begin());
  TRAMMEL_PETSC(VecRestoreArrayRead(source, &values));
}

void Layout::add_from_local(const std::vector<double>& local, Vec x) const {
  PetscScalar* values = nullptr;
  Vec target = ranks_ > 1 ? local_vector_ : x;
  TRAMMEL_PETSC(VecGetArray(target, &values));
  if (ranks_ > 1)
    std::ranges::copy(local, values);
  else
    for (std::size_t i = 0; i < local.size(); ++i) values[i] += local[i];
  TRAMMEL_PETSC(VecRestoreArray(target, &values));
  if (ranks_ > 1) {
    TRAMMEL_PETSC(VecScatterBegin(scatter_, local_vector_, x, ADD_VALUES, SCATTER_REVERSE));
    TRAMMEL_PETSC(VecScatterEnd(scatter_, local_vector_, x, ADD_VALUES, SCATTER_REVERSE));
  }
}

void Layout::update_shared(State& state) const {
  for (std::size_t k = unknowns_.size(); k < known_.size(); ++k) {
    const BlockId id = known_[k];
    const BlockRoot& r = model_->root(id);
    if (r.root == id) continue;
    const BlockPlace to = places_[k];
    const BlockPlace from = place(r.root);
    const Block& b = model_->block(id);
    if (r.rotated) {
      const Eigen::Map<const Mat3> R_root(state.value.data() + from.value);
      Eigen::Map<Mat3> R(state.value.data() + to.value);
      R = R_root * r.Q;
      const double* q = state.value.data() + from.value + 9;
      const Quaternion turned = Quaternion(q[0], q[1], q[2], q[3]) * Quaternion(r.Q);
      double* out = state.value.data() + to.value + 9;
      out[0] = turned.w();
      out[1] = turned.x();
      out[2] = turned.y();
      out[3] = turned.z();
      for (std::vector<double>* array : {&state.rate, &state.acceleration}) {
        const Vec3 root_rate = Eigen::Map<const Vec3>(array->data() + from.dof);
        Eigen::Map<Vec3>(array->data() + to.dof) = r.Q.transpose() * root_rate;
      }
    } else {
      std::copy_n(state.value.begin() + from.value, value_size(b.kind, b.size),
                  state.value.begin() + to.value);
      std::copy_n(state.rate.begin() + from.dof, b.size, state.rate.begin() + to.dof);
      std::copy_n(state.acceleration.begin() + from.dof, b.size, state.acceleration.begin() + to.dof);
    }
  }
}

void Layout::revise(std::span<State* const> states) {
  struct Old {
    std::vector<BlockPlace> places;
    std::vector<std::int32_t> place_index;
  } old{places_, place_index_};
  if (options_.stabilized) {
    // Constraints may have moved on to other blocks, which are corrected from now on.
    const std::vector<char> before = corrected_;
    find_corrected();
    if (corrected_ != before) number_roots(owner_);
  }
  arrange();
  // Ghosts get what their owners know. A rotation's quaternion travels in two parts, since a block of x has room for
  // three numbers: part 0 carries (x, y, z), part 1 carries w.
  Vec x = create_vector();
  std::vector<double> local;
  for (State* const state : states) {
    State fresh = initial_state();
    fresh.time = state->time;
    for (int part = 0; part < 4; ++part) {
      PetscScalar* values = nullptr;
      TRAMMEL_PETSC(VecZeroEntries(x));
      TRAMMEL_PETSC(VecGetArray(x, &values));
      for (const UnknownBlock& u : unknowns_) {
        if (!u.owned) continue;
        const BlockPlace& from = old.places[static_cast<std::size_t>(old.place_index[index(u.block)])];
        const double* value = state->value.data() + from.value;
        double* to = values + u.local;
        const bool rotation = u.kind == BlockKind::rotation;
        if (part == 0) std::copy_n(rotation ? value + 10 : value, u.size, to);
        if (part == 1 && rotation) to[0] = value[9];
        if (part == 2) std::copy_n(state->rate.data() + from.dof, u.size, to);
        if (part == 3) std::copy_n(state->acceleration.data() + from.dof, u.size, to);
      }
      TRAMMEL_PETSC(VecRestoreArray(x, &values));
      to_local(x, local);
      for (const UnknownBlock& u : unknowns_) {
        const double* from = local.data() + u.local;
        double* value = fresh.value.data() + u.place.value;
        if (u.kind == BlockKind::rotation && part < 2) {
          if (part == 0) std::copy_n(from, 3, value + 10);
          if (part == 1) {
            value[9] = from[0];
            Eigen::Map<Mat3> R(value);
            R = Quaternion(value[9], value[10], value[11], value[12]).toRotationMatrix();
          }
        } else if (part == 0) {
          std::copy_n(from, u.size, value);
        }
        if (part == 2) std::copy_n(from, u.size, fresh.rate.data() + u.place.dof);
        if (part == 3) std::copy_n(from, u.size, fresh.acceleration.data() + u.place.dof);
      }
    }
    update_shared(fresh);
    *state = std::move(fresh);
  }
  TRAMMEL_PETSC(VecDestroy(&x));
}

LayoutShare Layout::share() const {
  LayoutShare s;
  s.owned_unknowns = owned_size_;
  s.ghost_unknowns = local_size_ - owned_size_;
  for (const Model::Range& range : model_->ranges) s.instances += range.instances->size();
  return s;
}

LayoutShare Layout::largest_share() const {
  const LayoutShare s = share();
  PetscInt in[3] = {s.owned_unknowns + s.ghost_unknowns, s.ghost_unknowns, s.instances}, out[3];
  MPI_Allreduce(in, out, 3, MPIU_INT, MPI_MAX, comm_);
  return {out[0] - out[1], out[1], out[2]};
}

}  // namespace trammel
