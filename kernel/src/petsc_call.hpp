#pragma once

#include <petscsys.h>

#include <string>

#include "trammel/error.hpp"

namespace trammel {

/// Turns a PETSc error code into an Error that names the call.
inline void check_petsc(PetscErrorCode code, const char* call) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw Error(std::string("PETSc failed in ") + call + ": " + (text != nullptr ? text : "unknown error") +
              " (" + std::to_string(code) + ")");
}

}  // namespace trammel

#define TRAMMEL_PETSC(call) ::trammel::check_petsc((call), #call)
