#include "trammel/named_file.hpp"

#include <filesystem>

namespace trammel {

std::string path_of_named_file(std::string_view text, const Location& where) {
  // An absolute path replaces the folder.
  return (std::filesystem::path(where.file.text()).parent_path() / text).string();
}

}  // namespace trammel
