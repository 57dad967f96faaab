#include "solvers/linear/thin_cut.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "trammel/index.hpp"

namespace trammel {

namespace {

/// Unknowns of a cut, and unknowns of its part for each of them.
constexpr int most_unknowns = 12, least_length = 25;
/// The smaller half, as a fraction of the part.
constexpr double least_half = 0.4;
/// The fraction of all unknowns up to which a part takes turns with the others as it is.
constexpr double most_alone = 2.0 / 3;

class Neighbours {
 public:
  Neighbours(int n, const int* starts, const int* columns) : begins_(at(n) + 1, 0) {
    const auto each = [&](auto&& use) {
      for (int j = 0; j < n; ++j)
        for (int p = starts[j]; p < starts[j + 1]; ++p)
          if (columns[p] != j) use(j, columns[p]);
    };
    each([&](int a, int b) {
      ++begins_[at(a) + 1];
      ++begins_[at(b) + 1];
    });
    for (std::size_t k = 1; k < begins_.size(); ++k) begins_[k] += begins_[k - 1];
    all_.resize(at(begins_.back()));
    std::vector<int> next(begins_.begin(), begins_.end() - 1);
    each([&](int a, int b) {
      all_[at(next[at(a)]++)] = b;
      all_[at(next[at(b)]++)] = a;
    });
  }
  /// With repetitions.
  std::span<const int> of(int k) const {
    return std::span(all_).subspan(at(begins_[at(k)]), at(begins_[at(k) + 1] - begins_[at(k)]));
  }

 private:
  std::vector<int> begins_, all_;
};

/// Unknowns by their distance from one of them.
struct Levels {
  std::vector<int> unknowns, begins;

  Levels(const Neighbours& neighbours, int from, std::vector<char>& seen, char as)
      : unknowns{from}, begins{0, 1} {
    seen[at(from)] = as;
    for (std::size_t next = 0; next < unknowns.size();) {
      for (const auto end = at(begins.back()); next < end; ++next)
        for (const int other : neighbours.of(unknowns[next]))
          if (std::exchange(seen[at(other)], as) != as) unknowns.push_back(other);
      if (unknowns.size() > next) begins.push_back(static_cast<int>(unknowns.size()));
    }
  }
};

}  // namespace

std::vector<int> thin_cut(int n, const int* starts, const int* columns) {
  const Neighbours neighbours(n, starts, columns);
  std::vector<char> seen(at(n), 0);
  for (int k = 0; k < n; ++k) {
    if (seen[at(k)] != 0) continue;
    const Levels any(neighbours, k, seen, 1);
    const auto size = static_cast<double>(any.unknowns.size());
    if (size <= most_alone * n) continue;
    // Of the levels of fewest unknowns the one in the middle.
    const Levels levels(neighbours, any.unknowns.back(), seen, 2);
    int best = -1, fewest = most_unknowns;
    double best_half = least_half * size;
    for (std::size_t level = 0; level + 1 < levels.begins.size(); ++level) {
      const int begin = levels.begins[level], end = levels.begins[level + 1];
      const double half = std::min<double>(begin, size - end);
      const int unknowns = end - begin;
      if (half < least_half * size || unknowns > fewest || (unknowns == fewest && half <= best_half))
        continue;
      best = begin;
      fewest = unknowns;
      best_half = half;
    }
    if (best < 0 || size < least_length * fewest) return {};
    const auto begin = levels.unknowns.begin() + best;
    return {begin, begin + fewest};
  }
  return {};
}

}  // namespace trammel
