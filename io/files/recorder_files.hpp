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

/// A text file with a constant end, such as the closing tags of XML, before which lines are added. One system call
/// writes the added lines and the end, so that the file is complete whenever a run is stopped. (To write a new file
/// and rename it would cost milliseconds on common file systems, and a long series would be written again and
/// again.)
class EndedFile {
 public:
  EndedFile() = default;
  /// Writes a new file with `text` and the end. Throws Error with the path and the system's reason.
  EndedFile(std::filesystem::path path, std::string_view text, std::string end);
  /// Throws Error with the path and the system's reason; the file is then as it was before.
  void add(std::string_view text);

 private:
  std::filesystem::path path_;
  std::string end_;
  OpenFile file_;
  std::int64_t size_ = 0;  ///< without the end
};

/// As write_file, but writes a second file and renames it: at any time the path has either the old text or the new
/// one.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

/// A text file that grows by whole lines; they are in the file when `append` returns.
class GrowingFile {
 public:
  /// Begins the file anew. Throws Error.
  explicit GrowingFile(std::filesystem::path path);
  /// Continues a file that begins with `start`, after truncating it to its first `bytes`. Throws Error if the file
  /// begins differently or is shorter.
  GrowingFile(std::filesystem::path path, std::string_view start, std::int64_t bytes);

  /// Adds lines. Throws Error with the path and the system's reason (no space, ...); the file then ends with the
  /// last complete line.
  void append(std::string_view lines);
  const std::filesystem::path& path() const { return path_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::filesystem::path path_;
  OpenFile file_;
  std::int64_t bytes_ = 0;
};

}  // namespace trammel
