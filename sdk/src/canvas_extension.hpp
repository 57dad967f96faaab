#pragma once

#include <typeinfo>

#include "trammel/canvas.hpp"

namespace trammel {

/// As dynamic_cast<Extension*>(&canvas). An element draws some twenty fields on the same canvas, and a cast between
/// shared libraries compares names of types; so the last answer is kept. An object at the same address and of the
/// same most derived type has the same answer.
template <class Extension>
Extension* extension_of(Canvas& canvas) {
  struct Answer {
    const Canvas* canvas = nullptr;
    const std::type_info* type = nullptr;
    Extension* extension = nullptr;
  };
  static thread_local Answer last;
  const std::type_info* const type = &typeid(canvas);
  if (last.canvas != &canvas || last.type != type) last = {&canvas, type, dynamic_cast<Extension*>(&canvas)};
  return last.extension;
}

}  // namespace trammel
