#include "io/address_space.hpp"

#include <new>

#include <sys/mman.h>
#include <sys/resource.h>

namespace trammel {

bool address_space_is_limited() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void require_address_space(std::size_t bytes) {
  void* place =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  munmap(place, bytes);
}

}  // namespace trammel
