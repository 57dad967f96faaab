#include <cs.h>

#include <Eigen/SPQRSupport>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "solvers/constraints/row_decomposition.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

// Smaller factors are rounding.
constexpr double no_part = 1e-14;
// Rows with larger factors change places with dependent ones.
constexpr double heavy = 3;

using Factors = std::vector<std::pair<int, double>>;

/// a + times b, both by ascending row, without `skipped`.
Factors sum(const Factors& a, double times, const Factors& b, int skipped) {
  Factors out;
  const auto add = [&](int row, double factor) {
    if (row != skipped && std::abs(factor) > no_part) out.emplace_back(row, factor);
  };
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      add(i->first, i->second);
      ++i;
    } else if (i == a.end() || j->first < i->first) {
      add(j->first, times * j->second);
      ++j;
    } else {
      add(i->first, i->second + times * j->second);
      ++i;
      ++j;
    }
  }
  return out;
}

}  // namespace

RowDecomposer::Pivots RowDecomposer::by_sparse_qr(const SparseColumns& rows) {
  using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, SuiteSparse_long>;
  const Eigen::SparseMatrix<double> A = rows.matrix().transpose();
  double longest = 0;
  for (Eigen::Index j = 0; j < A.cols(); ++j) longest = std::max(longest, A.col(j).norm());
  Eigen::SPQR<Eigen::SparseMatrix<double>> qr;
  qr.setPivotThreshold(largest_zero * longest);
  qr.compute(A);
  if (qr.info() != Eigen::Success) throw std::bad_alloc();
  Pivots found;
  const auto permutation = qr.colsPermutation();
  const auto& order = permutation.indices();
  Sparse R = qr.matrixR();
  const SuiteSparse_long r = qr.rank(), dependent = R.cols() - r;
  double largest = 0, smallest = HUGE_VAL;
  for (SuiteSparse_long k = 0; k < r; ++k) {
    const double pivot = std::abs(R.valuePtr()[R.outerIndexPtr()[k + 1] - 1]);
    largest = std::max(largest, pivot);
    smallest = std::min(smallest, pivot);
  }
  if (r > 0) found.weakest = smallest / largest;
  // Eigen's solver visits all columns of the triangle for each right-hand side, this one only those that it reaches.
  const auto columns_of_R = [&R, r](SuiteSparse_long first, SuiteSparse_long count) {
    return cs_dl{.nzmax = R.nonZeros(),
                 .m = r,
                 .n = count,
                 .p = R.outerIndexPtr() + first,
                 .i = R.innerIndexPtr(),
                 .x = R.valuePtr(),
                 .nz = -1};
  };
  cs_dl triangle = columns_of_R(0, r);
  const cs_dl right = columns_of_R(r, dependent);
  std::vector<SuiteSparse_long> reached(at(2 * r));
  std::vector<double> solution(at(r));
  for (SuiteSparse_long j = 0; j < dependent; ++j) {
    Combination& its = found.combinations.emplace_back();
    its.dependent = static_cast<int>(order[r + j]);
    for (SuiteSparse_long k =
             cs_dl_spsolve(&triangle, &right, j, reached.data(), solution.data(), nullptr, 0);
         k < r; ++k)
      if (const double factor = solution[at(reached[at(k)])]; std::abs(factor) > no_part)
        its.of.emplace_back(static_cast<int>(order[reached[at(k)]]), factor);
    std::ranges::sort(its.of);
  }
  return found;
}

/// Exchanges dependent rows for others until no factor is large; false where there was nothing to do. Each exchange multiplies the volume
/// that the independent rows span by the factor, so that it ends.
bool RowDecomposer::exchange_heavy(std::vector<Combination>& combinations) {
  const auto heaviest = [](const Combination& its) {
    return std::ranges::max_element(its.of, {}, [](const auto& of) { return std::abs(of.second); });
  };
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (Combination& its : combinations) {
      if (its.of.empty()) continue;
      const auto [row, factor] = *heaviest(its);
      if (std::abs(factor) <= heavy) continue;
      any = again = true;
      // d = f r + ... becomes r = d/f - ...
      its.of = sum({{its.dependent, 1 / factor}}, -1 / factor, its.of, row);
      its.dependent = row;
      for (Combination& other : combinations) {
        const auto place = std::ranges::lower_bound(other.of, row, {}, &std::pair<int, double>::first);
        if (place != other.of.end() && place->first == row)
          other.of = sum(other.of, place->second, its.of, row);
      }
    }
  }
  return any;
}

RowDecomposer::Pivots RowDecomposer::by_sparse_qr_with_exchange() const {
  Pivots found = by_sparse_qr(weighted_);
  if (!exchange_heavy(found.combinations)) return found;
  std::vector<int> dependent;
  for (const Combination& its : found.combinations) dependent.push_back(its.dependent);
  found.weakest = by_sparse_qr(weighted_.without(dependent)).weakest;
  return found;
}

}  // namespace trammel
