// The `trammel` command.

#include <mpi.h>
#include <petscsys.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "agreement.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "describe.hpp"
#include "exit_status.hpp"
#include "fault_report.hpp"
#include "huge_pages.hpp"
#include "petsc_memory.hpp"
#include "solvers/run/energy_guard.hpp"
#include "solvers/run/no_convergence.hpp"
#include "standard_streams.hpp"
#include "subnormals.hpp"

namespace {

using namespace trammel;

/// The rank as launchers say it in the environment, before MPI has begun; null where none started this process.
const char* launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (const char* rank = std::getenv(name)) return rank;
  return nullptr;
}

/// True on the first rank also before MPI has begun.
bool speaks() {
  const char* rank = launched_rank();
  return rank == nullptr || std::string(rank) == "0";
}

/// Open MPI starts a daemon and opens the network also for a process that is alone, which takes longer than all else of
/// a short run. Without the daemon such processes would share a folder, and remove it from under each other. What the
/// user has set stays.
void keep_mpi_local() {
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
  setenv("OMPI_MCA_pml", "ob1", 0);
  setenv("OMPI_MCA_btl", "self", 0);
  setenv("OMPI_MCA_osc", "^ucx", 0);
}

/// Libraries of PETSc for indices of 32 and of 64 bits have the same file name.
void require_petsc_as_built() {
  std::size_t bytes = 0;
  if (PetscDataTypeGetSize(PETSC_INT, &bytes) != 0 || bytes == sizeof(PetscInt)) return;
  fmt::print(stderr,
             "trammel: error: the PETSc that was found has indices of {} bits, and trammel was built for {}: "
             "LD_LIBRARY_PATH leads to another PETSc, or has to name that of the build\n",
             8 * bytes, 8 * sizeof(PetscInt));
  std::exit(1);
}

void start_petsc(const std::vector<std::string>& options) {
  require_petsc_as_built();
  if (launched_rank() == nullptr) keep_mpi_local();
  // PETSc's own options on memory bring functions of their own.
  if (std::none_of(options.begin(), options.end(),
                   [](const std::string& o) { return o.starts_with("-malloc"); }))
    report_petsc_memory();
  std::vector<std::string> texts{"trammel"};
  texts.insert(texts.end(), options.begin(), options.end());
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  auto count = static_cast<int>(texts.size());
  char** arguments = pointers.data();
  if (PetscInitialize(&count, &arguments, nullptr, nullptr) != 0) {
    fmt::print(stderr, "trammel: error: PETSc cannot start\n");
    std::exit(1);
  }
  // PETSc's own handlers print stacks; errors are returned instead and told in our words.
  PetscPopSignalHandler();
  PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
}

void print(const std::string& text, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) say(text);
}

/// The exit status.
int run(const CommandLine& command, MPI_Comm comm) {
  switch (command.action) {
    case CommandLine::Action::run:
      return run_case(command, comm);
    case CommandLine::Action::check:
      check_case(command, comm);
      break;
    case CommandLine::Action::list:
      print(listed_types(Plugins(command)), comm);
      break;
    case CommandLine::Action::describe:
      print(described_type(command.type, Plugins(command), command.markdown), comm);
      break;
    case CommandLine::Action::verify:
      verify_types(command, comm);
      break;
  }
  return 0;
}

/// PETSc needs a working folder to start; the reason why there is none, or nothing.
std::error_code leave_removed_folder() {
  std::error_code reason;
  const std::filesystem::path folder = std::filesystem::current_path(reason);
  std::error_code ignored;
  if (reason) std::filesystem::current_path("/", ignored);
  return reason;
}

/// True where standard output failed, and standard error got the message.
bool told_of_output() {
  const std::string text = output_failure();
  if (!text.empty()) fmt::print(stderr, "trammel: error: {}\n", text);
  return !text.empty();
}

/// A typing error in an option of PETSc would go unnoticed otherwise.
void report_unused_options(const std::vector<std::string>& given, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  PetscInt count = 0;
  char** names = nullptr;
  char** values = nullptr;
  if (given.empty() || PetscOptionsLeftGet(nullptr, &count, &names, &values) != 0) return;
  for (PetscInt i = 0; i < count && rank == 0; ++i)
    for (const std::string& option : given)
      if (option == "-" + std::string(names[i]))
        fmt::print(stderr, "trammel: warning: nothing reads the option {} (an option of PETSc?)\n", option);
  PetscOptionsLeftRestore(nullptr, &count, &names, &values);
}

}  // namespace

int main(int argc, char** argv) {
  guard_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // the write fails then, and tells where
  const CommandLineResult result = read_command_line({argv + 1, argv + argc});
  if (!result.proceed) {
    // A launcher ends all ranks when one fails, before the first has printed.
    if (!speaks()) return 0;
    if (result.status == 0)
      say(result.text + "\n");
    else
      fmt::print(stderr, "{}\n", result.text);
    return told_of_output() ? std::max(result.status, 1) : result.status;
  }
  use_huge_pages();
  flush_subnormals();
  const std::error_code no_folder = leave_removed_folder();
  start_petsc(result.command.petsc);
  report_faults();
  MPI_Comm own = MPI_COMM_NULL;  // no message of a library is mistaken for that of the end
  MPI_Comm_dup(PETSC_COMM_WORLD, &own);
  Failure failure;
  int status = 0, failed = exit_status::error;
  try {
    if (no_folder) throw Error("the working folder cannot be used: " + no_folder.message());
    status = run(result.command, PETSC_COMM_WORLD);
    if (const std::string text = output_failure(); !text.empty()) throw Error(text);
  } catch (const EnergyError& error) {
    failure = shown(error);
    failed = exit_status::energy;
  } catch (const NoConvergence& error) {
    failure = shown(error);
    failed = exit_status::no_convergence;
  } catch (const Error& error) {
    failure = shown(error);
  } catch (const std::bad_alloc&) {
    failure = "trammel: error: out of memory";
  } catch (const std::exception& error) {
    failure = shown(Error(error.what()));
  } catch (...) {
    failure = "trammel: error: something was thrown that is no exception";
  }
  if (end_together(own, failure) != 0) status = failed;
  if (status == 0) report_unused_options(result.command.petsc, PETSC_COMM_WORLD);
  MPI_Comm_free(&own);
  PetscPopErrorHandler();
  PetscOptionsClearValue(nullptr, "-options_left");
  PetscFinalize();
  // Output of PETSc's options such as -log_view is printed in PetscFinalize.
  if (status == 0 && told_of_output()) status = 1;
  return status;
}
