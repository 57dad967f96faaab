#include "position_exchange.hpp"

#include <numeric>
#include <unordered_map>

namespace trammel {

namespace {

/// Where the position of a block lies among those of this rank.
struct Place {
  std::size_t first = 0;
  int size = 0;
};

void append(const Place& place, std::vector<std::size_t>& numbers) {
  for (int k = 0; k < place.size; ++k) numbers.push_back(place.first + static_cast<std::size_t>(k));
}

std::vector<int> starts(const std::vector<int>& counts) {
  std::vector<int> all(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), all.begin(), 0);
  return all;
}

}  // namespace

PositionExchange::PositionExchange(const Layout& from, const Layout& to) : comm_(to.comm()) {
  std::unordered_map<BlockId, Place> given;
  std::size_t first = 0;
  each_position(from, [&](const UnknownBlock& u, int size) {
    given[u.block] = {first, size};
    first += static_cast<std::size_t>(size);
  });
  std::vector<BlockId> own;
  std::vector<Place> places;
  each_position(to, [&](const UnknownBlock& u, int size) {
    own.push_back(u.block);
    places.push_back({size_, size});
    size_ += static_cast<std::size_t>(size);
  });
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm_, &rank);
  MPI_Comm_size(comm_, &ranks);
  const auto count = static_cast<std::size_t>(ranks);
  sends_.resize(count);
  receives_.resize(count);
  std::vector<std::vector<std::size_t>> received(count);
  // Each rank in turn names its blocks in `to`, and learns who owns them in `from`. They are sent in this order.
  for (int other = 0; other < ranks; ++other) {
    int asked = static_cast<int>(own.size());
    MPI_Bcast(&asked, 1, MPI_INT, other, comm_);
    std::vector<BlockId> blocks(static_cast<std::size_t>(asked));
    if (other == rank) blocks = own;
    MPI_Bcast(blocks.data(), asked, MPI_INT64_T, other, comm_);
    std::vector<int> mine(blocks.size(), -1), owners(blocks.size(), -1);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto found = given.find(blocks[i]);
      if (found == given.end()) continue;
      mine[i] = rank;
      append(found->second, sent_);
      sends_[static_cast<std::size_t>(other)] += found->second.size;
    }
    MPI_Reduce(mine.data(), owners.data(), asked, MPI_INT, MPI_MAX, other, comm_);
    for (std::size_t i = 0; other == rank && i < blocks.size(); ++i)
      append(places[i], received.at(static_cast<std::size_t>(owners[i])));
  }
  for (std::size_t r = 0; r < count; ++r) {
    receives_[r] = static_cast<int>(received[r].size());
    received_.insert(received_.end(), received[r].begin(), received[r].end());
  }
  send_at_ = starts(sends_);
  receive_at_ = starts(receives_);
}

std::vector<double> PositionExchange::operator()(const std::vector<double>& positions) const {
  std::vector<double> sent(sent_.size()), received(received_.size()), all(size_);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = positions[sent_[i]];
  MPI_Alltoallv(sent.data(), sends_.data(), send_at_.data(), MPI_DOUBLE, received.data(), receives_.data(),
                receive_at_.data(), MPI_DOUBLE, comm_);
  for (std::size_t i = 0; i < received.size(); ++i) all[received_[i]] = received[i];
  return all;
}

}  // namespace trammel
