#include "io/recorder_ranks.hpp"

#include <cstdint>
#include <numeric>

#include "kernel/rank_exchange.hpp"

namespace trammel {

namespace {

std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), offsets.begin() + 1);
  return offsets;
}

std::vector<std::string> split(const std::string& joined, const std::vector<int>& offsets) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    texts.push_back(joined.substr(static_cast<std::size_t>(offsets[i]),
                                  static_cast<std::size_t>(offsets[i + 1] - offsets[i])));
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
  const Ranks ranks(comm);
  const int length = static_cast<int>(text.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks.count));
  MPI_Gather(&length, 1, MPI_INT, counts.data(), 1, MPI_INT, root, comm);
  std::string joined;
  std::vector<int> offsets = offsets_of(counts);
  if (ranks.rank == root) joined.resize(static_cast<std::size_t>(offsets.back()));
  MPI_Gatherv(text.data(), length, MPI_CHAR, joined.data(), counts.data(), offsets.data(), MPI_CHAR, root,
              comm);
  if (ranks.rank != root) return {};
  return split(joined, offsets);
}

std::vector<std::string> all_texts(MPI_Comm comm, std::string_view text) {
  const Ranks ranks(comm);
  const int length = static_cast<int>(text.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks.count));
  MPI_Allgather(&length, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
  const std::vector<int> offsets = offsets_of(counts);
  std::string joined(static_cast<std::size_t>(offsets.back()), '\0');
  MPI_Allgatherv(text.data(), length, MPI_CHAR, joined.data(), counts.data(), offsets.data(), MPI_CHAR, comm);
  return split(joined, offsets);
}

std::vector<double> gather_numbers(MPI_Comm comm, std::span<const double> numbers) {
  const Ranks ranks(comm);
  if (ranks.count == 1) return {numbers.begin(), numbers.end()};
  const int length = static_cast<int>(numbers.size());
  std::vector<int> counts(static_cast<std::size_t>(ranks.count));
  MPI_Gather(&length, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
  const std::vector<int> offsets = offsets_of(counts);
  std::vector<double> all(ranks.rank == 0 ? static_cast<std::size_t>(offsets.back()) : 0);
  MPI_Gatherv(numbers.data(), length, MPI_DOUBLE, all.data(), counts.data(), offsets.data(), MPI_DOUBLE, 0,
              comm);
  return all;
}

}  // namespace trammel
