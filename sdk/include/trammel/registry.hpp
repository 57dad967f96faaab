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

/// What one entity needs of others, and how large it is. By it a case's entities are put in the order in which they are
/// built, and given to the ranks of a cluster, each of which builds a part of them.
struct Needs {
  /// Names of entities and of what they offer: "crank", "crank.start", "hinge.angle". The entity is built after those, and
  /// a rank that builds it builds those too. A name that nothing has is passed over here.
  std::vector<std::string> names;
  /// It acts on whatever the model holds, as gravity does: every rank builds it, and it finds there what that rank holds.
  /// So it is, too, with what names nothing and is neither a body nor a curve nor a sensor.
  bool everywhere = false;
  /// It asks what else of its kind stands on what it names (two sliders on one beam, couplings of one coordinate): a rank
  /// that builds one of them builds all, and one that builds such a body builds what stands on it.
  bool meets_others = false;
  /// Its unknowns, roughly: the weight by which entities are given to ranks.
  int unknowns = 0;
};

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
    function,    ///< a function of time and signals
    stage,       ///< a kind of stage, made of others
  };

  std::string name;
  Category category = Category::body;
  std::string summary;  ///< one line
  std::vector<Parameter> parameters;
  /// Adds blocks, markers, signals and instances of one entity to the model.
  std::function<void(const Parameters&, Builder&)> build;
  /// Of a function, in place of `build`: makes it.
  std::function<FunctionPtr(const Parameters&)> make_function{};
  /// Of a stage, in place of `build`: the stages that it stands for, each as a case would give it.
  std::function<std::vector<Value>(const Parameters&)> make_stages{};
  /// What an entity with these parameters needs. It is handed what the kinds of its parameters tell, to correct it: the
  /// names in markers, the signals that functions read, the words of texts and of values that the type reads itself; the
  /// unknowns are those usual in the category. Without the function that stands, which is enough wherever all that
  /// `build` asks for by name is named in the parameters.
  std::function<void(const Parameters&, Needs&)> needs{};
  /// Of a joint that holds absolute velocities by its nature: its equations change under a superposed rigid motion.
  bool absolute = false;
  /// Of a joint: degrees of freedom that it leaves between its markers; -1: not stated. `trammel verify` holds the
  /// rank of its equations against it.
  int freedoms = -1;

  std::string plugin{};   ///< filled by the loader: name of the plugin
  std::string library{};  ///< filled by the loader: path of the shared library
  Reserved<8> reserved{};
};

TRAMMEL_API std::string_view category_name(Type::Category category);

/// All types that are loaded, by category and name.
class TRAMMEL_API Registry {
 public:
  /// Registers a type. Throws Error where the category already has one of that name.
  void add(Type type);
  /// A name that the program itself gives to a type of the category: no plugin may.
  void reserve(Type::Category category, std::string_view name);
  const Type* find(Type::Category category, std::string_view name) const;
  /// Like `find`; where there is none throws Error that offers the nearest name and lists what is loaded.
  const Type& get(Type::Category category, std::string_view name, const Location& where) const;
  std::vector<const Type*> all() const;
  std::vector<std::string> names(Type::Category category) const;

  /// The plugin whose entry point is running: stamped on the types it adds.
  void set_source(std::string plugin, std::string library);

 private:
  std::map<std::pair<Type::Category, std::string>, Type> types_;
  std::set<std::pair<Type::Category, std::string>> reserved_;
  std::string plugin_, library_;
};

}  // namespace trammel
