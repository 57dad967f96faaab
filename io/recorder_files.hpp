#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace trammel {

/// Makes a folder and those above it. Throws Error with the path and the system's reason.
void make_folder(const std::filesystem::path& folder);

/// Writes a file as a whole. Throws Error with the path and the system's reason; what was written of it is removed.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// A text file with an end that stays, such as the closing tags of XML, while lines are added before it. Added lines
/// and the end behind them go into the file by one call of the system, so the file is whole whenever a run is
/// stopped. (Taking a new file's place by its name, the other way, costs milliseconds on common file systems, and a
/// long series would be written again and again.)
class EndedFile {
 public:
  EndedFile() = default;
  /// Begins the file anew with `text` and the end. Throws Error.
  EndedFile(std::filesystem::path path, std::string_view text, std::string end);
  /// Throws Error with the path and the system's reason.
  void add(std::string_view text);

 private:
  struct Close {
    void operator()(const int* file) const;
  };
  std::filesystem::path path_;
  std::string end_;
  std::unique_ptr<int, Close> file_;
  std::int64_t size_ = 0;  ///< without the end
};

/// Like write_file, by way of a second file that takes the place of the first: at any time the path holds either the
/// old text or the new.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

/// A text file that grows line by line; every line is in the file when `append` returns.
class GrowingFile {
 public:
  /// Begins the file anew. Throws Error.
  explicit GrowingFile(std::filesystem::path path);

  /// Throws Error with the path and the system's reason (no space, ...).
  void append(std::string_view text);
  const std::filesystem::path& path() const { return path_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::int64_t bytes_ = 0;
};

}  // namespace trammel
