// A plugin that is linked to another MPI library than trammel.

#include <stdexcept>

#include "trammel/plugin.hpp"

extern "C" int MPIX_Second();

TRAMMEL_PLUGIN("second_mpi", "1.0") {
  if (MPIX_Second() != 2) throw std::logic_error("another library");
  trammel::Type type;
  type.name = "spring_of_second_mpi";
  type.category = trammel::Type::Category::element;
  type.summary = "a type for the command's tests";
  registry.add(std::move(type));
}
