#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

#include "places.hpp"

namespace trammel::testing {

/// What a run of the command came to.
struct Outcome {
  int status = -1;
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

/// The bytes of a file; empty where there is none.
inline std::string contents_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// For a line of the shell: trammel, or another program, on so many ranks.
inline std::string command_on(int ranks, const std::string& program = TRAMMEL_COMMAND) {
  const std::string quoted = "'" + program + "'";
  return ranks == 1 ? quoted : "mpirun -q --oversubscribe -n " + std::to_string(ranks) + " " + quoted;
}

/// A folder of its own for one test; it is removed at the end.
class Workplace {
 public:
  Workplace() {
    std::string pattern = (std::filesystem::temp_directory_path() / "trammel-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Workplace() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  std::string read(const std::string& name) const { return contents_of(path_ / name); }

  /// Runs a line of the shell in this folder; `trammel` is the command.
  Outcome shell(const std::string& line) const {
    const std::string script =
        "cd '" + path_.string() + "' && trammel() { '" TRAMMEL_COMMAND "' \"$@\"; }\n" + line;
    std::ofstream(path_ / "script.sh") << script << "\n";
    // Nothing of the test's own MPI may reach a launcher, nor a user's plugins the command. What MPI and its transports
    // keep until the command ends cannot be told from leaks once they are unloaded.
    const std::string environment =
        "env -i PATH=\"$PATH\" HOME=\"$HOME\" ASAN_OPTIONS=detect_leaks=0 LSAN_OPTIONS=\"$LSAN_OPTIONS\" "
        "UBSAN_OPTIONS=\"$UBSAN_OPTIONS\" OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 "
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
        "OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_osc=^ucx "
        "OMPI_MCA_btl_vader_single_copy_mechanism=none ";
    const std::string whole = environment + "timeout -k 5 120 bash '" + (path_ / "script.sh").string() +
                              "' > '" + (path_ / "stdout").string() + "' 2> '" + (path_ / "stderr").string() +
                              "' < /dev/null";
    const int status = std::system(whole.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, contents_of(path_ / "stdout"),
            contents_of(path_ / "stderr")};
  }

  /// Writes the text as case.yaml and runs it.
  Outcome run(const std::string& text, const std::string& options = "") const {
    write("case.yaml", text);
    return shell("trammel run case.yaml -o out " + options);
  }

  /// As `run`, on several ranks.
  Outcome run_on(int ranks, const std::string& text, const std::string& options = "") const {
    write("case.yaml", text);
    return shell(command_on(ranks) + " run case.yaml -o out " + options);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace trammel::testing
