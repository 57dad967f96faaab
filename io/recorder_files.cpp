#include "io/recorder_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "trammel/error.hpp"

namespace trammel {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::error_code& reason) {
  throw Error(fmt::format("cannot write '{}': {}", path.string(), reason.message()));
}

std::error_code last_error() { return {errno != 0 ? errno : EIO, std::generic_category()}; }

}  // namespace

void make_folder(const std::filesystem::path& folder) {
  std::error_code reason;
  std::filesystem::create_directories(folder, reason);
  if (reason) refuse(folder, reason);
  // Where the folder was there before, nothing was tried yet.
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

void EndedFile::Close::operator()(const int* file) const {
  ::close(*file);
  delete file;
}

EndedFile::EndedFile(std::filesystem::path path, std::string_view text, std::string end)
    : path_(std::move(path)), end_(std::move(end)) {
  // What stood at the path before is replaced as a whole, and only once the new file is.
  replace_file(path_, std::string(text) + end_);
  const int file = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) refuse(path_, last_error());
  file_.reset(new int(file));
  size_ = static_cast<std::int64_t>(text.size());
}

void EndedFile::add(std::string_view text) {
  const std::string both = std::string(text) + end_;
  for (std::size_t done = 0; done < both.size();) {
    errno = 0;
    const ssize_t count =
        ::pwrite(*file_, both.data() + done, both.size() - done, size_ + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) refuse(path_, last_error());
    done += static_cast<std::size_t>(count);
  }
  size_ += static_cast<std::int64_t>(text.size());
}

GrowingFile::GrowingFile(std::filesystem::path path) : path_(std::move(path)) {
  errno = 0;
  file_.reset(std::fopen(path_.c_str(), "wb"));
  if (!file_) refuse(path_, last_error());
}

void GrowingFile::append(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
    refuse(path_, last_error());
  bytes_ += static_cast<std::int64_t>(text.size());
}

}  // namespace trammel
