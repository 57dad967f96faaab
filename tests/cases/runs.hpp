#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "history.hpp"
#include "reference.hpp"

namespace trammel::cases {

/// What one run of the command left: its histories by sensor.
class Run {
 public:
  Run(std::string folder, double seconds) : folder_(std::move(folder)), seconds_(seconds) {}
  const History& history(const std::string& sensor) const;
  double seconds() const { return seconds_; }

 private:
  std::string folder_;
  double seconds_;
  mutable std::map<std::string, std::unique_ptr<History>> histories_;
};

/// Runs `trammel run` as a user does, each case with each set of parameters once, in folders that vanish at the end.
class Runs {
 public:
  Runs();
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  /// The runs with these settings, `at_once` of them at the same time. Throws Error with the command's message where
  /// one fails.
  std::vector<std::shared_ptr<const Run>> get(const std::string& case_file,
                                              const std::vector<Settings>& settings, unsigned at_once);

 private:
  std::shared_ptr<const Run> make(const std::string& case_file, const Settings& settings);

  std::string folder_;
  std::mutex mutex_;
  int count_ = 0;
  std::map<std::pair<std::string, Settings>, std::shared_ptr<const Run>> done_;
};

/// "n=10 h=0.01"
std::string text_of(const Settings& settings);

}  // namespace trammel::cases
