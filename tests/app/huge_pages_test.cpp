#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

#include "command.hpp"

namespace trammel::testing {
namespace {

const std::string chain =
    "trammel run '" TRAMMEL_SOURCE_DIR "/cases/chain/case.yaml' -q -o out --set N=2000 --set until=0.001";

/// Page faults, without reading from a disk, of all commands that have ended.
long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_minflt;
}

long page_faults_of(const Workplace& workplace, const std::string& line) {
  const long before = page_faults();
  const Outcome outcome = workplace.shell(line);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return page_faults() - before;
}

TEST(HugePages, take_fewer_page_faults_unless_the_user_decides_otherwise) {
  std::string kinds;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), kinds);
  if (kinds.empty() || kinds.find("[never]") != std::string::npos)
    GTEST_SKIP() << "there are no huge pages here";
  const Workplace workplace;
  const long huge = page_faults_of(workplace, chain);
  const std::string histories = workplace.read("out/last.csv");
  const long small = page_faults_of(workplace, "export GLIBC_TUNABLES=glibc.malloc.perturb=0; " + chain);
  EXPECT_LT(huge, small / 2);
  EXPECT_EQ(workplace.read("out/last.csv"), histories);
}

TEST(HugePages, are_not_asked_for_where_addresses_are_limited) {
  const Workplace workplace;
  // The reserve alone would exceed this limit.
  const Outcome outcome = workplace.shell("ulimit -v 900000; " + chain);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

}  // namespace
}  // namespace trammel::testing
