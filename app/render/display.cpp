#include "display.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "io/process/virtual_display.hpp"
#include "trammel/error.hpp"

extern char** environ;

namespace trammel::render {

namespace {

struct Server {
  std::string authority;  ///< path of the file with its cookie
  std::string number;     ///< of its display; empty where it did not start
};

std::string read_line(int file) {
  std::string line;
  char c = 0;
  while (read(file, &c, 1) == 1 && c != '\n') line.push_back(c);
  return line;
}

Server start_server() {
  std::array<int, 2> choice{}, lifetime{};
  if (pipe2(choice.data(), O_CLOEXEC) != 0) return {};
  if (pipe2(lifetime.data(), O_CLOEXEC) != 0) return close(choice[0]), close(choice[1]), Server{};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, lifetime[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, choice[1], STDOUT_FILENO);
  std::array<std::string, 3> words{"sh", "-c", virtual_display};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = 0;
  posix_spawn(&child, "/bin/sh", &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(choice[1]);
  close(lifetime[0]);  // the other end stays open as long as this process lives
  Server server;
  server.authority = read_line(choice[0]);
  server.number = read_line(choice[0]);
  close(choice[0]);
  return server;
}

}  // namespace

void provide_display() {
  const char* display = std::getenv("DISPLAY");
  if (display != nullptr && *display != 0) return;
  const Server server = start_server();
  if (server.number.empty())
    throw Error("there is no display to draw on, and no Xvfb to provide one (Debian: apt-get install xvfb)");
  setenv("XAUTHORITY", server.authority.c_str(), 1);
  setenv("DISPLAY", (":" + server.number).c_str(), 1);
}

}  // namespace trammel::render
