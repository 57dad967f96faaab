#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/function.hpp"
#include "trammel/parameters.hpp"
#include "trammel/reserved.hpp"

namespace trammel {

class Builder;

/// The entities that one entity needs, and its size. Trammel sorts the entities of a case by their needs, and distributes them over
/// the ranks, each of which builds a part of a large case.
struct Needs {
  /// Names of entities and of their markers and signals: "crank", "crank.start", "hinge.angle". The entity is built after these, and
  /// a rank that builds it builds these too. Unknown names are ignored here.
  std::vector<std::string> names;
  /// The entity acts on everything in the model, as gravity does. Every rank builds it, for its own part of the model. This is also
  /// assumed for an entity that names nothing and is no body, no curve and no sensor.
  bool everywhere = false;
  /// The entity asks which others of its kind act on the entities that it names (two sliders on one beam, couplings of one
  /// coordinate). A rank that builds one of them builds all, and a rank that builds such a body builds them too.
  bool meets_others = false;
  /// Approximate number of unknowns: the weight of the entity in the distribution over ranks.
  int unknowns = 0;
};

/// One type that a case may name: of body, joint, load, element, sensor and so on.
struct Type {
  /// The section of a case in which the type may be used.
  enum class Category {
    body,        ///< has markers: rigid_body, beam, point_mass
    joint,       ///< constrains markers
    load,        ///< gravity, force, moment
    element,     ///< any other force: spring
    coordinate,  ///< acts on the coordinate of a joint: motion, spring, damper
    sensor,      ///< reports, and has no residual
    curve,       ///< a curve fixed to a marker (curve.hpp)
    function,    ///< a function of time and signals
    stage,       ///< a stage that consists of others
  };

  std::string name;
  Category category = Category::body;
  std::string summary;  ///< one line
  std::vector<Parameter> parameters;
  /// Adds the blocks, markers, signals and elements of one entity to the model.
  std::function<void(const Parameters&, Builder&)> build;
  /// For a function, in place of `build`: returns the function.
  std::function<FunctionPtr(const Parameters&)> make_function{};
  /// For a stage, in place of `build`: the stages of which it consists, each as in a case.
  std::function<std::vector<Value>(const Parameters&)> make_stages{};
  /// Corrects the needs of an entity with these parameters. It receives the needs that follow from the kinds of the parameters (the
  /// names in markers, the signals that functions read, the words of texts and of values that the type reads itself) and the usual
  /// number of unknowns of the category. The function is necessary only if `build` asks for names that are in no parameter.
  std::function<void(const Parameters&, Needs&)> needs{};
  /// For a joint that constrains absolute velocities: its equations are not frame-indifferent.
  bool absolute = false;
  /// For a joint: the degrees of freedom that it leaves between its markers; -1: not stated. `trammel verify` compares the rank of
  /// its equations with this number.
  int degrees_of_freedom = -1;

  std::string plugin{};   ///< filled by the loader: name of the plugin
  std::string library{};  ///< filled by the loader: path of the shared library
  int freedoms{-1};       ///< former name of `degrees_of_freedom`, read for this version
  /// What one evaluation with its tangent costs, as a multiple of that of a revolute joint; 0: about as much. The distribution over
  /// the ranks takes it into account.
  double evaluation_cost{0};
  Reserved<7> reserved{};
};

TRAMMEL_API std::string_view category_name(Type::Category category);

/// All loaded types, by category and name.
class TRAMMEL_API Registry {
 public:
  /// Registers a type. Throws Error if the category already has a type of this name.
  void add(Type type);
  /// Reserves a name for a type of the program itself: no plugin may use it in this category.
  void reserve(Type::Category category, std::string_view name);
  const Type* find(Type::Category category, std::string_view name) const;
  /// Like `find`. Throws Error if there is none, with the nearest name and a list of the loaded types.
  const Type& get(Type::Category category, std::string_view name, const Location& where) const;
  std::vector<const Type*> all() const;
  std::vector<std::string> names(Type::Category category) const;

  /// The plugin whose entry point is running; recorded in the types that it adds.
  void set_source(std::string plugin, std::string library);

 private:
  std::map<std::pair<Type::Category, std::string>, Type> types_;
  std::set<std::pair<Type::Category, std::string>> reserved_;
  std::string plugin_, library_;
};

}  // namespace trammel
