#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "io/case/case_lines.hpp"
#include "solvers/run/snapshot.hpp"
#include "trammel/archive.hpp"

namespace trammel {

/// A name and a version.
using NamedVersion = std::pair<std::string, std::string>;

/// A restart of a run from a checkpoint.
struct Restart {
  std::string file;  ///< name of the checkpoint
  double time = 0;   ///< [s]
  int ranks = 1;     ///< of the continued run

  void serialize(Archive& archive) { archive(file, time, ranks); }
};

/// The contents of a checkpoint file.
struct Checkpoint {
  std::string program;                ///< version of the program that wrote it
  std::vector<NamedVersion> plugins;  ///< that the run had loaded
  int ranks = 1;                      ///< of the run
  std::string name;                   ///< of its results
  CaseLines case_lines;
  std::vector<std::string> entities;  ///< "joint\thook\trevolute", by number
  std::vector<Restart> restarts;      ///< before it was written
  std::vector<double> accuracies;     ///< of the stages, 0 where there is none: `reach` makes them smaller
  SnapshotContents snapshot;
  std::vector<std::byte> output;  ///< Recorder::place
  std::vector<std::byte> check;   ///< PositionSamples::place; empty where no errors are to be told

  void serialize(Archive& archive) {
    archive(program, plugins, ranks, name, case_lines, entities, restarts, accuracies, snapshot, output,
            check);
  }
};

/// Writes a checkpoint to a new file, which is synced and then renamed, so that `path` is always complete. Returns
/// the size of the file in bytes. Throws Error with the path and the system's reason.
std::int64_t write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Reads a checkpoint. Throws Error if the file cannot be read, is damaged, or has another format.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// The checkpoints of a folder, the oldest first: "checkpoint_<number>.h5".
std::vector<std::filesystem::path> checkpoints_in(const std::filesystem::path& folder);
/// The path of one.
std::filesystem::path checkpoint_path(const std::filesystem::path& folder, int number);
/// Its number.
int checkpoint_number(const std::filesystem::path& path);

}  // namespace trammel
