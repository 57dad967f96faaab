#pragma once

namespace trammel {

/// While an object of this class exists, new memory from the heap is filled with a byte (with glibc, most of it), and so is, once,
/// the stack below the caller. Code that reads a variable that was never set then reads this byte.
class FilledMemory {
 public:
  explicit FilledMemory(unsigned char byte);
  ~FilledMemory();
  FilledMemory(const FilledMemory&) = delete;
  FilledMemory& operator=(const FilledMemory&) = delete;
};

}  // namespace trammel
