#include "trammel/element.hpp"

#include <string>

#include "trammel/error.hpp"

namespace trammel {

void detail::require_version(int found, int oldest, int newest) {
  if (found >= oldest && found <= newest) return;
  const std::string known = oldest == newest
                                ? "version " + std::to_string(newest)
                                : "versions " + std::to_string(oldest) + " to " + std::to_string(newest);
  throw Error("its history has version " + std::to_string(found) + ", and this plugin reads " + known + ": " +
              (found > newest ? "a newer" : "an older") + " plugin is needed that reads version " +
              std::to_string(found));
}

}  // namespace trammel
