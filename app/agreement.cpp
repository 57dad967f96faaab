#include "agreement.hpp"

#include <chrono>
#include <cstdio>
#include <regex>
#include <string>
#include <thread>

#include <fmt/format.h>

namespace trammel {

namespace {

/// Ranks that all fail for one reason do so within moments.
constexpr auto patience = std::chrono::seconds(5);

void print(const std::string& message) {
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", message);
  std::fflush(stderr);
}

/// Where the place at the head of a text ends ("case.yaml:3:12: ..."), or 0: errors that all ranks agreed on have
/// their place in the text.
std::size_t place_in(const std::string& text) {
  static const std::regex place("^[^\n']*?:[0-9]+:[0-9]+(?=: )");
  std::smatch match;
  return std::regex_search(text, match, place) ? static_cast<std::size_t>(match.length()) : 0;
}

}  // namespace

std::string shown(const Error& error) {
  const std::string text = error.what();
  const std::string place = error.where().text();
  if (!place.empty()) return place + ": error: " + text;
  if (const std::size_t end = place_in(text); end > 0)
    return text.substr(0, end) + ": error" + text.substr(end);
  return "trammel: error: " + text;
}

int end_together(MPI_Comm comm, const Failure& failure) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int mine = failure ? rank : ranks;
  int first = ranks;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm, &request);
  // Each rank waits a little longer than the one before, so that one of them speaks.
  const auto limit = std::chrono::steady_clock::now() + patience + rank * std::chrono::milliseconds(300);
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) break;
    if (failure && std::chrono::steady_clock::now() > limit) {
      print(*failure + (ranks > 1 ? " (on rank " + std::to_string(rank) + ")" : ""));
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (first == rank) print(*failure);
  return first == ranks ? 0 : 1;
}

}  // namespace trammel
