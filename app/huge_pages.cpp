#include "huge_pages.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "io/process/address_space.hpp"

namespace trammel {

#ifdef __GLIBC__

namespace {

std::string first_line(const char* file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

/// Linux says "always [madvise] never", in brackets what holds.
bool may_be_asked_for() {
  const std::string kinds = first_line("/sys/kernel/mm/transparent_hugepage/enabled");
  return kinds.find("[always]") != std::string::npos || kinds.find("[madvise]") != std::string::npos;
}

/// Whether addresses cost something before they are used.
bool addresses_are_counted() {
  return address_space_is_limited() || first_line("/proc/sys/vm/overcommit_memory") == "2";
}

std::uintptr_t rounded_down(std::uintptr_t address) {
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  return address / page * page;
}

}  // namespace

void use_huge_pages() {
  if (std::getenv("GLIBC_TUNABLES") != nullptr || addresses_are_counted() || !may_be_asked_for()) return;
  // The C library extends its heap by pieces of 132 kB, too small for a huge page, unless it is told by how much more. The
  // heap is extended once, by addresses only; it takes vectors below 32 MiB and what threads allocate too, and does not shrink.
  constexpr int reserve = 1 << 30, largest_in_heap = 32 << 20, usual_pad = 128 << 10;
  constexpr std::size_t more_than_the_heap_has = std::size_t{1} << 20;
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_MMAP_THRESHOLD, largest_in_heap);
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TOP_PAD, reserve);
  void* first = std::malloc(more_than_the_heap_has);
  mallopt(M_TOP_PAD, usual_pad);
  const auto begin = rounded_down(reinterpret_cast<std::uintptr_t>(first));
  const auto end = rounded_down(reinterpret_cast<std::uintptr_t>(sbrk(0)));
  // A refusal leaves the pages small.
  if (first != nullptr && begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  std::free(first);
}

#else

void use_huge_pages() {}

#endif

}  // namespace trammel
