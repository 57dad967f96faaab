#include "io/files/folder_lock.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel {

namespace {

/// Identifies a process, also if its number is used again later.
struct Holder {
  std::string host;
  long process = 0;
  std::string boot;   ///< of the host's kernel
  std::string begin;  ///< of the process, in ticks since the boot
  std::string since;  ///< the same for people

  bool known() const { return process > 0 && !host.empty(); }
};

std::string first_word_of(const std::filesystem::path& path) {
  std::string word;
  std::ifstream(path) >> word;
  return word;
}

/// The 22nd field of /proc/PID/stat; empty where there is no such process.
std::string begin_of(long process) {
  std::ifstream in(fmt::format("/proc/{}/stat", process));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t name_ends = text.rfind(')');
  if (name_ends == std::string::npos) return {};
  std::istringstream fields(text.substr(name_ends + 1));
  std::string field;
  for (int k = 3; k <= 22; ++k) fields >> field;
  return field;
}

Holder this_process() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  const std::time_t now = std::time(nullptr);
  return {name.data(), getpid(), first_word_of("/proc/sys/kernel/random/boot_id"), begin_of(getpid()),
          fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(now))};
}

std::string text_of(const Holder& h) {
  return fmt::format("host {}\nprocess {}\nsince {}\nboot {}\nbegin {}\n", h.host, h.process, h.since, h.boot,
                     h.begin);
}

Holder read(int file) {
  std::array<char, 1024> text{};
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  std::istringstream lines(std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))));
  Holder h;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string key = line.substr(0, space), value = line.substr(space + 1);
    if (key == "host") h.host = value;
    if (key == "process") h.process = std::strtol(value.c_str(), nullptr, 10);
    if (key == "since") h.since = value;
    if (key == "boot") h.boot = value;
    if (key == "begin") h.begin = value;
  }
  return h;
}

/// True where the file lies on a disk of this host. Only there does the system's lock reach every process.
bool on_own_disk(int file) {
  static constexpr std::array<unsigned long, 6> own{EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
                                                    TMPFS_MAGIC,      RAMFS_MAGIC,     OVERLAYFS_SUPER_MAGIC};
  struct statfs about {};
  if (fstatfs(file, &about) != 0) return false;
  return std::ranges::find(own, static_cast<unsigned long>(about.f_type)) != own.end();
}

[[noreturn]] void refuse_run(const std::filesystem::path& lock, const Holder& h, bool certain) {
  const std::string who = h.known()
                              ? fmt::format("process {} on host '{}' (since {})", h.process, h.host, h.since)
                              : "another process";
  const std::string folder = lock.parent_path().string();
  if (certain)
    throw Error(
        fmt::format("another run writes its results into '{}': {}. Wait for its end, or give another "
                    "folder with -o",
                    folder, who));
  throw Error(fmt::format(
      "another run may be writing its results into '{}': {}. Whether that process of another host "
      "still runs cannot be tested from here. If it has ended, remove '{}'",
      folder, who, lock.string()));
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder, Reach reach) : path_(folder / "run.lock") {
  const Holder me = this_process();
  for (;;) {
    file_ = OpenFile(path_, O_RDWR | O_CREAT);
    bool locked = false, held = false;
    if (reach != Reach::none) {
      locked = flock(file_.get(), LOCK_EX | LOCK_NB) == 0;
      held = !locked && errno == EWOULDBLOCK;
    }
    // A run removes the file when it ends; this file may have been opened just before.
    struct stat opened {
    }, named{};
    if (locked && (fstat(file_.get(), &opened) != 0 || stat(path_.c_str(), &named) != 0 ||
                   opened.st_ino != named.st_ino || opened.st_dev != named.st_dev))
      continue;
    Holder other = read(file_.get());
    if (held && !other.known()) {  // it has just begun, and writes who it is
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      other = read(file_.get());
    }
    const bool here = other.host == me.host;
    const bool alive = here && other.boot == me.boot && other.begin == begin_of(other.process);
    const bool proven = reach == Reach::all || (reach == Reach::find_out && on_own_disk(file_.get()));
    const bool elsewhere = other.known() && !here && !(locked && proven);
    if (held || elsewhere || (!locked && other.known() && alive)) refuse_run(path_, other, held || here);
    break;
  }
  const std::string text = text_of(me);
  errno = 0;
  if (ftruncate(file_.get(), 0) != 0 ||
      pwrite(file_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    const std::error_code reason(errno, std::generic_category());
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    refuse(path_, reason);
  }
}

FolderLock::~FolderLock() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace trammel
