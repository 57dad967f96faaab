#include "standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace trammel {

namespace {

int first_error = 0;  // of standard output

}  // namespace

void guard_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free number, which is that of the stream. The mode is chosen so that using the stream fails.
    if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

void say(std::string_view text) {
  errno = 0;
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if ((!whole || std::fflush(stdout) != 0) && first_error == 0) first_error = errno != 0 ? errno : EIO;
}

std::string output_failure() {
  errno = 0;
  if (first_error == 0 && (std::fflush(stdout) != 0 || std::ferror(stdout) != 0))
    first_error = errno != 0 ? errno : EIO;
  return first_error == 0 ? ""
                          : std::string("cannot write to standard output: ") + std::strerror(first_error);
}

}  // namespace trammel
