#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <queue>
#include <utility>

#include "solvers/linear/repeated_lu.hpp"

namespace trammel {

namespace {

/// A column of the factors that changes by less, relative to its largest number, changes no other.
constexpr double as_before = 1e-8;
/// Part of all columns beyond which to factorize all of them is faster.
constexpr double most_renewed = 0.5;
/// After a factorization in which too many columns depended on a few rows: others before that is tried again, at most.
constexpr int longest_wait = 64;
/// Of a new order with its factorization, in renewed columns for each column. It counts twice as much each time, since the last one has not helped.
constexpr double price_of_order = 3;
/// Columns that are renewed for each row that has changed, where such rows come last.
constexpr double own_part = 10;

}  // namespace

bool RepeatedLu::orders_pay() const {
  return symbolic_ && renewal_.vain > std::ldexp(price_of_order, renewal_.orders) * size();
}

bool RepeatedLu::rows_fit(const Rows& A, const std::vector<int>& rows) const {
  for (const int its_row : rows) {
    const PetscInt row = unknown(its_row);
    double largest = 0, not_counting = 0;
    for (PetscInt entry = A.begin[row]; entry < A.begin[row + 1]; ++entry) {
      const auto column = static_cast<int>(number(A.column[entry]));
      if (column < 0) continue;
      const double size = std::abs(A.value[entry]), scaled = size * scale(column);
      const bool counts = counting_.contains(at(entry));
      if (!(scaled < most_change) || (!counts && scaled > negligible)) return false;
      double& its = counts ? largest : not_counting;
      its = std::max(its, size);
    }
    if (not_counting > negligible * largest) return false;
  }
  return true;
}

/// The forest in which every column of U lies above all columns whose pivots it has entries in (Liu, SIAM J. Matrix Anal. Appl. 11 (1990)
/// 134).
void RepeatedLu::find_dependents() {
  const auto n = at(size());
  renewal_.dependent.assign(n, -1);
  std::vector<int> top(n, -1);  // a column above, up to which paths are known
  for (int k = 0; k < size(); ++k) {
    const KluColumn U = upper_column(*numeric_, k);
    for (int p = 0; p < U.size; ++p)
      for (int i = U.row[p]; i >= 0 && i < k;) {
        const int next = std::exchange(top[at(i)], k);
        if (next < 0) renewal_.dependent[at(i)] = k;
        i = next;
      }
  }
}

std::vector<int> RepeatedLu::pivots_of(const std::vector<int>& rows) const {
  std::vector<int> pivot_of;  // by unknown; empty: its place
  if (!row_of_.empty()) {
    pivot_of.resize(row_of_.size());
    for (int k = 0; k < size(); ++k) pivot_of[at(row_of_[at(k)])] = k;
  }
  std::vector<int> all(rows.size());
  std::ranges::transform(rows, all.begin(),
                         [&](int row) { return (pivot_of.empty() ? place_ : pivot_of)[at(row)]; });
  return all;
}

bool RepeatedLu::renew_column(const Rows& A, int k, double& change) {
  klu_numeric& factors = *numeric_;
  double* const w = room_->work.data();
  const KluColumn U = upper_column(factors, k), L = lower_column(factors, k);
  for (int p = 0; p < U.size; ++p) w[U.row[p]] = 0;
  for (int p = 0; p < L.size; ++p) w[L.row[p]] = 0;
  w[k] = 0;
  const PetscInt row = unknown(rows_of_pivots()[at(k)]);
  for (PetscInt entry = A.begin[row]; entry < A.begin[row + 1]; ++entry) {
    if (!counting_.contains(at(entry))) continue;
    const auto column = static_cast<int>(number(A.column[entry]));
    w[factors.Pinv[place_[at(column)]]] = A.value[entry] * scale(column);
  }
  double& pivot = static_cast<double*>(factors.Udiag)[k];
  double largest = std::abs(pivot), of_upper = 0;
  // As klu_refactor: rows of U come in an order in which none depends on a later one.
  auto* const of_U = const_cast<double*>(U.value);
  for (int p = 0; p < U.size; ++p) {
    const double u = w[U.row[p]];
    largest = std::max(largest, std::abs(u));
    of_upper = std::max(of_upper, std::abs(u - std::exchange(of_U[p], u)));
    const KluColumn before = lower_column(factors, U.row[p]);
    for (int q = 0; q < before.size; ++q) w[before.row[q]] -= before.value[q] * u;
  }
  if (!(std::abs(w[k]) > pivot_loss * pivots_[at(k)])) return false;
  of_upper = std::max(of_upper, std::abs(w[k] - std::exchange(pivot, w[k])));
  inverse_pivots_[at(k)] = 1 / pivot;
  change = of_upper / largest;
  auto* const of_L = const_cast<double*>(L.value);
  for (int q = 0; q < L.size; ++q) {
    const double l = w[L.row[q]] / pivot;
    change = std::max(change, std::abs(l - std::exchange(of_L[q], l)));
  }
  return true;
}

bool RepeatedLu::renew(const Rows& A, const std::vector<int>& rows) {
  const std::vector<int> changed = numbers(rows);
  if (!numeric_ || !solves_itself(*symbolic_) || !rows_fit(A, changed)) return false;
  renewal_.columns = 0;
  if (changed.empty()) return true;
  if (renewal_.waiting > 0) {
    --renewal_.waiting;
    return false;
  }
  if (renewal_.dependent.empty()) find_dependents();
  std::vector<int> all_changed;
  std::ranges::set_union(renewal_.often, rows, std::back_inserter(all_changed));
  renewal_.often = std::move(all_changed);
  std::priority_queue<int, std::vector<int>, std::greater<>> next;
  std::vector<bool> seen(at(size()));
  const auto add = [&](int k) {
    if (k < 0 || seen[at(k)]) return;
    seen[at(k)] = true;
    next.push(k);
  };
  for (const int k : pivots_of(changed)) add(k);
  int reach = -1;  // the last column in which one that has changed may count
  const int most = static_cast<int>(most_renewed * size());
  for (; !next.empty(); ++renewal_.columns) {
    const int k = next.top();
    next.pop();
    double change = 0;
    if (renewal_.columns == most || !renew_column(A, k, change)) {
      renewal_.vain += std::exchange(renewal_.columns, 0);
      renewal_.waiting = renewal_.wait = std::clamp(2 * renewal_.wait, 1, longest_wait);
      return false;
    }
    if (change > as_before) {
      const KluColumn L = lower_column(*numeric_, k);
      for (int p = 0; p < L.size; ++p) reach = std::max(reach, L.row[p]);
    }
    if (change > as_before || k < reach) add(renewal_.dependent[at(k)]);
  }
  renewal_.wait = 0;
  // In an order with these rows last there would be little more than their own columns.
  renewal_.vain += std::max(0.0, renewal_.columns - own_part * static_cast<double>(changed.size()));
  return true;
}

}  // namespace trammel
