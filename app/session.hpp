#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "io/case/case_file.hpp"
#include "kernel/loader.hpp"
#include "kernel/model.hpp"
#include "trammel/registry.hpp"

namespace trammel {

/// The plugins that a command works with.
class Plugins {
 public:
  /// Loads the installed plugins and those of the command line. Files of the plugin folders that cannot be loaded are
  /// passed over, with a warning where the command does not list them; one that the command line or a case names is an
  /// Error.
  explicit Plugins(const CommandLine& command);

  /// Loads the plugins that a case names; errors have their place in the case.
  void load(const CaseFile& file);
  const Registry& registry() const { return registry_; }
  const std::vector<LoadedPlugin>& loaded() const { return loader_.plugins(); }
  const std::vector<RejectedPlugin>& rejected() const { return loader_.rejected(); }

 private:
  void warn_of_rejected() const;

  Registry registry_;
  Loader loader_;
};

/// A case with its model.
struct Session {
  /// How much of a case a rank expands.
  enum class Extent { whole, partition };
  /// Reads the case, loads its plugins and builds its model. Collective.
  Session(const CommandLine& command, MPI_Comm comm, Extent extent);

  /// Builds the model of the case again, for another run. Collective.
  void build(Model& into, Extent extent);

  /// True where closed loops make constraints redundant although joints identify blocks. Every joint is to keep its multipliers then:
  /// reactions of least norm are those of all joints only where each has its own. Throws Error where identified blocks start
  /// with different velocities. Collective.
  bool loops_repeat_constraints();

  CaseFile file;
  Plugins plugins;
  MPI_Comm comm;
  Model model;
};

/// Throws Error where there is nothing to solve for, and says why. `unknowns` are those of all ranks.
void require_unknowns(const Session& session, long unknowns);

/// How many entities a model has, by category and type: "3 bodies (beam 3)", one line a category.
std::vector<std::string> counted_entities(const Model& model);

}  // namespace trammel
