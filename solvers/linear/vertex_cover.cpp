#include "solvers/linear/vertex_cover.hpp"

#include <algorithm>
#include <unordered_map>

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
      }
      neighbours_.resize(vertex_[0].size());
      neighbours_[its[0]].push_back(its[1]);
    }
    mate_[0].assign(vertex_[0].size(), none);
    mate_[1].assign(vertex_[1].size(), none);
  }

  /// Edges without a common end, taken as they come: no cover has fewer vertices.
  std::size_t match_greedily() {
    std::size_t matched = 0;
    for (std::size_t v = 0; v < neighbours_.size(); ++v)
      for (const std::size_t w : neighbours_[v])
        if (mate_[0][v] == none && mate_[1][w] == none) {
          join(v, w);
          ++matched;
        }
    return matched;
  }

  void cover(std::vector<PetscInt>& out) {
    for (std::size_t v = 0; v < neighbours_.size(); ++v) {
      if (mate_[0][v] != none) continue;
      std::vector<char> seen(vertex_[1].size(), 0);
      augment(v, seen);
    }
    // Konig: reached from unmatched vertices of the first side by alternating paths.
    std::vector<char> reached[2] = {std::vector<char>(vertex_[0].size(), 0),
                                    std::vector<char>(vertex_[1].size(), 0)};
    std::vector<std::size_t> open;
    for (std::size_t v = 0; v < neighbours_.size(); ++v)
      if (mate_[0][v] == none) {
        reached[0][v] = 1;
        open.push_back(v);
      }
    while (!open.empty()) {
      const std::size_t v = open.back();
      open.pop_back();
      for (const std::size_t w : neighbours_[v]) {
        if (reached[1][w]) continue;
        reached[1][w] = 1;
        const std::size_t next = mate_[1][w];
        if (next != none && !reached[0][next]) {
          reached[0][next] = 1;
          open.push_back(next);
        }
      }
    }
    for (std::size_t v = 0; v < vertex_[0].size(); ++v)
      if (!reached[0][v]) out.push_back(vertex_[0][v]);
    for (std::size_t w = 0; w < vertex_[1].size(); ++w)
      if (reached[1][w]) out.push_back(vertex_[1][w]);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  void join(std::size_t v, std::size_t w) {
    mate_[0][v] = w;
    mate_[1][w] = v;
  }
  bool augment(std::size_t v, std::vector<char>& seen) {
    for (const std::size_t w : neighbours_[v]) {
      if (seen[w]) continue;
      seen[w] = 1;
      if (mate_[1][w] == none || augment(mate_[1][w], seen)) {
        join(v, w);
        return true;
      }
    }
    return false;
  }

  std::vector<PetscInt> vertex_[2];
  std::vector<std::vector<std::size_t>> neighbours_;  ///< of the first side
  std::vector<std::size_t> mate_[2];
};

}  // namespace

std::optional<std::vector<PetscInt>> vertex_cover(std::vector<std::pair<PetscInt, PetscInt>> edges,
                                                  std::span<const PetscInt> first_of, std::size_t most) {
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
    pair.cover(cover);
    std::ranges::sort(cover);
    if (cover.size() > most) return {};
  }
  return cover;
}

}  // namespace trammel
