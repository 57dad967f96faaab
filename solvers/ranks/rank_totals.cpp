#include "solvers/ranks/rank_totals.hpp"

#include <mpi.h>

#include <algorithm>

namespace trammel {

namespace {

/// Merges packed numbers: how many maxima follow, these, and then numbers to be summed.
void merge(void* from, void* to, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const int size = bytes / static_cast<int>(sizeof(double));
  const double* a = static_cast<const double*>(from);
  double* b = static_cast<double*>(to);
  for (int element = 0; element < *count; ++element, a += size, b += size) {
    const int sums = 1 + static_cast<int>(b[0]);
    for (int k = 1; k < sums; ++k) b[k] = b[k] > a[k] ? b[k] : a[k];  // as MPI_MAX does
    for (int k = sums; k < size; ++k) b[k] += a[k];
  }
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
  // One number of a type of its own: no library divides it, so that `merge` sees where the sums begin.
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  MPI_Type_contiguous(static_cast<int>(all.size()), MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(merge, 1, &op);
  MPI_Allreduce(MPI_IN_PLACE, all.data(), 1, type, op, layout.comm());
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  const double* from = all.data() + 2;
  for (const auto* parts : {&maxima_, &sums_})
    for (const std::span<double> its : *parts) {
      std::copy_n(from, its.size(), its.begin());
      from += its.size();
    }
  maxima_.clear();
  sums_.clear();
  return assembler.settle(fault, all[1], scales);
}

bool agree(Assembler& assembler, const LocalFault& fault, std::span<double> maxima) {
  RankTotals totals;
  totals.fault = fault;
  totals.add_maxima(maxima);
  return totals.agree(assembler);
}

}  // namespace trammel
