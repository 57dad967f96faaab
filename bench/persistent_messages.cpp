// To be preloaded (LD_PRELOAD): counts the messages of persistent requests, which Open MPI's monitoring does not see. PETSc exchanges the values
// of unknowns that several ranks know by such. Each rank writes PERSISTENT_MESSAGES.RANK at its end: messages and bytes sent, then received.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>

namespace {

struct Counted {
  int direction = 0;
  long long bytes = 0;
};
std::unordered_map<MPI_Request, Counted> known;
std::array<std::array<long long, 2>, 2> all{};

void note(MPI_Request request, int direction, int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  known[request] = {direction, static_cast<long long>(count) * size};
}

void start(MPI_Request request) {
  const auto found = known.find(request);
  if (found == known.end()) return;
  auto& [messages, bytes] = all[static_cast<std::size_t>(found->second.direction)];
  ++messages;
  bytes += found->second.bytes;
}

}  // namespace

#define IN_PLACE_OF_MPI extern "C" __attribute__((visibility("default"))) int

IN_PLACE_OF_MPI MPI_Send_init(const void* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                              MPI_Request* request) {
  const int code = PMPI_Send_init(from, count, type, to, tag, comm, request);
  note(*request, 0, count, type);
  return code;
}

IN_PLACE_OF_MPI MPI_Recv_init(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                              MPI_Request* request) {
  const int code = PMPI_Recv_init(to, count, type, from, tag, comm, request);
  note(*request, 1, count, type);
  return code;
}

IN_PLACE_OF_MPI MPI_Start(MPI_Request* request) {
  start(*request);
  return PMPI_Start(request);
}

IN_PLACE_OF_MPI MPI_Startall(int count, MPI_Request* requests) {
  for (int k = 0; k < count; ++k) start(requests[k]);
  return PMPI_Startall(count, requests);
}

IN_PLACE_OF_MPI MPI_Finalize() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (const char* const file = std::getenv("PERSISTENT_MESSAGES")) {
    if (std::FILE* const out = std::fopen((file + ("." + std::to_string(rank))).c_str(), "w")) {
      for (const auto& [messages, bytes] : all) std::fprintf(out, "%lld %lld\n", messages, bytes);
      std::fclose(out);
    }
  }
  return PMPI_Finalize();
}
