#include "solvers/constraints/row_decomposition.hpp"

#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "trammel/by_processor.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

// Of two equivalent rows the later one counts as redundant: the norms of the columns of the QR are reduced by up to
// this fraction towards the last column.
constexpr double preference = 0.3;
// Pivots above this part of the largest are known from their squares to 1e-9 of themselves.
constexpr double clear_pivot = 1e-3;
// What squares leave of dependent rows is less than this part of the largest pivot.
constexpr double no_pivot = 1e-6;

// Products of more columns than this with each other are sparse.
constexpr int few_columns = 16;

/// By row, beginning with 1.
class Weights {
 public:
  explicit Weights(int rows) : slope_(rows > 1 ? preference / (rows - 1) : 0) {}
  double operator[](int row) const { return 1 - slope_ * row; }

 private:
  double slope_;
};

/// Numbers that processors with AVX2 multiply at once. A typedef: clang ignores `aligned` after `using`.
constexpr int lanes = 4;
// NOLINTNEXTLINE(modernize-use-using)
typedef double Lanes __attribute__((vector_size(lanes * sizeof(double)), aligned(16)));

/// The sum of the numbers of each.
inline void add_up(const Lanes (&of)[lanes], Lanes& sums) {
  const Lanes a =
      __builtin_shufflevector(of[0], of[1], 0, 4, 2, 6) + __builtin_shufflevector(of[0], of[1], 1, 5, 3, 7);
  const Lanes b =
      __builtin_shufflevector(of[2], of[3], 0, 4, 2, 6) + __builtin_shufflevector(of[2], of[3], 1, 5, 3, 7);
  sums = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

/// Column k of Cholesky's factor L in the rows `order`, for the pivot row before them in the order; the position of the row of which
/// most is left. `square`: the column of the matrix, by row; L has `stride` numbers a row.
TRAMMEL_BY_PROCESSOR int eliminate(int k, const int* order, int count, const double* square, double* L,
                                   std::ptrdiff_t stride, double* left) {
  const double* const pivot_row = L + order[-1] * stride;
  const double inverse = 1 / std::sqrt(left[order[-1]]);
  int next = 0;
  double largest = -1;
  for (int i = 0; i < count; i += lanes) {
    int row[lanes];  // those that are missing in the last four repeat the first
    double* its[lanes];
    for (int n = 0; n < lanes; ++n) {
      row[n] = order[i + n < count ? i + n : i];
      its[n] = L + row[n] * stride;
    }
    Lanes sum[lanes] = {}, product;
    for (int j = 0; j < k; j += lanes) {
      const Lanes p = *reinterpret_cast<const Lanes*>(pivot_row + j);
      for (int n = 0; n < lanes; ++n) sum[n] += p * *reinterpret_cast<const Lanes*>(its[n] + j);
    }
    add_up(sum, product);
    const Lanes of_square{square[row[0]], square[row[1]], square[row[2]], square[row[3]]};
    const Lanes number = (of_square - product) * inverse;
    const Lanes before{left[row[0]], left[row[1]], left[row[2]], left[row[3]]};
    const Lanes rest = before - number * number;
    for (int n = 0; n < lanes; ++n) {
      its[n][k] = number[n];
      left[row[n]] = rest[n];
      if (rest[n] > largest) {
        largest = rest[n];
        next = i + n;
      }
    }
  }
  return next;
}

/// x = L^-1 x, of the independent rows, for several right-hand sides: `stride` numbers a row of L, `width` (a multiple of lanes) a row of
/// x. Rows of both as they were given.
TRAMMEL_BY_PROCESSOR void solve_lower(const double* L, std::ptrdiff_t stride, const int* order, int rank,
                                      double* x, std::ptrdiff_t width) {
  for (std::ptrdiff_t i = 0; i < width; i += lanes) {
    double* const its = x + i;
    for (int k = 0; k < rank; ++k) {
      const double* const row = L + order[k] * stride;
      Lanes rest = *reinterpret_cast<const Lanes*>(its + order[k] * width);
      for (int j = 0; j < k; ++j) rest -= row[j] * *reinterpret_cast<const Lanes*>(its + order[j] * width);
      *reinterpret_cast<Lanes*>(its + order[k] * width) = rest / row[k];
    }
  }
}

/// x = L^-T x, likewise.
TRAMMEL_BY_PROCESSOR void solve_upper(const double* L, std::ptrdiff_t stride, const int* order, int rank,
                                      double* x, std::ptrdiff_t width) {
  for (std::ptrdiff_t i = 0; i < width; i += lanes) {
    double* const its = x + i;
    for (int k = rank - 1; k >= 0; --k) {
      const double* const row = L + order[k] * stride;
      const Lanes found = *reinterpret_cast<const Lanes*>(its + order[k] * width) / row[k];
      *reinterpret_cast<Lanes*>(its + order[k] * width) = found;
      for (int j = 0; j < k; ++j) *reinterpret_cast<Lanes*>(its + order[j] * width) -= row[j] * found;
    }
  }
}

/// Of some sums of rows, each with its factors `taken`: adds the squares of their lengths to `squares`, and their products with each row to
/// `products`.
TRAMMEL_BY_PROCESSOR void find_gaps(const int* begin, int columns, const int* row, const double* value,
                                    const double* taken, std::ptrdiff_t width, double* squares,
                                    double* products) {
  for (int c = 0; c < columns; ++c)
    for (std::ptrdiff_t j = 0; j < width; j += lanes) {
      Lanes sum = {};
      for (int i = begin[c]; i < begin[c + 1]; ++i)
        sum += value[i] * *reinterpret_cast<const Lanes*>(taken + row[i] * width + j);
      *reinterpret_cast<Lanes*>(squares + j) += sum * sum;
      for (int i = begin[c]; i < begin[c + 1]; ++i)
        *reinterpret_cast<Lanes*>(products + row[i] * width + j) += value[i] * sum;
    }
}

}  // namespace

void RowDecomposer::take_weighted(const SparseColumns& rows) {
  const Weights weight(rows.rows);
  weighted_.rows = rows.rows;
  weighted_.begin.resize(rows.begin.size());
  weighted_.row.resize(rows.row.size());
  weighted_.value.resize(rows.value.size());
  int to = 0;
  for (int c = 0; c < rows.columns(); ++c) {
    weighted_.begin[at(c)] = to;
    for (int i = rows.begin[at(c)]; i < rows.begin[at(c + 1)]; ++i) {
      const double its = rows.value[at(i)];
      if (its == 0) continue;
      const int row = rows.row[at(i)];
      weighted_.row[at(to)] = row;
      weighted_.value[at(to++)] = weight[row] * its;
    }
  }
  weighted_.begin.back() = to;
  weighted_.row.resize(at(to));
  weighted_.value.resize(at(to));
}

void RowDecomposer::find_squares() {
  const SparseColumns& A = weighted_;
  squares_.resize(A.rows, A.rows);
  for (int i = 0; i < A.rows; ++i) squares_.col(i).tail(A.rows - i).setZero();
  for (int c = 0; c < A.columns(); ++c) {
    const int* const row = A.row.data();
    const double* const value = A.value.data();
    const int end = A.begin[at(c + 1)];
    for (int i = A.begin[at(c)]; i < end; ++i) {
      const double its = value[i];
      double* const of_row = squares_.col(row[i]).data();
      for (int j = i; j < end; ++j) of_row[row[j]] += its * value[j];
    }
  }
  squares_.triangularView<Eigen::StrictlyUpper>() = squares_.transpose();
}

bool RowDecomposer::by_squares(Pivots& found) {
  find_squares();
  const int m = weighted_.rows;
  std::vector<int> order(at(m));  // independent rows first
  std::iota(order.begin(), order.end(), 0);
  stride_ = (m + lanes - 1) / lanes * lanes;
  L_.resize(at(m * stride_));
  left_.resize(at(m));
  for (int i = 0; i < m; ++i) {
    std::fill_n(L_.begin() + i * stride_, stride_, 0.0);
    left_[at(i)] = squares_(i, i);
  }
  int next = static_cast<int>(std::ranges::max_element(left_) - left_.begin());
  const double largest = m > 0 ? left_[at(next)] : 0;
  int rank = 0;
  for (int k = 0; k < m; ++k) {
    std::swap(order[at(k)], order[at(next)]);
    const int pivot = order[at(k)];
    const double square = left_[at(pivot)];
    if (!(square > no_pivot * no_pivot * largest)) break;
    if (square < clear_pivot * clear_pivot * largest) return false;
    found.weakest = std::sqrt(square / largest);
    ++rank;
    L_[at(pivot * stride_ + k)] = std::sqrt(square);
    next = k + 1 +
           eliminate(k, order.data() + k + 1, m - k - 1, squares_.col(pivot).data(), L_.data(), stride_,
                     left_.data());
  }
  return find_combinations(order, rank, largest_zero * std::sqrt(largest), found);
}

/// False where some row that was taken to be dependent is further than `allowed` from the others.
bool RowDecomposer::find_combinations(const std::vector<int>& order, int r, double allowed, Pivots& found) {
  const int m = weighted_.rows, count = m - r;
  if (count == 0) return true;
  const SparseColumns& A = weighted_;
  const std::ptrdiff_t width = (count + lanes - 1) / lanes * lanes;
  taken_.assign(at(m * width), 0.0);
  change_.assign(at(m * width), 0.0);
  gap_squares_.assign(at(width), 0.0);
  for (int j = 0; j < count; ++j) {
    const double* const row = L_.data() + order[at(r + j)] * stride_;
    for (int k = 0; k < r; ++k) taken_[at(order[at(k)] * width + j)] = -row[k];
  }
  solve_upper(L_.data(), stride_, order.data(), r, taken_.data(), width);
  for (int j = 0; j < count; ++j) taken_[at(order[at(r + j)] * width + j)] = 1;
  find_gaps(A.begin.data(), A.columns(), A.row.data(), A.value.data(), taken_.data(), width,
            gap_squares_.data(), change_.data());
  for (int j = 0; j < count; ++j)
    if (!(gap_squares_[at(j)] <= allowed * allowed)) return false;
  // Squares lose digits; the gap has them.
  solve_lower(L_.data(), stride_, order.data(), r, change_.data(), width);
  solve_upper(L_.data(), stride_, order.data(), r, change_.data(), width);
  std::vector<int> independent(order.begin(), order.begin() + r);
  std::ranges::sort(independent);
  for (int j = 0; j < count; ++j) {
    Combination& its = found.combinations.emplace_back();
    its.dependent = order[at(r + j)];
    its.of.reserve(at(r));
    for (const int row : independent)
      its.of.emplace_back(row, change_[at(row * width + j)] - taken_[at(row * width + j)]);
  }
  return true;
}

RowDecomposer::Pivots RowDecomposer::by_dense_qr() const {
  const SparseColumns& rows = weighted_;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(rows.columns(), rows.rows);
  for (int c = 0; c < rows.columns(); ++c)
    for (int i = rows.begin[at(c)]; i < rows.begin[at(c + 1)]; ++i) A(c, rows.row[at(i)]) = rows.value[at(i)];
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  qr.setThreshold(largest_zero);
  Pivots found;
  const auto& order = qr.colsPermutation().indices();
  const Eigen::Index r = qr.rank();
  if (r > 0) found.weakest = std::abs(qr.matrixR()(r - 1, r - 1)) / qr.maxPivot();
  const auto triangle = qr.matrixR().topLeftCorner(r, r).template triangularView<Eigen::Upper>();
  const Eigen::MatrixXd factors =
      triangle.solve(Eigen::MatrixXd(qr.matrixR().topRightCorner(r, rows.rows - r)));
  for (Eigen::Index j = 0; j < factors.cols(); ++j) {
    Combination& its = found.combinations.emplace_back();
    its.dependent = order[r + j];
    for (Eigen::Index k = 0; k < r; ++k) its.of.emplace_back(order[k], factors(k, j));
    std::ranges::sort(its.of);
  }
  return found;
}

RowDecomposition RowDecomposer::decompose(const SparseColumns& rows) {
  take_weighted(rows);
  Pivots found;
  if (rows.rows > largest_dense)
    found = by_sparse_qr_with_exchange();
  else if (!by_squares(found))
    found = by_dense_qr();
  std::ranges::sort(found.combinations, {}, &Combination::dependent);
  RowDecomposition d;
  d.weakest = found.weakest;
  d.null.rows = rows.rows;
  std::size_t entries = 0;
  for (const Combination& its : found.combinations) entries += its.of.size() + 1;
  d.dependent.reserve(found.combinations.size());
  d.null.begin.reserve(found.combinations.size() + 1);
  d.null.row.reserve(entries);
  d.null.value.reserve(entries);
  const Weights weight(rows.rows);
  for (const Combination& its : found.combinations) {
    const auto add = [&](int row, double factor) {
      d.null.row.push_back(row);
      d.null.value.push_back(factor * weight[row] / weight[its.dependent]);
    };
    auto of = its.of.begin();
    for (; of != its.of.end() && of->first < its.dependent; ++of) add(of->first, of->second);
    add(its.dependent, -1);
    for (; of != its.of.end(); ++of) add(of->first, of->second);
    d.dependent.push_back(its.dependent);
    d.null.begin.push_back(static_cast<int>(d.null.row.size()));
  }
  return d;
}

SparseColumns SparseColumns::without(std::span<const int> some) const {
  std::vector<int> number(at(rows), 0);
  for (const int its : some) number[at(its)] = -1;
  SparseColumns out;
  for (int& its : number)
    if (its == 0) its = out.rows++;
  for (int c = 0; c < columns(); ++c) {
    for (int i = begin[at(c)]; i < begin[at(c + 1)]; ++i) {
      const int its = number[at(row[at(i)])];
      if (its < 0) continue;
      out.row.push_back(its);
      out.value.push_back(value[at(i)]);
    }
    out.begin.push_back(static_cast<int>(out.row.size()));
  }
  return out;
}

void project_out(const SparseColumns& along, Eigen::VectorXd& x) {
  const auto N = along.matrix();
  if (N.cols() == 1) {
    x -= N.col(0) * (N.col(0).dot(x) / N.col(0).squaredNorm());
  } else if (N.cols() <= few_columns) {
    const Eigen::MatrixXd dense(N);
    const Eigen::MatrixXd gram = dense.transpose().lazyProduct(dense);
    const Eigen::VectorXd products = dense.transpose().lazyProduct(x);
    x -= dense.lazyProduct(gram.ldlt().solve(products));
  } else {
    const Eigen::SparseMatrix<double> gram = N.transpose() * N;
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldlt(gram);
    const Eigen::VectorXd products = N.transpose() * x;
    x -= N * ldlt.solve(products);
  }
}

}  // namespace trammel
