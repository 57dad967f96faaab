#include "solvers/ranks/sparse_sum.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "solvers/ranks/number_messages.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

// Other messages on the same communicators have other tags.
constexpr int tag = 22;

std::vector<int> join(const std::vector<int>& a, const std::vector<int>& b) {
  std::vector<int> all;
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}

/// Several arrays of `count` numbers, with more that all ranks have.
struct Parts {
  std::span<double> numbers, dense;
  std::size_t count;

  std::size_t size(const std::vector<int>& places) const {
    return dense.size() + (count > 0 ? numbers.size() / count : 0) * places.size();
  }
  void pack(const std::vector<int>& places, std::vector<double>& message) const {
    message.resize(size(places));
    double* to = std::ranges::copy(dense, message.data()).out;
    for (const double* from = numbers.data(); from != numbers.data() + numbers.size(); from += count)
      for (const int place : places) *to++ = from[place];
  }
  /// Calls use(from, to) for the numbers of a message at `places`.
  template <class Use>
  void unpack(const std::vector<double>& message, const std::vector<int>& places, Use&& use) const {
    const double* from = message.data() + dense.size();
    for (double* to = numbers.data(); to != numbers.data() + numbers.size(); to += count)
      for (const int place : places) use(*from++, to[place]);
  }
};

}  // namespace

void SparseSum::set_structure(MPI_Comm comm, int count, const std::vector<std::vector<int>>& seen) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const int ranks = static_cast<int>(seen.size()), paired = static_cast<int>(std::bit_floor(seen.size())),
            more = ranks - paired;
  count_ = at(count);
  own_ = seen[at(rank)];
  rounds_.clear();
  lent_ = borrowed_ = {};

  // Each of the first ranks with an even number lends to the next; the others are numbered anew.
  const bool first = rank < 2 * more, lends = first && rank % 2 == 0;
  const int me = first ? rank / 2 : rank - more;
  const auto rank_of = [&](int number) { return number < more ? 2 * number + 1 : number + more; };
  std::vector<std::vector<int>> groups;
  for (int k = 0; k < paired; ++k)
    groups.push_back(k < more ? join(seen[at(2 * k)], seen[at(2 * k + 1)]) : seen[at(k + more)]);
  std::size_t most = 0;  // that some rank sends
  int messages = 0;
  for (int size = 1; size < paired; size *= 2, ++messages) {
    const std::size_t mine = at(me / size);
    if (!lends) rounds_.push_back({rank_of(me ^ size), groups[mine], groups[mine ^ 1]});
    most += std::ranges::max_element(groups, {}, &std::vector<int>::size)->size();
    std::vector<std::vector<int>> larger;
    for (std::size_t k = 0; k < groups.size(); k += 2) larger.push_back(join(groups[k], groups[k + 1]));
    groups = std::move(larger);
  }
  if (more > 0) {
    ++messages;
    most += groups[0].size();
  }
  if (lends) lent_ = {rank + 1, own_, groups[0]};
  if (first && !lends) borrowed_ = {rank - 1, groups[0], seen[at(rank - 1)]};
  // A reduction of many numbers sends each of them about twice.
  pays_ = most < at(std::min(messages, 2)) * count_;
}

void SparseSum::sum(MPI_Comm comm, std::span<double> numbers, const CarriedTotals& carried) {
  const std::span<double> dense = carried.numbers;
  const Parts parts{numbers, dense, count_};
  const auto send = [&](const Exchange& its) {
    parts.pack(its.sent, out_);
    send_numbers(out_.data(), std::ssize(out_), its.rank, tag, comm);
  };
  const auto receive = [&](const Exchange& its) {
    in_.resize(parts.size(its.received));
    receive_numbers(in_.data(), std::ssize(in_), its.rank, tag, comm);
  };
  const auto add_received = [&](const Exchange& its) {
    carried.merge(in_.data(), dense.data(), dense.size());
    parts.unpack(in_, its.received, [](double from, double& to) { to += from; });
  };
  // A negative zero would stay one where no other rank contributes, but not on other ranks.
  for (double* set = numbers.data(); set != numbers.data() + numbers.size(); set += count_)
    for (const int place : own_) set[place] += 0.0;
  if (lent_.rank >= 0) {
    send(lent_);
    receive(lent_);
    std::copy_n(in_.data(), dense.size(), dense.data());
    parts.unpack(in_, lent_.received, [](double from, double& to) { to = from; });
    return;
  }
  if (borrowed_.rank >= 0) {
    receive(borrowed_);
    add_received(borrowed_);
  }
  for (const Exchange& round : rounds_) {
    parts.pack(round.sent, out_);
    in_.resize(parts.size(round.received));
    MPI_Sendrecv(out_.data(), static_cast<int>(out_.size()), MPI_DOUBLE, round.rank, tag, in_.data(),
                 static_cast<int>(in_.size()), MPI_DOUBLE, round.rank, tag, comm, MPI_STATUS_IGNORE);
    add_received(round);
  }
  if (borrowed_.rank >= 0) send(borrowed_);
}

}  // namespace trammel
