#include "io/case_shares.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>

#include "io/recorder_ranks.hpp"
#include "kernel/graph_partition.hpp"
#include "kernel/identification.hpp"
#include "kernel/model_builder.hpp"
#include "kernel/rank_exchange.hpp"

namespace trammel {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_name(char c) { return begins_name(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; }

/// Which things need which, by the names in their texts.
class References {
 public:
  /// Each rank reads a part of the texts. Collective.
  References(CaseExpansion& expansion, MPI_Comm comm) : things_(expansion.things()) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (std::size_t i = 0; i < things_.size(); ++i)
      if (things_[i].attachment == nullptr) by_name_.emplace(things_[i].name, static_cast<int>(i));
    const std::size_t n = things_.size(), r = at(rank), p = at(ranks);
    std::vector<int> counts;
    together(comm, [&] {
      for (std::size_t i = n * r / p; i < n * (r + 1) / p; ++i)
        counts.push_back(read(expansion, static_cast<int>(i)));
    });
    targets_ = of_all_ranks(targets_, comm);
    begin_.assign(1, 0);
    for (const int count : of_all_ranks(counts, comm)) begin_.push_back(begin_.back() + at(count));
    by_name_.clear();
  }

  std::span<const int> of(int thing) const {
    return std::span(targets_).subspan(begin_[at(thing)], begin_[at(thing) + 1] - begin_[at(thing)]);
  }

 private:
  /// Appends what one thing names; gives how many that are.
  int read(CaseExpansion& expansion, int thing) {
    const auto first = static_cast<std::ptrdiff_t>(targets_.size());
    if (things_[at(thing)].joint >= 0) targets_.push_back(things_[at(thing)].joint);
    expansion.visit_texts(things_[at(thing)], [&](const std::string& text) { add(text, thing); });
    std::sort(targets_.begin() + first, targets_.end());
    targets_.erase(std::unique(targets_.begin() + first, targets_.end()), targets_.end());
    return static_cast<int>(static_cast<std::ptrdiff_t>(targets_.size()) - first);
  }

  /// The longest names at the head of each word: "rod.4" in "rod.4.end".
  void add(const std::string& text, int from) {
    for (std::size_t i = 0; i < text.size();) {
      if (!begins_name(text[i])) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < text.size() && in_name(text[end])) ++end;
      const std::string_view word = std::string_view(text).substr(i, end - i);
      for (std::size_t length = word.size(); length > 0; --length) {
        if (length < word.size() && word[length] != '.' && word[length] != '-') continue;
        const auto [first, last] = by_name_.equal_range(word.substr(0, length));
        for (auto found = first; found != last; ++found)
          if (found->second != from) targets_.push_back(found->second);
        if (first != last) break;
      }
      i = end;
    }
  }

  const std::vector<PlannedThing>& things_;
  std::unordered_multimap<std::string_view, int> by_name_;
  std::vector<int> targets_;
  std::vector<std::size_t> begin_;
};

/// A thing that may act on whatever the model holds: gravity.
bool is_for_all(const PlannedThing& thing, const References& references, int index) {
  if (thing.type == nullptr || !references.of(index).empty()) return false;
  const Type::Category c = thing.type->category;
  return c != Type::Category::body && c != Type::Category::sensor && c != Type::Category::curve;
}

/// Sets of things that a rank must build together, beside those that one of them names.
class Companions {
 public:
  Companions(const std::vector<PlannedThing>& things, const References& references)
      : attached_(things.size()) {
    // Joints that read joints, and joints that ask what else of their kind hangs on a body, by what they have in common.
    std::unordered_map<int, int> first_of;
    for (int i = 0; i < static_cast<int>(things.size()); ++i) {
      const PlannedThing& thing = things[at(i)];
      if (thing.joint >= 0) attached_[at(thing.joint)].push_back(i);
      if (thing.type == nullptr || thing.joint >= 0) continue;
      for (const int target : references.of(i)) {
        const Type* type = things[at(target)].type;
        if (type == nullptr) continue;
        const bool reads = thing.type->after_others && type->category == Type::Category::joint;
        const bool meets = thing.type->meets_others && type->category == Type::Category::body;
        if (!reads && !meets) continue;
        if (meets) attached_[at(target)].push_back(i);  // what slides on a beam may tell it so
        const auto [found, fresh] = first_of.try_emplace(target, i);
        if (!fresh) together_.join(i, found->second);
      }
    }
  }

  template <class Visit>
  void each(int thing, const Visit& visit) const {
    for (const int i : attached_[at(thing)]) visit(i);
    for (const int i : together_.members(together_.root(thing))) visit(i);
  }

 private:
  std::vector<std::vector<int>> attached_;
  BlockSets together_;  ///< of things in place of blocks, by index
};

/// The entities with the blocks that carry the unknowns of those that joints identified with them, by entity.
class RootEntities {
 public:
  RootEntities() = default;
  RootEntities(const TakenOffers& offers, const ModelShares& shares) {
    for (const IdentifiedBlocks& s : offers.taken)
      for (const BlockId id : {s.a, s.b}) {
        if (id == no_block) continue;
        const int entity = shares.entity_of(id), root = shares.entity_of(offers.sets.root(id));
        if (entity != root) of_[entity].push_back(root);
      }
  }
  std::span<const int> of(int entity) const {
    const auto found = of_.find(entity);
    return found == of_.end() ? std::span<const int>() : std::span<const int>(found->second);
  }

 private:
  std::unordered_map<int, std::vector<int>> of_;
};

class Distribution {
 public:
  Distribution(CaseExpansion& expansion, MPI_Comm comm)
      : expansion_(expansion),
        things_(expansion.things()),
        comm_(comm),
        references_(expansion, comm),
        companions_(things_, references_) {
    MPI_Comm_rank(comm, &rank_);
    for (int i = 0; i < static_cast<int>(things_.size()); ++i)
      if (things_[at(i)].entity >= 0) thing_of_.push_back(i);
    weight_.assign(thing_of_.size(), 1);
    blocks_.assign(thing_of_.size(), 0);
  }

  /// Distributes entities over the ranks by their weights. What hangs on a joint goes with it.
  void distribute() {
    std::vector<std::int32_t> vertex(things_.size());
    PartitionGraph graph;
    for (int i = 0; i < static_cast<int>(things_.size()); ++i) {
      const PlannedThing& thing = things_[at(i)];
      const int weight = thing.entity < 0 ? 0 : weight_[at(thing.entity)];
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
      for (const int target : references_.of(i)) {
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
      owner_[e] =
          is_for_all(things_[at(i)], references_, i) ? ModelShares::everyone : part[at(vertex[at(i)])];
    }
  }

  /// Builds this rank's part to see how many blocks the entities make and which of them joints offer to identify.
  void count() {
    Model model;
    Box box;
    std::vector<std::pair<BlockId, int>> first;  // first blocks of the entities built here, in order
    std::ranges::fill(weight_, 0);
    std::ranges::fill(blocks_, 0);
    together(comm_, [&] {
      list_entities(model);
      ModelBuilder builder(model);
      for (const int i : needed({})) {
        const int entity = things_[at(i)].entity;
        const auto before = static_cast<BlockId>(model.blocks.size());
        if (entity >= 0) first.emplace_back(before, entity);
        expansion_.build(things_[at(i)], builder, true);
        if (entity < 0 || !is_mine(entity)) continue;
        for (auto id = before; id < static_cast<BlockId>(model.blocks.size()); ++id) {
          ++blocks_[at(entity)];
          weight_[at(entity)] += model.block(id).size;
        }
      }
      box = builder.box();
    });
    for (std::vector<int>* numbers : {&weight_, &blocks_})
      MPI_Allreduce(MPI_IN_PLACE, numbers->data(), static_cast<int>(numbers->size()), MPI_INT, MPI_SUM,
                    comm_);
    number_blocks();
    agree_on_box(box);
    agree_on_roots(model, first);
  }

  /// The largest part of the unknowns that one entity makes.
  double largest_entity() const {
    const double all = std::accumulate(weight_.begin(), weight_.end(), 0.0);
    return all > 0 ? *std::ranges::max_element(weight_) / all : 0.0;
  }

  void build(Model& model) {
    plan_.shares.owner = owner_;
    together(comm_, [&] {
      list_entities(model);
      ModelBuilder builder(model, plan_);
      for (const int i : needed(roots_)) expansion_.build(things_[at(i)], builder, true);
      builder.finish();
    });
    gather_sensor_references(model);
  }

 private:
  bool is_mine(int entity) const {
    const int owner = owner_[at(entity)];
    return owner == rank_ || (owner == ModelShares::everyone && rank_ == 0);
  }

  void list_entities(Model& model) const {
    model.entities.reserve(thing_of_.size());
    for (const int i : thing_of_) model.entities.push_back(expansion_.entity(things_[at(i)]));
  }

  /// What this rank owns and all that this needs, in the order of the case.
  std::vector<int> needed(const RootEntities& roots) const {
    std::vector<char> wanted(things_.size(), 0);
    std::vector<int> open;
    const auto want = [&](int i) {
      if (wanted[at(i)] != 0) return;
      wanted[at(i)] = 1;
      open.push_back(i);
    };
    for (std::size_t e = 0; e < owner_.size(); ++e)
      if (owner_[e] == rank_ || owner_[e] == ModelShares::everyone) want(thing_of_[e]);
    const auto close = [&] {
      while (!open.empty()) {
        const int i = open.back();
        open.pop_back();
        for (const int target : references_.of(i)) want(target);
        companions_.each(i, want);
      }
    };
    close();
    // What comes in for its root alone needs no roots of its own: nothing here reads its other blocks.
    const std::vector<char> before = wanted;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i] != 0 && things_[i].entity >= 0)
        for (const int entity : roots.of(things_[i].entity)) want(thing_of_[at(entity)]);
    close();
    std::vector<int> list;
    for (int i = 0; i < static_cast<int>(things_.size()); ++i)
      if (wanted[at(i)] != 0) list.push_back(i);
    return list;
  }

  void number_blocks() {
    plan_.shares.first_block.assign(1, 0);
    for (const int n : blocks_) plan_.shares.first_block.push_back(plan_.shares.first_block.back() + n);
  }

  void agree_on_box(const Box& box) {
    std::array<double, 6> bound{};
    for (int k = 0; k < 3; ++k) {
      bound[at(k)] = -box.lowest[k];
      bound[at(k + 3)] = box.highest[k];
    }
    MPI_Allreduce(MPI_IN_PLACE, bound.data(), 6, MPI_DOUBLE, MPI_MAX, comm_);
    for (int k = 0; k < 3; ++k) {
      plan_.box.lowest[k] = -bound[at(k)];
      plan_.box.highest[k] = bound[at(k + 3)];
    }
  }

  /// Which entities have the blocks that carry the unknowns of others, by what joints of all ranks identify.
  void agree_on_roots(const Model& model, const std::vector<std::pair<BlockId, int>>& first) {
    // Blocks were numbered as they came; their numbers in the case follow from their entities.
    const auto in_case = [&](BlockId id) {
      if (id == no_block) return id;
      auto next = std::ranges::upper_bound(first, std::pair(id, static_cast<int>(things_.size())));
      const auto& [begin, entity] = *--next;
      return plan_.shares.first_block[at(entity)] + (id - begin);
    };
    std::map<int, std::vector<IdentityOffer>> mine;
    for (const auto& [entity, offers] : model.offers) {
      if (!is_mine(entity)) continue;
      for (const IdentityOffer& offer : offers)
        mine[entity].push_back(
            {in_case(offer.a), in_case(offer.b), offer.rotation, in_case(offer.multiplier), {}});
    }
    roots_ = RootEntities(take_offers(mine, comm_), plan_.shares);
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
  MPI_Comm comm_;
  int rank_ = 0;
  References references_;
  Companions companions_;
  std::vector<int> thing_of_;  ///< by entity
  std::vector<int> weight_;    ///< by entity: its unknowns
  std::vector<int> blocks_;    ///< by entity: how many it makes
  std::vector<std::int32_t> owner_;
  RootEntities roots_;
  SharePlan plan_;
};

}  // namespace

bool expand_share(CaseExpansion& expansion, int least, MPI_Comm comm, Model& model) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1 || expansion.entities() < least) return false;
  Distribution distribution(expansion, comm);
  distribution.distribute();
  distribution.count();
  // Ranks cannot be evenly loaded beyond this: the graph of blocks can be cut anywhere.
  if (distribution.largest_entity() > 0.1 / ranks) return false;
  distribution.distribute();  // by what the entities turned out to weigh
  distribution.build(model);
  return true;
}

}  // namespace trammel
