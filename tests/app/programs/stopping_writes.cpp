// Loaded before a program (LD_PRELOAD): ends or pauses it while it writes a checkpoint, or refuses to write.
//
//   TRAMMEL_TEST_FILE   part of the name of the file that is being written
//   TRAMMEL_TEST_FAULT  write: killed when half of the bytes are written; sync: before they reach the disk; rename: before the file gets
//                       its name; renamed: after it; pause, hold: waits before the bytes reach the disk, and makes the file
//                       `writing`: until a signal comes, for ever; full, quota: half of the bytes are written, and the rest is refused
//                       as by a full disk, by a full quota

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

bool is(std::string_view fault) {
  const char* asked = std::getenv("TRAMMEL_TEST_FAULT");
  return asked != nullptr && asked == fault;
}

bool is_watched(std::string_view path) {
  const char* name = std::getenv("TRAMMEL_TEST_FILE");
  return name != nullptr && path.ends_with(".new") && path.find(name) != std::string_view::npos;
}

bool is_watched(int file) {
  std::array<char, 4096> path{};
  const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path.data(), path.size());
  return size > 0 && is_watched(std::string_view(path.data(), static_cast<std::size_t>(size)));
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

void end() { kill(getpid(), SIGKILL); }

}  // namespace

// In place of the C library's.
#pragma GCC visibility push(default)
extern "C" {

ssize_t write(int file, const void* bytes, size_t count) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  const bool refuses = is("full") || is("quota");
  if (!(refuses || is("write")) || !is_watched(file)) return real(file, bytes, count);
  static int last = -1;
  if (!refuses || file != last) {
    last = file;
    const ssize_t written = real(file, bytes, count / 2);
    if (refuses) return written;
    end();
  }
  last = -1;
  errno = is("full") ? ENOSPC : EDQUOT;
  return -1;
}

int fsync(int file) {
  static const auto real = next<int (*)(int)>("fsync");
  if (is("sync") && is_watched(file)) end();
  if ((is("pause") || is("hold")) && is_watched(file)) {
    close(open("writing", O_WRONLY | O_CREAT, 0644));
    constexpr unsigned seconds = 100;
    do sleep(seconds);  // a signal ends it
    while (is("hold"));
  }
  return real(file);
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  const bool watched = is_watched(from);
  if (is("rename") && watched) end();
  const int result = real(from, to);
  if (is("renamed") && watched) end();
  return result;
}
}
#pragma GCC visibility pop
