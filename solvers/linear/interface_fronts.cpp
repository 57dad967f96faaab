#include "solvers/linear/interface_fronts.hpp"

#include <algorithm>
#include <iterator>

#include "solvers/ranks/number_messages.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

// PETSc takes the tags of its communicators from the largest downwards.
constexpr int tag = 1;
/// Of solutions on their way down to a group, and within its front. They meet others of the same ranks in any order.
constexpr int tag_downwards(int group) { return 100 + 2 * group; }
constexpr int tag_within(int group) { return 101 + 2 * group; }
/// Operations from which a rank gets a part of a front, and the most ranks that have some.
constexpr double least_part = 2e6;
constexpr std::size_t most_ranks = 16;
/// Operations of a rank in a factorization for each entry of its own front.
constexpr double for_own_entry = 300;
/// What an operation on full columns costs beside one on sparse columns, and how many solves a factorization is followed by (tangents are
/// kept from step to step).
constexpr double full = 0.1, solves = 30;

/// Where unknowns of a group lie in its front if nothing is delayed.
std::vector<int> places(const RankGroup& group, const std::vector<int>& unknowns) {
  const auto of = [](const std::vector<int>& sorted, int unknown) {
    const auto found = std::ranges::lower_bound(sorted, unknown);
    return found != sorted.end() && *found == unknown ? static_cast<int>(found - sorted.begin()) : -1;
  };
  std::vector<int> result;
  for (const int unknown : unknowns) {
    const int leading = of(group.eliminated, unknown);
    result.push_back(leading >= 0 ? leading
                                  : static_cast<int>(group.eliminated.size()) + of(group.border, unknown));
  }
  return result;
}

/// Numbers that follow one another at both ends.
struct Run {
  int from, to, count;
};

std::vector<Run> runs_of(const std::vector<int>& place) {
  std::vector<Run> runs;
  for (std::size_t k = 0; k < place.size(); ++k)
    if (k > 0 && place[k] == place[k - 1] + 1)
      ++runs.back().count;
    else
      runs.push_back({static_cast<int>(k), place[k], 1});
  return runs;
}

void add(const double* from, const std::vector<Run>& runs, double* to) {
  for (const Run& run : runs)
    Eigen::Map<Eigen::VectorXd>(to + run.to, run.count) +=
        Eigen::Map<const Eigen::VectorXd>(from + run.from, run.count);
}

}  // namespace

bool InterfaceFronts::set_structure(MPI_Comm comm, int unknowns, const std::vector<std::vector<int>>& seen,
                                    std::size_t most) {
  MPI_Comm_rank(comm, &rank_);
  tree_ = rank_tree(unknowns, seen);
  tasks_.clear();
  largest_ = 0;
  joins_all_ = std::ranges::count(tree_, -1, &RankGroup::whole) == 1;
  border_place_.assign(tree_.size(), {});
  ranks_.assign(tree_.size(), {});
  for (std::size_t g = 0; g < tree_.size(); ++g) {
    const RankGroup& group = tree_[g];
    largest_ = std::max(largest_, group.eliminated.size() + group.border.size());
    if (g < seen.size()) ranks_[g].push_back(static_cast<int>(g));
    for (const int part : group.parts) {
      if (part < 0) continue;
      ranks_[g].insert(ranks_[g].end(), ranks_[at(part)].begin(), ranks_[at(part)].end());
      border_place_[at(part)] = places(group, tree_[at(part)].border);
    }
  }
  own_ = tree_[at(rank_)].eliminated;
  own_.insert(own_.end(), tree_[at(rank_)].border.begin(), tree_[at(rank_)].border.end());
  place_.assign(at(unknowns), -1);
  for (std::size_t k = 0; k < own_.size(); ++k) place_[at(own_[k])] = static_cast<int>(k);
  return largest_ <= most;
}

/// Gives fronts to those ranks of a group that have least to do. Loads are operations on sparse columns for each solve.
void InterfaceFronts::deal_out(MPI_Comm comm, const LinearWork& interior) {
  const double of_interior = interior.solve + interior.factorization / solves;
  int rank_count = 0;
  MPI_Comm_size(comm, &rank_count);
  std::vector<double> load(at(rank_count));
  MPI_Allgather(&of_interior, 1, MPI_DOUBLE, load.data(), 1, MPI_DOUBLE, comm);
  owners_.assign(tree_.size(), {});
  for (std::size_t g = 0; g < tree_.size(); ++g) {
    const RankGroup& group = tree_[g];
    ColumnOwners& its = owners_[g];
    its.eliminated = static_cast<int>(group.eliminated.size());
    its.border = static_cast<int>(group.border.size());
    const double size = its.eliminated + its.border, all = group.operations();
    const bool is_one_rank = group.parts[0] < 0;
    const auto count =
        is_one_rank ? 1
                    : std::min({static_cast<std::size_t>(all / least_part), ranks_[g].size(), most_ranks});
    if (is_one_rank || count > 1) {
      its.ranks = ranks_[g];
    } else {
      for (const int part : group.parts) its.ranks.push_back(leader_of(part));
    }
    std::ranges::stable_sort(its.ranks, {}, [&](int rank) { return load[at(rank)]; });
    its.ranks.resize(std::max<std::size_t>(count, 1));
    for (const int rank : its.ranks)
      load[at(rank)] += full * all / static_cast<double>(its.ranks.size()) / solves;
    // A solution goes up by the first, and down by the second.
    for (const int rank : {its.ranks.front(), its.ranks[at(its.finisher())]})
      load[at(rank)] += full * 2 * its.eliminated * size;
    if (is_one_rank) load[at(its.ranks[0])] += full * for_own_entry * size * size / solves;
    if (std::ranges::count(its.ranks, rank_) == 0) continue;
    Task& task = tasks_.emplace_back();
    task.group = static_cast<int>(g);
    task.shared_front.set_structure(its, rank_, tag_within(task.group));
  }
  ranks_.clear();
}

InterfaceFronts::Task* InterfaceFronts::find_task(int group) {
  const auto found = std::ranges::lower_bound(tasks_, group, {}, &Task::group);
  return found != tasks_.end() && found->group == group ? &*found : nullptr;
}

/// Delayed unknowns of the parts are eliminated after those of the group.
void InterfaceFronts::place_part(Task& its, std::size_t p, int delayed_before, int delayed,
                                 int all_delayed) const {
  const RankGroup& group = tree_[at(its.group)];
  const auto eliminated = static_cast<int>(group.eliminated.size());
  its.place[p].clear();
  for (int k = 0; k < delayed; ++k) its.place[p].push_back(eliminated + delayed_before + k);
  for (const int place : border_place_[at(group.parts[p])])
    its.place[p].push_back(place < eliminated ? place : place + all_delayed);
}

int InterfaceFronts::delayed(const Task& its, const RankGroup& group) {
  return its.shared ? 0 : its.front.rest() - static_cast<int>(group.border.size());
}

/// What a front has left: delayed columns, then those of the border.
const double* InterfaceFronts::left_column(Task& its, int number) {
  return its.shared ? its.shared_front.left_column(number) : its.front.left_column(number);
}

/// Those that a rank of a part has, and a rank of the whole is to get.
std::vector<int> InterfaceFronts::columns_for(int part, bool shared, std::size_t holder, int delayed,
                                              int receiver) const {
  const ColumnOwners &from = owners_[at(part)], &to = owners_[at(tree_[at(part)].whole)];
  std::vector<int> result;
  if (to.ranks[0] == receiver)
    for (int k = 0; k < delayed; ++k) result.push_back(k);
  for (int k = 0; k < from.border; ++k)
    if (to.ranks[at(to.of(border_place_[at(part)][at(k)]))] == receiver &&
        (!shared || at(from.of(from.eliminated + k)) == holder))
      result.push_back(delayed + k);
  return result;
}

/// This rank's columns of a front from what its parts have left. The leader of a part says first how many columns are delayed, or -1 if
/// they are still on several ranks.
void InterfaceFronts::assemble(MPI_Comm comm, Task& its) {
  const RankGroup& group = tree_[at(its.group)];
  std::array<std::vector<double>, 2> of_leader;
  std::array<bool, 2>& shared = its.part_is_shared;
  std::array<int, 2> delayed{};
  for (std::size_t p = 0; p < 2; ++p) {
    const int part = group.parts[p], leader = leader_of(part);
    if (leader == rank_) {
      shared[p] = task(part).shared;
      delayed[p] = InterfaceFronts::delayed(task(part), tree_[at(part)]);
      continue;
    }
    MPI_Status status;
    int count = 0;
    MPI_Probe(leader, tag, comm, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    of_leader[p].resize(at(count));
    receive_numbers(of_leader[p].data(), count, leader, tag, comm);
    shared[p] = of_leader[p][0] < 0;
    delayed[p] = std::max(0, static_cast<int>(of_leader[p][0]));
  }
  const int all_delayed = delayed[0] + delayed[1];
  its.shared = owners_[at(its.group)].ranks.size() > 1;
  Eigen::MatrixXd* matrix = nullptr;
  if (its.shared)
    its.shared_front.start(all_delayed);
  else
    matrix = &its.front.start(static_cast<int>(group.eliminated.size()) + all_delayed,
                              static_cast<int>(group.border.size()));
  for (std::size_t p = 0; p < 2; ++p) {
    const int part = group.parts[p];
    place_part(its, p, p == 0 ? 0 : delayed[0], delayed[p], all_delayed);
    const std::vector<int>& place = its.place[p];
    const std::vector<Run> runs = runs_of(place);
    const std::vector<int>& holders = owners_[at(part)].ranks;
    std::vector<double> received;
    for (std::size_t h = 0; h < (shared[p] ? holders.size() : 1); ++h) {
      const std::vector<int> columns = columns_for(part, shared[p], h, delayed[p], rank_);
      const double* from = of_leader[p].empty() ? nullptr : of_leader[p].data() + 1;
      if (h > 0 && holders[h] != rank_ && !columns.empty()) {
        received.resize(columns.size() * place.size());
        receive_numbers(received.data(), std::ssize(received), holders[h], tag, comm);
        from = received.data();
      }
      for (const int c : columns) {
        if (holders[h] == rank_) from = left_column(task(part), c);
        double* to =
            matrix != nullptr ? matrix->col(place[at(c)]).data() : its.shared_front.column(place[at(c)]);
        add(from, runs, to);
        from += place.size();
      }
    }
  }
}

bool InterfaceFronts::eliminate(MPI_Comm comm, Task& its) {
  const RankGroup& group = tree_[at(its.group)];
  const bool all = group.whole < 0;
  if (its.shared) {
    if (its.shared_front.eliminate(comm, all ? Front::least : Front::fine)) return true;
    if (all) return false;
    // The leader looks for weak pivots.
    its.shared = false;
    const auto border = static_cast<int>(group.border.size());
    Eigen::MatrixXd none;
    its.shared_front.gather(
        comm, leads(its.group) ? its.front.start(its.shared_front.size() - border, border) : none);
  }
  return !leads(its.group) || its.front.eliminate(all);
}

/// To the ranks of the larger group.
void InterfaceFronts::give(MPI_Comm comm, Task& its) {
  const RankGroup& group = tree_[at(its.group)];
  if (group.whole < 0) return;
  const bool leader = leads(its.group);
  if (!leader && !its.shared) return;
  const int delayed = leader ? InterfaceFronts::delayed(its, group) : 0;
  const std::size_t length = at(delayed) + group.border.size();
  const std::vector<int>& holders = owners_[at(its.group)].ranks;
  const auto me = static_cast<std::size_t>(std::ranges::find(holders, rank_) - holders.begin());
  for (const int receiver : owners_[at(group.whole)].ranks) {
    if (receiver == rank_) continue;
    const std::vector<int> columns = columns_for(its.group, its.shared, me, delayed, receiver);
    if (!leader && columns.empty()) continue;
    std::vector<double>& message = sent_.emplace_back();
    message.reserve(columns.size() * length + 1);
    if (leader) message.push_back(its.shared ? -1 : delayed);
    for (const int c : columns) {
      const double* column = left_column(its, c);
      message.insert(message.end(), column, column + length);
    }
    MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_DOUBLE, receiver, tag, comm,
              &requests_.emplace_back());
  }
}

bool InterfaceFronts::factorize(MPI_Comm comm, std::span<const double> part, const LinearWork& interior) {
  if (is_new()) deal_out(comm, interior);
  int fine = 1;
  for (Task& its : tasks_) {
    const RankGroup& group = tree_[at(its.group)];
    if (group.parts[0] >= 0)
      assemble(comm, its);
    else
      std::ranges::copy(
          part,
          its.front.start(static_cast<int>(group.eliminated.size()), static_cast<int>(group.border.size()))
              .data());
    if (!eliminate(comm, its)) fine = 0;
    give(comm, its);
  }
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  requests_.clear();
  sent_.clear();
  MPI_Allreduce(MPI_IN_PLACE, &fine, 1, MPI_INT, MPI_MIN, comm);
  return fine == 1;
}

void InterfaceFronts::solve(MPI_Comm comm, std::span<double> y, const CarriedTotals& carried) {
  solve_upwards(comm, y, carried);
  solve_downwards(comm, y, carried);
  for (Task& its : tasks_)
    if (its.shared) its.shared_front.wait_until_sent();
}

/// Totals are those of a group once its leader has those of its parts.
void InterfaceFronts::solve_upwards(MPI_Comm comm, std::span<const double> y, const CarriedTotals& carried) {
  const std::size_t more = carried.numbers.size();
  for (Task& its : tasks_) {
    if (!leads(its.group)) continue;
    const RankGroup& group = tree_[at(its.group)];
    b_.setZero(its.shared ? its.shared_front.size() : its.front.size());
    if (group.parts[0] < 0) {
      for (std::size_t k = 0; k < own_.size(); ++k) b_[static_cast<Eigen::Index>(k)] = y[at(own_[k])];
      its.carried.assign(carried.numbers.begin(), carried.numbers.end());
    } else {
      for (std::size_t p = 0; p < 2; ++p) {
        const std::vector<int>& places = its.place[p];
        const Task* const own = leads(group.parts[p]) ? find_task(group.parts[p]) : nullptr;
        if (own == nullptr) receive(comm, places.size() + more, leader_of(group.parts[p]), tag);
        const double* const left = own != nullptr ? own->rest.data() : message_.data();
        const double* const totals = own != nullptr ? own->carried.data() : left + places.size();
        for (std::size_t k = 0; k < places.size(); ++k) b_[places[k]] += left[k];
        if (p == 0)
          its.carried.assign(totals, totals + more);
        else if (more > 0)
          carried.merge(totals, its.carried.data(), more);
      }
    }
    if (its.shared)
      its.shared_front.forward(comm, b_, its.rest);
    else
      its.front.forward(b_, its.rest);
    if (another_leads(group)) {
      message_.assign(its.rest.data(), its.rest.data() + its.rest.size());
      message_.insert(message_.end(), its.carried.begin(), its.carried.end());
      send(comm, leader_of(group.whole), tag);
    }
  }
}

void InterfaceFronts::solve_downwards(MPI_Comm comm, std::span<double> y, const CarriedTotals& carried) {
  const std::span<double> totals = carried.numbers;
  for (auto task_of = tasks_.rbegin(); task_of != tasks_.rend(); ++task_of) {
    Task& its = *task_of;
    const RankGroup& group = tree_[at(its.group)];
    if (group.whole < 0 && !totals.empty()) take_totals(comm, its, totals);
    if (!finishes(its)) continue;
    const Task* const whole = group.whole >= 0 ? find_task(group.whole) : nullptr;
    if (group.whole >= 0 && (whole == nullptr || !finishes(*whole))) {
      // Who finishes that group is known to its ranks alone.
      const int size = its.shared ? owners_[at(its.group)].border : its.front.rest();
      receive(comm, at(size) + totals.size(), MPI_ANY_SOURCE, tag_downwards(its.group));
      its.rest = Eigen::Map<const Eigen::VectorXd>(message_.data(), size);
      std::copy_n(message_.data() + size, totals.size(), totals.data());
    }
    if (its.shared)
      its.shared_front.backward(comm, its.rest, x_);
    else
      its.front.backward(its.rest, x_);
    if (group.parts[0] < 0) {
      for (std::size_t k = 0; k < own_.size(); ++k) y[at(own_[k])] = x_[static_cast<Eigen::Index>(k)];
      continue;
    }
    for (std::size_t p = 0; p < 2; ++p) {
      const int part = group.parts[p], finisher = finisher_of(part, its.part_is_shared[p]);
      if (finisher == rank_) {
        task(part).rest = x_(its.place[p]);
        continue;
      }
      message_.clear();
      for (const int place : its.place[p]) message_.push_back(x_[place]);
      message_.insert(message_.end(), totals.begin(), totals.end());
      send(comm, finisher, tag_downwards(part));
    }
  }
}

/// Those of all ranks, on the rank that takes solutions down. The leader of the last group has them.
void InterfaceFronts::take_totals(MPI_Comm comm, const Task& last, std::span<double> totals) {
  const int leader = leader_of(last.group), finisher = finisher_of(last.group, last.shared);
  if (leader == rank_) message_ = last.carried;
  if (leader == rank_ && finisher != rank_) send(comm, finisher, tag);
  if (leader != rank_ && finisher == rank_) receive(comm, totals.size(), leader, tag);
  if (finisher == rank_) std::ranges::copy(message_, totals.begin());
}

void InterfaceFronts::send(MPI_Comm comm, int rank, int message_tag) const {
  send_numbers(message_.data(), std::ssize(message_), rank, message_tag, comm);
}

void InterfaceFronts::receive(MPI_Comm comm, std::size_t size, int rank, int message_tag) {
  message_.resize(size);
  receive_numbers(message_.data(), std::ssize(message_), rank, message_tag, comm);
}

}  // namespace trammel
