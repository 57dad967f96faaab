#include "solvers/named_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sstream>

namespace trammel {

namespace {

/// The texts of all ranks, one after the other.
std::string of_all_ranks(const std::string& mine, MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  std::vector<int> length(static_cast<std::size_t>(ranks)), begin(length.size() + 1, 0);
  const int n = static_cast<int>(mine.size());
  MPI_Allgather(&n, 1, MPI_INT, length.data(), 1, MPI_INT, comm);
  std::partial_sum(length.begin(), length.end(), begin.begin() + 1);
  std::string all(static_cast<std::size_t>(begin.back()), ' ');
  MPI_Allgatherv(mine.data(), n, MPI_CHAR, all.data(), length.data(), begin.data(), MPI_CHAR, comm);
  return all;
}

void keep_first(std::vector<NamedBlock>& blocks, std::size_t most) {
  std::ranges::sort(blocks, [](const NamedBlock& a, const NamedBlock& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.block < b.block;
  });
  if (blocks.size() > most) blocks.resize(most);
}

}  // namespace

std::string joined_names(const std::vector<NamedBlock>& owned, std::size_t most, MPI_Comm comm) {
  std::vector<NamedBlock> blocks = owned;
  keep_first(blocks, most);
  std::string lines;
  for (const NamedBlock& b : blocks) lines += fmt::format("{} {} {}\n", b.block, b.weight, b.text);
  blocks.clear();
  std::istringstream in(of_all_ranks(lines, comm));
  for (NamedBlock b; in >> b.block >> b.weight;) {
    in.ignore(1);
    std::getline(in, b.text);
    blocks.push_back(b);
  }
  keep_first(blocks, most);
  std::string names;
  for (const NamedBlock& b : blocks) names += (names.empty() ? "" : ", ") + b.text;
  return names;
}

}  // namespace trammel
