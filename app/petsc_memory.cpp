#include "petsc_memory.hpp"

#include <petscsys.h>

#include <cstddef>
#include <cstdlib>

namespace trammel {

namespace {

PetscErrorCode refused(std::size_t size, int line, const char* function, const char* file) {
  return PetscError(PETSC_COMM_SELF, line, function, file, PETSC_ERR_MEM, PETSC_ERROR_INITIAL, "%.0f bytes",
                    static_cast<double>(size));
}

PetscErrorCode allocate(std::size_t size, PetscBool clear, int line, const char* function, const char* file,
                        void** result) {
  static_assert(PETSC_MEMALIGN <= alignof(std::max_align_t), "malloc aligns enough");
  *result = nullptr;
  if (size == 0) return 0;
  *result = clear == PETSC_TRUE ? std::calloc(1, size) : std::malloc(size);
  return *result == nullptr ? refused(size, line, function, file) : 0;
}

PetscErrorCode release(void* memory, int, const char*, const char*) {
  std::free(memory);
  return 0;
}

PetscErrorCode resize(std::size_t size, int line, const char* function, const char* file, void** result) {
  if (size == 0) {
    std::free(*result);
    *result = nullptr;
    return 0;
  }
  void* resized = std::realloc(*result, size);
  if (resized == nullptr) return refused(size, line, function, file);
  *result = resized;
  return 0;
}

}  // namespace

void report_petsc_memory() { PetscMallocSet(allocate, release, resize); }

}  // namespace trammel
