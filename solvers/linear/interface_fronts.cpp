#include "solvers/linear/interface_fronts.hpp"

#include <algorithm>
#include <cmath>

#include "trammel/index.hpp"

namespace trammel {

namespace {

// PETSc takes the tags of its communicators from the largest downwards.
constexpr int tag = 1, share_tag = 2;
/// Operations on the columns of a front from which they are shared, and the most ranks that take some.
constexpr double least_shared = 4e6;
constexpr std::size_t most_others = 7;

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

}  // namespace

bool InterfaceFronts::set_structure(MPI_Comm comm, int unknowns, const std::vector<std::vector<int>>& seen,
                                    std::size_t most) {
  MPI_Comm_rank(comm, &rank_);
  tree_ = rank_tree(unknowns, seen);
  led_.clear();
  tasks_.clear();
  largest_ = 0;
  std::vector<std::vector<int>> ranks(tree_.size());
  for (std::size_t g = 0; g < tree_.size(); ++g) {
    const RankGroup& group = tree_[g];
    largest_ = std::max(largest_, group.eliminated.size() + group.border.size());
    if (g < seen.size()) ranks[g].push_back(static_cast<int>(g));
    for (const int part : group.parts)
      if (part >= 0) ranks[g].insert(ranks[g].end(), ranks[at(part)].begin(), ranks[at(part)].end());
    Task task{static_cast<int>(g), {}};
    const auto pivots = static_cast<double>(group.eliminated.size()),
               border = static_cast<double>(group.border.size());
    if (2 * pivots * border * (pivots + border) >= least_shared)
      for (const int r : ranks[g])
        if (r != group.leader && task.others.size() < most_others) task.others.push_back(r);
    if (group.leader == rank_ || std::ranges::count(task.others, rank_) > 0)
      tasks_.push_back(std::move(task));
    if (group.leader != rank_) continue;
    Led its;
    its.group = static_cast<int>(g);
    for (std::size_t p = 0; p < 2 && group.parts[p] >= 0; ++p) {
      const RankGroup& part = tree_[at(group.parts[p])];
      its.border_place[p] = places(group, part.border);
    }
    led_.push_back(std::move(its));
  }
  own_ = tree_[at(rank_)].eliminated;
  own_.insert(own_.end(), tree_[at(rank_)].border.begin(), tree_[at(rank_)].border.end());
  place_.assign(at(unknowns), -1);
  for (std::size_t k = 0; k < own_.size(); ++k) place_[at(own_[k])] = static_cast<int>(k);
  return largest_ <= most;
}

InterfaceFronts::Led& InterfaceFronts::led(int group) {
  return *std::ranges::lower_bound(led_, group, {}, &Led::group);
}

/// Delayed unknowns of the parts are eliminated after those of the group.
void InterfaceFronts::place_parts(Led& its, std::array<int, 2> delayed) const {
  const auto eliminated = static_cast<int>(tree_[at(its.group)].eliminated.size());
  const int all_delayed = delayed[0] + delayed[1];
  int next = eliminated;
  for (std::size_t p = 0; p < 2; ++p) {
    its.place[p].clear();
    for (int k = 0; k < delayed[p]; ++k) its.place[p].push_back(next++);
    for (const int place : its.border_place[p])
      its.place[p].push_back(place < eliminated ? place : place + all_delayed);
  }
}

/// The front of a group from what its parts have left.
void InterfaceFronts::assemble(MPI_Comm comm, Led& its) {
  const RankGroup& group = tree_[at(its.group)];
  std::array<Eigen::MatrixXd, 2> left;
  std::array<int, 2> delayed{};
  for (std::size_t p = 0; p < 2; ++p) {
    if (leader_of(group.parts[p]) == rank_) {
      left[p] = led(group.parts[p]).front.complement();
    } else {
      MPI_Status status;
      int count = 0;
      MPI_Probe(leader_of(group.parts[p]), tag, comm, &status);
      MPI_Get_count(&status, MPI_DOUBLE, &count);
      const auto size = static_cast<Eigen::Index>(std::lround(std::sqrt(count)));
      left[p].resize(size, size);
      MPI_Recv(left[p].data(), count, MPI_DOUBLE, leader_of(group.parts[p]), tag, comm, MPI_STATUS_IGNORE);
    }
    delayed[p] = static_cast<int>(left[p].rows()) - static_cast<int>(its.border_place[p].size());
  }
  place_parts(its, delayed);
  Eigen::MatrixXd& matrix =
      its.front.start(static_cast<int>(group.eliminated.size()) + delayed[0] + delayed[1],
                      static_cast<int>(group.border.size()));
  for (std::size_t p = 0; p < 2; ++p) {
    const std::vector<int>& to = its.place[p];
    for (Eigen::Index j = 0; j < left[p].cols(); ++j)
      for (Eigen::Index i = 0; i < left[p].rows(); ++i) matrix(to[at(i)], to[at(j)]) += left[p](i, j);
  }
}

/// Other ranks of the group take columns of a large front; all get a message, if only to hear that there is nothing to do.
bool InterfaceFronts::eliminate(MPI_Comm comm, Led& its, const Task& task) const {
  const bool fine = its.front.factorize(tree_[at(its.group)].whole < 0);
  const auto parts = static_cast<int>(task.others.size()) + 1;
  const int columns = fine ? its.front.rest() : 0;
  const auto first_of = [&](int part) { return columns * part / parts; };
  std::vector<std::vector<double>> shares;
  std::vector<MPI_Request> requests(2 * task.others.size(), MPI_REQUEST_NULL);
  for (int k = 0; k < parts - 1; ++k) {
    const int first = first_of(k), count = first_of(k + 1) - first;
    shares.push_back(count > 0 ? its.front.share(first, count) : std::vector<double>());
    MPI_Isend(shares.back().data(), static_cast<int>(shares.back().size()), MPI_DOUBLE, task.others[at(k)],
              share_tag, comm, &requests[2 * at(k)]);
    if (count > 0)
      MPI_Isend(its.front.left().data(), static_cast<int>(its.front.left().size()), MPI_DOUBLE,
                task.others[at(k)], share_tag, comm, &requests[2 * at(k) + 1]);
  }
  if (fine) its.front.eliminate_columns(first_of(parts - 1), columns - first_of(parts - 1));
  std::vector<double> eliminated;
  for (int k = 0; k < parts - 1; ++k) {
    const int first = first_of(k), count = first_of(k + 1) - first;
    if (count == 0) continue;
    eliminated.resize(at(count) * at(its.front.size()));
    MPI_Recv(eliminated.data(), static_cast<int>(eliminated.size()), MPI_DOUBLE, task.others[at(k)],
             share_tag, comm, MPI_STATUS_IGNORE);
    its.front.take_columns(first, count, eliminated);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return fine;
}

bool InterfaceFronts::factorize(MPI_Comm comm, std::span<const double> part) {
  int fine = 1;
  for (const Task& task : tasks_) {
    if (leader_of(task.group) != rank_) {
      MPI_Status status;
      int count = 0;
      MPI_Probe(leader_of(task.group), share_tag, comm, &status);
      MPI_Get_count(&status, MPI_DOUBLE, &count);
      std::vector<double> share(at(count));
      MPI_Recv(share.data(), count, MPI_DOUBLE, leader_of(task.group), share_tag, comm, MPI_STATUS_IGNORE);
      if (share.empty()) continue;
      std::vector<double> left(Front::left_size(share));
      MPI_Recv(left.data(), static_cast<int>(left.size()), MPI_DOUBLE, leader_of(task.group), share_tag, comm,
               MPI_STATUS_IGNORE);
      const std::vector<double> eliminated = Front::eliminated_share(share, left);
      MPI_Send(eliminated.data(), static_cast<int>(eliminated.size()), MPI_DOUBLE, leader_of(task.group),
               share_tag, comm);
      continue;
    }
    Led& its = led(task.group);
    const RankGroup& group = tree_[at(its.group)];
    if (group.parts[0] >= 0)
      assemble(comm, its);
    else
      std::ranges::copy(
          part,
          its.front.start(static_cast<int>(group.eliminated.size()), static_cast<int>(group.border.size()))
              .data());
    if (!eliminate(comm, its, task)) fine = 0;
    if (!another_leads(group)) continue;
    const Eigen::MatrixXd left = its.front.complement();
    MPI_Send(left.data(), static_cast<int>(left.size()), MPI_DOUBLE, leader_of(group.whole), tag, comm);
  }
  MPI_Allreduce(MPI_IN_PLACE, &fine, 1, MPI_INT, MPI_MIN, comm);
  return fine == 1;
}

void InterfaceFronts::solve(MPI_Comm comm, std::span<double> y) {
  const auto send = [&](int rank, const Eigen::VectorXd& numbers) {
    MPI_Send(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, rank, tag, comm);
  };
  const auto receive = [&](int rank, Eigen::VectorXd& numbers) {
    MPI_Recv(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, rank, tag, comm,
             MPI_STATUS_IGNORE);
  };
  for (Led& its : led_) {
    const RankGroup& group = tree_[at(its.group)];
    b_.setZero(its.front.size());
    if (group.parts[0] < 0) {
      for (std::size_t k = 0; k < own_.size(); ++k) b_[static_cast<Eigen::Index>(k)] = y[at(own_[k])];
    } else {
      for (std::size_t p = 0; p < 2; ++p) {
        const std::vector<int>& places = its.place[p];
        if (leader_of(group.parts[p]) != rank_) {
          left_.resize(static_cast<Eigen::Index>(places.size()));
          receive(leader_of(group.parts[p]), left_);
        }
        const Eigen::VectorXd& left = leader_of(group.parts[p]) == rank_ ? led(group.parts[p]).rest : left_;
        for (std::size_t k = 0; k < places.size(); ++k) b_[places[k]] += left[static_cast<Eigen::Index>(k)];
      }
    }
    its.front.forward(b_, its.rest);
    if (another_leads(group)) send(leader_of(group.whole), its.rest);
  }
  for (auto its = led_.rbegin(); its != led_.rend(); ++its) {
    const RankGroup& group = tree_[at(its->group)];
    if (another_leads(group)) receive(leader_of(group.whole), its->rest);
    its->front.backward(its->rest, x_);
    if (group.parts[0] < 0) {
      for (std::size_t k = 0; k < own_.size(); ++k) y[at(own_[k])] = x_[static_cast<Eigen::Index>(k)];
      continue;
    }
    for (std::size_t p = 0; p < 2; ++p) {
      const std::vector<int>& places = its->place[p];
      Eigen::VectorXd& left = leader_of(group.parts[p]) == rank_ ? led(group.parts[p]).rest : left_;
      left.resize(static_cast<Eigen::Index>(places.size()));
      for (std::size_t k = 0; k < places.size(); ++k) left[static_cast<Eigen::Index>(k)] = x_[places[k]];
      if (leader_of(group.parts[p]) != rank_) send(leader_of(group.parts[p]), left);
    }
  }
}

}  // namespace trammel
