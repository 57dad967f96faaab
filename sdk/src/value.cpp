#include "trammel/value.hpp"

#include "trammel/quoted.hpp"

namespace trammel {

const Value* Value::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

std::string Value::described() const {
  switch (kind) {
    case Kind::null:
      return "nothing";
    case Kind::scalar:
      return in_quotes(text);
    case Kind::sequence:
      return "a list of " + std::to_string(items.size());
    case Kind::map:
      return "a map";
  }
  return "nothing";
}

}  // namespace trammel
