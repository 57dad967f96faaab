#pragma once

#include <filesystem>

#include "io/files/recorder_files.hpp"

namespace trammel {

/// Keeps other runs out of a folder of results during its lifetime.
///
/// The folder gets a file `run.lock` that names the process, and the process holds the system's lock (flock) on that file.
/// The system releases the lock when the process ends, for whatever reason, so that the file of a killed run is
/// ignored. On a file system that several hosts share, the lock may not work across hosts, or not at all. There the
/// text of the file counts, and a process of another host counts as alive.
class FolderLock {
 public:
  /// The processes that the system's lock on the file excludes.
  enum class Reach {
    find_out,   ///< from the kind of file system
    all,        ///< no other process works in the folder
    this_host,  ///< no other process of this host does
    none,       ///< nothing: the file system has no locks
  };

  /// The folder must exist. Throws Error if another run works in the folder (with its process, host and start), or
  /// if the file cannot be written (with the system's reason).
  explicit FolderLock(const std::filesystem::path& folder, Reach reach = Reach::find_out);
  /// Removes the file.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::filesystem::path path_;
  OpenFile file_;
};

}  // namespace trammel
