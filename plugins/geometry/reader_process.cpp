#include "reader_process.hpp"

#include <csignal>
#include <cstring>
#include <filesystem>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "files/answer.hpp"
#include "trammel/error.hpp"

namespace trammel::geometry {

namespace {

struct Ended {
  std::string answer;  ///< what it wrote to its standard output
  int status = 0;      ///< as waitpid gives it
};

[[noreturn]] void not_started(const std::string& program, int error) {
  throw Error("geometry cannot be read from files: '" + program +
              "' cannot be started: " + std::strerror(error));
}

/// Starts the program without a copy of this process: a fork is not safe under every transport of MPI.
pid_t start(const std::string& program, const std::vector<std::string>& arguments, int output) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) not_started(program, error);
  return child;
}

Ended run(const std::string& program, const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) not_started(program, errno);
  pid_t child = 0;
  try {
    child = start(program, arguments, ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  Ended ended;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = read(ends[0], buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    ended.answer.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  while (waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
  }
  return ended;
}

std::string why(const Ended& ended) {
  if (!WIFSIGNALED(ended.status))
    return fmt::format("the program that reads it ends with status {}", WEXITSTATUS(ended.status));
  const int signal = WTERMSIG(ended.status);
  if (signal == SIGXCPU || signal == SIGKILL)
    return "Open CASCADE does not come to an end with it; the file is damaged or too large";
  return fmt::format("Open CASCADE crashes on it ({}); the file is damaged", strsignal(signal));
}

}  // namespace

std::string beside_plugins(const char* name) {
  Dl_info here;
  if (dladdr(reinterpret_cast<void*>(&beside_plugins), &here) == 0)
    throw Error("the plugin 'geometry' cannot find its folder");
  const std::filesystem::path folder = std::filesystem::absolute(here.dli_fname).parent_path();
  return (folder.parent_path() / name).string();
}

std::string read_by_process(const std::string& program, const std::vector<std::string>& arguments,
                            char kind) {
  const Ended ended = run(program, arguments);
  const char answered = ended.answer.empty() ? '\0' : ended.answer.front();
  std::string text = ended.answer.empty() ? std::string() : ended.answer.substr(1);
  if (answered == answer_refused) throw Error(text);
  if (answered != kind)
    throw Error("'" + std::filesystem::path(arguments.front()).filename().string() +
                "' cannot be read: " + why(ended));
  return text;
}

}  // namespace trammel::geometry
