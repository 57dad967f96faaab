#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace trammel {

/// Throws Error "cannot write 'path': reason", with the limit where a file is larger than the system allows.
[[noreturn]] void refuse(const std::filesystem::path& path, const std::error_code& reason);

/// Makes a folder and those above it. Throws Error with the path and the system's reason.
void make_folder(const std::filesystem::path& folder);

/// Writes a file as a whole. Throws Error with the path and the system's reason; what was written of it is removed.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Owns an open file of the system.
class OpenFile {
 public:
  OpenFile() = default;
  /// Throws Error with the path and the system's reason.
  OpenFile(const std::filesystem::path& path, int flags);
  ~OpenFile();
  OpenFile(OpenFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  OpenFile& operator=(OpenFile&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int get() const { return file_; }

 private:
  int file_ = -1;
};

/// A text file with an end that stays, such as the closing tags of XML, while lines are added before it. Added lines
/// and the end behind them go into the file by one call of the system, so the file is whole whenever a run is
/// stopped. (Taking a new file's place by its name, the other way, costs milliseconds on common file systems, and a
/// long series would be written again and again.)
class EndedFile {
 public:
  EndedFile() = default;
  /// Begins the file anew with `text` and the end. Throws Error.
  EndedFile(std::filesystem::path path, std::string_view text, std::string end);
  /// Throws Error with the path and the system's reason; the file is then as it was before.
  void add(std::string_view text);

 private:
  std::filesystem::path path_;
  std::string end_;
  OpenFile file_;
  std::int64_t size_ = 0;  ///< without the end
};

/// Like write_file, by way of a second file that takes the place of the first: at any time the path holds either the
/// old text or the new.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

/// A text file that grows by whole lines; they are in the file when `append` returns.
class GrowingFile {
 public:
  /// Begins the file anew. Throws Error.
  explicit GrowingFile(std::filesystem::path path);
  /// Goes on with a file that begins with `start`, cut back to its first `bytes`. Throws Error where it is another one, or
  /// shorter.
  GrowingFile(std::filesystem::path path, std::string_view start, std::int64_t bytes);

  /// Adds lines. Throws Error with the path and the system's reason (no space, ...); the file then ends with the last line that
  /// went in as a whole.
  void append(std::string_view lines);
  const std::filesystem::path& path() const { return path_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::filesystem::path path_;
  OpenFile file_;
  std::int64_t bytes_ = 0;
};

}  // namespace trammel
