#pragma once

#include <cstddef>

namespace trammel {

/// Whether the addresses of this process are limited (RLIMIT_AS, `ulimit -v`).
bool address_space_is_limited();

/// Throws std::bad_alloc where the process cannot get `bytes` more: for libraries that crash where an allocation fails. The
/// memory is not kept.
void require_address_space(std::size_t bytes);

}  // namespace trammel
