#include <dlfcn.h>

#include "reader_process.hpp"
#include "shapes.hpp"
#include "trammel/error.hpp"

namespace trammel::geometry {

namespace {

const Shapes& open() {
  const std::string path = beside_plugins("geometry_shapes.so");
  // It stays open: curves and surfaces that it made live as long as the model.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(std::string("Open CASCADE cannot be loaded: ") + dlerror());
  using Offer = const Shapes* (*)();
  const auto offer = reinterpret_cast<Offer>(dlsym(library, "trammel_geometry_shapes"));
  if (offer == nullptr) throw Error("'" + path + "' is no part of this Trammel");
  return *offer();
}

}  // namespace

const Shapes& shapes() {
  static const Shapes& opened = open();
  return opened;
}

}  // namespace trammel::geometry
