#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trammel/registry.hpp"

namespace trammel {

struct PlannedThing;

/// Which things of a case (entities and markers) need which others, by their numbers.
class CaseNeeds {
 public:
  CaseNeeds() = default;
  /// Each rank of `comm` calls `needs_of` for a part of the things. Collective.
  CaseNeeds(const std::vector<PlannedThing>& things,
            const std::function<Needs(const PlannedThing&)>& needs_of, MPI_Comm comm);

  /// The things that one thing names, sorted, each once. A marker or a sensor may name itself.
  std::span<const int> of(int thing) const {
    const auto i = static_cast<std::size_t>(thing);
    return std::span(targets_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }
  bool everywhere(int thing) const { return at(thing).everywhere != 0; }
  bool meets_others(int thing) const { return at(thing).meets_others != 0; }
  int unknowns(int thing) const { return at(thing).unknowns; }
  std::size_t size() const { return traits_.size(); }

  /// The same needs for another order of the things: `order[i]` is the old number of the new thing i.
  CaseNeeds in_order(const std::vector<int>& order) const;

 private:
  struct Traits {
    int everywhere = 0, meets_others = 0, unknowns = 0, targets = 0;
  };
  const Traits& at(int thing) const { return traits_[static_cast<std::size_t>(thing)]; }
  void append(const Traits& traits, std::span<const int> targets);

  std::vector<Traits> traits_;
  std::vector<int> targets_;
  std::vector<std::size_t> begin_{0};
};

}  // namespace trammel
