#include "named_in_file.hpp"

#include "trammel/error.hpp"
#include "trammel/named_file.hpp"

namespace trammel::geometry {

std::string file_path(const Parameters& in) { return path_of_named_file(in.text("file"), in.where("file")); }

std::vector<std::string> names_in_file(const Parameters& in, const char* parameter, const char* what) {
  std::vector<std::string> names;
  if (!in.has(parameter)) return names;
  const Value& given = *in.value(parameter);
  if (given.is_scalar()) names.push_back(given.text);
  for (const Value& item : given.items) {
    if (!item.is_scalar())
      throw Error(item.where, std::string("expected the name of ") + what + ", found " + item.described());
    names.push_back(item.text);
  }
  return names;
}

}  // namespace trammel::geometry
