#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/files/checkpoint_file.hpp"
#include "run_log.hpp"
#include "session.hpp"
#include "solvers/newton/stages.hpp"

namespace trammel {

/// The checkpoint from which a run continues.
struct RestartPoint {
  std::filesystem::path file;
  Checkpoint checkpoint;      ///< the same on every rank
  bool in_its_folder = true;  ///< histories and series go on too
  bool anew = false;          ///< the model is another one: the stage begins anew (Simulation::run_anew)
  std::vector<std::string>
      notes;  ///< for the log: files that were passed over, differences that are taken over
};

/// The entities of a model as a checkpoint names them, by number.
std::vector<std::string> entities_of(const Model& model);

/// The entries that all checkpoints of a run share, without entities, snapshot and output. On rank 0.
Checkpoint about_run(const Session& session, const std::string& name, int ranks);

/// Reads and checks the checkpoint that the command names, or the last good one of the folder of results. Throws Error, on all
/// ranks: there is none, it is damaged, of another model, version or end, or lies elsewhere. With `--restart-anyway` another model
/// gets what of the checkpoint fits it, by its own numbers. Collective.
RestartPoint find_restart(const CommandLine& command, const Session& session, const Layout& layout,
                          const std::vector<Stage>& stages, const std::filesystem::path& folder);

}  // namespace trammel
