#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "io/case_context.hpp"
#include "kernel/model_builder.hpp"
#include "trammel/registry.hpp"
#include "trammel/value.hpp"

namespace trammel {

/// One thing that a case makes: an entity, or a marker under `markers`. A repeated entry makes several.
struct PlannedThing {
  const Type* type = nullptr;           ///< null: a marker
  const Value::Entry* entry = nullptr;  ///< in the case
  const Value::Entry* attachment =
      nullptr;  ///< of what hangs on a coordinate: the joint's key that names its type
  const Value::Entry* coordinate = nullptr;  ///< and the coordinate
  std::string name;                          ///< of what hangs on a coordinate: that of the joint
  std::size_t indices = 0;                   ///< where the values of its indices begin
  int joint = -1;                            ///< of what hangs on a coordinate: the thing that it hangs on
  int entity = -1;                           ///< -1: a marker

  /// The entity's own name.
  std::string full_name() const;
};

/// What a case makes, in the order in which it is built: bodies, markers, curves, joints, those that read others, what hangs
/// on coordinates, elements, loads, sensors. A sensor whose signal something reads is built before that, and before the sensor
/// what it names.
class CaseExpansion {
 public:
  /// Finds out what there is, of which types; looks into no parameters. Throws Error that names the entity.
  CaseExpansion(const Value& root, CaseContext& context, const Registry& registry);

  const std::vector<PlannedThing>& things() const { return things_; }
  int entities() const { return entities_; }
  Entity entity(const PlannedThing& thing) const;

  /// Builds one thing, whose entity the model lists already where `listed`. Every message names the entity.
  void build(const PlannedThing& thing, ModelBuilder& builder, bool listed);
  /// Calls `visit` with every scalar and key of a thing, and of the functions that it names: names of what it needs are
  /// among their words.
  void visit_texts(const PlannedThing& thing, const std::function<void(const std::string&)>& visit);

 private:
  /// What is in work, for messages.
  struct Current {
    std::string title;
    Location where;
    std::string plugin;
  };

  void plan_category(Type::Category category, const char* key);
  void plan_entity(Type::Category category, const Value::Entry& entry, const std::string& name);
  void plan_attachment(const PlannedThing& joint, const Value::Entry& attachment);
  void plan_markers();
  void order_markers(std::size_t first);
  void order_readers();
  bool some_reader() const;
  std::vector<std::vector<std::size_t>> needs_of_readers();
  [[noreturn]] void refuse_cycle(std::size_t first, const std::vector<std::size_t>& chain) const;
  const Type& type_of(Type::Category category, const Value::Entry& entry) const;
  bool is_attachment(const Type& type, const Value::Entry& parameter) const;
  [[noreturn]] void unknown_key(const Value::Entry& entry, const Type& type) const;
  std::string instance_name(const Value::Entry& entry, const char* category,
                            std::set<std::string>& taken) const;
  std::size_t keep_indices();

  void begin(const PlannedThing& thing);
  Value map_of(const PlannedThing& thing) const;
  Value map_of_attachment(const PlannedThing& thing) const;
  void put_named(Value& value, int depth) const;
  const Value& named(const char* group, const Value& name) const;
  void guarded(const std::function<void()>& work);
  std::string source() const;

  const Value* root_;
  CaseContext* context_;
  const Registry* registry_;
  Current current_;
  std::vector<PlannedThing> things_, after_others_, attachments_;
  std::vector<double> indices_;
  long repeated_ = 0;    ///< entries of all `for` so far
  mutable int put_ = 0;  ///< maps of sections and materials put into the entity in work
  int entities_ = 0;
};

}  // namespace trammel
