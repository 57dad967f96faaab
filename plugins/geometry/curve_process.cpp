#include "curve_library.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace trammel::geometry {

namespace {

using Read = Curve* (*)(const std::string&, const std::vector<std::string>&);

Read load() {
  Dl_info here;
  if (dladdr(reinterpret_cast<void*>(&load), &here) == 0)
    throw Error("the plugin 'geometry' cannot find its folder");
  const std::filesystem::path folder = std::filesystem::absolute(here.dli_fname).parent_path();
  const std::string path = (folder.parent_path() / "curve_files.so").string();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* read = library == nullptr ? nullptr : dlsym(library, "trammel_read_curve_file");
  if (read == nullptr) throw Error(std::string("curves cannot be read from files: ") + dlerror());
  return reinterpret_cast<Read>(read);
}

}  // namespace

std::unique_ptr<Curve> load_curve_file(const std::string& path, const std::vector<std::string>& names) {
  static const Read read = load();
  return std::unique_ptr<Curve>(read(path, names));
}

}  // namespace trammel::geometry
