#include "kernel/identification.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "kernel/rank_exchange.hpp"

namespace trammel {

namespace {

void take(TakenOffers& all, int entity, const IdentityOffer& offer) {
  if (!all.sets.join(offer.a, offer.b)) return;
  const int number = static_cast<int>(all.taken.size());
  all.taken.push_back({entity, offer.a, offer.b, offer.rotation, offer.multiplier, number});
}

/// Of a model that is expanded by shares: the offers of joints that this rank speaks for.
std::map<int, std::vector<IdentityOffer>> own_offers(const Model& model, int rank) {
  std::map<int, std::vector<IdentityOffer>> mine;
  for (const auto& [entity, offers] : model.offers)
    if (model.shares.speaker(entity) == rank) mine.emplace(entity, offers);
  return mine;
}

/// What forbids that an offer is taken.
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
  if (!model.shares.whole()) {
    const int mine = first;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == none) return;
    int from = -1;
    MPI_Comm_rank(comm, &from);
    if (mine != first) from = -1;
    MPI_Allreduce(MPI_IN_PLACE, &from, 1, MPI_INT, MPI_MAX, comm);
    share_text(text, from, comm);
  }
  if (first == none) return;
  const Entity& joint =
      model.entities[static_cast<std::size_t>(taken[static_cast<std::size_t>(first)].entity)];
  throw Error(joint.where, fmt::format("{} '{}' ({}): {}", joint.category, joint.name, joint.type, text));
}

}  // namespace

TakenOffers take_offers(const std::map<int, std::vector<IdentityOffer>>& offers) {
  TakenOffers all;
  for (const auto& [entity, list] : offers)
    for (const IdentityOffer& offer : list) take(all, entity, offer);
  return all;
}

TakenOffers take_offers(const std::map<int, std::vector<IdentityOffer>>& mine, MPI_Comm comm) {
  std::vector<int> numbers;
  for (const auto& [entity, list] : mine)
    for (const IdentityOffer& offer : list)
      numbers.insert(numbers.end(), {entity, offer.a, offer.b, offer.rotation ? 1 : 0, offer.multiplier});
  numbers = of_all_ranks(numbers, comm);
  std::map<int, std::vector<IdentityOffer>> all;
  for (std::size_t i = 0; i + 5 <= numbers.size(); i += 5)
    all[numbers[i]].push_back({numbers[i + 1], numbers[i + 2], numbers[i + 3] != 0, numbers[i + 4], {}});
  return take_offers(all);
}

Identification::Identification(const Model& model, bool wanted, MPI_Comm comm) {
  for (const BlockId id : model.blocks.ids()) roots_.put(id).root = id;
  if (!wanted) return;
  TakenOffers all;
  if (model.shares.whole()) {
    all = take_offers(model.offers);
  } else {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    all = take_offers(own_offers(model, rank), comm);
  }
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
    r.Q = initial_rotation(r.root).transpose() * initial_rotation(id);
    r.rotated = !r.Q.isIdentity(1e-15);
  }
}

}  // namespace trammel
