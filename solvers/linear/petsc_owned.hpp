#pragma once

#include <petscsnes.h>

#include <utility>

#include "kernel/petsc_call.hpp"

namespace trammel {

/// Owns one PETSc object.
template <class Handle, PetscErrorCode (*Destroy)(Handle*)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  ~Owned() { reset(); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }

  void reset() {
    if (handle_ != nullptr) Destroy(&handle_);
    handle_ = nullptr;
  }
  Handle get() const { return handle_; }
  /// For calls that create: `VecDuplicate(x, y.fill())`.
  Handle* fill() {
    reset();
    return &handle_;
  }
  /// For calls that fill again what is there, or create it.
  Handle* slot() { return &handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  Handle handle_ = nullptr;
};

using OwnedVec = Owned<Vec, VecDestroy>;
using OwnedMat = Owned<Mat, MatDestroy>;
using OwnedKSP = Owned<KSP, KSPDestroy>;
using OwnedIS = Owned<IS, ISDestroy>;
using OwnedSNES = Owned<SNES, SNESDestroy>;

/// While it lives PETSc prints nothing about errors: a failed factorization is an answer, not an accident.
class QuietErrors {
 public:
  QuietErrors() { PetscPushErrorHandler(PetscIgnoreErrorHandler, nullptr); }
  ~QuietErrors() { PetscPopErrorHandler(); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
};

}  // namespace trammel
