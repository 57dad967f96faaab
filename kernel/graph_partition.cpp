#include "kernel/graph_partition.hpp"

#include <petscmat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "kernel/petsc_call.hpp"
#include "kernel/rank_exchange.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {
#if defined(PETSC_HAVE_PTSCOTCH)
constexpr const char* partitioner = MATPARTITIONINGPTSCOTCH;
#elif defined(PETSC_HAVE_PARMETIS)
constexpr const char* partitioner = MATPARTITIONINGPARMETIS;
#else
#error \
    "Trammel cuts models by PT-Scotch or ParMETIS: configure PETSc with --download-ptscotch or --download-parmetis"
#endif
}  // namespace

void PartitionGraph::set_edges(std::vector<std::pair<std::int32_t, std::int32_t>> pairs) {
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  begin.assign(weight.size() + 1, 0);
  neighbours.clear();
  neighbours.reserve(pairs.size());
  for (const auto& [a, b] : pairs) {
    ++begin[at(a) + 1];
    neighbours.push_back(b);
  }
  for (std::size_t v = 0; v < weight.size(); ++v) begin[v + 1] += begin[v];
}

PetscInt evaluation_weight(double cost) {
  // The evaluation of a revolute joint is about half of the work of a step for its six equations.
  constexpr double weight_of_revolute = 3;
  return static_cast<PetscInt>(std::lround(weight_of_revolute * std::max(cost - 1, 0.0)));
}

std::vector<int> partition_graph(MPI_Comm comm, const PartitionGraph& graph) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const PetscInt n = graph.vertices();
  std::vector<int> part(at(n), 0);
  if (ranks == 1) return part;
  if (n < 4 * ranks) {
    // Too small to be worth a partitioner: in the order of the case.
    for (PetscInt v = 0; v < n; ++v) part[at(v)] = static_cast<int>(PetscInt64{v} * ranks / n);
    return part;
  }
  const auto share_of = [&](int r) { return static_cast<PetscInt>(PetscInt64{n} * r / ranks); };
  const PetscInt first = share_of(rank), last = share_of(rank + 1);
  // The arrays pass to PETSc, which frees them.
  PetscInt *rows = nullptr, *columns = nullptr, *weights = nullptr;
  const PetscInt offset = graph.begin[at(first)];
  const PetscInt edges = graph.begin[at(last)] - offset;
  TRAMMEL_PETSC(PetscMalloc1(at(last - first) + 1, &rows));
  TRAMMEL_PETSC(PetscMalloc1(at(edges) + 1, &columns));
  TRAMMEL_PETSC(PetscMalloc1(at(last - first) + 1, &weights));
  for (PetscInt v = first; v <= last; ++v) rows[v - first] = graph.begin[at(v)] - offset;
  std::copy_n(graph.neighbours.begin() + offset, edges, columns);
  std::copy_n(graph.weight.begin() + first, last - first, weights);
  // One rank is one core: PT-Scotch 7.0 would start threads of its own.
  setenv("SCOTCH_PTHREAD_NUMBER", "1", 0);
  Mat adjacency = nullptr;
  MatPartitioning partitioning = nullptr;
  IS parts = nullptr;
  TRAMMEL_PETSC(MatCreateMPIAdj(comm, last - first, n, rows, columns, nullptr, &adjacency));
  TRAMMEL_PETSC(MatPartitioningCreate(comm, &partitioning));
  TRAMMEL_PETSC(MatPartitioningSetAdjacency(partitioning, adjacency));
  TRAMMEL_PETSC(MatPartitioningSetType(partitioning, partitioner));
  TRAMMEL_PETSC(MatPartitioningSetVertexWeights(partitioning, weights));
  TRAMMEL_PETSC(MatPartitioningSetFromOptions(partitioning));
  TRAMMEL_PETSC(MatPartitioningApply(partitioning, &parts));
  const PetscInt* local = nullptr;
  TRAMMEL_PETSC(ISGetIndices(parts, &local));
  part = of_all_ranks(std::vector<int>(local, local + (last - first)), comm);
  TRAMMEL_PETSC(ISRestoreIndices(parts, &local));
  TRAMMEL_PETSC(ISDestroy(&parts));
  TRAMMEL_PETSC(MatPartitioningDestroy(&partitioning));
  TRAMMEL_PETSC(MatDestroy(&adjacency));
  return part;
}

}  // namespace trammel
