#pragma once

namespace trammel {

/// Whether the addresses of this process are limited (RLIMIT_AS, `ulimit -v`).
bool address_space_is_limited();

}  // namespace trammel
