#pragma once

#include <mpi.h>
#include <petscsystypes.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "trammel/export.hpp"

namespace trammel {

/// An undirected graph that every rank knows, as compressed rows. Each edge is stored in the rows of both its vertices.
struct TRAMMEL_API PartitionGraph {
  std::vector<PetscInt> begin;  ///< by vertex, and one past the last
  std::vector<PetscInt> neighbours;
  std::vector<PetscInt> weight;  ///< by vertex

  PetscInt vertices() const { return static_cast<PetscInt>(weight.size()); }
  /// Sets the edges from pairs of vertices. Repeated pairs count once.
  void set_edges(std::vector<std::pair<std::int32_t, std::int32_t>> pairs);
};

/// The weight of an evaluation beside that of unknowns. `cost`: as in Type; 0 where the evaluation is no dearer than the
/// unknowns' own weights assume.
TRAMMEL_API PetscInt evaluation_weight(double cost);

/// The rank of each vertex, by PT-Scotch; the same on all ranks. Collective.
TRAMMEL_API std::vector<int> partition_graph(MPI_Comm comm, const PartitionGraph& graph);

}  // namespace trammel
