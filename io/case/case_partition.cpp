#include "io/case/case_partition.hpp"

#include <algorithm>
#include <span>
#include <sstream>
#include <string>
#include <unordered_map>

#include "io/process/recorder_ranks.hpp"
#include "kernel/graph_partition.hpp"
#include "kernel/identification.hpp"
#include "kernel/model_builder.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

/// Sets of entries that a rank must build together, in addition to the entries that they name.
class BuiltTogether {
 public:
  BuiltTogether(const std::vector<PlannedThing>& things, const CaseNeeds& needs) : attached_(things.size()) {
    // For each entry on which several entries act that must know each other: the first of these.
    std::unordered_map<int, int> first_of;
    for (int i = 0; i < static_cast<int>(things.size()); ++i) {
      const PlannedThing& thing = things[at(i)];
      if (thing.joint >= 0) attached_[at(thing.joint)].push_back(i);
      if (!needs.meets_others(i)) continue;
      for (const int target : needs.of(i)) {
        const Type* type = things[at(target)].type;
        if (type == nullptr) continue;
        // A body may need the entries that act on it.
        if (type->category == Type::Category::body) attached_[at(target)].push_back(i);
        const auto [found, fresh] = first_of.try_emplace(target, i);
        if (!fresh) together_.join(i, found->second);
      }
    }
  }

  template <class Visit>
  void each(int thing, const Visit& visit) const {
    for (const int i : attached_[at(thing)]) visit(i);
    for (const BlockId i : together_.members(together_.root(thing))) visit(static_cast<int>(i));
  }

 private:
  std::vector<std::vector<int>> attached_;
  BlockSets together_;  ///< of things in place of blocks, by index
};

class Distribution {
 public:
  Distribution(CaseExpansion& expansion, MPI_Comm comm)
      : expansion_(expansion),
        things_(expansion.things()),
        needs_(expansion.needs()),
        comm_(comm),
        built_together_(things_, needs_) {
    MPI_Comm_rank(comm, &rank_);
    for (int i = 0; i < static_cast<int>(things_.size()); ++i)
      if (things_[at(i)].entity >= 0) thing_of_.push_back(i);
  }

  /// False where the ranks would not be evenly loaded, or cannot know the size of the model when joints are built.
  bool pays(int ranks) const {
    double all = 0;
    int largest = 0;
    for (int i = 0; i < static_cast<int>(things_.size()); ++i) {
      all += needs_.unknowns(i);
      largest = std::max(largest, needs_.unknowns(i));
    }
    const auto first = std::span(things_).first(expansion_.first_things());
    return largest <= 0.1 / ranks * all && std::ranges::all_of(first, &PlannedThing::stands_first);
  }

  /// Distributes entities over the ranks by their weights. Elements on a joint's coordinates go with the joint.
  void distribute() {
    std::vector<std::int32_t> vertex(things_.size());
    PartitionGraph graph;
    for (int i = 0; i < static_cast<int>(things_.size()); ++i) {
      const PlannedThing& thing = things_[at(i)];
      const int weight =
          needs_.unknowns(i) +
          (thing.type == nullptr ? 0 : static_cast<int>(evaluation_weight(thing.type->evaluation_cost)));
      if (thing.joint >= 0) {
        vertex[at(i)] = vertex[at(thing.joint)];
        graph.weight[at(vertex[at(i)])] += weight;
      } else {
        vertex[at(i)] = static_cast<std::int32_t>(graph.weight.size());
        graph.weight.push_back(std::max(weight, 1));
      }
    }
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    for (int i = 0; i < static_cast<int>(things_.size()); ++i)
      for (const int target : needs_.of(i)) {
        const std::int32_t a = vertex[at(i)], b = vertex[at(target)];
        if (a == b) continue;
        edges.emplace_back(a, b);
        edges.emplace_back(b, a);
      }
    graph.set_edges(std::move(edges));
    const std::vector<int> part = partition_graph(comm_, graph);
    owner_.resize(thing_of_.size());
    for (std::size_t e = 0; e < owner_.size(); ++e) {
      const int i = thing_of_[e];
      owner_[e] = needs_.everywhere(i) ? ModelPartition::everyone : part[at(vertex[at(i)])];
    }
  }

  /// Builds this rank's part.
  void build(Model& model) {
    model.partition.owner = owner_;
    ModelBuilder builder(model);
    const std::vector<int> list = needed();
    const auto first = std::ranges::lower_bound(list, static_cast<int>(expansion_.first_things()));
    const auto build = [&](auto begin, auto end) {
      for (auto i = begin; i != end; ++i) expansion_.build(things_[at(*i)], builder, true);
    };
    together(comm_, [&] {
      model.entities.reserve(thing_of_.size());
      for (const int i : thing_of_) model.entities.push_back(expansion_.entity(things_[at(i)]));
      build(list.begin(), first);
    });
    builder.fix_box(comm_);
    together(comm_, [&] {
      build(first, list.end());
      builder.finish();
    });
    fetch_roots(model, comm_);
    gather_sensor_references(model);
  }

 private:
  bool is_mine(int entity) const {
    const int owner = owner_[at(entity)];
    return owner == rank_ || (owner == ModelPartition::everyone && rank_ == 0);
  }

  /// The entries that this rank owns and those that they need, in the order of the case.
  std::vector<int> needed() const {
    std::vector<char> wanted(things_.size(), 0);
    std::vector<int> open;
    const auto want = [&](int i) {
      if (wanted[at(i)] != 0) return;
      wanted[at(i)] = 1;
      open.push_back(i);
    };
    for (std::size_t e = 0; e < owner_.size(); ++e)
      if (owner_[e] == rank_ || owner_[e] == ModelPartition::everyone) want(thing_of_[e]);
    while (!open.empty()) {
      const int i = open.back();
      open.pop_back();
      for (const int target : needs_.of(i)) want(target);
      built_together_.each(i, want);
    }
    std::vector<int> list;
    for (int i = 0; i < static_cast<int>(things_.size()); ++i)
      if (wanted[at(i)] != 0) list.push_back(i);
    return list;
  }

  /// Recorders ask on every rank which sensors there are.
  void gather_sensor_references(Model& model) const {
    std::string text;
    for (const SensorReference& r : model.sensor_references) {
      if (!is_mine(r.sensor)) continue;
      text += std::to_string(r.sensor) + ' ' + std::to_string(r.of) + ' ' +
              std::to_string(static_cast<int>(r.what)) + ' ' + std::to_string(r.channels.size()) + '\n';
      for (const std::string& channel : r.channels) text += channel + '\n';
    }
    model.sensor_references.clear();
    for (const std::string& part : all_texts(comm_, text)) {
      std::istringstream in(part);
      SensorReference r;
      int what = 0;
      std::size_t channels = 0;
      while (in >> r.sensor >> r.of >> what >> channels) {
        in.ignore(1);
        r.what = static_cast<SensorReference::What>(what);
        r.channels.resize(channels);
        for (std::string& channel : r.channels) std::getline(in, channel);
        model.sensor_references.push_back(r);
      }
    }
    std::ranges::sort(model.sensor_references, {}, &SensorReference::sensor);
  }

  CaseExpansion& expansion_;
  const std::vector<PlannedThing>& things_;
  const CaseNeeds& needs_;
  MPI_Comm comm_;
  int rank_ = 0;
  BuiltTogether built_together_;
  std::vector<int> thing_of_;  ///< by entity
  std::vector<std::int32_t> owner_;
};

}  // namespace

bool expand_partition(CaseExpansion& expansion, MPI_Comm comm, Model& model) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1) return false;
  Distribution distribution(expansion, comm);
  if (!distribution.pays(ranks)) return false;
  distribution.distribute();
  distribution.build(model);
  return true;
}

}  // namespace trammel
