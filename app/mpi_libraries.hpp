#pragma once

#include <string>

namespace trammel {

/// "'plugin.so' brings a second MPI library, ..." where that is so, else "". Its calls of MPI would reach one library with the handles of
/// another.
std::string second_mpi_library();

}  // namespace trammel
