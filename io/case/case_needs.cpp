#include "io/case/case_needs.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "io/case/case_expansion.hpp"
#include "io/process/recorder_ranks.hpp"
#include "kernel/rank_exchange.hpp"
#include "trammel/surface.hpp"

namespace trammel {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

constexpr int group_of_sensors = 7;

/// The order in which kinds of things are built.
int group_of(const PlannedThing& thing) {
  using Category = Type::Category;
  if (thing.type == nullptr) return 1;
  if (thing.type->category == surface_category) return 2;
  switch (thing.type->category) {
    case Category::body:
      return 0;
    case Category::curve:
      return 2;
    case Category::joint:
      return 3;
    case Category::coordinate:
      return 4;
    case Category::element:
      return 5;
    case Category::load:
      return 6;
    default:
      return group_of_sensors;
  }
}

/// Finds the entries of a case by name. Elements on coordinates are not included.
class ThingNames {
 public:
  explicit ThingNames(const std::vector<PlannedThing>& things) : things_(things) {
    // A body's own marker comes before others of its name, and anything before a sensor.
    const auto add = [&](bool wanted(const PlannedThing&), bool always) {
      const std::size_t before = by_name_.size();
      std::vector<int> fresh;
      for (std::size_t i = 0; i < things.size(); ++i)
        if (things[i].coordinate_element == nullptr && wanted(things[i]) &&
            (always || before == 0 || !by_name_.contains(things[i].name)))
          fresh.push_back(static_cast<int>(i));
      for (const int i : fresh) by_name_.emplace(things[index(i)].name, i);
    };
    add([](const PlannedThing& t) { return t.type != nullptr && !is_sensor(t); }, true);
    add([](const PlannedThing& t) { return t.type == nullptr; }, false);
    add(is_sensor, false);
  }

  static bool is_sensor(const PlannedThing& t) {
    return t.type != nullptr && t.type->category == Type::Category::sensor;
  }

  /// Appends the entries that `name`, found in entry `from`, refers to, by the longest known beginning: "rod.4" of
  /// "rod.4.end".
  void resolve(std::string_view name, int from, std::vector<int>& targets) const {
    const std::string_view whole = name.substr(0, name.find('('));
    for (std::string_view head = whole;; head = head.substr(0, head.rfind('.'))) {
      const auto [first, last] = by_name_.equal_range(head);
      for (auto found = first; found != last; ++found) {
        const PlannedThing& thing = things_[index(found->second)];
        const bool marker = thing.type == nullptr, signal = is_sensor(thing) && head.size() < whole.size();
        // If a word in a body's parameters is also the name of a joint, it means something else: an entry names
        // only earlier groups. Only sensors may be named from any group, and may name any group.
        const int here = group_of(things_[index(from)]), there = group_of(thing);
        if (there > here && here != group_of_sensors && there != group_of_sensors) continue;
        // A sensor is read by its signals; its bare name may stand in any text.
        if (is_sensor(thing) && !signal && !is_sensor(things_[index(from)])) continue;
        if (found->second != from || marker || signal) targets.push_back(found->second);
      }
      if (first != last || head.find('.') == std::string_view::npos) return;
    }
  }

 private:
  const std::vector<PlannedThing>& things_;
  std::unordered_multimap<std::string_view, int> by_name_;
};

/// An entry without names may act on everything in the model.
bool may_act_on_all(const PlannedThing& thing) {
  if (thing.type == nullptr) return false;
  const Type::Category c = thing.type->category;
  return c != Type::Category::body && c != Type::Category::sensor && c != Type::Category::curve &&
         c != surface_category;
}

}  // namespace

CaseNeeds::CaseNeeds(const std::vector<PlannedThing>& things,
                     const std::function<Needs(const PlannedThing&)>& needs_of, MPI_Comm comm) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const std::size_t n = things.size(), r = index(rank), p = index(ranks);
  std::vector<int> numbers;  // of each thing its traits, then its targets
  const auto read = [&] {
    const ThingNames names(things);
    std::vector<int> targets;
    for (std::size_t i = n * r / p; i < n * (r + 1) / p; ++i) {
      const Needs needs = needs_of(things[i]);
      targets.clear();
      for (const std::string& name : needs.names) names.resolve(name, static_cast<int>(i), targets);
      std::ranges::sort(targets);
      targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
      const bool everywhere = needs.everywhere || (targets.empty() && may_act_on_all(things[i]));
      numbers.insert(numbers.end(), {everywhere ? 1 : 0, needs.meets_others ? 1 : 0, needs.unknowns,
                                     static_cast<int>(targets.size())});
      numbers.insert(numbers.end(), targets.begin(), targets.end());
    }
  };
  if (ranks == 1)
    read();
  else
    together(comm, read);
  numbers = of_all_ranks(numbers, comm);
  for (std::size_t k = 0; k < numbers.size();) {
    const Traits traits{numbers[k], numbers[k + 1], numbers[k + 2], numbers[k + 3]};
    append(traits, std::span(numbers).subspan(k + 4, index(traits.targets)));
    k += 4 + index(traits.targets);
  }
}

void CaseNeeds::append(const Traits& traits, std::span<const int> targets) {
  traits_.push_back(traits);
  targets_.insert(targets_.end(), targets.begin(), targets.end());
  begin_.push_back(targets_.size());
}

CaseNeeds CaseNeeds::in_order(const std::vector<int>& order) const {
  std::vector<int> place(order.size()), targets;
  for (std::size_t i = 0; i < order.size(); ++i) place[index(order[i])] = static_cast<int>(i);
  CaseNeeds moved;
  for (const int old : order) {
    targets.clear();
    for (const int target : of(old)) targets.push_back(place[index(target)]);
    std::ranges::sort(targets);
    moved.append(at(old), targets);
  }
  return moved;
}

}  // namespace trammel
