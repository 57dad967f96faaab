#pragma once

#include <mpi.h>

#include <cstddef>

namespace trammel {

/// A message to one other rank, which waits for it by `receive_numbers`.
inline void send_numbers(const double* numbers, std::ptrdiff_t count, int rank, int tag, MPI_Comm comm) {
  MPI_Send(numbers, static_cast<int>(count), MPI_DOUBLE, rank, tag, comm);
}

/// `rank` may be MPI_ANY_SOURCE.
inline void receive_numbers(double* numbers, std::ptrdiff_t count, int rank, int tag, MPI_Comm comm) {
  MPI_Recv(numbers, static_cast<int>(count), MPI_DOUBLE, rank, tag, comm, MPI_STATUS_IGNORE);
}

}  // namespace trammel
