#include "solvers/ranks/rank_bytes.hpp"

#include <algorithm>
#include <cstdint>

namespace trammel {

namespace {

// MPI counts in ints.
constexpr std::uint64_t largest_message = 1U << 30U;

/// Calls `send(pointer, count)` for parts that one message can carry.
template <class Send>
void in_messages(std::vector<std::byte>& bytes, const Send& send) {
  for (std::uint64_t from = 0; from < bytes.size(); from += largest_message)
    send(bytes.data() + from, static_cast<int>(std::min(largest_message, bytes.size() - from)));
}

}  // namespace

std::vector<std::vector<std::byte>> gather_bytes(const std::vector<std::byte>& mine, MPI_Comm comm) {
  constexpr int tag = 21;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::uint64_t size = mine.size();
  std::vector<std::uint64_t> sizes(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  MPI_Gather(&size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, comm);
  std::vector<std::byte> sent = mine;
  if (rank != 0) {
    in_messages(sent, [&](std::byte* part, int count) { MPI_Send(part, count, MPI_BYTE, 0, tag, comm); });
    return {};
  }
  std::vector<std::vector<std::byte>> all(sizes.size());
  all[0] = std::move(sent);
  for (int from = 1; from < ranks; ++from) {
    std::vector<std::byte>& bytes = all[static_cast<std::size_t>(from)];
    bytes.resize(sizes[static_cast<std::size_t>(from)]);
    in_messages(bytes, [&](std::byte* part, int count) {
      MPI_Recv(part, count, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
    });
  }
  return all;
}

void broadcast_bytes(std::vector<std::byte>& bytes, MPI_Comm comm) {
  std::uint64_t size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, comm);
  bytes.resize(size);
  in_messages(bytes, [&](std::byte* part, int count) { MPI_Bcast(part, count, MPI_BYTE, 0, comm); });
}

}  // namespace trammel
