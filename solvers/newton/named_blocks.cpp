#include "solvers/newton/named_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "kernel/rank_exchange.hpp"

namespace trammel {

namespace {

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
  const std::vector<char> all = gather(lines, comm).all;
  std::istringstream in(std::string(all.begin(), all.end()));
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
