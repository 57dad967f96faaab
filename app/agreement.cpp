#include "agreement.hpp"

#include <chrono>
#include <cstdio>
#include <regex>
#include <sstream>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "trammel/quoted.hpp"

namespace trammel {

namespace {

/// Ranks that all fail for one reason do so within moments.
constexpr std::chrono::milliseconds patience = std::chrono::seconds(5),
                                    forever = std::chrono::milliseconds::max();

/// Waits for a request, for so long at most.
bool done(MPI_Request& request, std::chrono::milliseconds longest) {
  const auto begin = std::chrono::steady_clock::now();
  for (int complete = 0;;) {
    MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
    if (complete != 0) return true;
    if (std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin) >
        longest)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

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

/// The text fit for a terminal, whatever it quotes: escaped, and each line cut to what a reader takes in.
std::string readable(const std::string& text) {
  constexpr std::size_t longest_line = 360, last_part = 120, longest_text = 20'000;
  std::istringstream lines(printable(std::string_view(text).substr(0, longest_text), true));
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > longest_line) {
      std::size_t from = line.size() - last_part, to = longest_line - last_part - 5;
      while (utf8_size(line, from) == 0) ++from;
      while (utf8_size(line, to) == 0) --to;
      line = line.substr(0, to) + " ... " + line.substr(from);
    }
    out += (out.empty() ? "" : "\n") + line;
  }
  return out;
}

}  // namespace

std::string shown(const Error& error) {
  const std::string text = readable(error.what());
  const std::string place = printable(error.where().text());
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
  // Each rank waits a little longer than the rank before, so that only one prints the message.
  if (!done(request, failure ? patience + rank * std::chrono::milliseconds(300) : forever)) {
    print(*failure + (ranks > 1 ? " (on rank " + std::to_string(rank) + ")" : ""));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (first == rank) print(*failure);
  return first == ranks ? 0 : 1;
}

bool arrive_together(MPI_Comm comm, bool failed) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  return done(request, failed ? patience : forever);
}

}  // namespace trammel
