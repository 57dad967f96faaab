#include "solvers/linear/weak_unknowns.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace trammel {

namespace {

/// Inverse of the smallest singular value, of rows and columns of size one, from which on a matrix counts as singular, and from which on some
/// of its unknowns are suspect. Of long chains of hinges it is 1e13, of the interiors as of the whole, and to move unknowns does not help.
constexpr double singular = 1e15, suspect = 1e10;
/// Part of the diagonal that is added to factorize a singular matrix, and what its inverse is then beyond.
constexpr double shift = 1e-10, shifted_singular = 1e8;
/// Of a vector from which others were subtracted this part is rounding errors.
constexpr double rest = 1e-10;
/// A row is empty if its entries are at most this part of those that the border has in it.
constexpr double nothing = 1e-14;
/// How much an unknown counts that is not coupled to the border: many multipliers of a chain may be about equally weak, and in the middle of it
/// one more unknown of the border would be coupled to all between.
constexpr double inside = 1e-3;
/// The largest product of numbers of a right and a left null vector, each at most one, that shows them to have no unknown in common.
constexpr double apart = 1e-4;
/// Unknowns found at a time.
constexpr std::size_t most_at_once = 8;

/// The largest number of each row, and then of each column where that of each row is one; zero where there is none.
struct Sizes {
  std::vector<double> row, column;
};

Sizes sizes_of(const PartOfRows& A) {
  Sizes found{std::vector<double>(at(A.size()), 0.0), std::vector<double>(at(A.size()), 0.0)};
  for (int i = 0; i < A.size(); ++i) {
    double& largest = found.row[at(i)];
    A.each_entry(i, [&](int, double number) { largest = std::max(largest, std::abs(number)); });
    if (!(largest > 0)) continue;
    A.each_entry(i, [&](int j, double number) {
      found.column[at(j)] = std::max(found.column[at(j)], std::abs(number) / largest);
    });
  }
  return found;
}

/// Such as the angle of a hinge whose equation is one of the border.
std::vector<int> without_equation(const Sizes& sizes, const Coupling& border) {
  std::vector<int> found;
  for (std::size_t i = 0; i < sizes.row.size(); ++i)
    if (!(sizes.row[i] > nothing * border.beside[i] && sizes.column[i] > 0))
      found.push_back(static_cast<int>(i));
  return found;
}

/// Factors of A with a part of their sizes added to the numbers of the diagonal. False where these fail too.
bool factorize_shifted(const PartOfRows& A, const Sizes& sizes, RepeatedLu& lu) {
  std::vector<PetscInt> begin{0}, columns;
  std::vector<double> values;
  for (int i = 0; i < A.size(); ++i) {
    columns.push_back(i);
    values.push_back(shift * sizes.row[at(i)] * sizes.column[at(i)]);
    const std::size_t diagonal = values.size() - 1;
    A.each_entry(i, [&](int j, double number) {
      if (j == i) {
        values[diagonal] += number;
      } else {
        columns.push_back(j);
        values.push_back(number);
      }
    });
    begin.push_back(static_cast<PetscInt>(columns.size()));
  }
  return lu.factorize({A.size(), begin.data(), columns.data(), values.data()}, true);
}

double largest(const std::vector<double>& z) {
  double most = 0;
  for (const double x : z) {
    if (!std::isfinite(x)) return HUGE_VAL;
    most = std::max(most, std::abs(x));
  }
  return most;
}

/// Solutions for arbitrary right-hand sides, of the matrix whose rows and columns have size one: null vectors where it has some.
class InverseIteration {
 public:
  InverseIteration(RepeatedLu& lu, const Sizes& sizes)
      : lu_(lu), sizes_(sizes), b_(sizes.row.size()), z_(sizes.row.size()) {}
  std::vector<double> right() {
    set_any(sizes_.row);
    lu_.solve(b_.data(), z_.data());
    return scaled(sizes_.column);
  }
  std::vector<double> left() {
    set_any(sizes_.column);
    lu_.solve_transposed(b_.data(), z_.data());
    return scaled(sizes_.row);
  }

 private:
  /// Numbers of one size would cancel in a null vector whose numbers are equal.
  void set_any(const std::vector<double>& size) {
    const auto any_number = [&] {
      std::uniform_real_distribution<double> number(0.5, 1.5);
      return random_() % 2 == 0 ? number(random_) : -number(random_);
    };
    for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = any_number() * size[i];
  }
  std::vector<double> scaled(const std::vector<double>& size) const {
    std::vector<double> all = z_;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] *= size[i];
    return all;
  }

  RepeatedLu& lu_;
  const Sizes& sizes_;
  std::mt19937 random_{1};
  std::vector<double> b_, z_;
};

}  // namespace

/// The largest number of a null vector, where that of the transposed matrix has one too, is an unknown whose row and column the matrix is better
/// without.
WeakUnknowns find_weak(const PartOfRows& A, const Coupling& border, RepeatedLu& lu, bool failed) {
  const Sizes sizes = sizes_of(A);
  WeakUnknowns all;
  // Beside what else may be nearly singular no null vector would show them.
  all.weak = without_equation(sizes, border);
  if (!all.weak.empty()) return all;
  RepeatedLu shifted(true);
  if (failed && !factorize_shifted(A, sizes, shifted)) return all;
  const double limit = failed ? shifted_singular : suspect;
  InverseIteration iteration(failed ? shifted : lu, sizes);
  std::vector<std::vector<double>> vectors{iteration.right()};
  const double inverse = largest(vectors[0]);
  if (!failed && !(inverse > limit)) return all;
  std::vector<int>& found = failed || inverse > singular ? all.weak : all.suspects;
  const std::vector<double> left = iteration.left();
  const double left_size = largest(left);
  while (vectors.size() < most_at_once) vectors.push_back(iteration.right());
  std::vector<double> sizes_before;
  for (const std::vector<double>& z : vectors) sizes_before.push_back(largest(z));
  const auto largest_at = [](const std::vector<double>& z) {
    return static_cast<int>(std::ranges::max_element(z, {}, [](double x) { return std::abs(x); }) -
                            z.begin());
  };
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    const double size = largest(vectors[v]);
    const bool is_null = (failed && v == 0) || (size > limit && size > rest * sizes_before[v]);
    if (!is_null || !std::isfinite(size) || !std::isfinite(left_size)) continue;
    std::size_t best = 0;
    double score = 0, most = -1;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const double both = std::abs(vectors[v][i]) / size * (std::abs(left[i]) / left_size);
      const double preferred = border.coupled[i] ? both : inside * both;
      score = std::max(score, both);
      if (preferred > most) {
        most = preferred;
        best = i;
      }
    }
    if (score < apart) {
      best = at(largest_at(vectors[v]));
      found.push_back(largest_at(left));
    }
    found.push_back(static_cast<int>(best));
    for (std::size_t other = v + 1; other < vectors.size(); ++other) {
      const double part = vectors[other][best] / vectors[v][best];
      for (std::size_t i = 0; i < left.size(); ++i) vectors[other][i] -= part * vectors[v][i];
    }
  }
  // Without those beside the border the others may not be weak.
  const auto is_coupled = [&](int i) { return border.coupled[at(i)]; };
  if (std::ranges::any_of(found, is_coupled)) std::erase_if(found, std::not_fn(is_coupled));
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return all;
}

}  // namespace trammel
