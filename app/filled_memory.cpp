#include "filled_memory.hpp"

#include <array>
#include <cstdlib>
#include <cstring>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace trammel {

namespace {

// A volatile pointer, because the compiler would otherwise omit writes to memory that is freed next.
void* (*volatile fill)(void*, int, std::size_t) = std::memset;

[[gnu::noinline]] void fill_stack(unsigned char byte) {
  std::array<unsigned char, std::size_t{256} * 1024> area;
  fill(area.data(), byte, area.size());
}

/// Fills the small chunks in this thread's cache of the allocator, which reuses freed chunks without clearing them.
void fill_small_chunks(unsigned char byte) {
  constexpr std::size_t largest = 1032, alignment = 16, kept = 7;
  std::array<void*, (largest / alignment + 1) * kept> chunks{};
  std::size_t count = 0;
  for (std::size_t size = 24; size <= largest; size += alignment)
    for (std::size_t k = 0; k < kept; ++k)
      if (void* chunk = std::malloc(size); chunk != nullptr) chunks[count++] = fill(chunk, byte, size);
  while (count > 0) std::free(chunks[--count]);
}

/// `byte`: what new memory is to hold.
void fill_new_memory([[maybe_unused]] unsigned char byte) {
#ifdef __GLIBC__
  mallopt(M_PERTURB, byte ^ 0xff);
#endif
}

}  // namespace

FilledMemory::FilledMemory(unsigned char byte) {
  fill_small_chunks(byte);
  fill_new_memory(byte);
  fill_stack(byte);
}

FilledMemory::~FilledMemory() { fill_new_memory(0xff); }  // as it was: off

}  // namespace trammel
