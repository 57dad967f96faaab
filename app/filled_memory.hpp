#pragma once

namespace trammel {

/// While it lives, memory from the heap holds this byte until something is written there (glibc; most of it, not all), and so
/// does the stack below the caller at the beginning: what reads a variable that nothing has set then reads this.
class FilledMemory {
 public:
  explicit FilledMemory(unsigned char byte);
  ~FilledMemory();
  FilledMemory(const FilledMemory&) = delete;
  FilledMemory& operator=(const FilledMemory&) = delete;
};

}  // namespace trammel
