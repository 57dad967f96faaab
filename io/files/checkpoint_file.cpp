#include "io/files/checkpoint_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

#include "io/files/recorder_files.hpp"

namespace trammel {

namespace {

namespace fs = std::filesystem;

/// Number of the file's format, with what the recorder says of its files. Any change of either needs a new number, as a change of the
/// state needs a new Snapshot::version: the bytes do not describe themselves. A program reads only its own numbers.
constexpr int format = 4;
/// Before the HDF5 file proper, which its library looks for behind 0, 512, 1024, ... bytes.
constexpr std::size_t preface_size = 512;
constexpr std::string_view magic = "trammel checkpoint\n";

constexpr std::string_view byte_order =
    std::endian::native == std::endian::little ? "little-endian" : "big-endian";

/// Text before the HDF5 file: its format, size and checksum.
std::string preface(std::size_t size, std::uint64_t sum) {
  std::string text = fmt::format("{}format {}\nstate {}\nnumbers {}\nbytes {}\nfnv1a {:016x}\n", magic,
                                 format, Snapshot::version, byte_order, size, sum);
  text.resize(preface_size, '\n');
  return text;
}

/// What follows a word at the beginning of a line of the preface; empty where there is no such line.
std::string_view line_of(std::string_view text, std::string_view word) {
  const std::string begin = fmt::format("\n{} ", word);
  const std::size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + begin.size());
  return rest.substr(0, rest.find('\n'));
}

/// Owns one of HDF5's handles.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id_ < 0) throw Error("HDF5 refuses a call");
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT: it takes the place of the handle

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void requirement(herr_t status) {
  if (status < 0) throw Error("HDF5 refuses a call");
}

template <class T>
hid_t type_of();
template <>
hid_t type_of<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
hid_t type_of<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
hid_t type_of<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
hid_t type_of<std::byte>() {
  return H5T_NATIVE_UINT8;
}
template <>
hid_t type_of<char>() {
  return H5T_NATIVE_CHAR;
}

/// A file of HDF5 in memory.
class MemoryFile {
 public:
  /// Begins one.
  MemoryFile()
      : access_(in_memory(), H5Pclose),
        file_(H5Fcreate("checkpoint", H5F_ACC_TRUNC, H5P_DEFAULT, access_), H5Fclose) {}
  /// Reads one.
  explicit MemoryFile(std::span<std::byte> image)
      : access_(in_memory(image), H5Pclose),
        file_(H5Fopen("checkpoint", H5F_ACC_RDONLY, access_), H5Fclose) {}

  template <class T>
  void write(const std::string& path, std::span<const T> numbers) {
    const hsize_t size = numbers.size();
    const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    requirement(H5Pset_create_intermediate_group(links, 1));
    const Handle set(H5Dcreate2(file_, path.c_str(), type_of<T>(), space, links, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose);
    if (size > 0) requirement(H5Dwrite(set, type_of<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
  }
  template <class T>
  std::vector<T> read(const std::string& path) const {
    const Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(H5Dget_space(set), H5Sclose);
    const hssize_t size = H5Sget_simple_extent_npoints(space);
    requirement(size < 0 ? -1 : 0);
    std::vector<T> numbers(static_cast<std::size_t>(size));
    if (size > 0) requirement(H5Dread(set, type_of<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
    return numbers;
  }
  void write_text(const std::string& path, std::string_view text) { write<char>(path, text); }
  std::string read_text(const std::string& path) const {
    const std::vector<char> text = read<char>(path);
    return {text.begin(), text.end()};
  }

  /// The bytes of the file, behind `before` others.
  std::string image(std::size_t before) const {
    requirement(H5Fflush(file_, H5F_SCOPE_GLOBAL));
    const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
    requirement(size < 0 ? -1 : 0);
    std::string bytes(before + static_cast<std::size_t>(size), '\n');
    requirement(H5Fget_file_image(file_, bytes.data() + before, static_cast<std::size_t>(size)) < 0 ? -1 : 0);
    return bytes;
  }

 private:
  static hid_t in_memory(std::span<std::byte> image = {}) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    constexpr std::size_t growth = 1U << 20U;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    requirement(H5Pset_fapl_core(access, growth, 0));
    if (!image.empty()) requirement(H5Pset_file_image(access, image.data(), image.size()));
    return access;
  }
  Handle access_;
  Handle file_;
};

/// Arrays one after the other, with their sizes.
template <class T>
class Joined {
 public:
  std::vector<std::int64_t> sizes;
  std::vector<T> all;

  void add(const std::vector<T>& part) {
    sizes.push_back(static_cast<std::int64_t>(part.size()));
    all.insert(all.end(), part.begin(), part.end());
  }
  /// The next part, where the sizes are read.
  std::vector<T> next() {
    if (part_ >= sizes.size()) throw Error("arrays do not fit together");
    const std::int64_t size = sizes[part_++];
    if (size < 0 || static_cast<std::size_t>(size) > all.size() - at_)
      throw Error("arrays do not fit together");
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += static_cast<std::size_t>(size);
    return {from, from + size};
  }

 private:
  std::size_t part_ = 0, at_ = 0;
};

template <class T>
void write(MemoryFile& file, const std::string& path, const Joined<T>& joined) {
  file.write<std::int64_t>(path + "_sizes", joined.sizes);
  file.write<T>(path, joined.all);
}

template <class T>
Joined<T> read_joined(const MemoryFile& file, const std::string& path) {
  Joined<T> joined;
  joined.sizes = file.read<std::int64_t>(path + "_sizes");
  joined.all = file.read<T>(path);
  return joined;
}

void write_texts(MemoryFile& file, const std::string& path, const std::vector<std::string>& texts) {
  Joined<char> joined;
  for (const std::string& text : texts) joined.add({text.begin(), text.end()});
  write(file, path, joined);
}

std::vector<std::string> read_texts(const MemoryFile& file, const std::string& path) {
  Joined<char> joined = read_joined<char>(file, path);
  std::vector<std::string> texts;
  while (texts.size() < joined.sizes.size()) {
    const std::vector<char> text = joined.next();
    texts.emplace_back(text.begin(), text.end());
  }
  return texts;
}

/// The bytes of one thing, by its own description.
template <class T>
std::vector<std::byte> bytes_of(const T& thing) {
  T copy = thing;
  Archive archive;
  archive(copy);
  return archive.bytes();
}

template <class T>
T read_thing(const MemoryFile& file, const std::string& path) {
  const std::vector<std::byte> bytes = file.read<std::byte>(path);
  Archive archive(bytes);
  T thing;
  archive(thing);
  if (archive.left() > 0) throw Error(fmt::format("bytes are left behind '{}'", path));
  return thing;
}

void write_blocks(MemoryFile& file, const std::string& path, const std::string& values_path,
                  const std::map<BlockId, std::vector<double>>& all) {
  std::vector<std::int64_t> blocks;
  Joined<double> values;
  for (const auto& [block, numbers] : all) {
    blocks.push_back(block);
    values.add(numbers);
  }
  file.write<std::int64_t>(path, blocks);
  write(file, values_path, values);
}

std::map<BlockId, std::vector<double>> read_blocks(const MemoryFile& file, const std::string& path,
                                                   const std::string& values_path) {
  std::map<BlockId, std::vector<double>> all;
  Joined<double> values = read_joined<double>(file, values_path);
  for (const std::int64_t block : file.read<std::int64_t>(path)) all[block] = values.next();
  return all;
}

void write_snapshot(MemoryFile& file, const SnapshotContents& s) {
  file.write<std::int32_t>("/place/stage", std::array{std::int32_t{s.stage}, std::int32_t{s.stage_ended}});
  file.write<double>("/place/time", std::array{s.time});
  write_blocks(file, "/state/blocks", "/state/values", s.blocks);
  write_blocks(file, "/state/identified_blocks", "/state/identified_values", s.identified);
  std::vector<std::string> types;
  std::vector<std::int32_t> instances;  // entity, type, ordinal, ...
  Joined<std::byte> histories;
  for (const auto& [name, bytes] : s.histories) {
    auto type = std::ranges::find(types, name.type);
    if (type == types.end()) type = types.insert(types.end(), name.type);
    instances.insert(instances.end(),
                     {name.entity, static_cast<std::int32_t>(type - types.begin()), name.ordinal});
    histories.add(bytes);
  }
  write_texts(file, "/histories/types", types);
  file.write<std::int32_t>("/histories/instances", instances);
  write(file, "/histories/bytes", histories);
  file.write<std::byte>("/rows", s.rows);
  file.write<std::byte>("/run", s.run);
}

SnapshotContents read_snapshot(const MemoryFile& file) {
  SnapshotContents s;
  const auto stage = file.read<std::int32_t>("/place/stage");
  const auto time = file.read<double>("/place/time");
  if (stage.size() != 2 || time.size() != 1) throw Error("arrays do not fit together");
  s.stage = stage[0];
  s.stage_ended = stage[1] != 0;
  s.time = time[0];
  s.blocks = read_blocks(file, "/state/blocks", "/state/values");
  s.identified = read_blocks(file, "/state/identified_blocks", "/state/identified_values");
  const std::vector<std::string> types = read_texts(file, "/histories/types");
  const auto instances = file.read<std::int32_t>("/histories/instances");
  Joined<std::byte> histories = read_joined<std::byte>(file, "/histories/bytes");
  for (std::size_t i = 0; i + 2 < instances.size(); i += 3)
    s.histories[{instances[i], types.at(static_cast<std::size_t>(instances[i + 1])), instances[i + 2]}] =
        histories.next();
  s.rows = file.read<std::byte>("/rows");
  s.run = file.read<std::byte>("/run");
  return s;
}

std::string hdf5_file(const Checkpoint& c) {
  MemoryFile file;
  file.write_text("/program", c.program);
  file.write_text("/results", c.name);
  file.write<std::byte>("/plugins", bytes_of(c.plugins));
  file.write<std::int32_t>("/ranks", std::array{std::int32_t{c.ranks}});
  file.write_text("/case/hash", fmt::format("{:016x}", hash_of(c.case_lines)));
  file.write<std::byte>("/case/lines", bytes_of(c.case_lines));
  write_texts(file, "/entities", c.entities);
  file.write<std::byte>("/restarts", bytes_of(c.restarts));
  file.write<double>("/accuracies", c.accuracies);
  file.write<std::byte>("/output", c.output);
  file.write<std::byte>("/check", c.check);
  write_snapshot(file, c.snapshot);
  return file.image(preface_size);
}

/// Writes bytes to a new file and waits until the disk has them.
void write_synced(const fs::path& path, std::string_view bytes) {
  const auto last_error = [] { return std::error_code(errno != 0 ? errno : EIO, std::generic_category()); };
  const OpenFile file(path, O_WRONLY | O_CREAT | O_TRUNC);
  for (std::size_t done = 0; done < bytes.size();) {
    errno = 0;
    const ssize_t count = ::write(file.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) refuse(path, last_error());
    done += static_cast<std::size_t>(count);
  }
  errno = 0;
  if (::fsync(file.get()) != 0) refuse(path, last_error());
}

std::uint64_t checksum(std::string_view bytes) { return hash_of(bytes); }

/// Throws Error if that number of the preface is not this program's.
void require_number(const fs::path& path, std::string_view text, std::string_view word, std::string_view what,
                    int own) {
  const std::string_view line = line_of(text, word);
  int number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc() || end != line.data() + line.size() || number < 1)
    throw Error(fmt::format("the checkpoint '{}' is damaged: its first lines are wrong", path.string()));
  if (number != own)
    throw Error(fmt::format("the checkpoint '{}' has {} {}, which {} program wrote; this one reads {} {}",
                            path.string(), what, number, number > own ? "a newer" : "an older", what, own));
}

/// Throws Error that says what is wrong with the file.
void check(const fs::path& path, std::string_view bytes) {
  const auto damaged = [&](const std::string& why) -> Error {
    return Error(fmt::format("the checkpoint '{}' is damaged: {}", path.string(), why));
  };
  if (!bytes.starts_with(magic.substr(0, std::min(bytes.size(), magic.size()))) || bytes.empty())
    throw Error(fmt::format("'{}' is no checkpoint", path.string()));
  if (bytes.size() < preface_size) throw damaged("it ends too early");
  const std::string_view text = bytes.substr(0, preface_size), body = bytes.substr(preface_size);
  require_number(path, text, "format", "format", format);
  require_number(path, text, "state", "a state of version", Snapshot::version);
  if (const std::string_view order = line_of(text, "numbers");
      order != byte_order && (order == "little-endian" || order == "big-endian"))
    throw Error(fmt::format("the checkpoint '{}' was written on a {} machine; this one is {}", path.string(),
                            order, byte_order));
  if (text == preface(body.size(), checksum(body))) return;
  // Which of the two is wrong?
  if (line_of(text, "bytes") != std::to_string(body.size()))
    throw damaged(fmt::format("it has {} bytes, which is not its size", bytes.size()));
  throw damaged("its checksum is wrong");
}

}  // namespace

std::int64_t write_checkpoint(const fs::path& path, const Checkpoint& checkpoint) {
  std::string bytes = hdf5_file(checkpoint);
  const std::string_view body = std::string_view(bytes).substr(preface_size);
  bytes.replace(0, preface_size, preface(body.size(), checksum(body)));
  fs::path fresh = path;
  fresh += ".new";
  std::error_code ignored;
  try {
    write_synced(fresh, bytes);
  } catch (...) {
    fs::remove(fresh, ignored);
    throw;
  }
  std::error_code reason;
  fs::rename(fresh, path, reason);
  if (reason) refuse(path, reason);
  // The new name must be on the disk, too. Some file systems cannot sync a folder.
  const OpenFile folder(path.parent_path().empty() ? fs::path(".") : path.parent_path(),
                        O_RDONLY | O_DIRECTORY);
  ::fsync(folder.get());
  return static_cast<std::int64_t>(bytes.size());
}

Checkpoint read_checkpoint(const fs::path& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path))
    throw Error(fmt::format("cannot read the checkpoint '{}': {}", path.string(),
                            fs::is_directory(path)
                                ? "it is a folder"
                                : std::error_code(errno, std::generic_category()).message()));
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  check(path, bytes);
  try {
    const MemoryFile file(std::as_writable_bytes(std::span(bytes).subspan(preface_size)));
    Checkpoint c;
    c.program = file.read_text("/program");
    c.name = file.read_text("/results");
    c.plugins = read_thing<std::vector<NamedVersion>>(file, "/plugins");
    c.ranks = file.read<std::int32_t>("/ranks").at(0);
    c.case_lines = read_thing<CaseLines>(file, "/case/lines");
    c.entities = read_texts(file, "/entities");
    c.restarts = read_thing<std::vector<Restart>>(file, "/restarts");
    c.accuracies = file.read<double>("/accuracies");
    c.output = file.read<std::byte>("/output");
    c.check = file.read<std::byte>("/check");
    c.snapshot = read_snapshot(file);
    return c;
  } catch (const std::exception& error) {
    throw Error(fmt::format("the checkpoint '{}' cannot be read: {}", path.string(), error.what()));
  }
}

fs::path checkpoint_path(const fs::path& folder, int number) {
  return folder / fmt::format("checkpoint_{:04}.h5", number);
}

int checkpoint_number(const fs::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t digits = stem.find_last_not_of("0123456789") + 1;
  int number = -1;
  std::from_chars(stem.data() + digits, stem.data() + stem.size(), number);
  return number;
}

std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (const int number = checkpoint_number(entry.path());
        number >= 0 && entry.path().filename() == checkpoint_path(folder, number).filename())
      found.push_back(entry.path());
  std::ranges::sort(found, {}, checkpoint_number);
  return found;
}

}  // namespace trammel
