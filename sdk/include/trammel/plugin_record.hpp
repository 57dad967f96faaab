#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>

#include "trammel/header_hash.hpp"

namespace trammel {

/// Number of the interface between the sdk and plugins. It stays 0 until contact with impact and friction is in the sdk;
/// from then on it rises with every incompatible change of a public header. While it is 0 a plugin fits only the very
/// headers that it was built with.
inline constexpr std::int32_t abi_number = 0;

/// ABI settings and versions of the headers with which a plugin was built. They are read from an ELF section before
/// the library is opened, so that no code of a rejected plugin runs. Plain data of fixed layout.
struct PluginRecord {
  char magic[16];
  std::int32_t record_size;
  std::int32_t abi;            ///< of the sdk
  std::int32_t eigen_align;    ///< EIGEN_MAX_ALIGN_BYTES
  std::int32_t eigen_version;  ///< world * 10000 + major * 100 + minor
  std::int32_t cxx11_abi;      ///< _GLIBCXX_USE_CXX11_ABI
  std::int32_t glibcxx_debug;  ///< _GLIBCXX_DEBUG
  std::int32_t cxx_standard;   ///< __cplusplus
  char headers[44];            ///< hash of the sdk's public headers
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
  r.eigen_align = EIGEN_MAX_ALIGN_BYTES;
  r.eigen_version = EIGEN_WORLD_VERSION * 10000 + EIGEN_MAJOR_VERSION * 100 + EIGEN_MINOR_VERSION;
#ifdef _GLIBCXX_USE_CXX11_ABI
  r.cxx11_abi = _GLIBCXX_USE_CXX11_ABI;
#endif
#ifdef _GLIBCXX_DEBUG
  r.glibcxx_debug = 1;
#endif
  r.cxx_standard = static_cast<std::int32_t>(__cplusplus);
  detail::copy_text(r.headers, TRAMMEL_HEADER_HASH);
  detail::copy_text(r.name, name);
  detail::copy_text(r.version, version);
  return r;
}

}  // namespace trammel
