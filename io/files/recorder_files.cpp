#include "io/files/recorder_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "trammel/error.hpp"

namespace trammel {

namespace {

std::error_code last_error() { return {errno != 0 ? errno : EIO, std::generic_category()}; }

/// Writes `text` at an offset. Returns the number of bytes written; if it is less than the whole, errno has the reason.
std::size_t write_at(int file, std::string_view text, std::int64_t offset) {
  std::size_t done = 0;
  while (done < text.size()) {
    errno = 0;
    const ssize_t count =
        ::pwrite(file, text.data() + done, text.size() - done, offset + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

bool writes_all(int file, std::string_view text, std::int64_t offset) {
  return write_at(file, text, offset) == text.size();
}

}  // namespace

void refuse(const std::filesystem::path& path, const std::error_code& reason) {
  std::string limit;
  struct rlimit size {};
  if (reason == std::errc::file_too_large && getrlimit(RLIMIT_FSIZE, &size) == 0 &&
      size.rlim_cur != RLIM_INFINITY)
    limit = fmt::format("; the limit on the size of a file is {} bytes (ulimit -f)", size.rlim_cur);
  throw Error(fmt::format("cannot write '{}': {}{}", path.string(), reason.message(), limit));
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code reason;
  std::filesystem::create_directories(folder, reason);
  if (reason) refuse(folder, reason);
  // An existing folder has not been tested for writing yet.
  if (!std::filesystem::is_directory(folder, reason))
    refuse(folder, reason ? reason : std::make_error_code(std::errc::not_a_directory));
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  errno = 0;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) refuse(path, last_error());
  std::error_code reason;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) reason = last_error();
  if (std::fclose(file) != 0 && !reason) reason = last_error();
  if (!reason) return;
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  refuse(path, reason);
}

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::path fresh = path;
  fresh += ".new";
  write_file(fresh, bytes);
  std::error_code reason;
  std::filesystem::rename(fresh, path, reason);
  if (reason) refuse(path, reason);
}

OpenFile::OpenFile(const std::filesystem::path& path, int flags) {
  errno = 0;
  file_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (file_ < 0) refuse(path, last_error());
}

OpenFile::~OpenFile() {
  if (file_ >= 0) ::close(file_);
}

EndedFile::EndedFile(std::filesystem::path path, std::string_view text, std::string end)
    : path_(std::move(path)), end_(std::move(end)) {
  // An earlier file of this path is replaced as a whole, once the new one is complete.
  replace_file(path_, std::string(text) + end_);
  file_ = OpenFile(path_, O_WRONLY);
  size_ = static_cast<std::int64_t>(text.size());
}

void EndedFile::add(std::string_view text) {
  if (!writes_all(file_.get(), std::string(text) + end_, size_)) {
    const std::error_code reason = last_error();
    // The end is written back to its old position, which needs no new space.
    if (!writes_all(file_.get(), end_, size_) ||
        ftruncate(file_.get(), size_ + static_cast<std::int64_t>(end_.size())) != 0)
      refuse(path_, last_error());
    refuse(path_, reason);
  }
  size_ += static_cast<std::int64_t>(text.size());
}

GrowingFile::GrowingFile(std::filesystem::path path)
    : path_(std::move(path)), file_(path_, O_WRONLY | O_CREAT | O_TRUNC) {}

GrowingFile::GrowingFile(std::filesystem::path path, std::string_view start, std::int64_t bytes)
    : path_(std::move(path)), file_(path_, O_RDWR), bytes_(bytes) {
  std::string found(start.size(), '\0');
  const ssize_t count = ::pread(file_.get(), found.data(), found.size(), 0);
  const off_t size = ::lseek(file_.get(), 0, SEEK_END);
  if (count != static_cast<ssize_t>(found.size()) || found != start)
    throw Error(fmt::format("cannot go on with '{}': its first line is not the one that belongs to this run",
                            path_.string()));
  if (size < bytes)
    throw Error(fmt::format("cannot go on with '{}': it has {} bytes, and had {} at the checkpoint",
                            path_.string(), size, bytes));
  if (ftruncate(file_.get(), bytes) != 0) refuse(path_, last_error());
}

void GrowingFile::append(std::string_view lines) {
  // One call for each line: a process that is killed during a call leaves a part of the text, where it lies on two pages of memory.
  while (!lines.empty()) {
    const std::size_t size = std::min(lines.find('\n'), lines.size() - 1) + 1;
    if (!writes_all(file_.get(), lines.substr(0, size), bytes_)) {
      const std::error_code reason = last_error();
      if (ftruncate(file_.get(), bytes_) != 0) refuse(path_, last_error());
      refuse(path_, reason);
    }
    bytes_ += static_cast<std::int64_t>(size);
    lines.remove_prefix(size);
  }
}

}  // namespace trammel
