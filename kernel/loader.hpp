#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trammel/export.hpp"
#include "trammel/plugin_file.hpp"
#include "trammel/registry.hpp"

namespace trammel {

/// A loaded plugin.
struct LoadedPlugin {
  std::string name;
  std::string version;
  std::string path;
};

/// A file of a plugin folder that could not be loaded.
struct RejectedPlugin {
  std::string path;
  std::string reason;
};

/// Throws Error, with the difference, if the record does not match the build of the kernel.
TRAMMEL_API void check_plugin_record(const PluginRecord& record, const std::string& path);

/// Loads plugins by Boost.DLL and lets them register their types. Libraries stay open until the process ends.
///
/// Every plugin folder is searched in this order: folders given by `add_folder`, TRAMMEL_PLUGIN_PATH (separated by
/// ':'), the install's plugin folder.
class TRAMMEL_API Loader {
 public:
  explicit Loader(Registry& registry);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  /// Loads one library. A library that is already loaded under the same path is left alone; two plugins of one name
  /// from different files are an Error. A library that fails leaves none of its types.
  void load(const std::string& path);
  /// Loads every "*.so" of a folder, in the order of their names. A folder that does not exist holds none; files that
  /// cannot be loaded are listed in `rejected`.
  void load_folder(const std::string& folder);
  /// Loads the folders of TRAMMEL_PLUGIN_PATH and the install's plugin folder.
  void load_defaults();

  const std::vector<LoadedPlugin>& plugins() const { return plugins_; }
  /// Files of folders that could not be loaded, and why.
  const std::vector<RejectedPlugin>& rejected() const { return rejected_; }
  /// The folders that load_defaults searches.
  static std::vector<std::string> default_folders();

 private:
  struct Libraries;
  Registry* registry_;
  std::unique_ptr<Libraries> libraries_;
  std::vector<LoadedPlugin> plugins_;
  std::vector<RejectedPlugin> rejected_;
};

}  // namespace trammel
