#include "solvers/constraints/constraint_rank.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

#include "kernel/rank_exchange.hpp"
#include "solvers/constraints/constraint_loops.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

// Where a remaining row has more than this many times the weight of the removed ones in a vanishing combination, others
// are removed, if they bring the weight down to a third at least.
constexpr double largest_weight = 10;
// Names in a line of the log, and lines.
constexpr std::size_t most_names = 20, most_lines = 20;

double row_scale(const Block& multiplier, int component, double length) {
  return multiplier.measure(component).metres(length) / length;
}

/// This rank's active rows of B, as they were evaluated. `wanted`: by multiplier block; empty: all.
std::vector<GradientRow> owned_rows(Assembler& assembler, double length, Mat B,
                                    const std::set<BlockId>& wanted) {
  const Model& model = assembler.model();
  std::vector<GradientRow> rows;
  for (const UnknownBlock& u : assembler.layout().unknowns()) {
    if (!u.owned || !is_multiplier(u.kind) || (!wanted.empty() && !wanted.contains(u.block))) continue;
    for (int k = 0; k < u.size; ++k) {
      if (assembler.statuses().of(u.block, k) != RowStatus::active) continue;
      PetscInt n = 0;
      const PetscInt* columns = nullptr;
      const PetscScalar* values = nullptr;
      TRAMMEL_PETSC(MatGetRow(B, u.global + k, &n, &columns, &values));
      GradientRow row;
      row.at = {u.block, k};
      row.entity = model.block(u.block).entity;
      row.scale = row_scale(model.block(u.block), k, length);
      row.entries.reserve(at(n));
      for (PetscInt j = 0; j < n; ++j) row.entries.emplace_back(static_cast<int>(columns[j]), values[j]);
      TRAMMEL_PETSC(MatRestoreRow(B, u.global + k, &n, &columns, &values));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// The same without entries of zero, and without rows that have no others.
void drop_zeros(std::vector<GradientRow>& rows) {
  for (GradientRow& row : rows)
    std::erase_if(row.entries, [](const auto& entry) { return entry.second == 0; });
  std::erase_if(rows, [](const GradientRow& row) { return row.entries.empty(); });
}

/// Rows of a group as they are decomposed. `places`, if asked for, are those of the entries among those of all rows.
SparseColumns by_column(const std::vector<GradientRow>& rows, const std::vector<int>& members,
                        std::vector<int>* places = nullptr) {
  std::vector<std::tuple<int, int, int, double>> entries;  // column, row, place, value
  for (std::size_t k = 0; k < members.size(); ++k) {
    int place = rows[at(members[k])].first_entry;
    for (const auto& [column, value] : rows[at(members[k])].entries)
      entries.emplace_back(column, static_cast<int>(k), place++, value);
  }
  std::ranges::sort(entries);
  SparseColumns out;
  out.rows = static_cast<int>(members.size());
  int last = -1;
  for (const auto& [column, row, place, value] : entries) {
    if (column != last) out.begin.insert(out.begin.end() - 1, static_cast<int>(out.row.size()));
    last = column;
    out.row.push_back(row);
    out.value.push_back(value);
    if (places != nullptr) places->push_back(place);
  }
  out.begin.back() = static_cast<int>(out.row.size());
  return out;
}

std::vector<ConstraintRow> ascending(std::span<const ConstraintRow> rows) {
  std::vector<ConstraintRow> out(rows.begin(), rows.end());
  std::ranges::sort(out);
  return out;
}

/// Rows of the group that are among `some` (ascending), by index.
std::vector<int> rows_among(std::span<const ConstraintRow> some, const ConstraintGroup& group) {
  std::vector<int> out;
  for (std::size_t i = 0; i < group.rows.size(); ++i)
    if (std::ranges::binary_search(some, group.rows[i].at)) out.push_back(static_cast<int>(i));
  return out;
}

/// "'A', 'B', 'C'", of entities.
std::string names_of(const std::set<int>& entities, const Model& model) {
  std::string names;
  std::size_t n = 0;
  for (const int entity : entities) {
    if (n++ == most_names) return fmt::format("{} and {} more", names, entities.size() - most_names);
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", model.entities[at(entity)].name);
  }
  return names.empty() ? "its others" : names;
}

/// Names of the multipliers of dependent rows, which not every rank knows.
std::map<BlockId, std::string> names_of_dependent(const std::vector<ConstraintGroup>& groups,
                                                  const Model& model, const Layout& layout) {
  std::set<BlockId> blocks;
  for (const ConstraintGroup& g : groups)
    for (const int i : g.dependent) blocks.insert(g.rows[at(i)].at.block);
  std::vector<char> text;
  for (const BlockId id : blocks) {
    const UnknownBlock* u = layout.knows(id) ? layout.unknown_of(id) : nullptr;
    if (u == nullptr || !u->owned) continue;
    const std::string line = fmt::format("{} {}\n", id, model.block_name(id));
    text.insert(text.end(), line.begin(), line.end());
  }
  text = of_all_ranks(text, layout.comm());
  std::map<BlockId, std::string> names;
  std::istringstream in(std::string(text.begin(), text.end()));
  for (BlockId id = no_block; in >> id;) {
    in.ignore(1);
    std::getline(in, names[id]);
  }
  return names;
}

}  // namespace

bool ConstraintRank::is_active(const ConstraintRow& row) const {
  return assembler_.statuses().of(row.block, row.component) == RowStatus::active;
}

void ConstraintRank::revise() {
  B_.reset();
  row_scales_.reset();
  column_scales_.reset();
  forget_places();
}

/// Rows and kinematic columns are made dimensionless; other columns vanish. By vectors over all ranks: the owner of a row need not know
/// the blocks of its columns.
void ConstraintRank::create_matrix() {
  const Layout& layout = assembler_.layout();
  const Model& model = assembler_.model();
  B_ = OwnedMat(assembler_.create_matrix());
  row_scales_ = OwnedVec(layout.create_vector());
  column_scales_ = OwnedVec(layout.create_vector());
  TRAMMEL_PETSC(VecSet(row_scales_.get(), 1));
  TRAMMEL_PETSC(VecSet(column_scales_.get(), 0));
  PetscScalar *of_rows = nullptr, *of_columns = nullptr;
  TRAMMEL_PETSC(VecGetArray(row_scales_.get(), &of_rows));
  TRAMMEL_PETSC(VecGetArray(column_scales_.get(), &of_columns));
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned) continue;
    const Block& block = model.block(u.block);
    for (int k = 0; k < u.size; ++k) {
      if (is_multiplier(u.kind)) of_rows[u.local + k] = row_scale(block, k, length_);
      if (is_kinematic(u.kind)) of_columns[u.local + k] = length_ / block.measure(k).metres(length_);
    }
  }
  TRAMMEL_PETSC(VecRestoreArray(row_scales_.get(), &of_rows));
  TRAMMEL_PETSC(VecRestoreArray(column_scales_.get(), &of_columns));
}

void ConstraintRank::evaluate(const State& state) {
  if (!B_) create_matrix();
  TangentWeights weights;
  weights.stiffness = weights.mass = weights.state_rate = weights.reaction = 0;
  weights.damping = 1;  // velocity-level constraints bring their gradient there
  weights.constraints_only = true;
  if (!assembler_.tangent(state, weights, B_.get()))
    throw Error(fmt::format("at t = {:g} {}", state.time, assembler_.rejection()));
}

void ConstraintRank::evaluate_scaled(const State& state) {
  evaluate(state);
  TRAMMEL_PETSC(MatDiagonalScale(B_.get(), row_scales_.get(), column_scales_.get()));
}

std::vector<double> ConstraintRank::scales_of(const std::vector<GradientRow>& mine) const {
  std::vector<double> scales;
  std::vector<PetscInt> columns;
  for (const GradientRow& row : mine)
    for (const auto& [column, value] : row.entries) {
      scales.push_back(row.scale);
      columns.push_back(column);
    }
  const auto n = static_cast<PetscInt>(columns.size());
  OwnedIS wanted;
  OwnedVec found;
  Owned<VecScatter, VecScatterDestroy> scatter;
  TRAMMEL_PETSC(ISCreateGeneral(PETSC_COMM_SELF, n, columns.data(), PETSC_COPY_VALUES, wanted.fill()));
  TRAMMEL_PETSC(VecCreateSeq(PETSC_COMM_SELF, n, found.fill()));
  TRAMMEL_PETSC(VecScatterCreate(column_scales_.get(), wanted.get(), found.get(), nullptr, scatter.fill()));
  TRAMMEL_PETSC(
      VecScatterBegin(scatter.get(), column_scales_.get(), found.get(), INSERT_VALUES, SCATTER_FORWARD));
  TRAMMEL_PETSC(
      VecScatterEnd(scatter.get(), column_scales_.get(), found.get(), INSERT_VALUES, SCATTER_FORWARD));
  const PetscScalar* of_columns = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(found.get(), &of_columns));
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] *= of_columns[i];
  TRAMMEL_PETSC(VecRestoreArrayRead(found.get(), &of_columns));
  return scales;
}

void ConstraintRank::append_groups(std::vector<GradientRow> mine) {
  const Layout& layout = assembler_.layout();
  drop_zeros(mine);
  const std::vector<GradientRow> looped = rows_in_loops(std::move(mine), layout.comm());
  const std::vector<GradientRow> rows =
      exchange_rows(looped, ranks_of_groups(looped, layout.comm()), layout.comm());
  std::vector<ConstraintGroup> found;
  for (const std::vector<int>& members : connected(rows)) {
    ConstraintGroup& group = found.emplace_back();
    for (const int i : members) group.rows.push_back({rows[at(i)].at, rows[at(i)].entity, rows[at(i)].scale});
    decompose(by_column(rows, members), group);
  }
  const std::size_t before = groups_.size();
  if (layout.ranks() > 1) {
    share_rows(groups_, found, layout.comm());
    share_decompositions(std::span(groups_).subspan(before), found, layout.comm());
  } else {
    std::ranges::move(found, std::back_inserter(groups_));
  }
  // The order must not depend on the partition.
  std::ranges::sort(std::span(groups_).subspan(before), {},
                    [](const ConstraintGroup& group) { return group.rows.front().at; });
}

void ConstraintRank::decompose(const SparseColumns& rows, ConstraintGroup& group) {
  RowDecomposition found = decomposer_.decompose(rows);
  group.dependent = std::move(found.dependent);
  group.null = std::move(found.null);
  group.weakest = group.weakest_of_kept = found.weakest;
}

void ConstraintRank::find(const State& state) {
  revise();
  evaluate_scaled(state);
  groups_.clear();
  append_groups(owned_rows(assembler_, length_, B_.get(), {}));
  loop_of_.clear();
  for (std::size_t k = 0; k < groups_.size(); ++k)
    for (const ConstraintGroup::Row& row : groups_[k].rows) loop_of_[row.at] = static_cast<int>(k);
  unseen_.clear();
  for (const auto& [row, status] : assembler_.statuses().rows()) unseen_.insert(row);
  note_groups();
  if (groups_.empty()) revise();
}

void ConstraintRank::note_groups() {
  const Layout& layout = assembler_.layout();
  forget_places();
  names_ = names_of_dependent(groups_, assembler_.model(), layout);
  looped_.clear();
  for (const ConstraintGroup& g : groups_)
    for (const ConstraintGroup::Row& row : g.rows) looped_.insert(row.at.block);
  int counts[2] = {0, 0};
  for (const UnknownBlock& u : layout.unknowns()) {
    if (!u.owned) continue;
    if (is_kinematic(u.kind)) counts[0] += u.size;
    if (is_multiplier(u.kind)) counts[1] += u.size;
  }
  MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT, MPI_SUM, layout.comm());
  degrees_of_freedom_ =
      counts[0] - counts[1] + static_cast<int>(assembler_.statuses().rows().size() + dependent_count());
}

void ConstraintRank::follow_switches(const State& state, std::span<const RowSwitch> rows) {
  std::set<int> touched;
  for (const RowSwitch& s : rows) {
    if (is_active(s.row) && unseen_.contains(s.row)) return find(state);
    if (const auto loop = loop_of_.find(s.row); loop != loop_of_.end()) touched.insert(loop->second);
  }
  if (touched.empty()) return note_groups();
  std::set<BlockId> wanted;
  std::set<ConstraintRow> of_touched;
  for (const auto& [row, loop] : loop_of_) {
    if (!touched.contains(loop)) continue;
    wanted.insert(row.block);
    of_touched.insert(row);
  }
  evaluate_scaled(state);
  std::vector<GradientRow> mine = owned_rows(assembler_, length_, B_.get(), wanted);
  std::erase_if(mine, [&](const GradientRow& row) { return !of_touched.contains(row.at); });
  std::erase_if(groups_, [&](const ConstraintGroup& g) { return of_touched.contains(g.rows.front().at); });
  append_groups(std::move(mine));
  note_groups();
}

/// Groups follow on each other in the order of the ranks that decompose them, each about as many rows.
void ConstraintRank::plan_following() {
  const Layout& layout = assembler_.layout();
  const auto ranks = static_cast<std::size_t>(layout.ranks());
  Followed& followed = followed_.emplace(Followed());
  std::map<ConstraintRow, int> home;  // the rank
  const auto all = static_cast<std::size_t>(looped());
  std::size_t before = 0;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const auto its = static_cast<int>(before * ranks / all);
    if (its == layout.rank()) followed.end = k + 1;
    if (its < layout.rank()) followed.begin = followed.end = k + 1;
    for (const ConstraintGroup::Row& row : groups_[k].rows) home[row.at] = its;
    before += groups_[k].rows.size();
  }
  std::vector<GradientRow> mine = owned_rows(assembler_, length_, B_.get(), looped_);
  std::erase_if(mine, [&](const GradientRow& row) { return !home.contains(row.at); });
  std::ranges::stable_sort(mine, {}, [&](const GradientRow& row) { return home.at(row.at); });
  std::vector<int> homes;
  followed.sent.assign(ranks, 0);
  for (const GradientRow& row : mine) {
    homes.push_back(home.at(row.at));
    followed.rows.push_back(layout.unknown_of(row.at.block)->global + row.at.component);
    followed.sent[at(homes.back())] += row.entries.size();
  }
  followed.scales = scales_of(mine);
  const std::vector<GradientRow> rows = exchange_rows(mine, homes, layout.comm());
  std::map<ConstraintRow, int> place;  // among the rows that this rank received
  for (std::size_t i = 0; i < rows.size(); ++i) place[rows[i].at] = static_cast<int>(i);
  for (std::size_t k = followed.begin; k < followed.end; ++k) {
    std::vector<int> members;
    for (const ConstraintGroup::Row& row : groups_[k].rows) members.push_back(place.at(row.at));
    followed.groups.push_back(by_column(rows, members, &followed.entries.emplace_back()));
  }
}

void ConstraintRank::follow(const State& state) {
  if (groups_.empty()) return;
  const Layout& layout = assembler_.layout();
  evaluate(state);
  if (!followed_) plan_following();
  values_.resize(followed_->scales.size());
  std::size_t place = 0;
  for (const PetscInt row : followed_->rows) {
    PetscInt n = 0;
    const PetscScalar* its = nullptr;
    TRAMMEL_PETSC(MatGetRow(B_.get(), row, &n, nullptr, &its));
    for (PetscInt i = 0; i < n; ++i, ++place) values_[place] = followed_->scales[place] * its[i];
    TRAMMEL_PETSC(MatRestoreRow(B_.get(), row, &n, nullptr, &its));
  }
  if (layout.ranks() > 1) {
    std::vector<std::vector<double>> outgoing;
    auto from = values_.begin();
    for (const std::size_t n : followed_->sent) {
      outgoing.emplace_back(from, from + static_cast<std::ptrdiff_t>(n));
      from += static_cast<std::ptrdiff_t>(n);
    }
    values_.clear();
    for (const std::vector<double>& its : exchange_by_rank(outgoing, layout.comm()))
      values_.insert(values_.end(), its.begin(), its.end());
  }
  const std::vector<ConstraintRow> removed = ascending(assembler_.redundant_rows());
  for (std::size_t k = 0; k < followed_->groups.size(); ++k) {
    SparseColumns& rows = followed_->groups[k];
    for (std::size_t i = 0; i < rows.value.size(); ++i) rows.value[i] = values_[at(followed_->entries[k][i])];
    ConstraintGroup& group = groups_[followed_->begin + k];
    decompose(rows, group);
    if (rows.rows > RowDecomposer::largest_dense) look_at_kept(rows, removed, group);
  }
  if (layout.ranks() > 1)
    share_decompositions(groups_,
                         std::span(groups_).subspan(followed_->begin, followed_->end - followed_->begin),
                         layout.comm());
}

/// Decomposes the rows that are not removed, if others than those would be.
void ConstraintRank::look_at_kept(const SparseColumns& rows, std::span<const ConstraintRow> removed,
                                  ConstraintGroup& group) {
  const std::vector<int> removed_here = rows_among(removed, group);
  if (removed_here == group.dependent) return;
  const RowDecomposition kept = decomposer_.decompose(rows.without(removed_here));
  group.weakest_of_kept = kept.dependent.empty() ? kept.weakest : 0;
}

std::vector<ConstraintRow> ConstraintRank::dependent() const {
  std::vector<ConstraintRow> out;
  for (const ConstraintGroup& g : groups_)
    for (const int i : g.dependent) out.push_back(g.rows[at(i)].at);
  return out;
}

std::size_t ConstraintRank::dependent_count() const {
  std::size_t n = 0;
  for (const ConstraintGroup& g : groups_) n += g.dependent.size();
  return n;
}

std::vector<ConstraintRow> ConstraintRank::better_than(std::span<const ConstraintRow> removed) const {
  const std::vector<ConstraintRow> now = ascending(removed);
  std::vector<ConstraintRow> out;
  bool better = false;
  for (const ConstraintGroup& g : groups_) {
    const std::vector<int> removed_here = rows_among(now, g);
    if (removed_here.size() != g.dependent.size()) return {};
    bool exchange = false;
    if (removed_here == g.dependent) {
      // In the combinations as they are, each of the removed rows has weight one, and no rows are better.
    } else if (g.null.rows > RowDecomposer::largest_dense) {
      exchange = largest_weight * g.weakest_of_kept < g.weakest;
    } else {
      const Eigen::MatrixXd null(g.null.matrix());
      const Eigen::MatrixXd part = null(removed_here, Eigen::all);
      const Eigen::FullPivLU<Eigen::MatrixXd> lu(part.transpose());
      const double weight = lu.isInvertible() ? lu.solve(null.transpose()).cwiseAbs().maxCoeff() : HUGE_VAL;
      exchange = weight > largest_weight && 3 * null.cwiseAbs().maxCoeff() < weight;
    }
    better |= exchange;
    for (const int i : exchange ? g.dependent : removed_here) out.push_back(g.rows[at(i)].at);
  }
  return better ? out : std::vector<ConstraintRow>();
}

int ConstraintRank::looped() const {
  std::size_t n = 0;
  for (const ConstraintGroup& g : groups_) n += g.rows.size();
  return static_cast<int>(n);
}

double ConstraintRank::weakest() const {
  double least = 1;
  for (const ConstraintGroup& g : groups_) least = std::min(least, g.weakest);
  return least;
}

void ConstraintRank::refuse_repeated_contacts() const {
  const Model& model = assembler_.model();
  const Layout& layout = assembler_.layout();
  const auto is_unilateral = [&](const ConstraintRow& row) {
    const UnknownBlock* u = layout.knows(row.block) ? layout.unknown_of(row.block) : nullptr;
    return u != nullptr && u->owned &&
           model.block(row.block).rows[at(row.component)].law == RowLaw::unilateral;
  };
  std::vector<int> unilateral, one_of_them;  // by combination: rows that take part
  for (const ConstraintGroup& g : groups_)
    for (int j = 0; j < g.null.columns(); ++j) {
      unilateral.push_back(0);
      one_of_them.push_back(-1);
      for (const int k : g.taking_part(j)) {
        if (!is_unilateral(g.rows[at(k)].at)) continue;
        ++unilateral.back();
        one_of_them.back() = k;
      }
    }
  const int n = static_cast<int>(unilateral.size());
  MPI_Allreduce(MPI_IN_PLACE, unilateral.data(), n, MPI_INT, MPI_SUM, layout.comm());
  MPI_Allreduce(MPI_IN_PLACE, one_of_them.data(), n, MPI_INT, MPI_MAX, layout.comm());
  std::size_t place = 0;
  for (const ConstraintGroup& g : groups_)
    for (int j = 0; j < g.null.columns(); ++j, ++place) {
      // Contacts that are redundant with each other share their load. A single contact that is redundant with equations has none.
      if (unilateral[place] != 1) continue;
      const int entity = g.rows[at(one_of_them[place])].entity;
      if (entity < 0) continue;
      const Entity& e = model.entities[at(entity)];
      std::set<int> others = g.entities_of(j);
      others.erase(entity);
      throw Error(e.where,
                  fmt::format("{} '{}' ({}) can open, but its equation follows from those of {}: it would "
                              "never open, and its force is not determined",
                              e.category, e.name, e.type, names_of(others, model)));
    }
}

std::vector<std::string> ConstraintRank::in_words() const {
  const Model& model = assembler_.model();
  std::vector<std::string> lines;
  std::size_t more = 0, of_more = 0;  // entities, and their dependent rows
  for (const ConstraintGroup& g : groups_) {
    std::map<int, std::vector<int>> by_entity;  // dependent rows, by index into g.dependent
    for (std::size_t j = 0; j < g.dependent.size(); ++j)
      by_entity[g.rows[at(g.dependent[j])].entity].push_back(static_cast<int>(j));
    for (const auto& [entity, dependents] : by_entity) {
      if (entity < 0) continue;
      if (lines.size() == most_lines) {
        ++more;
        of_more += dependents.size();
        continue;
      }
      std::set<int> others;
      std::string what;
      for (const int j : dependents) {
        const ConstraintRow& row = g.rows[at(g.dependent[at(j)])].at;
        const auto known = names_.find(row.block);
        std::string block = known == names_.end() ? "row" : known->second;
        block = block.substr(block.rfind('.') + 1);
        what += fmt::format("{}{} {}", what.empty() ? "" : ", ", block, row.component + 1);
        others.merge(g.entities_of(j));
      }
      others.erase(entity);
      const Entity& e = model.entities[at(entity)];
      lines.push_back(fmt::format("{} '{}' has {} redundant {}, which follow{} from those of {}: {}",
                                  e.category, e.name, dependents.size(),
                                  dependents.size() == 1 ? "equation" : "equations",
                                  dependents.size() == 1 ? "s" : "", names_of(others, model), what));
    }
  }
  if (more > 0) lines.push_back(fmt::format("{} others have {} redundant equations", more, of_more));
  return lines;
}

void ConstraintRank::forget_places() {
  followed_.reset();
  places_.clear();
}

void ConstraintRank::find_places() {
  const Layout& layout = assembler_.layout();
  for (const ConstraintGroup& g : groups_) {
    std::vector<Place>& places = places_.emplace_back();
    for (const ConstraintGroup::Row& row : g.rows) {
      const BlockId block = row.at.block;
      const UnknownBlock* u = layout.knows(block) ? layout.unknown_of(block) : nullptr;
      places.push_back(u == nullptr ? Place() : Place{u->offset.value + row.at.component, u->owned});
    }
  }
}

void ConstraintRank::least_norm(State& state) {
  const Layout& layout = assembler_.layout();
  if (places_.empty()) find_places();
  // Multipliers of the scaled rows, B^T lambda = (scaled B)^T (lambda / scale), of all groups with dependent rows.
  std::vector<double> all;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    if (groups_[k].dependent.empty()) continue;
    for (std::size_t i = 0; i < places_[k].size(); ++i) {
      const Place& its = places_[k][i];
      all.push_back(its.owned ? state.value[at(its.value)] / groups_[k].rows[i].scale : 0);
    }
  }
  if (layout.ranks() > 1)
    MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM, layout.comm());
  const double* from = all.data();
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const ConstraintGroup& g = groups_[k];
    if (g.dependent.empty()) continue;
    const std::vector<Place>& places = places_[k];
    const double* const its = std::exchange(from, from + places.size());
    if (std::ranges::all_of(places, [](const Place& place) { return place.value < 0; })) continue;
    Eigen::VectorXd lambda = Eigen::Map<const Eigen::VectorXd>(its, static_cast<Eigen::Index>(places.size()));
    project_out(g.null, lambda);
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i].value >= 0)
        state.value[at(places[i].value)] = lambda[static_cast<Eigen::Index>(i)] * g.rows[i].scale;
  }
}

}  // namespace trammel
