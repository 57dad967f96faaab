#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "io/case/case_context.hpp"
#include "io/case/case_names.hpp"
#include "io/case/case_needs.hpp"
#include "kernel/model_builder.hpp"
#include "trammel/registry.hpp"
#include "trammel/value.hpp"

namespace trammel {

/// An entity of a case, or a marker under `markers`. A repeated entry gives several.
struct PlannedThing {
  const Type* type = nullptr;           ///< null: a marker
  const Value::Entry* entry = nullptr;  ///< in the case
  const Value::Entry* coordinate_element =
      nullptr;  ///< for an element on a coordinate: the key of the joint that names its type
  const Value::Entry* coordinate = nullptr;  ///< and the coordinate
  std::string name;                          ///< for an element on a coordinate: the name of the joint
  std::size_t indices = 0;                   ///< where the values of its indices begin
  int joint = -1;                            ///< for an element on a coordinate: the index of its joint
  int entity = -1;                           ///< -1: a marker

  /// True for bodies, markers and curves. All others may read the size of the model, which these determine.
  bool stands_first() const;
  /// The entity's own name.
  std::string full_name() const;
};

/// The entities and markers of a case, in the order in which they are built: bodies, markers, curves, joints,
/// elements on coordinates, elements, loads, sensors. An entity comes after those that it names.
class CaseExpansion {
 public:
  /// Lists all entities with their types, without reading their parameters. Throws Error, with the name of the
  /// entity.
  CaseExpansion(const Value& root, CaseContext& context, const Registry& registry);

  /// Finds what each entity needs, sorts them, and numbers them. Each rank of `comm` reads a part of the
  /// parameters. Throws Error, with the name of a faulty entity, or of those that need each other. Collective.
  void arrange(MPI_Comm comm);

  const std::vector<PlannedThing>& things() const { return things_; }
  const CaseNeeds& needs() const { return needs_; }
  /// The number of things up to the last body, marker or curve.
  std::size_t first_things() const { return first_; }
  int entities() const { return entities_; }
  Entity entity(const PlannedThing& thing) const;

  /// Builds one thing. `listed`: the model lists its entity already. Every message names the entity.
  void build(const PlannedThing& thing, ModelBuilder& builder, bool listed);

 private:
  /// The entity that is being planned or built, for messages.
  struct Current {
    std::string_view category;
    std::string name;
    const Location* where = nullptr;
    std::string_view type{}, plugin{};
    const Value::Entry *coordinate_element = nullptr, *coordinate = nullptr;

    std::string title() const;
  };
  using TakenNames = std::unordered_set<std::string>;

  void plan_category(Type::Category category, const char* key);
  void plan_entity(Type::Category category, const Value::Entry& entry, std::string name);
  void plan_coordinate_element(const PlannedThing& joint, const Value::Entry& coordinate_element);
  void plan_markers();
  const std::vector<const Value::Entry*>& naming(const PlannedThing& thing, bool with_markers);
  Needs needs_of(const PlannedThing& thing, bool with_markers);
  void put_in_order();
  void refuse_cycle(const std::vector<std::pair<int, std::size_t>>& open, int thing) const;
  const Type& type_of(Type::Category category, const Value::Entry& entry) const;
  bool is_coordinate_element(const Type& type, const Value::Entry& parameter) const;
  [[noreturn]] void unknown_key(const Value::Entry& entry, const Type& type) const;
  std::string instance_name(const Value::Entry& entry, std::string_view category, TakenNames& taken) const;
  std::size_t keep_indices();

  void begin(const PlannedThing& thing);
  /// The parameters that all instances of an entry have in common, and those of its scalars that depend on indices.
  struct CommonMap {
    Value map;
    std::vector<std::pair<Value*, std::string>>
        with_indices;  ///< a scalar of `map`, and its text in the case
    bool serves = true;
  };

  Value parameters_of(const PlannedThing& thing,
                      const std::vector<const Value::Entry*>* wanted = nullptr) const;
  Value map_of(const PlannedThing& thing, const std::vector<const Value::Entry*>* wanted = nullptr) const;
  const Value* common_map_of(const PlannedThing& thing);
  Value map_of_coordinate_element(const PlannedThing& thing) const;
  void put_named(Value& value, int depth) const;
  const Value& named(const char* group, const Value& name) const;
  void guarded(const std::function<void()>& work);
  std::string source() const;

  const Value* root_;
  CaseContext* context_;
  const Registry* registry_;
  Current current_;
  NameReader names_;
  /// By entry: those of its parameters that may name something.
  std::unordered_map<const Value::Entry*, std::vector<const Value::Entry*>> naming_;
  std::unordered_map<const Value::Entry*, CommonMap> common_maps_;
  CaseNeeds needs_;
  std::vector<PlannedThing> things_, coordinate_elements_;
  std::size_t first_ = 0;
  std::vector<double> indices_;
  long repeated_ = 0;    ///< entries of all `for` so far
  mutable int put_ = 0;  ///< maps of sections and materials inserted into the present entity
  int entities_ = 0;
};

}  // namespace trammel
