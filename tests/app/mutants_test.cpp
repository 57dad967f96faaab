// A sample of what bench/mutants.py does: damaged cases and files end in one short message with its place, or run.

#include <gtest/gtest.h>

#include "command.hpp"
#include "io/process/address_sanitizer.hpp"

namespace trammel {
namespace {

#if TRAMMEL_ADDRESS_SANITIZER
constexpr const char* memory = " --memory 0";  // its shadow is larger than any limit
#else
constexpr const char* memory = "";
#endif

TEST(Mutants, end_with_a_message_or_run) {
  const testing::Workplace workplace;
  if (workplace.shell("python3 --version").status != 0) GTEST_SKIP() << "python3 is not here";
  const testing::Outcome outcome =
      workplace.shell("python3 " TRAMMEL_SOURCE_DIR "/bench/mutants.py --trammel " TRAMMEL_COMMAND
                      " --count 30 --seed 2 --family YAML,STL" +
                      std::string(memory));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
}

}  // namespace
}  // namespace trammel
