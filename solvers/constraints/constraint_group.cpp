#include "solvers/constraints/constraint_group.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernel/rank_exchange.hpp"
#include "trammel/index.hpp"

namespace trammel {

namespace {

// Rows with a larger weight than this belong to a linear combination.
constexpr double takes_part = 1e-6;

}  // namespace

std::vector<int> ConstraintGroup::taking_part(int combination) const {
  const int from = null.begin[at(combination)], to = null.begin[at(combination + 1)];
  double largest = 0;
  for (int i = from; i < to; ++i) largest = std::max(largest, std::abs(null.value[at(i)]));
  std::vector<int> out;
  for (int i = from; i < to; ++i)
    if (std::abs(null.value[at(i)]) > takes_part * largest) out.push_back(null.row[at(i)]);
  return out;
}

std::set<int> ConstraintGroup::entities_of(int combination) const {
  std::set<int> entities;
  for (const int row : taking_part(combination)) entities.insert(rows[at(row)].entity);
  entities.erase(-1);
  return entities;
}

void share_rows(std::vector<ConstraintGroup>& groups, std::span<const ConstraintGroup> mine, MPI_Comm comm) {
  std::vector<std::int64_t> heads;  // number of rows in a group, then block, component, entity of each
  std::vector<double> scales;
  for (const ConstraintGroup& g : mine) {
    heads.push_back(static_cast<std::int64_t>(g.rows.size()));
    for (const ConstraintGroup::Row& row : g.rows) {
      heads.insert(heads.end(), {row.at.block, row.at.component, row.entity});
      scales.push_back(row.scale);
    }
  }
  heads = of_all_ranks(heads, comm);
  scales = of_all_ranks(scales, comm);
  auto scale = scales.begin();
  for (auto head = heads.begin(); head != heads.end();) {
    std::vector<ConstraintGroup::Row>& rows = groups.emplace_back().rows;
    rows.resize(at(*head++));
    for (ConstraintGroup::Row& row : rows) {
      row = {{head[0], static_cast<int>(head[1])}, static_cast<int>(head[2]), *scale++};
      head += 3;
    }
  }
}

void share_decompositions(std::span<ConstraintGroup> groups, std::span<const ConstraintGroup> mine,
                          MPI_Comm comm) {
  std::vector<int> numbers;  // number of dependent rows, those rows, where columns begin, and rows of entries
  std::vector<double> values;
  for (const ConstraintGroup& g : mine) {
    numbers.push_back(static_cast<int>(g.dependent.size()));
    numbers.insert(numbers.end(), g.dependent.begin(), g.dependent.end());
    numbers.insert(numbers.end(), g.null.begin.begin(), g.null.begin.end());
    numbers.insert(numbers.end(), g.null.row.begin(), g.null.row.end());
    values.insert(values.end(), g.null.value.begin(), g.null.value.end());
    values.insert(values.end(), {g.weakest, g.weakest_of_kept});
  }
  numbers = of_all_ranks(numbers, comm);
  values = of_all_ranks(values, comm);
  auto number = numbers.begin();
  auto value = values.begin();
  const auto take = [](auto& from, int count, auto& to) {
    to.assign(from, from + count);
    from += count;
  };
  for (ConstraintGroup& g : groups) {
    const int dependent = *number++;
    take(number, dependent, g.dependent);
    g.null.rows = static_cast<int>(g.rows.size());
    take(number, dependent + 1, g.null.begin);
    take(number, g.null.begin.back(), g.null.row);
    take(value, g.null.begin.back(), g.null.value);
    g.weakest = *value++;
    g.weakest_of_kept = *value++;
  }
}

}  // namespace trammel
