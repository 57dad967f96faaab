#include "solvers/linear/interface_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trammel/index.hpp"

namespace trammel {

namespace {

constexpr double least_rcond = 1e-15;
/// Unknowns of a matrix that is always dense; entries in a row, on average, of one that is sparse.
constexpr int largest_always_dense = 60, most_in_a_row = 60;

/// In order, each number once.
void sort_once(std::vector<int>& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

bool InterfaceMatrix::set_structure(MPI_Comm comm, int size, std::span<const int> touched,
                                    std::span<const int> owned, std::span<const Pair> direct,
                                    std::size_t most) {
  size_ = size;
  changed_ = true;
  const Gathered<int> cliques = gather(touched, comm), owns = gather(owned, comm);
  std::vector<int> numbers;
  for (const Pair& pair : direct) numbers.insert(numbers.end(), {pair.first, pair.second});
  const Gathered<int> pairs = gather(numbers, comm);
  const std::size_t rows = at(size), ranks = cliques.begin.size() - 1;

  const bool dense = size <= largest_always_dense || ranks <= 2;
  if (dense && rows > most) return false;
  const std::size_t most_entries = dense ? rows * rows : std::min(most * most, rows * at(most_in_a_row));
  const bool found = find_entries(cliques, pairs, most_entries);
  kind_ = dense ? Kind::dense : found ? Kind::sparse : Kind::fronts;
  if (kind_ == Kind::fronts) {
    std::vector<std::vector<int>> seen;
    for (std::size_t r = 0; r < ranks; ++r) {
      std::vector<int>& its = seen.emplace_back();
      for (const Gathered<int>* part : {&cliques, &owns, &pairs})
        its.insert(its.end(), part->of(r).begin(), part->of(r).end());
      sort_once(its);
    }
    if (!fronts_.set_structure(comm, size, seen, most)) return false;
    value_.assign(fronts_.entries(), 0);
  } else {
    value_.assign(column_.size() + 1, 0);
  }
  of_interior_.clear();
  for (const int row : touched)
    for (const int column : touched) of_interior_.push_back(entry({row, column}));
  of_direct_.clear();
  for (const Pair& pair : direct) of_direct_.push_back(entry(pair));
  find_sums(comm, cliques, owns, pairs);
  return true;
}

/// Which ranks contribute to what is summed.
void InterfaceMatrix::find_sums(MPI_Comm comm, const Gathered<int>& cliques, const Gathered<int>& owns,
                                const Gathered<int>& pairs) {
  const std::size_t ranks = cliques.begin.size() - 1;
  std::vector<std::vector<int>> unknowns(ranks), entries(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (const Gathered<int>* part : {&cliques, &owns})
      unknowns[r].insert(unknowns[r].end(), part->of(r).begin(), part->of(r).end());
    sort_once(unknowns[r]);
    if (kind_ == Kind::fronts || ranks <= 2) continue;
    for (const int row : cliques.of(r))
      for (const int column : cliques.of(r)) entries[r].push_back(static_cast<int>(entry({row, column})));
    for (std::size_t k = 0; k < pairs.of(r).size(); k += 2)
      entries[r].push_back(static_cast<int>(entry({pairs.of(r)[k], pairs.of(r)[k + 1]})));
    sort_once(entries[r]);
  }
  of_unknowns_.set_structure(comm, size_, unknowns);
  // Two ranks have most entries both; fronts do without this sum.
  if (kind_ != Kind::fronts && ranks > 2)
    of_entries_.set_structure(comm, static_cast<int>(column_.size()), entries);
  else
    of_entries_ = {};
}

/// Finds the entries that can be there; false where they are more than `most`.
bool InterfaceMatrix::find_entries(const Gathered<int>& cliques, const Gathered<int>& pairs,
                                   std::size_t most) {
  const std::size_t rows = at(size_), ranks = cliques.begin.size() - 1;
  std::vector<std::vector<std::size_t>> ranks_of(rows);
  for (std::size_t r = 0; r < ranks; ++r)
    for (const int g : cliques.of(r)) ranks_of[at(g)].push_back(r);
  std::vector<std::vector<int>> direct_of(rows);
  for (std::size_t k = 0; k < pairs.all.size(); k += 2)
    direct_of[at(pairs.all[k])].push_back(pairs.all[k + 1]);

  begin_.assign(1, 0);
  column_.clear();
  std::vector<int> seen_in(rows, -1);
  for (int g = 0; g < size_; ++g) {
    const auto add = [&](int column) {
      if (std::exchange(seen_in[at(column)], g) != g) column_.push_back(column);
    };
    add(g);
    for (const std::size_t r : ranks_of[at(g)])
      for (const int column : cliques.of(r)) add(column);
    for (const int column : direct_of[at(g)]) add(column);
    if (column_.size() > most) return false;
    std::sort(column_.begin() + begin_.back(), column_.end());
    begin_.push_back(static_cast<PetscInt>(column_.size()));
  }
  return true;
}

PetscInt InterfaceMatrix::entry(const Pair& pair) const {
  if (kind_ == Kind::fronts) return fronts_.entry(pair.first, pair.second);
  const auto first = column_.begin() + begin_[at(pair.first)],
             last = column_.begin() + begin_[at(pair.first) + 1];
  return static_cast<PetscInt>(std::lower_bound(first, last, pair.second) - column_.begin());
}

void InterfaceMatrix::clear() { std::ranges::fill(value_, 0.0); }

bool InterfaceMatrix::sum_entries(MPI_Comm comm, bool weak) {
  value_.back() = weak ? 1 : 0;  // of ranks with a weak interior
  const std::span all(value_);
  if (of_entries_.pays())
    of_entries_.sum(comm, all.first(column_.size()), {all.last(1)});
  else
    MPI_Allreduce(MPI_IN_PLACE, value_.data(), static_cast<int>(value_.size()), MPI_DOUBLE, MPI_SUM, comm);
  return value_.back() == 0;
}

/// Makes the largest entry of each row one, and then that of each column. False where there is none.
bool InterfaceMatrix::scale() {
  row_scale_.setZero(size_);
  column_scale_.setZero(size_);
  for (int i = 0; i < size_; ++i) {
    for (PetscInt p = begin_[at(i)]; p < begin_[at(i) + 1]; ++p) {
      if (!std::isfinite(value_[at(p)])) return false;
      row_scale_[i] = std::max(row_scale_[i], std::abs(value_[at(p)]));
    }
    if (!(row_scale_[i] > 0)) return false;
    const double inverse = 1 / row_scale_[i];
    for (PetscInt p = begin_[at(i)]; p < begin_[at(i) + 1]; ++p) {
      value_[at(p)] *= inverse;
      double& largest = column_scale_[column_[at(p)]];
      largest = std::max(largest, std::abs(value_[at(p)]));
    }
  }
  if (!(column_scale_.minCoeff() > 0)) return false;
  const Eigen::VectorXd inverse = column_scale_.cwiseInverse();
  for (std::size_t p = 0; p < column_.size(); ++p) value_[p] *= inverse[column_[p]];
  return true;
}

InterfaceMatrix::Outcome InterfaceMatrix::factorize(MPI_Comm comm, bool weak, const LinearWork& interior) {
  bool regular = true;
  if (kind_ == Kind::fronts) {
    int weak_somewhere = weak ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &weak_somewhere, 1, MPI_INT, MPI_MAX, comm);
    if (weak_somewhere > 0) return Outcome::weak;
    regular = fronts_.factorize(comm, value_, interior);
  } else {
    if (!sum_entries(comm, weak)) return Outcome::weak;
    if (size_ > 0) regular = kind_ == Kind::dense ? factorize_dense() : scale() && factorize_sparse();
  }
  return regular ? Outcome::fine : Outcome::singular;
}

bool InterfaceMatrix::factorize_dense() {
  Eigen::MatrixXd& S = dense_.start(size_, 0);
  for (int i = 0; i < size_; ++i)
    for (PetscInt p = begin_[at(i)]; p < begin_[at(i) + 1]; ++p) S(i, column_[at(p)]) = value_[at(p)];
  return dense_.eliminate(true);
}

bool InterfaceMatrix::factorize_sparse() {
  const RepeatedLu::Rows rows{size_, begin_.data(), column_.data(), value_.data()};
  const bool fine = sparse_lu_.factorize(rows, std::exchange(changed_, false));
  if (!fine) {
    changed_ = true;
    return false;
  }
  const Eigen::Map<const Eigen::ArrayXd> pivots(static_cast<const double*>(sparse_lu_.numeric().Udiag),
                                                size_);
  return pivots.abs().minCoeff() > least_rcond * pivots.abs().maxCoeff();
}

void InterfaceMatrix::solve(MPI_Comm comm, std::span<double> y) {
  if (size_ == 0) return;
  if (kind_ == Kind::fronts) return fronts_.solve(comm, y);
  sum(comm, y);
  solve_sum(y);
}

void InterfaceMatrix::sum(MPI_Comm comm, std::span<double> numbers, std::size_t others) {
  if (of_unknowns_.pays())
    of_unknowns_.sum(comm, numbers.first(numbers.size() - others), {numbers.last(others)});
  else
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_SUM, comm);
}

void InterfaceMatrix::begin_solution(MPI_Comm comm, std::span<double> y, RankTotals& totals) {
  if (kind_ == Kind::fronts)
    totals.travel_with([this, comm, y](const CarriedTotals& carried) { fronts_.solve(comm, y, carried); });
  else if (of_unknowns_.pays())
    totals.travel_with([this, comm, y](const CarriedTotals& carried) { of_unknowns_.sum(comm, y, carried); });
  else
    totals.add_sums(y);
}

void InterfaceMatrix::finish_solution(std::span<double> y) {
  if (kind_ != Kind::fronts) solve_sum(y);
}

void InterfaceMatrix::solve_sum(std::span<double> y) {
  Eigen::Map<Eigen::VectorXd> its(y.data(), size_);
  if (kind_ == Kind::dense) {
    work_ = its;
    dense_.forward(work_, none_);
    dense_.backward(none_, work_);
    its = work_;
    return;
  }
  work_ = its.cwiseQuotient(row_scale_);
  sparse_lu_.solve(work_.data(), y.data());
  its = its.cwiseQuotient(column_scale_);
}

}  // namespace trammel
