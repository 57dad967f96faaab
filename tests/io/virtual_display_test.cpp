// The X server that pictures are drawn through where there is no display: only who can read its cookie may use it.

#include "io/process/virtual_display.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

extern char** environ;

namespace trammel {
namespace {

namespace fs = std::filesystem;

/// A process with pipes at its input and output.
struct Server {
  pid_t process = 0;
  int input = -1, output = -1;

  Server() {
    std::array<int, 2> in{}, out{};
    if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    std::array<std::string, 3> words{"sh", "-c", virtual_display};
    std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
    posix_spawn(&process, "/bin/sh", &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    close(in[0]), close(out[1]);
    input = in[1], output = out[0];
  }
  std::string line() const {
    std::string text;
    char c = 0;
    while (read(output, &c, 1) == 1 && c != '\n') text.push_back(c);
    return text;
  }
};

/// Whether the server of this display accepts a client with a cookie of this name and content: the first bytes of the protocol.
bool accepts(const std::string& display, const std::string& name, const std::string& cookie) {
  const int client = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/tmp/.X11-unix/X" + display;
  std::memcpy(address.sun_path, path.data(), path.size());
  EXPECT_EQ(connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << path;
  const auto padded = [](std::string text) { return text.append((4 - text.size() % 4) % 4, '\0'); };
  std::string request{'l', 0, 11, 0, 0, 0};
  for (const std::size_t size : {name.size(), cookie.size()}) request.append({static_cast<char>(size), 0});
  request.append(2, '\0').append(padded(name)).append(padded(cookie));
  EXPECT_EQ(write(client, request.data(), request.size()), static_cast<ssize_t>(request.size()));
  char answer = 0;
  EXPECT_EQ(read(client, &answer, 1), 1);
  close(client);
  return answer == 1;
}

TEST(VirtualDisplay, serves_only_who_has_its_cookie_and_leaves_nothing) {
  if (std::system("command -v Xvfb >/dev/null") != 0) GTEST_SKIP() << "Xvfb is not here";
  Server server;
  const fs::path authority = server.line();
  const std::string display = server.line();
  ASSERT_FALSE(display.empty());

  struct stat of_file {
  }, of_folder{};
  ASSERT_EQ(stat(authority.c_str(), &of_file), 0);
  ASSERT_EQ(stat(authority.parent_path().c_str(), &of_folder), 0);
  EXPECT_EQ(of_folder.st_mode & 077U, 0U);
  EXPECT_EQ(of_folder.st_uid, geteuid());

  std::ostringstream text;
  text << std::ifstream(authority, std::ios::binary).rdbuf();
  const std::string bytes = text.str(), name = "MIT-MAGIC-COOKIE-1";
  constexpr std::size_t length = 16;
  ASSERT_GT(bytes.size(), length);
  const std::string cookie = bytes.substr(bytes.size() - length);
  EXPECT_NE(bytes.find(name), std::string::npos);
  EXPECT_TRUE(accepts(display, name, cookie));
  EXPECT_FALSE(accepts(display, "", ""));
  std::string other = cookie;
  other[0] = static_cast<char>(other[0] ^ 1);
  EXPECT_FALSE(accepts(display, name, other));

  close(server.input);
  int status = 0;
  EXPECT_EQ(waitpid(server.process, &status, 0), server.process);
  EXPECT_FALSE(fs::exists(authority.parent_path()));
  close(server.output);
}

}  // namespace
}  // namespace trammel
