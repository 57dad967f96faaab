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

/// Runs `work` on this rank; what it throws on any rank is thrown on all of them, as one Error. Nothing in `work` may
/// be collective. Collective.
template <class Work>
void together(MPI_Comm comm, const Work& work) {
  std::string text;
  try {
    work();
  } catch (const Error& e) {
    const std::string place = e.where().text();
    text = place.empty() ? e.what() : place + ": " + e.what();
  } catch (const std::bad_alloc&) {
    text = "out of memory";
  } catch (const std::exception& e) {
    text = e.what();
    if (text.empty()) text = "an exception without a message";
  } catch (...) {
    text = "something was thrown that is no exception";
  }
  agree_on_errors(comm, std::move(text));
}

/// The texts of all ranks, by rank; empty on others than `root`. Collective.
std::vector<std::string> gather_texts(MPI_Comm comm, std::string_view text, int root = 0);
/// The same, on every rank. Collective.
std::vector<std::string> all_texts(MPI_Comm comm, std::string_view text);
/// The numbers of all ranks one after the other, on rank 0; empty on the others. Collective.
std::vector<double> gather_numbers(MPI_Comm comm, std::span<const double> numbers);

}  // namespace trammel
