#include "solvers/linear/vertex_cover.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace trammel {

namespace {

/// The edges between the vertices of two ranks, by consecutive numbers of either side.
class Bipartite {
 public:
  explicit Bipartite(std::span<const std::pair<PetscInt, PetscInt>> edges) {
    std::unordered_map<PetscInt, std::size_t> number[2];
    for (const auto& [a, b] : edges) {
      const PetscInt ends[2] = {a, b};
      std::size_t its[2];
      for (std::size_t s = 0; s < 2; ++s) {
        const auto [at, fresh] = number[s].try_emplace(ends[s], vertex_[s].size());
        if (fresh) vertex_[s].push_back(ends[s]);
        its[s] = at->second;
        neighbours_[s].resize(vertex_[s].size());
      }
      neighbours_[0][its[0]].push_back(its[1]);
      neighbours_[1][its[1]].push_back(its[0]);
    }
    for (std::size_t s = 0; s < 2; ++s) mate_[s].assign(vertex_[s].size(), none);
  }

  /// Edges without a common end, taken as they come: no cover has fewer vertices.
  std::size_t match_greedily() {
    std::size_t matched = 0;
    for (std::size_t v = 0; v < vertex_[0].size(); ++v)
      for (const std::size_t w : neighbours_[0][v])
        if (mate_[0][v] == none && mate_[1][w] == none) {
          join(v, w);
          ++matched;
        }
    return matched;
  }

  /// Of the two extreme covers, in each connected part the one which has more of the `preferred` vertices.
  void cover(std::span<const PetscInt> preferred, std::vector<PetscInt>& out) {
    for (std::size_t v = 0; v < vertex_[0].size(); ++v) {
      if (mate_[0][v] != none) continue;
      std::vector<char> seen(vertex_[1].size(), 0);
      augment(v, seen);
    }
    const Marks of_first = cover_from(0), of_second = cover_from(1);
    Marks seen = no_marks();
    for (std::size_t v = 0; v < vertex_[0].size(); ++v) {
      if (seen[0][v]) continue;
      const Part part = part_of(v, seen);
      const auto its = [&](const Marks& covered, auto&& use) {
        for (const auto& [side, vertex] : part)
          if (covered[side][vertex]) use(vertex_[side][vertex]);
      };
      const auto count = [&](const Marks& covered) {
        std::size_t found = 0;
        its(covered,
            [&](PetscInt vertex) { found += std::ranges::binary_search(preferred, vertex) ? 1U : 0U; });
        return found;
      };
      its(count(of_second) > count(of_first) ? of_second : of_first,
          [&](PetscInt vertex) { out.push_back(vertex); });
    }
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// By side, by vertex.
  using Marks = std::array<std::vector<char>, 2>;
  /// Side and vertex.
  using Part = std::vector<std::pair<std::size_t, std::size_t>>;

  Marks no_marks() const {
    return {std::vector<char>(vertex_[0].size(), 0), std::vector<char>(vertex_[1].size(), 0)};
  }
  void join(std::size_t v, std::size_t w) {
    mate_[0][v] = w;
    mate_[1][w] = v;
  }
  bool augment(std::size_t v, std::vector<char>& seen) {
    for (const std::size_t w : neighbours_[0][v]) {
      if (seen[w]) continue;
      seen[w] = 1;
      if (mate_[1][w] == none || augment(mate_[1][w], seen)) {
        join(v, w);
        return true;
      }
    }
    return false;
  }
  /// Konig's cover: vertices of `side` that alternating paths from its unmatched ones do not reach, and those of the other that they reach.
  Marks cover_from(std::size_t side) const {
    const std::size_t other = 1 - side;
    Marks covered = no_marks();
    std::ranges::fill(covered[side], 1);
    std::vector<std::size_t> open;
    for (std::size_t v = 0; v < vertex_[side].size(); ++v)
      if (mate_[side][v] == none) {
        covered[side][v] = 0;
        open.push_back(v);
      }
    while (!open.empty()) {
      const std::size_t v = open.back();
      open.pop_back();
      for (const std::size_t w : neighbours_[side][v]) {
        if (covered[other][w]) continue;
        covered[other][w] = 1;
        const std::size_t next = mate_[other][w];
        if (next != none && covered[side][next]) {
          covered[side][next] = 0;
          open.push_back(next);
        }
      }
    }
    return covered;
  }
  /// The connected part with this vertex of the first side.
  Part part_of(std::size_t first, Marks& seen) const {
    Part part{{0, first}};
    seen[0][first] = 1;
    for (std::size_t k = 0; k < part.size(); ++k) {
      const auto [side, vertex] = part[k];
      for (const std::size_t w : neighbours_[side][vertex])
        if (!std::exchange(seen[1 - side][w], 1)) part.emplace_back(1 - side, w);
    }
    return part;
  }

  std::vector<PetscInt> vertex_[2];
  std::vector<std::vector<std::size_t>> neighbours_[2];
  std::vector<std::size_t> mate_[2];
};

}  // namespace

std::optional<std::vector<PetscInt>> vertex_cover(std::vector<std::pair<PetscInt, PetscInt>> edges,
                                                  std::span<const PetscInt> first_of,
                                                  std::span<const PetscInt> preferred, std::size_t most) {
  for (auto& [a, b] : edges)
    if (b < a) std::swap(a, b);
  const auto rank_of = [first_of](PetscInt v) {
    return std::ranges::upper_bound(first_of, v) - first_of.begin();
  };
  std::ranges::sort(edges, {},
                    [&](const auto& e) { return std::tuple(rank_of(e.first), rank_of(e.second), e); });
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<PetscInt> cover;
  for (std::size_t from = 0; from < edges.size();) {
    const auto ranks = std::pair(rank_of(edges[from].first), rank_of(edges[from].second));
    std::vector<std::pair<PetscInt, PetscInt>> open;
    for (; from < edges.size() && std::pair(rank_of(edges[from].first), rank_of(edges[from].second)) == ranks;
         ++from)
      if (!std::ranges::binary_search(cover, edges[from].first) &&
          !std::ranges::binary_search(cover, edges[from].second))
        open.push_back(edges[from]);
    Bipartite pair(open);
    if (cover.size() + pair.match_greedily() > most) return {};
    pair.cover(preferred, cover);
    std::ranges::sort(cover);
    if (cover.size() > most) return {};
  }
  return cover;
}

}  // namespace trammel
