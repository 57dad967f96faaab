#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/case_context.hpp"
#include "trammel/builder.hpp"
#include "trammel/model.hpp"
#include "trammel/registry.hpp"
#include "trammel/value.hpp"

namespace trammel {

/// The names of parameters and the texts that replace theirs.
using ParameterOverrides = std::vector<std::pair<std::string, std::string>>;

/// A case as it was read (docs/case_file.md): its text, its parameters and functions. What the entries mean is known
/// only to the types that the plugins offer.
class CaseFile {
 public:
  /// A plugin that the case asks for.
  struct Plugin {
    std::string path;
    Location where;
  };

  /// Reads the file; `file` is then the name in messages. Throws Error with its place.
  explicit CaseFile(const std::string& file, const ParameterOverrides& overrides = {});
  /// Takes a tree that was read already.
  CaseFile(Value root, const std::string& file, const ParameterOverrides& overrides = {});
  CaseFile(const CaseFile&) = delete;
  CaseFile& operator=(const CaseFile&) = delete;

  const std::string& file() const { return file_; }
  const std::string& title() const { return title_; }
  const CaseContext& context() const { return context_; }
  /// Paths, relative ones counted from the folder of the case.
  std::vector<Plugin> plugins() const;

  /// Adds all bodies, markers, joints, elements, loads and sensors to `model`. Every message names the entity.
  void build(const Registry& registry, Model& model);

  /// The list under `stages`, nullptr where there is none.
  const Value* stages() const { return root_.find("stages"); }
  /// The map under `output`, nullptr where there is none.
  const Value* output() const { return root_.find("output"); }

 private:
  void start(const ParameterOverrides& overrides);
  void build_category(Type::Category category, const char* key);
  void build_entity(Type::Category category, const std::string& name, const Value::Entry& entry);
  void build_attachments(const std::string& joint, const std::vector<Value::Entry>& entries);
  void keep_multipliers(const Type& type, const Value::Entry& attachment, Value& map) const;
  void build_waiting();
  void build_markers();
  [[noreturn]] void unknown_key(const Value::Entry& entry, const Type& type) const;
  void build_one(const Type& type, Entity entity, const Value& map);
  void put_named(Value& value, int depth) const;
  const Value& named(const char* group, const Value& name) const;
  std::string instance_name(const Value::Entry& entry, const char* category,
                            std::set<std::string>& taken) const;

  std::string file_;
  std::string title_;
  Value root_;
  CaseContext context_;

  /// What is being built, for messages.
  struct Current {
    std::string title;
    Location where;
    std::string plugin;
  };

  void guarded(const std::function<void()>& work);
  std::string source() const;

  // While the model is built.
  Current current_;
  const Registry* registry_ = nullptr;
  Builder* builder_ = nullptr;
  /// Joints that read other joints, and what hangs on coordinates: built when all joints stand.
  struct Waiting {
    Current current;
    const Type* type;
    Entity entity;
    Value map;
  };
  std::vector<Waiting> waiting_joints_, waiting_attachments_;
};

}  // namespace trammel
