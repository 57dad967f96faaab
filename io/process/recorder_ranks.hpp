#pragma once

#include <mpi.h>

#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/error.hpp"

namespace trammel {

/// Throws the same Error on all ranks where `text` is not empty on one of them (that of the lowest such rank).
/// Collective.
void agree_on_errors(MPI_Comm comm, std::string text);

/// Runs `work`, and returns the text of what it throws; empty where it throws nothing.
template <class Work>
std::string failure_of(const Work& work) {
  try {
    work();
  } catch (const Error& e) {
    const std::string place = e.where().text();
    return place.empty() ? e.what() : place + ": " + e.what();
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::exception& e) {
    const std::string text = e.what();
    return text.empty() ? "an exception without a message" : text;
  } catch (...) {
    return "something was thrown that is no exception";
  }
  return {};
}

/// Runs `work` on this rank; what it throws on any rank is thrown on all of them, as one Error. Nothing in `work` may
/// be collective. Collective.
template <class Work>
void together(MPI_Comm comm, const Work& work) {
  agree_on_errors(comm, failure_of(work));
}

/// The texts of all ranks, by rank; empty on others than `root`. Collective.
std::vector<std::string> gather_texts(MPI_Comm comm, std::string_view text, int root = 0);
/// The same, on every rank. Collective.
std::vector<std::string> all_texts(MPI_Comm comm, std::string_view text);
/// Gathers numbers again and again, of which every rank has as many each time.
class RepeatedGather {
 public:
  /// The numbers of all ranks one after the other, on rank 0; empty on the others. Collective.
  const std::vector<double>& gather(MPI_Comm comm, std::span<const double> numbers);

 private:
  std::vector<int> counts_, begins_;  ///< by rank, once they are known
  std::vector<double> all_;
};

}  // namespace trammel
