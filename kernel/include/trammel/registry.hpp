#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/parameters.hpp"

namespace trammel {

class Builder;

/// One type of element, joint, load, attachment or sensor that a case may name.
struct Type {
  /// The sections of a case in which the type may stand.
  enum class Category {
    body,        ///< offers markers: rigid_body, beam, point_mass
    joint,       ///< acts between two markers
    load,        ///< gravity, force, moment
    element,     ///< anything else with a residual: spring
    coordinate,  ///< hangs on a joint's coordinate: motion, spring, damper
    sensor,      ///< reports, with no residual
    curve,       ///< a curve fixed in a marker (curve.hpp)
  };

  std::string name;
  Category category = Category::body;
  std::string summary;  ///< one line
  std::vector<Parameter> parameters;
  /// Adds blocks, markers, signals and instances of one entity to the model.
  std::function<void(const Parameters&, Builder&)> build;
  /// Of a joint that reads other joints: built when all others stand.
  bool after_others = false;
  /// Of a joint that asks what else of its kind hangs on its bodies (two sliders on one beam): a rank that builds one of
  /// them builds all, and a rank that builds the body builds these joints.
  bool meets_others = false;
  /// Of what hangs on a coordinate: it reads the joint's reaction, so the joint keeps its multipliers (`share: no`).
  bool reads_reaction = false;
  /// Of a joint that holds absolute velocities by its nature: its equations change under a superposed rigid motion.
  bool absolute = false;
  /// Of a joint: degrees of freedom that it leaves between its markers; -1: not stated. `trammel verify` holds the
  /// rank of its equations against it.
  int freedoms = -1;

  std::string plugin{};   ///< filled by the loader: name of the plugin
  std::string library{};  ///< filled by the loader: path of the shared library
};

TRAMMEL_API std::string_view category_name(Type::Category category);

/// All types that are loaded, by category and name.
class TRAMMEL_API Registry {
 public:
  /// Registers a type. Throws Error where the category already has one of that name.
  void add(Type type);
  const Type* find(Type::Category category, std::string_view name) const;
  /// Like `find`; where there is none throws Error that offers the nearest name and lists what is loaded.
  const Type& get(Type::Category category, std::string_view name, const Location& where) const;
  std::vector<const Type*> all() const;
  std::vector<std::string> names(Type::Category category) const;

  /// The plugin whose entry point is running: stamped on the types it adds.
  void set_source(std::string plugin, std::string library);

 private:
  std::map<std::pair<Type::Category, std::string>, Type> types_;
  std::string plugin_, library_;
};

}  // namespace trammel
