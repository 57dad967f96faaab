#pragma once

#include <mpi.h>

#include <string>

namespace trammel {

/// A number, and the name of where it is.
struct NamedNumber {
  double number = 0;
  std::string where;
};

/// The largest number of all ranks with its name; of the first rank among equals. Collective.
NamedNumber largest_of_ranks(NamedNumber mine, MPI_Comm comm);

}  // namespace trammel
