#include "runs.hpp"
#include "places.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "trammel/error.hpp"

namespace trammel::cases {

namespace {

namespace fs = std::filesystem;

/// The environment without what this process' own MPI put into it.
std::vector<char*> plain_environment() {
  std::vector<char*> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    bool own = false;
    for (const char* prefix :
         {"PMIX_", "PMI_", "OMPI_COMM_", "OMPI_UNIVERSE_", "OMPI_MCA_orte_", "OMPI_MCA_ess_base_"})
      own = own || text.starts_with(prefix);
    if (!own) all.push_back(*entry);
  }
  all.push_back(nullptr);
  return all;
}

/// Runs a program; its output goes to a file. Gives its exit status, -1 where a signal ended it.
int execute(std::vector<std::string> words, const std::string& log) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = 0;
  const int fault =
      posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), plain_environment().data());
  posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) throw Error("cannot start '" + words[0] + "': " + std::strerror(fault));
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string content_of(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

const History& Run::history(const std::string& sensor) const {
  std::unique_ptr<History>& history = histories_[sensor];
  if (!history) history = std::make_unique<History>(folder_ + "/" + sensor + ".csv");
  return *history;
}

std::string text_of(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

Runs::Runs() : folder_((fs::temp_directory_path() / fmt::format("trammel_cases_{}", getpid())).string()) {
  fs::create_directories(folder_);
}

Runs::~Runs() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::shared_ptr<const Run> Runs::make(const std::string& case_file, const Settings& settings) {
  std::string place;
  {
    const std::lock_guard lock(mutex_);
    place = folder_ + "/" + std::to_string(count_++);
  }
  // Every case has the parameter `frames`: as good as no pictures.
  const char* command = std::getenv("TRAMMEL_CASES_COMMAND");
  std::vector<std::string> words{command != nullptr ? command : TRAMMEL_COMMAND,
                                 "run",
                                 case_file,
                                 "-o",
                                 place,
                                 "--quiet",
                                 "--set",
                                 "frames=1000000000"};
  for (const auto& [name, value] : settings) {
    words.emplace_back("--set");
    words.push_back(name + "=" + value);
  }
  const auto start = std::chrono::steady_clock::now();
  const int status = execute(words, place + ".log");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (status != 0)
    throw Error(fmt::format("trammel run {} with {} ended with status {}: {}", case_file, text_of(settings),
                            status, content_of(place + ".log")));
  return std::make_shared<const Run>(place, seconds.count());
}

std::vector<std::shared_ptr<const Run>> Runs::get(const std::string& case_file,
                                                  const std::vector<Settings>& settings, unsigned at_once) {
  std::vector<Settings> missing;
  for (const Settings& one : settings)
    if (!done_.contains({case_file, one}) && std::find(missing.begin(), missing.end(), one) == missing.end())
      missing.push_back(one);
  // The finest runs, which take longest, go first.
  std::reverse(missing.begin(), missing.end());
  const auto lane = [&](std::size_t first) {
    std::vector<std::shared_ptr<const Run>> made;
    for (std::size_t i = first; i < missing.size(); i += at_once) made.push_back(make(case_file, missing[i]));
    return made;
  };
  std::vector<std::future<std::vector<std::shared_ptr<const Run>>>> lanes;
  for (unsigned k = 0; k < at_once; ++k) lanes.push_back(std::async(std::launch::async, lane, k));
  for (unsigned k = 0; k < at_once; ++k) {
    const auto made = lanes[k].get();
    for (std::size_t i = 0; i < made.size(); ++i) done_[{case_file, missing[k + i * at_once]}] = made[i];
  }
  std::vector<std::shared_ptr<const Run>> all;
  for (const Settings& one : settings) all.push_back(done_.at({case_file, one}));
  return all;
}

}  // namespace trammel::cases
