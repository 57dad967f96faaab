#include "partition.hpp"

#include <petscmat.h>

#include <algorithm>
#include <cstdlib>

#include "petsc_call.hpp"

namespace trammel {

namespace {

/// The graph of root blocks that carry unknowns, as compressed rows.
struct Graph {
  std::vector<BlockId> vertex;         ///< root block of each vertex
  std::vector<std::int32_t> index_of;  ///< by block, -1 where it is no vertex
  std::vector<PetscInt> begin, neighbours;
};

Graph coupling_graph(const Model& model) {
  Graph g;
  g.index_of.assign(model.blocks.size(), -1);
  for (BlockId id = 0; id < static_cast<BlockId>(model.blocks.size()); ++id) {
    const BlockRoot& r = model.root(id);
    if (r.root != id || r.fixed) continue;
    g.index_of[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(g.vertex.size());
    g.vertex.push_back(id);
  }
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  std::vector<std::int32_t> touched;
  for (const Model::Range& range : model.ranges)
    for (int i = 0; i < range.instances->size(); ++i) {
      touched.clear();
      for (const BlockId id : range.instances->stencil(i)) {
        const std::int32_t v = g.index_of[static_cast<std::size_t>(model.root(id).root)];
        if (v >= 0) touched.push_back(v);
      }
      std::ranges::sort(touched);
      touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
      for (const auto a : touched)
        for (const auto b : touched)
          if (a != b) edges.emplace_back(a, b);
    }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  g.begin.assign(g.vertex.size() + 1, 0);
  g.neighbours.reserve(edges.size());
  for (const auto& [a, b] : edges) {
    ++g.begin[static_cast<std::size_t>(a) + 1];
    g.neighbours.push_back(b);
  }
  for (std::size_t v = 0; v < g.vertex.size(); ++v) g.begin[v + 1] += g.begin[v];
  return g;
}

}  // namespace

std::vector<int> partition(MPI_Comm comm, const Model& model) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<int> owner(model.blocks.size(), -1);
  if (ranks == 1) {
    for (std::size_t id = 0; id < owner.size(); ++id)
      if (model.roots[id].root == static_cast<BlockId>(id)) owner[id] = 0;
    return owner;
  }

  const Graph g = coupling_graph(model);
  const auto n = static_cast<PetscInt>(g.vertex.size());
  const PetscInt first = n * rank / ranks, last = n * (rank + 1) / ranks;
  std::vector<int> part(g.vertex.size(), 0);
  if (n < 4 * ranks) {
    // Too small to be worth a partitioner: in the order of the case.
    for (PetscInt v = 0; v < n; ++v) part[static_cast<std::size_t>(v)] = static_cast<int>(v * ranks / n);
  } else {
    // The arrays pass to PETSc, which frees them.
    PetscInt *rows = nullptr, *columns = nullptr, *weights = nullptr;
    const PetscInt offset = g.begin[static_cast<std::size_t>(first)];
    const PetscInt edges = g.begin[static_cast<std::size_t>(last)] - offset;
    TRAMMEL_PETSC(PetscMalloc1(static_cast<std::size_t>(last - first) + 1, &rows));
    TRAMMEL_PETSC(PetscMalloc1(static_cast<std::size_t>(edges) + 1, &columns));
    TRAMMEL_PETSC(PetscMalloc1(static_cast<std::size_t>(last - first) + 1, &weights));
    for (PetscInt v = first; v <= last; ++v) rows[v - first] = g.begin[static_cast<std::size_t>(v)] - offset;
    std::copy_n(g.neighbours.begin() + offset, edges, columns);
    for (PetscInt v = first; v < last; ++v)
      weights[v - first] = model.block(g.vertex[static_cast<std::size_t>(v)]).size;
    // One rank is one core: PT-Scotch 7.0 would start threads of its own.
    setenv("SCOTCH_PTHREAD_NUMBER", "1", 0);
    Mat adjacency = nullptr;
    MatPartitioning partitioning = nullptr;
    IS parts = nullptr;
    TRAMMEL_PETSC(MatCreateMPIAdj(comm, last - first, n, rows, columns, nullptr, &adjacency));
    TRAMMEL_PETSC(MatPartitioningCreate(comm, &partitioning));
    TRAMMEL_PETSC(MatPartitioningSetAdjacency(partitioning, adjacency));
    TRAMMEL_PETSC(MatPartitioningSetType(partitioning, MATPARTITIONINGPTSCOTCH));
    TRAMMEL_PETSC(MatPartitioningSetVertexWeights(partitioning, weights));
    TRAMMEL_PETSC(MatPartitioningSetFromOptions(partitioning));
    TRAMMEL_PETSC(MatPartitioningApply(partitioning, &parts));
    const PetscInt* local = nullptr;
    TRAMMEL_PETSC(ISGetIndices(parts, &local));
    std::vector<int> mine(local, local + (last - first)), counts(static_cast<std::size_t>(ranks)),
        starts(static_cast<std::size_t>(ranks));
    for (int r = 0; r < ranks; ++r) {
      starts[static_cast<std::size_t>(r)] = static_cast<int>(n * r / ranks);
      counts[static_cast<std::size_t>(r)] = static_cast<int>(n * (r + 1) / ranks - n * r / ranks);
    }
    MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_INT, part.data(), counts.data(),
                   starts.data(), MPI_INT, comm);
    TRAMMEL_PETSC(ISRestoreIndices(parts, &local));
    TRAMMEL_PETSC(ISDestroy(&parts));
    TRAMMEL_PETSC(MatPartitioningDestroy(&partitioning));
    TRAMMEL_PETSC(MatDestroy(&adjacency));
  }
  for (std::size_t id = 0; id < owner.size(); ++id) {
    if (model.roots[id].root != static_cast<BlockId>(id)) continue;
    const std::int32_t v = g.index_of[id];
    owner[id] = v < 0 ? 0 : part[static_cast<std::size_t>(v)];
  }
  return owner;
}

}  // namespace trammel
