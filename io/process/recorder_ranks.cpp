#include "io/process/recorder_ranks.hpp"

#include <utility>

#include "kernel/rank_exchange.hpp"

namespace trammel {

namespace {

std::vector<std::string> split(const Gathered<char>& gathered) {
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank + 1 < gathered.begin.size(); ++rank) {
    const std::span<const char> text = gathered.of(rank);
    texts.emplace_back(text.begin(), text.end());
  }
  return texts;
}

struct Ranks {
  explicit Ranks(MPI_Comm comm) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &count);
  }
  int rank = 0, count = 1;
};

}  // namespace

void agree_on_errors(MPI_Comm comm, std::string text) {
  const Ranks ranks(comm);
  int first = text.empty() ? ranks.count : ranks.rank;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == ranks.count) return;
  broadcast_text(text, first, comm);
  throw Error(text);
}

std::vector<std::string> gather_texts(MPI_Comm comm, std::string_view text, int root) {
  const Gathered<char> gathered = gather(text, comm, root);
  return Ranks(comm).rank == root ? split(gathered) : std::vector<std::string>();
}

std::vector<std::string> all_texts(MPI_Comm comm, std::string_view text) { return split(gather(text, comm)); }

const std::vector<double>& RepeatedGather::gather(MPI_Comm comm, std::span<const double> numbers) {
  if (counts_.empty()) {
    Gathered<double> first = trammel::gather(numbers, comm, 0);
    for (std::size_t rank = 0; rank + 1 < first.begin.size(); ++rank)
      counts_.push_back(first.begin[rank + 1] - first.begin[rank]);
    begins_ = std::move(first.begin);
    all_ = std::move(first.all);
    return all_;
  }
  MPI_Gatherv(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, all_.data(), counts_.data(),
              begins_.data(), MPI_DOUBLE, 0, comm);
  return all_;
}

}  // namespace trammel
