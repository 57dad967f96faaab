#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "io/case/case_context.hpp"
#include "kernel/model.hpp"
#include "trammel/builder.hpp"
#include "trammel/registry.hpp"
#include "trammel/value.hpp"

namespace trammel {

/// The names of parameters and the texts that replace theirs.
using ParameterOverrides = std::vector<std::pair<std::string, std::string>>;

/// A case (docs/case_file.md): its text, its parameters and functions. Only the types of the plugins know the
/// meaning of the entries.
class CaseFile {
 public:
  /// A plugin that the case asks for.
  struct Plugin {
    std::string path;
    Location where;
  };

  /// Reads the file; messages call it `file`. Throws Error with the position.
  explicit CaseFile(const std::string& file, const ParameterOverrides& overrides = {});
  /// Uses a tree that was read already.
  CaseFile(Value root, const std::string& file, const ParameterOverrides& overrides = {});
  CaseFile(const CaseFile&) = delete;
  CaseFile& operator=(const CaseFile&) = delete;

  const std::string& file() const { return file_; }
  const std::string& title() const { return title_; }
  const CaseContext& context() const { return context_; }
  /// Paths, relative ones counted from the folder of the case.
  std::vector<Plugin> plugins() const;

  /// Adds all bodies, markers, joints, elements, loads and sensors to `model`. Every message names the entity. On
  /// several ranks, each rank builds only its part of a case with `least_for_partition` entities or more
  /// (case_partition.hpp). Collective.
  void build(const Registry& registry, Model& model, MPI_Comm comm = MPI_COMM_SELF,
             int least_for_partition = 0);

  /// The whole tree, as it was written.
  const Value& root() const { return root_; }
  /// The list under `stages`, nullptr where there is none.
  const Value* stages() const { return root_.find("stages"); }
  /// The map under `output`, nullptr where there is none.
  const Value* output() const { return root_.find("output"); }

 private:
  void start(const ParameterOverrides& overrides);

  std::string file_;
  std::string title_;
  Value root_;
  CaseContext context_;
};

}  // namespace trammel
