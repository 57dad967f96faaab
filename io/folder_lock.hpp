#pragma once

#include <filesystem>

#include "io/recorder_files.hpp"

namespace trammel {

/// Keeps other runs out of a folder of results while it lives.
///
/// The folder gets a file `run.lock` that names the process, and the process holds the system's lock (flock) on that file.
/// The system drops its lock when the process ends, however it ends, so a file that a killed run left does not count. On a
/// file system that several hosts may share, the lock may not reach across hosts, or may be missing: there the file's own
/// words count, and a process of another host, which cannot be asked, counts as alive.
class FolderLock {
 public:
  /// What the system's lock on the file proves.
  enum class Reach {
    find_out,   ///< from the kind of file system
    all,        ///< no other process works in the folder
    this_host,  ///< no other process of this host does
    none,       ///< nothing: the file system has no locks
  };

  /// The folder must be there. Throws Error that names the process, its host and its start where another run works in the
  /// folder, or the system's reason where the file cannot be written.
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
