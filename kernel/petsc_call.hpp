#pragma once

#include <petscsys.h>

#include <string>

#include "trammel/error.hpp"

namespace trammel {

/// Throws Error for a PETSc error code other than 0. The message names the call and, if memory ran out, the amount requested.
inline void check_petsc(PetscErrorCode code, const char* call) {
  if (code == 0) return;
  const char* text = nullptr;
  char* detail = nullptr;
  PetscErrorMessage(code, &text, &detail);
  if (code == PETSC_ERR_MEM)
    throw Error(std::string("out of memory: ") + (detail != nullptr && *detail != '\0' ? detail : "some") +
                " asked for in " + std::string(call).substr(0, std::string(call).find('(')));
  throw Error(std::string("PETSc failed in ") + call + ": " + (text != nullptr ? text : "unknown error") +
              " (" + std::to_string(code) + ")");
}

}  // namespace trammel

#define TRAMMEL_PETSC(call) ::trammel::check_petsc((call), #call)
