#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "kernel/layout.hpp"
#include "trammel/archive.hpp"

namespace trammel {

/// The bytes of all ranks, by rank, on rank 0; nothing on the others. Collective.
std::vector<std::vector<std::byte>> gather_bytes(const std::vector<std::byte>& mine, MPI_Comm comm);

/// Gives all ranks the bytes of rank 0. Collective.
void broadcast_bytes(std::vector<std::byte>& bytes, MPI_Comm comm);

/// Makes `map` on rank 0 the union of those of all ranks; the others keep theirs. What several ranks know is the same on all
/// of them. Collective.
template <class K, class V>
void unite_on_first(std::map<K, V>& map, MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1) return;
  Archive mine;
  mine(map);
  for (const std::vector<std::byte>& bytes : gather_bytes(mine.bytes(), comm)) {
    Archive archive(bytes);
    std::map<K, V> part;
    archive(part);
    map.merge(part);
  }
}

/// Writes numbers of the owned blocks of the kinds that `holds` names, in the layout's order, as those of the whole model by block
/// (complete in the archive of rank 0), or reads this rank's part of them: they serve any partition. Collective where it writes.
template <class T>
void serialize_by_block(
    Archive& archive, const Layout& layout, std::vector<T>& packed,
    bool (*holds)(BlockKind) = [](BlockKind kind) { return has_rate(kind); }) {
  std::map<BlockId, std::vector<T>> all;
  const auto each = [&layout, holds](auto&& use) {
    for (const UnknownBlock& u : layout.unknowns())
      if (u.owned && holds(u.kind)) use(u);
  };
  bool known = !packed.empty();
  if (!archive.reads()) {
    auto from = packed.begin();
    if (known)
      each([&](const UnknownBlock& u) {
        all[u.block] = {from, from + u.size};
        from += u.size;
      });
    unite_on_first(all, layout.comm());
    known = !all.empty();
  }
  archive(known, all);
  if (!archive.reads()) return;
  packed.clear();
  if (!known) return;
  each([&](const UnknownBlock& u) {
    const auto found = all.find(u.block);
    if (found == all.end() || found->second.size() != static_cast<std::size_t>(u.size))
      throw Error("what was saved is of other unknowns");
    packed.insert(packed.end(), found->second.begin(), found->second.end());
  });
}

}  // namespace trammel
