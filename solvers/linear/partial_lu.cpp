#include "solvers/linear/partial_lu.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "trammel/index.hpp"

// As TRAMMEL_BY_PROCESSOR, without FMA: terms that are equal cancel to zero only if products are rounded, and a matrix of the interface that
// is singular is recognized by such zeros.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && __GNUC__ >= 12
#define TRAMMEL_BY_AVX2 [[gnu::target_clones("default", "avx2")]]
#else
#define TRAMMEL_BY_AVX2
#endif

namespace trammel {

namespace {

/// Visits to an entry of U, on average, from which on it is copied by rows: of its columns all entries are visited, on lattices two of three
/// where W has no number.
constexpr std::int64_t worth_a_copy = 4;

}  // namespace

void PartialLu::set_structure(std::vector<PetscInt> number, std::vector<Entry> right,
                              std::vector<Entry> below, int border) {
  if (!changed_ && number == number_ && right == right_ && below == below_ && border == border_) return;
  number_ = std::move(number);
  right_ = std::move(right);
  below_ = std::move(below);
  border_ = border;
  changed_ = true;
  right_of_.assign(at(border), {});
  below_of_.assign(at(border), {});
  for (std::size_t e = 0; e < right_.size(); ++e)
    right_of_[at(right_[e].border)].push_back(static_cast<int>(e));
  for (std::size_t e = 0; e < below_.size(); ++e)
    below_of_[at(below_[e].border)].push_back(static_cast<int>(e));
  w_.assign(at((border + lanes - 1) / lanes), {});
  v_.assign(w_.size(), {});
  std::vector<std::vector<int>> coupled(at(border));
  for (const auto* entries : {&right_, &below_})
    for (const Entry& e : *entries) coupled[at(e.border)].push_back(e.inner);
  lu_.set_border(std::move(coupled));
  lu_.omit(number_);
}

bool PartialLu::factorize(const RepeatedLu::Rows& rank, std::span<const double> c,
                          std::span<const double> r) {
  c_ = c;
  r_ = r;
  weak_.weak.clear();
  if (size() == 0) return true;
  const bool fine = lu_.factorize(rank, changed_);
  changed_ = !fine;
  if (!fine || lu_.searches() != searches_) weak_ = find_weak(part_of(rank), coupling(), lu_, !fine);
  if (!fine || !weak_.weak.empty()) {
    searches_ = -1;
    return false;
  }
  if (lu_.searches() != searches_) find_reach();
  searches_ = lu_.searches();
  eliminate_border();
  return true;
}

Coupling PartialLu::coupling() const {
  Coupling all{std::vector<bool>(at(size())), std::vector<double>(at(size()), 0.0)};
  for (std::size_t e = 0; e < right_.size(); ++e) {
    double& largest = all.beside[at(right_[e].inner)];
    largest = std::max(largest, std::abs(c_[e]));
    all.coupled[at(right_[e].inner)] = true;
  }
  for (const Entry& e : below_) all.coupled[at(e.inner)] = true;
  return all;
}

/// Which pivots W and V have numbers at: those that the entries of C and R reach through the factors.
void PartialLu::find_reach() {
  const int n = size();
  const klu_numeric& numeric = lu_.numeric();
  place_of_column_.resize(at(n));
  place_of_row_.resize(at(n));
  from_.resize(at(n));
  to_.resize(at(n));
  for (int k = 0; k < n; ++k) {
    const int row = lu_.rows_of_pivots()[at(k)], column = lu_.columns_of_pivots()[at(k)];
    place_of_column_[at(row)] = k;
    place_of_row_[at(column)] = k;
    from_[at(k)] = lu_.kept()[at(row)];
    to_[at(k)] = lu_.kept()[at(column)];
  }
  // 64 groups of unknowns of the border at a time, a bit each.
  constexpr int bits = 64;
  const auto groups = static_cast<int>(w_.size());
  std::vector<std::uint64_t> reached(at(n));
  std::int64_t visits = 0;  // to entries of U, by columns
  for (int from = 0; from < groups; from += bits) {
    const int to = std::min(from + bits, groups);
    const auto start = [&](const std::vector<std::vector<int>>& entries_of, const std::vector<Entry>& entries,
                           const std::vector<int>& place_of) {
      std::ranges::fill(reached, 0);
      for (int g = from * lanes; g < std::min(to * lanes, border_); ++g)
        for (const int e : entries_of[at(g)])
          reached[at(place_of[at(entries[at(e)].inner)])] |= std::uint64_t{1} << (g / lanes - from);
    };
    const auto collect = [&](std::vector<Sparse>& out) {
      for (int g = from; g < to; ++g) out[at(g)] = {};
      for (int k = 0; k < n; ++k)
        for (std::uint64_t left = reached[at(k)]; left != 0; left &= left - 1)
          out[at(from + __builtin_ctzll(left))].place.push_back(k);
      for (int g = from; g < to; ++g) out[at(g)].value.resize(out[at(g)].place.size());
    };
    start(right_of_, right_, place_of_column_);
    if (n > 1)
      for (int k = 0; k < n; ++k) {
        const KluColumn U = upper_column(lu_.numeric(), k);
        for (int p = 0; p < U.size; ++p) reached[at(k)] |= reached[at(U.row[p])];
      }
    collect(w_);
    for (int g = from; g < to; ++g)
      for (const int k : w_[at(g)].place) visits += numeric.Ulen[k];
    start(below_of_, below_, place_of_row_);
    if (n > 1)
      for (int k = 0; k < n; ++k) {
        if (reached[at(k)] == 0) continue;
        const KluColumn L = lower_column(lu_.numeric(), k);
        for (int p = 0; p < L.size; ++p) reached[at(L.row[p])] |= reached[at(k)];
      }
    collect(v_);
  }
  const auto entries = n > 1 ? std::accumulate(numeric.Ulen, numeric.Ulen + n, std::int64_t{0}) : 0;
  by_rows_ = visits > worth_a_copy * entries;
}

/// U by rows, without the diagonal.
PartialLu::ByRows PartialLu::upper_by_rows() const {
  const int n = size();
  ByRows rows;
  rows.begin.assign(at(n) + 1, 0);
  if (n == 1) return rows;
  for (int k = 0; k < n; ++k) {
    const KluColumn U = upper_column(lu_.numeric(), k);
    for (int p = 0; p < U.size; ++p) ++rows.begin[at(U.row[p]) + 1];
  }
  std::partial_sum(rows.begin.begin(), rows.begin.end(), rows.begin.begin());
  rows.entry.resize(at(rows.begin.back()));
  std::vector<int> next(rows.begin.begin(), rows.begin.end() - 1);
  for (int k = 0; k < n; ++k) {
    const KluColumn U = upper_column(lu_.numeric(), k);
    for (int p = 0; p < U.size; ++p) rows.entry[at(next[at(U.row[p])]++)] = {k, U.value[p]};
  }
  return rows;
}

TRAMMEL_BY_AVX2
void PartialLu::eliminate_border() {
  const int n = size();
  const klu_numeric& numeric = lu_.numeric();
  const auto* diagonal = static_cast<const double*>(numeric.Udiag);
  const ByRows rows = by_rows_ ? upper_by_rows() : ByRows{};
  std::vector<Lanes> work(at(n), Lanes{});
  for (std::size_t group = 0; group < w_.size(); ++group) {
    const int first = static_cast<int>(group) * lanes, end = std::min(first + lanes, border_);
    for (int g = first; g < end; ++g)
      for (const int e : right_of_[at(g)])
        work[at(place_of_column_[at(right_[at(e)].inner)])].v[g - first] += c_[at(e)];
    Sparse& w = w_[group];
    for (std::size_t i = 0; i < w.place.size(); ++i) {
      const int k = w.place[i];
      Vector x = work[at(k)].v;
      if (by_rows_) {
        x = x / diagonal[k];
        const ByRows::Entry* const last = rows.entry.data() + rows.begin[at(k) + 1];
        for (const ByRows::Entry* its = rows.entry.data() + rows.begin[at(k)]; its != last; ++its)
          work[at(its->column)].v -= its->value * x;
      } else {
        if (n > 1) {
          const KluColumn U = upper_column(lu_.numeric(), k);
          for (int p = 0; p < U.size; ++p) x -= U.value[p] * work[at(U.row[p])].v;
        }
        x = x / diagonal[k];
        work[at(k)].v = x;
      }
      w.value[i].v = x;
    }
    for (const int k : w.place) work[at(k)] = Lanes{};

    for (int g = first; g < end; ++g)
      for (const int e : below_of_[at(g)]) {
        const std::size_t unknown = at(below_[at(e)].inner);
        work[at(place_of_row_[unknown])].v[g - first] += r_[at(e)] * lu_.scale(below_[at(e)].inner);
      }
    Sparse& v = v_[group];
    for (std::size_t i = 0; i < v.place.size(); ++i) {
      const int k = v.place[i];
      const Vector x = v.value[i].v = work[at(k)].v;
      if (n == 1 || !(x[0] != 0 || x[1] != 0 || x[2] != 0 || x[3] != 0)) continue;
      const KluColumn L = lower_column(lu_.numeric(), k);
      for (int p = 0; p < L.size; ++p) work[at(L.row[p])].v -= L.value[p] * x;
    }
    for (const int k : v.place) work[at(k)] = Lanes{};
  }
}

TRAMMEL_BY_AVX2
void PartialLu::add_complement(std::span<const PetscInt> of, double* entries) const {
  std::vector<Lanes> work(at(size()), Lanes{});
  // At about half of the places where V has numbers W has none.
  std::vector<char> filled(at(size()), 0);
  for (std::size_t right = 0; right < w_.size(); ++right) {
    const Sparse& w = w_[right];
    for (std::size_t i = 0; i < w.place.size(); ++i) {
      work[at(w.place[i])] = w.value[i];
      filled[at(w.place[i])] = 1;
    }
    for (std::size_t below = 0; below < v_.size(); ++below) {
      const Sparse& v = v_[below];
      Vector sum[lanes] = {};  // columns
      const Lanes* value = v.value.data();
      for (const int k : v.place) {
        if (filled[at(k)] != 0) {
          const Vector& row = work[at(k)].v;
          for (int b = 0; b < lanes; ++b) sum[b] += value->v * row[b];
        }
        ++value;
      }
      const int h = static_cast<int>(below) * lanes, g = static_cast<int>(right) * lanes;
      for (int a = 0; a < std::min(lanes, border_ - h); ++a)
        for (int b = 0; b < std::min(lanes, border_ - g); ++b)
          entries[of[at(h + a) * at(border_) + at(g + b)]] -= sum[b][a];
    }
    for (const int k : w.place) filled[at(k)] = 0;
  }
}

void PartialLu::forward(const double* b, double* w) const {
  if (size() > 0) lu_.forward(b, from_.data(), w);
}

TRAMMEL_BY_AVX2
void PartialLu::reduce(const double* w, double* g) const {
  for (std::size_t group = 0; group < v_.size(); ++group) {
    const Sparse& v = v_[group];
    Vector sum{};
    for (std::size_t i = 0; i < v.place.size(); ++i) sum += v.value[i].v * w[v.place[i]];
    const int first = static_cast<int>(group) * lanes;
    for (int a = 0; a < std::min(lanes, border_ - first); ++a) g[first + a] -= sum[a];
  }
}

void PartialLu::backward(const double* y, double* w, double* x) const {
  if (size() == 0) return;
  subtract_border(y, w);
  lu_.backward(w, to_.data(), x);
}

// What a function with variants calls through a lambda is not compiled for them, and is not inlined: apart from `backward`.
TRAMMEL_BY_AVX2
void PartialLu::subtract_border(const double* y, double* w) const {
  for (std::size_t group = 0; group < w_.size(); ++group) {
    const Sparse& its = w_[group];
    const int first = static_cast<int>(group) * lanes;
    Vector its_y{};
    for (int a = 0; a < std::min(lanes, border_ - first); ++a) its_y[a] = y[first + a];
    for (std::size_t i = 0; i < its.place.size(); ++i) {
      const Vector terms = its.value[i].v * its_y;
      w[its.place[i]] -= terms[0] + terms[1] + terms[2] + terms[3];
    }
  }
}

void PartialLu::residual(const RepeatedLu::Rows& rank, const double* b, const double* x, const double* y,
                         double* r, double* size, double* border_r, double* border_size) const {
  for (const PetscInt row : lu_.kept()) {
    double sum = b[row], all = std::abs(b[row]);
    for (PetscInt p = rank.begin[row]; p < rank.begin[row + 1]; ++p) {
      const double term = rank.value[p] * x[rank.column[p]];
      sum -= term;
      all += std::abs(term);
    }
    r[row] = sum;
    size[row] = all;
  }
  for (std::size_t e = 0; e < right_.size(); ++e) {
    if (right_[e].own) continue;  // among the rows of the rank
    const double term = c_[e] * y[right_[e].border];
    const PetscInt row = lu_.kept()[at(right_[e].inner)];
    r[row] -= term;
    size[row] += std::abs(term);
  }
  for (std::size_t e = 0; e < below_.size(); ++e) {
    const double term = r_[e] * x[lu_.kept()[at(below_[e].inner)]];
    border_r[below_[e].border] -= term;
    border_size[below_[e].border] += std::abs(term);
  }
}

void PartialLu::potential(const RepeatedLu::Rows& rank, const double* x, double faint,
                          std::span<const std::size_t> of, double* potential,
                          double* border_potential) const {
  const auto size_of = [&](int j) { return std::abs(x[lu_.kept()[at(j)]]) / lu_.scale(j); };
  double least = 0;
  for (int j = 0; j < size(); ++j) least = std::max(least, faint * size_of(j));
  for (const std::size_t row : of) {
    if (number_[row] < 0) continue;
    double number = 0, most = least;
    part_of(rank).each_entry(static_cast<int>(number_[row]), [&](int j, double its) {
      number = std::max(number, std::abs(its) * lu_.scale(j));
      most = std::max(most, size_of(j));
    });
    potential[row] = number * most;
  }
  for (int g = 0; g < border_; ++g) {
    double number = 0, most = 0;
    for (const int e : below_of_[at(g)]) {
      const int j = below_[at(e)].inner;
      number = std::max(number, std::abs(r_[at(e)]) * lu_.scale(j));
      most = std::max(most, size_of(j));
    }
    border_potential[g] += number * most;
  }
}

}  // namespace trammel
