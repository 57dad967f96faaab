#pragma once

#include <mpi.h>
#include <petscsys.h>

#include <Eigen/Core>
#include <cstdint>

namespace trammel {

/// Number of the interface between kernel and plugins. It stays 0 until the kit has carried a sliding joint, a
/// unilateral joint and a first-order state built out of tree; from then on it rises with every incompatible change.
inline constexpr std::int32_t abi_number = 0;

/// What a plugin was built with; read from its ELF section before the library is opened, so that nothing of a
/// rejected one runs. Plain data of fixed layout.
struct PluginRecord {
  char magic[16];
  std::int32_t record_size;
  std::int32_t abi;
  std::int32_t sizeof_scalar;  ///< PetscScalar
  std::int32_t sizeof_int;     ///< PetscInt
  std::int32_t eigen_align;    ///< EIGEN_MAX_ALIGN_BYTES
  std::int32_t eigen_version;  ///< world * 10000 + major * 100 + minor
  std::int32_t cxx11_abi;      ///< _GLIBCXX_USE_CXX11_ABI
  std::int32_t glibcxx_debug;  ///< _GLIBCXX_DEBUG
  std::int32_t cxx_standard;   ///< __cplusplus
  std::int32_t petsc_version;  ///< major * 10000 + minor * 100
  char mpi[32];                ///< MPI library
  char name[64];
  char version[32];
};

namespace detail {
template <std::size_t N>
constexpr void copy_text(char (&to)[N], const char* from) {
  std::size_t i = 0;
  for (; from[i] != '\0' && i + 1 < N; ++i) to[i] = from[i];
  for (; i < N; ++i) to[i] = '\0';
}
}  // namespace detail

constexpr PluginRecord make_plugin_record(const char* name, const char* version) {
  PluginRecord r{};
  detail::copy_text(r.magic, "TRAMMEL-PLUGIN");
  r.record_size = static_cast<std::int32_t>(sizeof(PluginRecord));
  r.abi = abi_number;
  r.sizeof_scalar = static_cast<std::int32_t>(sizeof(PetscScalar));
  r.sizeof_int = static_cast<std::int32_t>(sizeof(PetscInt));
  r.eigen_align = EIGEN_MAX_ALIGN_BYTES;
  r.eigen_version = EIGEN_WORLD_VERSION * 10000 + EIGEN_MAJOR_VERSION * 100 + EIGEN_MINOR_VERSION;
#ifdef _GLIBCXX_USE_CXX11_ABI
  r.cxx11_abi = _GLIBCXX_USE_CXX11_ABI;
#endif
#ifdef _GLIBCXX_DEBUG
  r.glibcxx_debug = 1;
#endif
  r.cxx_standard = static_cast<std::int32_t>(__cplusplus);
  r.petsc_version = PETSC_VERSION_MAJOR * 10000 + PETSC_VERSION_MINOR * 100;
#if defined(OPEN_MPI)
  detail::copy_text(r.mpi, "Open MPI");
#elif defined(MPICH_VERSION)
  detail::copy_text(r.mpi, "MPICH");
#else
  detail::copy_text(r.mpi, "unknown");
#endif
  detail::copy_text(r.name, name);
  detail::copy_text(r.version, version);
  return r;
}

}  // namespace trammel
