#include "answering.hpp"

#include <algorithm>
#include <filesystem>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "answer.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TRAMMEL_SANITIZED
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define TRAMMEL_SANITIZED
#endif

namespace trammel::geometry {

namespace {

template <class Resource>
void limit(Resource resource, rlim_t most) {
  rlimit now{};
  getrlimit(resource, &now);
  now.rlim_cur = std::min(most, now.rlim_max);
  setrlimit(resource, &now);
}

void limit_resources(const std::string& path) {
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  const rlim_t megabytes = ignored ? 0 : static_cast<rlim_t>(size >> 20);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, 8 + 2 * megabytes);
#ifndef TRAMMEL_SANITIZED
  limit(RLIMIT_AS, (rlim_t{4} << 30) + megabytes * (rlim_t{200} << 20));
#endif
}

void write_all(int file, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = write(file, bytes.data() + done, bytes.size() - done);
    if (n <= 0) _exit(1);
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace

void answer_and_exit(const std::string& path, char kind, const std::function<std::string()>& answer) {
  // Open CASCADE writes to the terminal as it likes.
  const int output = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  limit_resources(path);
  std::string text;
  try {
    text = kind + answer();
  } catch (const std::exception& error) {
    text = answer_refused + std::string(error.what());
  }
  write_all(output, text);
  _exit(0);  // nothing of what a damaged file left behind is taken apart
}

}  // namespace trammel::geometry
