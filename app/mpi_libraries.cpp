#include "mpi_libraries.hpp"

#include <link.h>

#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace trammel {

namespace {

/// Paths of the libraries in this process, in the order in which they were loaded: dependencies follow what needs them.
std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* all) {
        if (info->dlpi_name != nullptr && *info->dlpi_name != 0)
          static_cast<std::vector<std::string>*>(all)->emplace_back(info->dlpi_name);
        return 0;
      },
      &paths);
  return paths;
}

/// Open MPI's, and those of the MPICH family; not their bindings for Fortran and C++.
bool is_mpi(std::string_view name) {
  for (const std::string_view base : {"libmpi.so", "libmpich.so"})
    if (name.starts_with(base)) return true;
  return false;
}

}  // namespace

std::string second_mpi_library() {
  std::set<std::string> found;
  std::string first, before;
  for (const std::string& path : loaded_libraries()) {
    const std::filesystem::path file(path);
    if (!is_mpi(file.filename().string())) {
      if (!file.filename().string().starts_with("lib")) before = path;  // plugins have no such prefix
      continue;
    }
    std::error_code fault;
    const std::string real = std::filesystem::canonical(file, fault).string();
    if (first.empty()) first = path;
    if (found.insert(real).second && found.size() == 2)
      return fmt::format("'{}' brings a second MPI library, '{}', besides '{}'", before, path, first);
  }
  return "";
}

}  // namespace trammel
