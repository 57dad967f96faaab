#include "trammel/element.hpp"

#include <string>

#include "trammel/error.hpp"

namespace trammel {

void detail::require_version(int found, int known) {
  if (found != known)
    throw Error("its history has version " + std::to_string(found) + ", and this program knows version " +
                std::to_string(known));
}

}  // namespace trammel
