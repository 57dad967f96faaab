#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trammel {

/// The parsed command line.
struct CommandLine {
  enum class Action { run, check, list, describe, verify };

  Action action = Action::run;
  std::string case_file;  ///< of run and check
  std::string folder;     ///< of run: where results go; empty: the default
  bool quiet = false;
  int checkpoint_every = 0;       ///< of run: nominal steps between checkpoints; 0: as the case says
  double checkpoint_minutes = 0;  ///< of run: minutes between checkpoints; 0: as the case says
  double time_limit = 0;          ///< of run: wall time that it may take [s]; 0: none
  std::optional<std::string>
      restart;                  ///< of run: the checkpoint to go on from; empty: the last one of the folder
  bool restart_anyway = false;  ///< of run: also where the case is another one
  std::vector<std::pair<std::string, std::string>> parameters;  ///< name and text of --set NAME=VALUE
  std::vector<std::string> plugins;                             ///< paths of --plugin
  std::string type;                                             ///< of describe
  std::vector<std::string> types;                               ///< of verify; empty: all joints
  int states = 100;                                             ///< of verify: random states
  bool without_motion = false;                                  ///< of verify: at random states only
  bool markdown = false;                                        ///< of describe and verify
  bool derivatives = false;                                     ///< of check: with difference tests
  std::optional<double> at;        ///< of check: time of the difference tests [s]
  std::vector<std::string> petsc;  ///< options for PETSc
};

/// Result of parsing the command line: the command, or a text to print and the exit status.
struct CommandLineResult {
  bool proceed = false;
  CommandLine command;
  std::string text;  ///< help, version, or what is wrong
  int status = 0;
};

/// Reads the arguments (without the program's name). Options with one dash and more than one letter, and all behind
/// `--`, are PETSc's.
CommandLineResult read_command_line(const std::vector<std::string>& arguments);

}  // namespace trammel
