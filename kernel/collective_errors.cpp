#include "kernel/collective_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "kernel/rank_exchange.hpp"
#include "trammel/error.hpp"

namespace trammel {

void LocalFault::capture(const Entity* entity, int rank, double time) {
  kind_ = Kind::failure;
  std::string what = "something was thrown that is no exception";
  try {
    throw;
  } catch (const RejectStep& e) {
    kind_ = Kind::reject;
    text_ =
        fmt::format("{} refuses the state: {}",
                    entity == nullptr ? "an element"
                                      : fmt::format("{} '{}' (type '{}' of plugin '{}')", entity->category,
                                                    entity->name, entity->type, entity->plugin),
                    e.what());
    return;
  } catch (const Error& e) {
    what = e.where().file.empty() ? e.what() : e.where().text() + ": " + e.what();
  } catch (const std::bad_alloc&) {
    what = "out of memory";
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
  }
  if (entity == nullptr) {
    text_ = fmt::format("rank {}, t = {}: {}", rank, time, what);
    return;
  }
  const std::string place = entity->where.text();
  text_ = fmt::format("{}{}{} '{}' (type '{}' of plugin '{}') failed on rank {} at t = {}: {}", place,
                      place.empty() ? "" : ": ", entity->category, entity->name, entity->type, entity->plugin,
                      rank, time, what);
}

void LocalFault::refuse(std::string text) {
  kind_ = Kind::reject;
  text_ = std::move(text);
}

bool LocalFault::agree(MPI_Comm comm, std::span<double> maxima) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1) return settle(comm, level());
  double all[64] = {level()};
  std::ranges::copy(maxima, all + 1);
  MPI_Allreduce(MPI_IN_PLACE, all, 1 + static_cast<int>(maxima.size()), MPI_DOUBLE, MPI_MAX, comm);
  std::copy_n(all + 1, maxima.size(), maxima.begin());
  return settle(comm, all[0]);
}

bool LocalFault::settle(MPI_Comm comm, double largest_level) {
  if (largest_level == 0) return true;
  int worst[2] = {static_cast<int>(kind_), 0};
  MPI_Comm_rank(comm, &worst[1]);
  MPI_Allreduce(MPI_IN_PLACE, worst, 1, MPI_2INT, MPI_MAXLOC, comm);
  broadcast_text(text_, worst[1], comm);
  if (worst[0] == static_cast<int>(Kind::reject)) return false;
  throw Error(text_);
}

}  // namespace trammel
