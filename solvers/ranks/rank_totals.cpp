#include "solvers/ranks/rank_totals.hpp"

#include <mpi.h>
#include <cmath>

#include <algorithm>

namespace trammel {

namespace {

/// Merges packed numbers: how many maxima follow, these, and then numbers to be summed.
void merge(const double* from, double* to, std::size_t size) {
  const std::size_t sums = 1 + static_cast<std::size_t>(to[0]);
  for (std::size_t k = 1; k < sums; ++k)
    // Of two ranks that exchange their numbers each is `from` once: without the last test one of them would lose what is no number.
    if (from[k] > to[k] || std::isnan(from[k])) to[k] = from[k];
  for (std::size_t k = sums; k < size; ++k) to[k] += from[k];
}

/// The same for MPI.
void merge_elements(void* from, void* to, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const std::size_t size = static_cast<std::size_t>(bytes) / sizeof(double);
  const double* a = static_cast<const double*>(from);
  double* b = static_cast<double*>(to);
  for (int element = 0; element < *count; ++element, a += size, b += size) merge(a, b, size);
}

/// One number of a type of its own: no library divides it, so that `merge` sees where the sums begin.
void reduce(std::span<double> all, MPI_Comm comm) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Type_contiguous(static_cast<int>(all.size()), MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(merge_elements, 1, &op);
  MPI_Allreduce(MPI_IN_PLACE, all.data(), 1, type, op, comm);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

}  // namespace

bool RankTotals::agree(Assembler& assembler) {
  const Layout& layout = assembler.layout();
  FieldScales scales = assembler.scales();
  if (layout.ranks() == 1) return assembler.settle(fault, fault.level(), scales);
  add_maxima(scales.contribution);
  std::vector<double> all{0, fault.level()};
  for (const std::span<double> its : maxima_) all.insert(all.end(), its.begin(), its.end());
  all[0] = static_cast<double>(all.size() - 1);
  for (const std::span<double> its : sums_) all.insert(all.end(), its.begin(), its.end());
  if (carry_)
    carry_({all, merge});
  else
    reduce(all, layout.comm());
  const double* from = all.data() + 2;
  for (const auto* parts : {&maxima_, &sums_})
    for (const std::span<double> its : *parts) {
      std::copy_n(from, its.size(), its.begin());
      from += its.size();
    }
  maxima_.clear();
  sums_.clear();
  carry_ = nullptr;
  return assembler.settle(fault, all[1], scales);
}

bool agree(Assembler& assembler, const LocalFault& fault, std::span<double> maxima) {
  RankTotals totals;
  totals.fault = fault;
  totals.add_maxima(maxima);
  return totals.agree(assembler);
}

}  // namespace trammel
