#include "kernel/identification.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "kernel/rank_exchange.hpp"
#include "trammel/archive.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

void take(TakenOffers& all, int entity, const IdentityOffer& offer) {
  if (!all.sets.join(offer.a, offer.b)) return;
  const int number = static_cast<int>(all.taken.size());
  all.taken.push_back({entity, offer.a, offer.b, offer.rotation, offer.multiplier, number});
}

/// The reason why an offer must not be taken; empty if it may be.
const std::string& conflict_of(const Model& model, const IdentifiedBlocks& taken) {
  static const std::string none;
  const auto offers = model.offers.find(taken.entity);
  if (offers == model.offers.end()) return none;
  const auto offer = std::ranges::find(offers->second, taken.multiplier, &IdentityOffer::multiplier);
  return offer == offers->second.end() ? none : offer->conflict;
}

void require_equal_velocities(const Model& model, const std::vector<IdentifiedBlocks>& taken, MPI_Comm comm) {
  constexpr int none = std::numeric_limits<int>::max();
  const auto found =
      std::ranges::find_if(taken, [&](const IdentifiedBlocks& t) { return !conflict_of(model, t).empty(); });
  int first = found == taken.end() ? none : found->number;
  std::string text = first == none ? std::string() : conflict_of(model, *found);
  if (!model.partition.whole()) {
    const int mine = first;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == none) return;
    int from = -1;
    MPI_Comm_rank(comm, &from);
    if (mine != first) from = -1;
    MPI_Allreduce(MPI_IN_PLACE, &from, 1, MPI_INT, MPI_MAX, comm);
    broadcast_text(text, from, comm);
  }
  if (first == none) return;
  const Entity& joint = model.entities[at(taken[at(first)].entity)];
  throw Error(joint.where, fmt::format("{} '{}' ({}): {}", joint.category, joint.name, joint.type, text));
}

}  // namespace

TakenOffers take_offers(const Model& model, MPI_Comm comm) {
  TakenOffers all;
  if (model.partition.whole()) {
    for (const auto& [entity, offers] : model.offers)
      for (const IdentityOffer& offer : offers) take(all, entity, offer);
    return all;
  }
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  // Who withdraws an offer need not be built where the joint is.
  const std::vector<int> names =
      of_all_ranks(std::vector<int>(model.withdrawn.begin(), model.withdrawn.end()), comm);
  const std::set<int> withdrawn(names.begin(), names.end());
  std::vector<std::int64_t> numbers;
  for (const auto& [entity, offers] : model.offers)
    if (model.partition.speaker(entity) == rank && !withdrawn.contains(entity))
      for (const IdentityOffer& offer : offers)
        numbers.insert(numbers.end(), {entity, offer.a, offer.b, offer.rotation ? 1 : 0, offer.multiplier});
  numbers = of_all_ranks(numbers, comm);
  std::map<int, std::vector<IdentityOffer>> offers;
  for (std::size_t i = 0; i < numbers.size(); i += 5)
    offers[static_cast<int>(numbers[i])].push_back(
        {numbers[i + 1], numbers[i + 2], numbers[i + 3] != 0, numbers[i + 4], {}});
  for (const auto& [entity, list] : offers)
    for (const IdentityOffer& offer : list) take(all, entity, offer);
  return all;
}

void fetch_roots(Model& model, MPI_Comm comm) {
  const TakenOffers all = take_offers(model, comm);
  std::set<BlockId> roots;
  for (const auto& [id, root] : all.sets.roots())
    if (model.knows(id) && !model.knows(root)) roots.insert(root);
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  ByRank ask(at(ranks));
  for (const BlockId id : roots) ask[at(model.partition.speaker(entity_of(id)))].push_back(id);
  const ByRank asked = exchange_by_rank(ask, comm);
  // Positions and rotations, which have no rows.
  const auto pass = [](Archive& archive, Block& block) {
    std::vector<double> initial(block.initial.begin(), block.initial.end()),
        rate(block.initial_rate.begin(), block.initial_rate.end());
    archive(block.kind, block.size, block.name, block.unit, block.entity, initial, rate);
    block.initial.assign(initial);
    block.initial_rate.assign(rate);
  };
  BytesByRank answer(asked.size());
  for (std::size_t r = 0; r < asked.size(); ++r) {
    Archive out;
    for (const BlockId id : asked[r]) {
      Block block = model.block(id);
      pass(out, block);
    }
    answer[r] = out.bytes();
  }
  const BytesByRank blocks = exchange_by_rank(answer, comm);
  for (std::size_t r = 0; r < ask.size(); ++r) {
    Archive in(blocks[r]);
    for (const BlockId id : ask[r]) pass(in, model.blocks.put(id));
  }
}

Identification::Identification(const Model& model, bool wanted, MPI_Comm comm) : roots_(model.blocks) {
  for (const BlockId id : model.blocks.ids()) roots_.put(id).root = id;
  if (!wanted) return;
  const TakenOffers all = take_offers(model, comm);
  total_ = static_cast<int>(all.taken.size());
  if (total_ == 0) return;
  require_equal_velocities(model, all.taken, comm);
  std::set<BlockId> known;  // roots of sets with a block that this rank knows
  for (const IdentifiedBlocks& t : all.taken) {
    if (model.knows(t.multiplier)) roots_.put(t.multiplier).fixed = true;
    const BlockId root = all.sets.root(t.a == no_block ? t.b : t.a);
    if (known.contains(root)) continue;
    const std::vector<BlockId>& members = all.sets.members(root);
    if (std::ranges::none_of(members, [&](BlockId id) { return model.knows(id); })) continue;
    known.insert(root);
    set_roots(model, all.sets, members, t.rotation);
  }
  for (const IdentifiedBlocks& t : all.taken)
    if (known.contains(all.sets.root(t.a == no_block ? t.b : t.a))) blocks_.push_back(t);
}

void Identification::set_roots(const Model& model, const BlockSets& sets, const std::vector<BlockId>& members,
                               bool rotation) {
  const auto initial_rotation = [&model](BlockId id) {
    const auto& q = model.block(id).initial;
    return Quaternion(q[0], q[1], q[2], q[3]).toRotationMatrix();
  };
  for (const BlockId id : members) {
    if (!model.knows(id)) continue;
    BlockRoot& r = roots_.put(id);
    r.root = sets.root(id);
    r.fixed = sets.fixed(id);
    if (!rotation || id == r.root || !model.knows(r.root)) continue;
    const Mat3 Q = initial_rotation(r.root).transpose() * initial_rotation(id);
    if (!Q.isIdentity(1e-15)) r.Q = &turns_.emplace_back(Q);
  }
}

}  // namespace trammel
