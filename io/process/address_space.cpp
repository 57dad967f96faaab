#include "io/process/address_space.hpp"

#include <sys/resource.h>

namespace trammel {

bool address_space_is_limited() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace trammel
