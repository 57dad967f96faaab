#include "solvers/linear/substructuring_solver.hpp"

#include <petscmat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "kernel/rank_exchange.hpp"
#include "solvers/linear/cut_joints.hpp"
#include "solvers/linear/mumps.hpp"
#include "solvers/linear/vertex_cover.hpp"
#include "trammel/index.hpp"

// Documented by PETSc, and declared in a header that is not.
PETSC_EXTERN PetscErrorCode PetscObjectStateGet(PetscObject, PetscObjectState*);

namespace trammel {

namespace {

/// The largest backward error of a row that a solution may have as it is (kept orders of pivots leave 1e-8 at times), and refined.
constexpr double accurate = 1e-9, refined = 1e-11;
/// A row whose terms are smaller than this part of what they could be counts relative to that.
constexpr double faint = 1e-8;
/// The part of what a row's terms may amount to that is rounding: of a plane mechanism the rows across the plane have nothing else.
constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
/// Rounds of promotions, and failures in a row after which MUMPS keeps a structure.
constexpr int most_rounds = 12, most_failures = 3;
/// Steps of refinement of a first solution.
constexpr int most_refinements = 5;
constexpr PetscInt default_most = 2000;

}  // namespace

Substructuring::Substructuring(PC pc, SubstructuringCounts* counts)
    : pc_(pc), counts_(counts != nullptr ? *counts : own_) {
  MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &ranks_);
  TRAMMEL_PETSC(PetscCommDuplicate(comm, &comm_, &tag_));
  const char* prefix = nullptr;
  TRAMMEL_PETSC(PCGetOptionsPrefix(pc, &prefix));
  most_ = default_most;
  TRAMMEL_PETSC(PetscOptionsGetInt(nullptr, nullptr, "-substructuring_interface_max", &most_, nullptr));
  TRAMMEL_PETSC(PetscOptionsGetInt(nullptr, prefix, "-substructuring_interface_max", &most_, nullptr));
}

Substructuring::~Substructuring() { PetscCommDestroy(&comm_); }

int Substructuring::interface_of(PetscInt global) const {
  const auto found = std::ranges::lower_bound(interface_, global);
  return found == interface_.end() || *found != global ? -1 : static_cast<int>(found - interface_.begin());
}

int Substructuring::rank_of(PetscInt global) const {
  return static_cast<int>(std::ranges::upper_bound(first_of_, global) - first_of_.begin()) - 1;
}

/// Couplings between ranks, of the whole matrix, and unknowns in them that have no diagonal, as multipliers.
void Substructuring::find_edges(Mat A) {
  const PetscInt* ranges = nullptr;
  TRAMMEL_PETSC(MatGetOwnershipRanges(A, &ranges));
  first_of_.assign(ranges, ranges + ranks_ + 1);
  const LocalParts local(A);
  const PetscInt first = first_of_[at(rank_)];
  std::vector<PetscInt> mine, multipliers;
  cut_rows_.clear();
  for (PetscInt i = 0; i < local.n; ++i) {
    if (local.begin[1][i] == local.begin[1][i + 1]) continue;
    CutRow cut{.row = first + i, .own = {}, .other = {}};
    for (PetscInt p = local.begin[1][i]; p < local.begin[1][i + 1]; ++p) {
      cut.other.push_back(local.columns[local.column[1][p]]);
      mine.push_back(cut.row);
      mine.push_back(cut.other.back());
    }
    if (local.has_diagonal(i)) continue;
    for (PetscInt p = local.begin[0][i]; p < local.begin[0][i + 1]; ++p)
      if (local.column[0][p] != i) cut.own.push_back(first + local.column[0][p]);
    multipliers.push_back(cut.row);
    cut_rows_.push_back(std::move(cut));
  }
  const std::vector<PetscInt> all = of_all_ranks(mine, comm_);
  edges_.clear();
  for (std::size_t k = 0; k < all.size(); k += 2) edges_.emplace_back(all[k], all[k + 1]);
  multipliers_ = of_all_ranks(multipliers, comm_);
}

/// Chooses the interface, and finds where each number of the matrix goes.
void Substructuring::analyse(Mat A) {
  ++counts_.analyses;
  analysed_ = true;
  const std::size_t most = at(most_);
  std::optional<std::vector<PetscInt>> cover = vertex_cover(edges_, first_of_, multipliers_, most * most);
  too_large_ = !cover;
  if (too_large_) return;
  // The multipliers of a joint that is cut, all or none: those that an interior kept would hold a body of it once more.
  const std::vector<PetscInt> rest = of_all_ranks(rest_of_cut_joints(cut_rows_, *cover), comm_);
  std::vector<PetscInt> whole, all;
  std::ranges::set_union(*cover, rest, std::back_inserter(whole));
  std::ranges::set_union(whole, promoted_, std::back_inserter(all));
  interface_ = std::move(all);
  const LocalParts local(A);
  const PetscInt first = first_of_[at(rank_)];
  std::vector<PetscInt> place(at(local.n), -1);  // in the interior, or -2 - place in the interface
  inner_.clear();
  own_border_.clear();
  for (PetscInt i = 0; i < local.n; ++i) {
    const int g = interface_of(first + i);
    if (g >= 0) {
      own_border_.emplace_back(i, g);
      place[at(i)] = -2 - g;
    } else {
      place[at(i)] = static_cast<PetscInt>(inner_.size());
      inner_.push_back(i);
    }
  }
  std::vector<PartialLu::Entry> right, below;
  right_from_.clear();
  below_from_.clear();
  both_.clear();
  both_from_.clear();
  std::vector<std::vector<PetscInt>> told(at(ranks_));  // place in the interface and unknown, by rank
  std::vector<Message> to(at(ranks_));
  for (PetscInt i = 0; i < local.n; ++i) {
    const auto row = static_cast<int>(place[at(i)]);
    for (PetscInt p = local.begin[0][i]; p < local.begin[0][i + 1]; ++p) {
      const auto col = static_cast<int>(place[at(local.column[0][p])]);
      if (row >= 0 && col >= 0) continue;
      if (row >= 0) {
        right.push_back({row, -2 - col, true});
        right_from_.push_back({0, p});
      } else if (col >= 0) {
        below.push_back({col, -2 - row});
        below_from_.push_back({0, p});
      } else {
        both_.emplace_back(-2 - row, -2 - col);
        both_from_.push_back({0, p});
      }
    }
    for (PetscInt p = local.begin[1][i]; p < local.begin[1][i + 1]; ++p) {
      const PetscInt j = local.columns[local.column[1][p]];
      const int g = interface_of(j);
      if (row >= 0) {
        right.push_back({row, g});
        right_from_.push_back({1, p});
      } else if (g >= 0) {
        both_.emplace_back(-2 - row, g);
        both_from_.push_back({1, p});
      } else {
        const std::size_t owner = at(rank_of(j));
        told[owner].push_back(-2 - row);
        told[owner].push_back(j);
        to[owner].from.push_back({1, p});
      }
    }
  }
  // Rows of the interface that other ranks have in columns of this interior.
  std::vector<int> counts(at(ranks_)), starts(at(ranks_)), from_counts(at(ranks_)), from_starts(at(ranks_));
  std::vector<PetscInt> out;
  for (std::size_t r = 0; r < told.size(); ++r) {
    counts[r] = static_cast<int>(told[r].size());
    starts[r] = static_cast<int>(out.size());
    out.insert(out.end(), told[r].begin(), told[r].end());
  }
  MPI_Alltoall(counts.data(), 1, MPI_INT, from_counts.data(), 1, MPI_INT, comm_);
  std::exclusive_scan(from_counts.begin(), from_counts.end(), from_starts.begin(), 0);
  std::vector<PetscInt> in(at(from_starts.back() + from_counts.back()));
  MPI_Alltoallv(out.data(), counts.data(), starts.data(), MPIU_INT, in.data(), from_counts.data(),
                from_starts.data(), MPIU_INT, comm_);
  sent_.clear();
  received_.clear();
  for (int r = 0; r < ranks_; ++r) {
    if (counts[at(r)] > 0) {
      to[at(r)].rank = r;
      to[at(r)].values.resize(to[at(r)].from.size());
      sent_.push_back(std::move(to[at(r)]));
    }
    if (from_counts[at(r)] == 0) continue;
    Message message;
    message.rank = r;
    for (int k = 0; k < from_counts[at(r)]; k += 2) {
      const PetscInt* pair = in.data() + from_starts[at(r)] + k;
      below.push_back({static_cast<int>(place[at(pair[1] - first)]), static_cast<int>(pair[0])});
    }
    message.values.resize(at(from_counts[at(r)] / 2));
    received_.push_back(std::move(message));
  }
  // The part of the interface to which this interior is coupled.
  touched_.clear();
  for (const auto& entries : {right, below})
    for (const PartialLu::Entry& e : entries) touched_.push_back(e.border);
  std::ranges::sort(touched_);
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  std::vector<int> owned;
  for (const auto& [i, g] : own_border_) owned.push_back(g);
  too_large_ =
      !schur_.set_structure(comm_, static_cast<int>(interface_.size()), touched_, owned, both_, most);
  if (too_large_) return;
  counts_.interface = std::max(counts_.interface, static_cast<std::int64_t>(interface_.size()));
  counts_.largest_front = std::max(counts_.largest_front, static_cast<std::int64_t>(schur_.largest_front()));
  for (auto* entries : {&right, &below})
    for (PartialLu::Entry& e : *entries)
      e.border = static_cast<int>(std::ranges::lower_bound(touched_, e.border) - touched_.begin());
  c_.resize(right.size());
  r_.resize(below.size());
  for (PetscInt& inner : place) inner = std::max<PetscInt>(inner, -1);
  lu_.set_structure(std::move(place), std::move(right), std::move(below), static_cast<int>(touched_.size()));
  w_.assign(inner_.size(), 0);
  residual_.assign(at(local.n), 0);
  size_.assign(at(local.n), 0);
}

/// Fills r_: entries of this rank's rows, then those of other ranks.
void Substructuring::exchange(const LocalParts& A) {
  std::vector<MPI_Request> requests;
  for (Message& m : received_)
    MPI_Irecv(m.values.data(), static_cast<int>(m.values.size()), MPI_DOUBLE, m.rank, tag_, comm_,
              &requests.emplace_back());
  for (Message& m : sent_) {
    for (std::size_t k = 0; k < m.from.size(); ++k) m.values[k] = A.value[m.from[k].part][m.from[k].entry];
    MPI_Isend(m.values.data(), static_cast<int>(m.values.size()), MPI_DOUBLE, m.rank, tag_, comm_,
              &requests.emplace_back());
  }
  for (std::size_t k = 0; k < below_from_.size(); ++k)
    r_[k] = A.value[below_from_[k].part][below_from_[k].entry];
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  std::size_t k = below_from_.size();
  for (const Message& m : received_)
    for (const double value : m.values) r_[k++] = value;
}

/// Eliminates the interiors, and factorizes what they leave.
InterfaceMatrix::Outcome Substructuring::eliminate(Mat A) {
  const LocalParts local(A);
  exchange(local);
  for (std::size_t k = 0; k < c_.size(); ++k) c_[k] = local.value[right_from_[k].part][right_from_[k].entry];
  schur_.clear();
  both_value_.resize(both_from_.size());
  for (std::size_t e = 0; e < both_from_.size(); ++e) {
    both_value_[e] = local.value[both_from_[e].part][both_from_[e].entry];
    schur_.entries()[schur_.of_direct()[e]] += both_value_[e];
  }
  TRAMMEL_PETSC(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &factorized_));
  const bool fine = lu_.factorize(local.own(), c_, r_);
  if (fine) lu_.add_complement(schur_.of_interior(), schur_.entries());
  return schur_.factorize(comm_, !fine, schur_.needs_work() ? lu_.work() : LinearWork());
}

/// Moves these unknowns of all interiors to the interface; false where there are none.
bool Substructuring::promote(std::span<const int> inner) {
  std::vector<PetscInt> mine;
  for (const int its : inner) mine.push_back(first_of_[at(rank_)] + inner_[at(its)]);
  const std::vector<PetscInt> all = of_all_ranks(mine, comm_);
  if (all.empty()) return false;
  counts_.promotions += static_cast<std::int64_t>(all.size());
  promoted_.insert(promoted_.end(), all.begin(), all.end());
  std::ranges::sort(promoted_);
  return true;
}

/// The same of unknowns that may have lost accuracy, once for a structure.
bool Substructuring::promote_suspects() {
  return !std::exchange(suspected_, true) && promote(lu_.suspects());
}

bool Substructuring::factorize(Mat A) {
  begun_ = 0;
  PetscObjectId matrix = 0;
  PetscObjectState structure = 0;
  TRAMMEL_PETSC(PetscObjectGetId(reinterpret_cast<PetscObject>(A), &matrix));
  TRAMMEL_PETSC(MatGetNonzeroState(A, &structure));
  PetscObjectState state = 0;
  TRAMMEL_PETSC(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &state));
  // A solution showed that this matrix has no factors.
  if (failed_ && !out_of_memory_ && matrix == matrix_ && state == factorized_) return false;
  std::optional<std::vector<int>> changed = std::exchange(changed_, std::nullopt);
  if (by_mumps_ || failed_) changed.reset();  // the interior's factors may be those of an earlier matrix
  by_mumps_ = out_of_memory_ = failed_ = false;
  if (matrix != matrix_ || structure != structure_) {
    matrix_ = matrix;
    structure_ = structure;
    promoted_.clear();
    failures_ = 0;
    suspected_ = false;
    find_edges(A);
    analyse(A);
  } else if (!analysed_) {
    analyse(A);
  }
  if (too_large_) return fall_back(A, too_large());
  if (failures_ >= most_failures) return fall_back(A, counts_.reason);
  if (changed) lu_.expect_changes(std::move(*changed));
  int round = 0;
  InterfaceMatrix::Outcome outcome;
  while ((outcome = eliminate(A)) == InterfaceMatrix::Outcome::weak) {
    ++failures_;
    if (++round > most_rounds || !promote(lu_.weak()))
      return fall_back(A, "an interior is singular, and no unknowns were found to promote");
    --failures_;
    analyse(A);
    if (too_large_) return fall_back(A, too_large());
    lu_.expect_changes({});  // interiors without such unknowns are as they were
  }
  if (outcome == InterfaceMatrix::Outcome::singular) {
    ++failures_;
    if (promote_suspects()) {
      analyse(A);
      return factorize(A);
    }
    return fall_back(A, "the interface's matrix is singular to working precision");
  }
  ++counts_.factorizations;
  check_ = true;
  refine_ = false;
  return true;
}

LinearWork Substructuring::work() const {
  if (by_mumps_) return {};
  const LinearWork own = lu_.work();
  std::array most{own.unknowns, own.factorization, own.solve};
  MPI_Allreduce(MPI_IN_PLACE, most.data(), 3, MPI_DOUBLE, MPI_MAX, comm_);
  return {most[0], most[1], most[2]};
}

std::string Substructuring::too_large() const {
  return fmt::format("a matrix of the interface is larger than {0} x {0} (-substructuring_interface_max)",
                     most_);
}

bool Substructuring::fall_back(Mat A, std::string reason) {
  ++counts_.fallbacks;
  counts_.reason = std::move(reason);
  by_mumps_ = true;
  if (!mumps_) {
    const char* prefix = nullptr;
    TRAMMEL_PETSC(PCGetOptionsPrefix(pc_, &prefix));
    TRAMMEL_PETSC(PCCreate(PetscObjectComm(reinterpret_cast<PetscObject>(pc_)), mumps_.fill()));
    TRAMMEL_PETSC(PCSetOptionsPrefix(mumps_.get(), prefix));
    use_mumps(mumps_.get());
  }
  TRAMMEL_PETSC(PCSetOperators(mumps_.get(), A, A));
  const PetscErrorCode code = PCSetUp(mumps_.get());
  PCFailedReason reason_code = PC_NOERROR;
  if (code == 0) TRAMMEL_PETSC(PCGetFailedReason(mumps_.get(), &reason_code));
  const bool fine = code == 0 && reason_code == PC_NOERROR;
  const bool no_memory = reason_code == PC_FACTOR_OUTMEMORY && mumps_ran_out_of_memory(mumps_.get());
  int outcome = fine ? 0 : no_memory ? 2 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &outcome, 1, MPI_INT, MPI_MAX, comm_);
  if (outcome == 0) return true;
  out_of_memory_ = outcome == 2;
  mumps_.reset();  // PETSc would keep the factors of this matrix
  failed_ = true;
  return false;
}

void Substructuring::forward(const double* b, const std::vector<double>& border_b,
                             std::vector<double>& border) {
  lu_.forward(b, w_.data());
  local_.assign(touched_.size(), 0);
  lu_.reduce(w_.data(), local_.data());
  border = border_b;
  for (std::size_t k = 0; k < touched_.size(); ++k) border[at(touched_[k])] += local_[k];
}

void Substructuring::backward(double* x, const std::vector<double>& border_x) {
  for (std::size_t k = 0; k < touched_.size(); ++k) local_[k] = border_x[at(touched_[k])];
  lu_.backward(local_.data(), w_.data(), x);
  for (const auto& [i, g] : own_border_) x[i] = border_x[at(g)];
}

/// Vectors of this rank, and of the interface; `border_b`: of the rows that this rank owns, zero elsewhere.
void Substructuring::solve_once(const double* b, const std::vector<double>& border_b, double* x,
                                std::vector<double>& border_x) {
  begun_ = 0;
  forward(b, border_b, border_x);
  schur_.solve(comm_, border_x);
  backward(x, border_x);
}

std::vector<double> Substructuring::border_of(const double* b) const {
  std::vector<double> border(interface_.size(), 0.0);
  for (const auto& [i, g] : own_border_) border[at(g)] = b[i];
  return border;
}

void Substructuring::begin(Vec b, RankTotals& totals) {
  begun_ = 0;
  if (failed_ || by_mumps_ || factorized_ < 0 || !schur_.carries()) return;
  const PetscScalar* from = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(b, &from));
  forward(from, border_of(from), border_);
  TRAMMEL_PETSC(VecRestoreArrayRead(b, &from));
  TRAMMEL_PETSC(PetscObjectGetId(reinterpret_cast<PetscObject>(b), &begun_));
  TRAMMEL_PETSC(PetscObjectStateGet(reinterpret_cast<PetscObject>(b), &begun_state_));
  schur_.begin_solution(comm_, border_, totals);
}

/// Leaves b - A x in residual_ and, of the interface and summed over the ranks, in border_residual_. Whether some row is larger than
/// `limit` times the terms in it, and than rounding.
bool Substructuring::inaccurate(Mat A, const double* b, const std::vector<double>& border_b, const double* x,
                                const std::vector<double>& border_x, double limit) {
  const std::size_t m = interface_.size(), touched = touched_.size(), n = residual_.size();
  std::vector<double> seen_r(touched, 0.0), seen_size(touched, 0.0), seen_potential(touched, 0.0);
  std::vector<double> sum(3 * m + 1, 0.0);
  const std::span<double> rest(sum.data(), m), size(sum.data() + m, m), potential(sum.data() + 2 * m, m);
  for (std::size_t k = 0; k < touched; ++k) local_[k] = border_x[at(touched_[k])];
  const LocalParts local(A);
  lu_.residual(local.own(), b, x, local_.data(), residual_.data(), size_.data(), seen_r.data(),
               seen_size.data());
  std::vector<std::size_t> doubtful;
  for (std::size_t k = 0; k < n; ++k)
    if (!(std::abs(residual_[k]) <= limit * size_[k])) doubtful.push_back(k);
  if (!doubtful.empty())
    lu_.potential(local.own(), x, limit * faint / rounding, doubtful, size_.data(), seen_potential.data());
  for (const std::size_t k : doubtful)
    if (!(std::abs(residual_[k]) <= rounding * size_[k])) sum.back() = 1;
  for (std::size_t k = 0; k < touched; ++k) {
    const std::size_t g = at(touched_[k]);
    rest[g] += seen_r[k];
    size[g] += seen_size[k];
    potential[g] += seen_potential[k];
  }
  for (std::size_t g = 0; g < m; ++g) {
    rest[g] += border_b[g];
    size[g] += std::abs(border_b[g]);
  }
  for (std::size_t e = 0; e < both_.size(); ++e) {
    const double term = both_value_[e] * border_x[at(both_[e].second)];
    rest[at(both_[e].first)] -= term;
    size[at(both_[e].first)] += std::abs(term);
  }
  schur_.sum(comm_, sum, 1);
  border_residual_.assign(rest.begin(), rest.end());
  const double most = m > 0 ? std::ranges::max(size) : 0;
  for (std::size_t g = 0; g < m; ++g) {
    const double allowed = std::max(limit * std::max(size[g], faint * most), rounding * potential[g]);
    if (!(std::abs(rest[g]) <= allowed)) return true;
  }
  return sum.back() > 0;
}

/// Adds to x the solution for what `inaccurate` has left.
void Substructuring::refine(double* x, std::vector<double>& border_x) {
  std::vector<double> correction(residual_.size()), border_correction, border_rest(interface_.size(), 0.0);
  for (const auto& [i, g] : own_border_) border_rest[at(g)] = border_residual_[at(g)];
  solve_once(residual_.data(), border_rest, correction.data(), border_correction);
  for (std::size_t k = 0; k < correction.size(); ++k) x[k] += correction[k];
  for (std::size_t g = 0; g < border_x.size(); ++g) border_x[g] += border_correction[g];
}

/// Judges the first solution by these factors, and refines it, and later ones where it had to be.
Substructuring::Quality Substructuring::improve(Mat A, const double* b, const std::vector<double>& border_b,
                                                double* x, std::vector<double>& border_x) {
  const bool first = std::exchange(check_, false);
  if (inaccurate(A, b, border_b, x, border_x, accurate)) {
    refine_ = true;
    ++counts_.refinements;
    refine(x, border_x);
    if (!first) return Quality::fine;
    for (int k = 1; inaccurate(A, b, border_b, x, border_x, refined); ++k) {
      if (promote_suspects()) return Quality::with_suspects;
      if (k == most_refinements) return Quality::worthless;
      refine(x, border_x);
    }
  }
  if (first) failures_ = 0;
  return Quality::fine;
}

bool Substructuring::solve(Vec b, Vec x) {
  if (failed_) return false;
  if (by_mumps_) {
    TRAMMEL_PETSC(PCApply(mumps_.get(), b, x));
    return true;
  }
  ++counts_.solves;
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  TRAMMEL_PETSC(VecGetArrayRead(b, &from));
  TRAMMEL_PETSC(VecGetArrayWrite(x, &to));
  const std::vector<double> border_b = border_of(from);
  std::vector<double> border_x;
  PetscObjectId id = 0;
  PetscObjectState b_state = 0;
  TRAMMEL_PETSC(PetscObjectGetId(reinterpret_cast<PetscObject>(b), &id));
  TRAMMEL_PETSC(PetscObjectStateGet(reinterpret_cast<PetscObject>(b), &b_state));
  if (id == begun_ && b_state == begun_state_) {
    begun_ = 0;
    border_x.swap(border_);
    schur_.finish_solution(border_x);
    backward(to, border_x);
  } else {
    solve_once(from, border_b, to, border_x);
  }
  Quality quality = Quality::fine;
  Mat A = nullptr;
  PetscObjectState state = 0;
  TRAMMEL_PETSC(PCGetOperators(pc_, nullptr, &A));
  TRAMMEL_PETSC(PetscObjectStateGet(reinterpret_cast<PetscObject>(A), &state));
  // Whoever keeps factors of a matrix that has changed since gets solutions as they are.
  if ((check_ || refine_) && state == factorized_) quality = improve(A, from, border_b, to, border_x);
  TRAMMEL_PETSC(VecRestoreArrayWrite(x, &to));
  TRAMMEL_PETSC(VecRestoreArrayRead(b, &from));
  if (quality == Quality::fine) return true;
  --counts_.factorizations;
  --counts_.solves;
  if (quality == Quality::with_suspects) {
    analyse(A);
    return factorize(A) && solve(b, x);
  }
  ++failures_;
  if (!fall_back(A, "a solution was inaccurate, also after refinements")) return false;
  TRAMMEL_PETSC(PCApply(mumps_.get(), b, x));
  return true;
}

}  // namespace trammel
