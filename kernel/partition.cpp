#include "kernel/partition.hpp"

#include <algorithm>

#include "kernel/graph_partition.hpp"
#include "trammel/index.hpp"

namespace trammel {

BlockValues<int> partition(MPI_Comm comm, const Model& model, const Identification& identification) {
  BlockValues<int> owner(model.blocks, -1);
  // Vertices are the root blocks that carry unknowns.
  PartitionGraph graph;
  BlockValues<std::int32_t> vertex_of(model.blocks, -1);
  for (const BlockId id : model.blocks.ids()) {
    const BlockRoot& r = identification.root(id);
    if (r.root != id || r.fixed) continue;
    vertex_of.put(id) = static_cast<std::int32_t>(graph.weight.size());
    graph.weight.push_back(model.block(id).size);
  }
  // The cost of an evaluation is assigned to a block of the instance itself, such as its multipliers, because these are on the
  // rank that evaluates it.
  const auto own_vertex = [&](const ElementRange& range, int i, std::int32_t otherwise) {
    for (const BlockId id : range.stencil(i))
      if (const std::int32_t v = vertex_of[identification.root(id).root];
          v >= 0 && model.block(id).entity == range.entity(i))
        return v;
    return otherwise;
  };
  std::vector<std::pair<std::int32_t, std::int32_t>> edges;
  std::vector<std::int32_t> touched;
  for (const Model::Range& range : model.ranges)
    for (int i = 0; i < range.instances->size(); ++i) {
      touched.clear();
      for (const BlockId id : range.instances->stencil(i)) {
        const std::int32_t v = vertex_of[identification.root(id).root];
        if (v >= 0) touched.push_back(v);
      }
      std::ranges::sort(touched);
      touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
      for (const auto a : touched)
        for (const auto b : touched)
          if (a != b) edges.emplace_back(a, b);
      const int entity = range.instances->entity(i);
      if (entity < 0 || touched.empty()) continue;
      if (const PetscInt extra = evaluation_weight(model.entities[at(entity)].evaluation_cost); extra > 0)
        graph.weight[at(own_vertex(*range.instances, i, touched.front()))] += extra;
    }
  graph.set_edges(std::move(edges));
  const std::vector<int> part = partition_graph(comm, graph);
  for (const BlockId id : model.blocks.ids()) {
    if (identification.root(id).root != id) continue;
    const std::int32_t v = vertex_of[id];
    owner.put(id) = v < 0 ? 0 : part[static_cast<std::size_t>(v)];
  }
  return owner;
}

}  // namespace trammel
