#include "solvers/constraints/constraint_loops.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <boost/pending/disjoint_sets.hpp>

#include "kernel/rank_exchange.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

// A bound far from singular, so that an entity found to have full rank keeps it as the system moves.
constexpr double full_rank = 1e-4;

struct Ranks {
  explicit Ranks(MPI_Comm c) : comm(c) {
    MPI_Comm_rank(comm, &mine);
    MPI_Comm_size(comm, &count);
  }
  ByRank nothing() const { return ByRank(at(count)); }
  /// The rank that is asked who knows a thing.
  std::size_t broker(std::int64_t thing) const { return at((thing % count + count) % count); }

  MPI_Comm comm;
  int mine = 0, count = 1;
};

/// For things that this rank has, the other ranks that have them, where there are any.
std::map<std::int64_t, std::vector<int>> others_with(const std::set<std::int64_t>& things,
                                                     const Ranks& ranks) {
  ByRank asked = ranks.nothing();
  for (const std::int64_t thing : things) asked[ranks.broker(thing)].push_back(thing);
  const ByRank known = exchange_by_rank(asked, ranks.comm);
  std::map<std::int64_t, std::vector<int>> holders;
  for (int r = 0; r < ranks.count; ++r)
    for (const std::int64_t thing : known[at(r)]) holders[thing].push_back(r);
  ByRank answers = ranks.nothing();
  for (const auto& [thing, of] : holders)
    if (of.size() > 1)
      for (const int to : of)
        for (const int other : of)
          if (other != to) answers[at(to)].insert(answers[at(to)].end(), {thing, other});
  std::map<std::int64_t, std::vector<int>> others;
  for (const std::vector<std::int64_t>& pairs : exchange_by_rank(answers, ranks.comm))
    for (std::size_t k = 0; k < pairs.size(); k += 2)
      others[pairs[k]].push_back(static_cast<int>(pairs[k + 1]));
  return others;
}

void append(std::vector<std::int64_t>& packed, const GradientRow& row) {
  packed.insert(packed.end(),
                {row.at.block, row.at.component, row.entity, std::bit_cast<std::int64_t>(row.scale),
                 static_cast<std::int64_t>(row.entries.size())});
  for (const auto& [column, value] : row.entries)
    packed.insert(packed.end(), {column, std::bit_cast<std::int64_t>(value)});
}

void unpack(const std::vector<std::int64_t>& packed, std::vector<GradientRow>& rows) {
  for (std::size_t i = 0; i < packed.size();) {
    GradientRow row;
    row.at = {packed[i], static_cast<int>(packed[i + 1])};
    row.entity = static_cast<int>(packed[i + 2]);
    row.scale = std::bit_cast<double>(packed[i + 3]);
    const auto entries = static_cast<std::size_t>(packed[i + 4]);
    i += 5;
    for (std::size_t k = 0; k < entries; ++k, i += 2)
      row.entries.emplace_back(static_cast<int>(packed[i]), std::bit_cast<double>(packed[i + 1]));
    rows.push_back(std::move(row));
  }
}

/// Brings the rows of each entity to the lowest of the ranks that have some.
void unite_entities(std::vector<GradientRow>& rows, const Ranks& ranks) {
  std::set<std::int64_t> entities;
  for (const GradientRow& row : rows) entities.insert(row.entity);
  const std::map<std::int64_t, std::vector<int>> others = others_with(entities, ranks);
  ByRank moved = ranks.nothing();
  std::erase_if(rows, [&](const GradientRow& row) {
    const auto found = others.find(row.entity);
    if (found == others.end()) return false;
    const int home = std::ranges::min(found->second);
    if (home > ranks.mine) return false;
    append(moved[at(home)], row);
    return true;
  });
  for (const std::vector<std::int64_t>& packed : exchange_by_rank(moved, ranks.comm)) unpack(packed, rows);
}

/// This rank's rows, from which entities are taken off.
class Remaining {
 public:
  explicit Remaining(std::vector<GradientRow> rows) : rows_(std::move(rows)) {
    std::vector<std::pair<int, int>> members;  // entity, row
    std::vector<std::pair<int, int>> uses;     // unknown, entity
    members.reserve(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      members.emplace_back(rows_[i].entity, static_cast<int>(i));
      for (const auto& [column, value] : rows_[i].entries) uses.emplace_back(column, rows_[i].entity);
    }
    std::ranges::sort(members);
    for (const auto& [entity, row] : members) {
      if (entities_.empty() || entities_.back() != entity) {
        entities_.push_back(entity);
        first_row_.push_back(static_cast<int>(row_of_.size()));
      }
      row_of_.push_back(row);
    }
    first_row_.push_back(static_cast<int>(row_of_.size()));
    std::ranges::sort(uses);
    uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
    for (const auto& [column, entity] : uses) {
      if (columns_.empty() || columns_.back() != column) {
        columns_.push_back(column);
        first_user_.push_back(static_cast<int>(user_.size()));
      }
      user_.push_back(position(entities_, entity));
    }
    first_user_.push_back(static_cast<int>(user_.size()));
    for (GradientRow& row : rows_)
      for (auto& [column, value] : row.entries) column = position(columns_, column);
    users_left_.resize(columns_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) users_left_[c] = first_user_[c + 1] - first_user_[c];
    ranks_.assign(columns_.size(), 0);
    taken_.assign(entities_.size(), 0);
    open_.resize(entities_.size());
    std::iota(open_.begin(), open_.end(), 0);
  }

  std::set<std::int64_t> columns() const { return {columns_.begin(), columns_.end()}; }
  /// Another rank has rows that contain the unknown.
  void add_rank(int column) { ++ranks_[at(position(columns_, column))]; }
  /// It has none any more.
  void remove_rank(int column) {
    const int c = position(columns_, column);
    --ranks_[at(c)];
    open_last_user(c);
  }

  /// Takes off what can be; the unknowns that no row of this rank contains any more.
  std::vector<int> take_off() {
    std::vector<int> freed;
    while (!open_.empty()) {
      const int entity = open_.back();
      open_.pop_back();
      if (taken_[at(entity)] != 0) continue;
      const std::vector<int> its = columns_of(entity);
      if (!independent(entity, its)) continue;
      taken_[at(entity)] = 1;
      for (const int c : its) {
        if (--users_left_[at(c)] == 0) freed.push_back(columns_[at(c)]);
        open_last_user(c);
      }
    }
    return freed;
  }

  std::vector<GradientRow> left() {
    std::vector<GradientRow> out;
    for (std::size_t e = 0; e < entities_.size(); ++e)
      for (int k = first_row_[e]; taken_[e] == 0 && k < first_row_[e + 1]; ++k) {
        out.push_back(std::move(rows_[at(row_of_[at(k)])]));
        for (auto& [column, value] : out.back().entries) column = columns_[at(column)];
      }
    return out;
  }

 private:
  static int position(const std::vector<int>& sorted, int number) {
    return static_cast<int>(std::ranges::lower_bound(sorted, number) - sorted.begin());
  }

  /// An unknown that only one entity contains may make its rows independent.
  void open_last_user(int c) {
    if (users_left_[at(c)] != 1 || ranks_[at(c)] != 0) return;
    for (int k = first_user_[at(c)]; k < first_user_[at(c) + 1]; ++k)
      if (taken_[at(user_[at(k)])] == 0) open_.push_back(user_[at(k)]);
  }

  /// The unknowns in the rows of an entity.
  std::vector<int> columns_of(int entity) const {
    std::vector<int> out;
    for (int k = first_row_[at(entity)]; k < first_row_[at(entity) + 1]; ++k)
      for (const auto& [column, value] : rows_[at(row_of_[at(k)])].entries) out.push_back(column);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  /// Whether the rows have full rank in unknowns that nothing else contains.
  bool independent(int entity, std::vector<int> own) const {
    std::erase_if(own, [this](int c) { return users_left_[at(c)] != 1 || ranks_[at(c)] != 0; });
    const Eigen::Index n = first_row_[at(entity) + 1] - first_row_[at(entity)];
    if (static_cast<Eigen::Index>(own.size()) < n) return false;
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(own.size()), n);
    for (Eigen::Index k = 0; k < n; ++k)
      for (const auto& [column, value] : rows_[at(row_of_[at(first_row_[at(entity)] + k)])].entries)
        if (std::ranges::binary_search(own, column)) A(position(own, column), k) = value;
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
    qr.setThreshold(full_rank);
    return qr.rank() == n;
  }

  std::vector<GradientRow> rows_;        ///< their unknowns by places in `columns_`
  std::vector<int> entities_;            ///< ascending; what follows calls them by their places here
  std::vector<int> first_row_, row_of_;  ///< by entity: its rows
  std::vector<int> columns_;             ///< unknowns, ascending; likewise
  std::vector<int> first_user_, user_, users_left_;  ///< by unknown: entities that contain it
  std::vector<int> ranks_;                           ///< by unknown: other ranks with rows that contain it
  std::vector<char> taken_;                          ///< by entity
  std::vector<int> open_;                            ///< entities to be tried
};

}  // namespace

std::vector<GradientRow> rows_in_loops(std::vector<GradientRow> mine, MPI_Comm comm) {
  const Ranks ranks(comm);
  if (ranks.count > 1) unite_entities(mine, ranks);
  Remaining remaining(std::move(mine));
  std::map<std::int64_t, std::vector<int>> others;
  if (ranks.count > 1) others = others_with(remaining.columns(), ranks);
  for (const auto& [column, of] : others)
    for (std::size_t k = 0; k < of.size(); ++k) remaining.add_rank(static_cast<int>(column));
  for (;;) {
    const std::vector<int> freed = remaining.take_off();
    if (ranks.count == 1) break;
    ByRank told = ranks.nothing();
    int any = 0;
    for (const int column : freed)
      if (const auto found = others.find(column); found != others.end())
        for (const int rank : found->second) {
          told[at(rank)].push_back(column);
          any = 1;
        }
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm);
    if (any == 0) break;
    const ByRank heard = exchange_by_rank(told, comm);
    for (const std::vector<std::int64_t>& columns : heard)
      for (const std::int64_t column : columns) remaining.remove_rank(static_cast<int>(column));
  }
  return remaining.left();
}

std::vector<std::vector<int>> connected(const std::vector<GradientRow>& rows) {
  boost::disjoint_sets_with_storage<> groups(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) groups.make_set(i);
  std::map<int, std::size_t> first;  // row by unknown, numbered from 0, and by entity, below it
  const auto join = [&](int key, std::size_t row) {
    if (const auto [place, is_new] = first.try_emplace(key, row); !is_new)
      groups.union_set(place->second, row);
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    join(-2 - rows[i].entity, i);
    for (const auto& [column, value] : rows[i].entries) join(column, i);
  }
  std::map<std::size_t, std::vector<int>> members;
  for (std::size_t i = 0; i < rows.size(); ++i) members[groups.find_set(i)].push_back(static_cast<int>(i));
  std::vector<std::vector<int>> out;
  for (auto& [group, its] : members) out.push_back(std::move(its));
  std::ranges::sort(out);
  return out;
}

std::vector<int> ranks_of_groups(const std::vector<GradientRow>& mine, MPI_Comm comm) {
  const Ranks ranks(comm);
  std::vector<int> home(mine.size(), 0);
  if (ranks.count == 1) return home;
  // Parts of groups, numbered over all ranks.
  const std::vector<std::vector<int>> parts = connected(mine);
  const std::vector<int> counts = of_all_ranks(std::vector<int>{static_cast<int>(parts.size())}, comm);
  std::vector<int> first(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), first.begin() + 1);
  std::map<std::int64_t, int> part_of;  // by unknown
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (const int row : parts[k])
      for (const auto& [column, value] : mine[at(row)].entries)
        part_of[column] = first[at(ranks.mine)] + static_cast<int>(k);
  std::set<std::int64_t> unknowns;
  for (const auto& [column, part] : part_of) unknowns.insert(column);
  std::vector<std::int64_t> shared;  // unknown and part
  for (const auto& [column, others] : others_with(unknowns, ranks))
    shared.insert(shared.end(), {column, part_of.at(column)});
  shared = of_all_ranks(shared, comm);
  boost::disjoint_sets_with_storage<> groups(at(first.back()));
  for (int part = 0; part < first.back(); ++part) groups.make_set(at(part));
  std::map<std::int64_t, std::int64_t> seen;
  for (std::size_t k = 0; k < shared.size(); k += 2)
    if (const auto [place, is_new] = seen.try_emplace(shared[k], shared[k + 1]); !is_new)
      groups.union_set(at(place->second), at(shared[k + 1]));
  std::map<std::size_t, int> rank_of;  // by group; parts stand in the order of ranks
  for (int rank = 0; rank < ranks.count; ++rank)
    for (int part = first[at(rank)]; part < first[at(rank + 1)]; ++part)
      rank_of.try_emplace(groups.find_set(at(part)), rank);
  for (std::size_t k = 0; k < parts.size(); ++k)
    for (const int row : parts[k]) home[at(row)] = rank_of.at(groups.find_set(at(first[at(ranks.mine)]) + k));
  return home;
}

std::vector<GradientRow> exchange_rows(const std::vector<GradientRow>& mine, std::span<const int> home,
                                       MPI_Comm comm) {
  ByRank outgoing = Ranks(comm).nothing();
  for (std::size_t i = 0; i < mine.size(); ++i) append(outgoing[at(home[i])], mine[i]);
  std::vector<GradientRow> rows;
  for (const std::vector<std::int64_t>& packed : exchange_by_rank(outgoing, comm)) unpack(packed, rows);
  int entries = 0;
  for (GradientRow& row : rows)
    row.first_entry = std::exchange(entries, entries + static_cast<int>(row.entries.size()));
  std::ranges::sort(rows, {}, &GradientRow::at);
  return rows;
}

}  // namespace trammel
