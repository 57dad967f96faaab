#include "kernel/loader.hpp"

#include <fmt/format.h>

#include <cxxabi.h>
#include <algorithm>
#include <boost/dll/library_info.hpp>
#include <boost/dll/runtime_symbol_info.hpp>
#include <boost/dll/shared_library.hpp>
#include <cstdlib>
#include <filesystem>

#include "kernel/plugin_call.hpp"
#include "trammel/error.hpp"

#ifndef TRAMMEL_PLUGIN_SUBDIR
#define TRAMMEL_PLUGIN_SUBDIR "lib/trammel/plugins"
#endif

namespace trammel {

namespace fs = std::filesystem;

namespace {

/// Never called: its address tells where the kernel's own library lies.
void in_the_kernel() {}

std::string kernel_folder() { return boost::dll::symbol_location_ptr(&in_the_kernel).parent_path().string(); }

template <class T>
void require_equal(const std::string& path, const char* what, const T& found, const T& expected) {
  if (found == expected) return;
  throw Error(
      fmt::format("plugin '{}' does not fit this Trammel: built for {} {}, Trammel has {}; build it again "
                  "with its trammel_add_plugin",
                  path, what, found, expected));
}

/// The dynamic linker's reason with the names of C++ symbols as an author writes them.
std::string readable(std::string reason) {
  const std::size_t begin = reason.find("_Z");
  if (begin == std::string::npos) return reason;
  constexpr const char* in_symbols = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";
  const std::size_t end = std::min(reason.find_first_not_of(in_symbols, begin), reason.size());
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(reason.substr(begin, end - begin).c_str(), nullptr, nullptr, &status), &std::free);
  return name == nullptr ? reason : reason.replace(begin, end - begin, name.get());
}

// The first exception after libraries were loaded enlarges this thread's table of thread-local storage. With no memory
// left the C library would end the process then, without a word of this program.
void enlarge_thread_storage() {
  try {
    throw 0;
  } catch (int) {
  }
}

}  // namespace

void check_plugin_record(const PluginRecord& r, const std::string& path) {
  const PluginRecord mine = make_plugin_record("kernel", "");
  require_equal(path, "ABI number", r.abi, mine.abi);
  require_equal(path, "a plugin record of size", r.record_size, mine.record_size);
  require_equal(path, "EIGEN_MAX_ALIGN_BYTES", r.eigen_align, mine.eigen_align);
  require_equal(path, "Eigen version", r.eigen_version, mine.eigen_version);
  require_equal(path, "_GLIBCXX_USE_CXX11_ABI", r.cxx11_abi, mine.cxx11_abi);
  require_equal(path, "_GLIBCXX_DEBUG", r.glibcxx_debug, mine.glibcxx_debug);
  require_equal(path, "C++ standard", r.cxx_standard, mine.cxx_standard);
  if (mine.abi == 0) require_equal(path, "sdk headers", std::string(r.headers), std::string(mine.headers));
}

struct Loader::Libraries {
  std::vector<boost::dll::shared_library> open;
};

Loader::Loader(Registry& registry) : registry_(&registry), libraries_(std::make_unique<Libraries>()) {}

Loader::~Loader() {
  // Types, vtables and functions of plugins may outlive the loader, so the libraries are never closed.
  static auto& kept = *new std::vector<boost::dll::shared_library>;
  for (auto& library : libraries_->open) kept.push_back(std::move(library));
}

void Loader::load(const std::string& path) {
  std::error_code fault;
  const PluginRecord record = read_plugin_record(path);
  check_plugin_record(record, path);
  const std::string canonical = fs::canonical(path, fault).string();
  for (const LoadedPlugin& p : plugins_) {
    if (p.path == canonical) return;
    if (p.name == record.name)
      throw Error(fmt::format("plugin '{}' is there twice: '{}' and '{}'", p.name, p.path, canonical));
  }
  boost::dll::shared_library library;
  boost::dll::fs::error_code failed;
  {
    const PluginCall call(canonical.c_str());
    // All symbols are bound now: one that is missing is an error here rather than the end of a run.
    library.load(canonical, failed, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
  }
  if (failed) {
    // Boost reports no reason; the dynamic linker does.
    const char* reason = dlerror();
    std::string text = reason != nullptr ? readable(reason) : failed.message();
    if (text.starts_with(canonical + ": ")) text.erase(0, canonical.size() + 2);
    throw Error(fmt::format("plugin '{}' ('{}') cannot be loaded: {}", record.name, path, text));
  }
  if (!library.has("trammel_register"))
    throw Error(fmt::format("plugin '{}' has no entry point trammel_register", path));
  // Nothing of a plugin that fails stays behind.
  Registry own;
  own.set_source(record.name, canonical);
  std::string why;
  try {
    const PluginCall call(canonical.c_str());
    library.get<void(Registry&)>("trammel_register")(own);
    registry_->set_source(record.name, canonical);
    for (const Type* type : own.all())
      if (registry_->find(type->category, type->name) != nullptr) registry_->add(*type);  // tells of both
    for (const Type* type : own.all()) registry_->add(*type);
  } catch (const std::exception& e) {
    why = e.what();
  } catch (...) {
    why = "something was thrown that is no exception";
  }
  registry_->set_source("", "");
  // The exception and the registered types may refer to the library: it stays open.
  libraries_->open.push_back(std::move(library));
  if (!why.empty())
    throw Error(fmt::format("plugin '{}' ('{}') failed to register: {}", record.name, canonical, why));
  plugins_.push_back({record.name, record.version, canonical});
  enlarge_thread_storage();
}

void Loader::load_folder(const std::string& folder) {
  std::error_code fault;
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder, fault))
    if (entry.path().extension() == ".so") paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
    try {
      load(path);
    } catch (const Error& e) {
      rejected_.push_back({path, e.what()});
    }
  }
}

std::vector<std::string> Loader::default_folders() {
  std::vector<std::string> folders;
  if (const char* given = std::getenv("TRAMMEL_PLUGIN_PATH")) {
    std::string text = given;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(':', at), text.size());
      if (end > at) folders.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  // The kernel lies in <prefix>/lib, the plugins in <prefix>/lib/trammel/plugins.
  const fs::path prefix = fs::path(kernel_folder()).parent_path();
  folders.push_back((prefix / TRAMMEL_PLUGIN_SUBDIR).string());
  return folders;
}

void Loader::load_defaults() {
  for (const std::string& folder : default_folders()) load_folder(folder);
}

}  // namespace trammel
