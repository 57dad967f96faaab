#include "solvers/constraint_loops.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <set>

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
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      of_entity_[rows_[i].entity].push_back(static_cast<int>(i));
      for (const auto& [column, value] : rows_[i].entries) users_[column].insert(rows_[i].entity);
    }
    for (const auto& [entity, members] : of_entity_) open_.push_back(entity);
  }

  std::set<std::int64_t> columns() const {
    std::set<std::int64_t> out;
    for (const auto& [column, users] : users_) out.insert(column);
    return out;
  }
  /// Another rank has rows that contain the unknown.
  void add_rank(int column, int rank) { users_[column].insert(token(rank)); }
  /// It has none any more.
  void remove_rank(int column, int rank) {
    std::set<int>& users = users_[column];
    users.erase(token(rank));
    for (const int user : users)
      if (!is_token(user)) open_.push_back(user);
  }

  /// Takes off what can be; the unknowns that no row of this rank contains any more.
  std::vector<int> take_off() {
    std::vector<int> freed;
    while (!open_.empty()) {
      const int entity = open_.back();
      open_.pop_back();
      const auto found = of_entity_.find(entity);
      if (found == of_entity_.end() || !independent(found->second)) continue;
      for (const int i : found->second)
        for (const auto& [column, value] : rows_[at(i)].entries) {
          std::set<int>& others = users_[column];
          if (others.erase(entity) == 0) continue;
          if (std::ranges::all_of(others, is_token)) freed.push_back(column);
          for (const int other : others)
            if (!is_token(other)) open_.push_back(other);
        }
      of_entity_.erase(found);
    }
    return freed;
  }

  std::vector<GradientRow> left() {
    std::vector<GradientRow> out;
    for (const auto& [entity, members] : of_entity_)
      for (const int i : members) out.push_back(std::move(rows_[at(i)]));
    return out;
  }

 private:
  // Other ranks stand among the users of an unknown as numbers below those of entities.
  static int token(int rank) { return -2 - rank; }
  static bool is_token(int user) { return user <= -2; }

  /// Whether the rows have full rank in unknowns that nothing else contains.
  bool independent(const std::vector<int>& members) const {
    std::map<int, int> own;
    for (const int i : members)
      for (const auto& [column, value] : rows_[at(i)].entries)
        if (users_.at(column).size() == 1) own.try_emplace(column, static_cast<int>(own.size()));
    if (own.size() < members.size()) return false;
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(own.size()),
                                              static_cast<Eigen::Index>(members.size()));
    for (std::size_t k = 0; k < members.size(); ++k)
      for (const auto& [column, value] : rows_[at(members[k])].entries)
        if (const auto place = own.find(column); place != own.end())
          A(place->second, static_cast<Eigen::Index>(k)) = value;
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
    qr.setThreshold(full_rank);
    return qr.rank() == static_cast<Eigen::Index>(members.size());
  }

  std::vector<GradientRow> rows_;
  std::map<int, std::vector<int>> of_entity_;  ///< rows
  std::map<int, std::set<int>> users_;         ///< entities and other ranks, by unknown
  std::vector<int> open_;                      ///< entities to be tried
};

}  // namespace

std::vector<GradientRow> rows_in_loops(std::vector<GradientRow> mine, MPI_Comm comm) {
  const Ranks ranks(comm);
  if (ranks.count > 1) unite_entities(mine, ranks);
  Remaining remaining(std::move(mine));
  std::map<std::int64_t, std::vector<int>> others;
  if (ranks.count > 1) others = others_with(remaining.columns(), ranks);
  for (const auto& [column, of] : others)
    for (const int rank : of) remaining.add_rank(static_cast<int>(column), rank);
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
    for (int r = 0; r < ranks.count; ++r)
      for (const std::int64_t column : heard[at(r)]) remaining.remove_rank(static_cast<int>(column), r);
  }
  return remaining.left();
}

}  // namespace trammel
