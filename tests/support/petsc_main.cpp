// The main program of every test executable: MPI and PETSc around GoogleTest. On several ranks only rank 0 prints,
// and a failure on any rank fails the run; ranks that passed wait for none that hangs, since ctest has a time limit.

#include <gtest/gtest.h>
#include <petscsys.h>

#include <cstdio>
#include <cstdlib>

/// There with the leak sanitizer only.
extern "C" [[gnu::weak]] void __lsan_do_leak_check();

namespace {

/// Failures of the ranks that do not print, each on one line.
class FailuresOfRank : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOfRank(int rank) : rank_(rank) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const char* file = result.file_name() == nullptr ? "" : result.file_name();
    std::fprintf(stderr, "[rank %d] %s:%d: %s\n", rank_, file, result.line_number(), result.message());
  }

 private:
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();

  // A process that no launcher started needs no daemon of Open MPI's, nor the folder that such processes would share and
  // remove from under each other. Commands that a test starts are not told.
  const char* const local_settings[][2] = {{"OMPI_MCA_ess_singleton_isolated", "1"},
                                           {"OMPI_MCA_orte_create_session_dirs", "0"}};
  const bool alone = std::getenv("OMPI_COMM_WORLD_RANK") == nullptr;
  for (const auto& [name, value] : local_settings)
    if (alone) setenv(name, value, 1);
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != 0) return 1;
  for (const auto& [name, value] : local_settings)
    if (alone) unsetenv(name);
  PetscPopSignalHandler();
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (rank != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOfRank(rank));
  }
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  // Leaks are looked for while MPI's libraries are still loaded: later they could not be told by name.
  if (failed == 0 && __lsan_do_leak_check != nullptr) __lsan_do_leak_check();
  PetscFinalize();
  return failed;
}
