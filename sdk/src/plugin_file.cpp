#include "trammel/plugin_file.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "trammel/error.hpp"

namespace trammel {

namespace fs = std::filesystem;

namespace {

std::vector<char> read_bytes(std::ifstream& file, std::uint64_t at, std::uint64_t count,
                             const std::string& path) {
  constexpr std::uint64_t most = 1U << 24U;
  std::vector<char> bytes(count <= most ? count : 0);
  file.seekg(static_cast<std::streamoff>(at));
  if (count > most || !file.read(bytes.data(), static_cast<std::streamsize>(count)))
    throw Error(fmt::format("'{}' is not a Trammel plugin: its ELF headers are damaged", path));
  return bytes;
}

template <class T>
T read_one(std::ifstream& file, std::uint64_t at, const std::string& path) {
  T out;
  const std::vector<char> bytes = read_bytes(file, at, sizeof(T), path);
  std::memcpy(&out, bytes.data(), sizeof(T));
  return out;
}

}  // namespace

PluginRecord read_plugin_record(const std::string& path) {
  std::error_code fault;
  if (!fs::exists(path, fault)) throw Error(fmt::format("plugin '{}' not found", path));
  std::ifstream file;
  // A pipe would wait for its writer.
  if (fs::is_regular_file(path, fault)) file.open(path, std::ios::binary);
  if (!file.is_open())
    throw Error(fmt::format("plugin '{}' cannot be read: expected a shared library", path));
  char ident[EI_NIDENT] = {};
  file.read(ident, EI_NIDENT);
  if (!file || std::memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_CLASS] != ELFCLASS64)
    throw Error(fmt::format("'{}' is not a Trammel plugin: not a 64-bit ELF shared library", path));
  const auto header = read_one<Elf64_Ehdr>(file, 0, path);
  const auto section_at = [&](std::uint64_t k) {
    return read_one<Elf64_Shdr>(file, header.e_shoff + k * header.e_shentsize, path);
  };
  if (header.e_shoff == 0 || header.e_shstrndx >= header.e_shnum)
    throw Error(fmt::format("'{}' is not a Trammel plugin: it has no section table", path));
  const auto names_section = section_at(header.e_shstrndx);
  std::vector<char> names = read_bytes(file, names_section.sh_offset, names_section.sh_size, path);
  names.push_back('\0');
  for (std::uint64_t k = 0; k < header.e_shnum; ++k) {
    const auto section = section_at(k);
    if (section.sh_name >= names.size() || std::strcmp(names.data() + section.sh_name, ".trammel") != 0)
      continue;
    PluginRecord record{};
    const auto size = std::min<std::uint64_t>(section.sh_size, sizeof(PluginRecord));
    const std::vector<char> bytes = read_bytes(file, section.sh_offset, size, path);
    std::memcpy(&record, bytes.data(), bytes.size());
    record.magic[sizeof(record.magic) - 1] = record.headers[sizeof(record.headers) - 1] = '\0';
    record.name[sizeof(record.name) - 1] = record.version[sizeof(record.version) - 1] = '\0';
    if (std::strcmp(record.magic, "TRAMMEL-PLUGIN") != 0) break;
    return record;
  }
  throw Error(
      fmt::format("'{}' is not a Trammel plugin: it has no record (TRAMMEL_PLUGIN is missing)", path));
}

}  // namespace trammel
