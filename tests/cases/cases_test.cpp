// Each case against its reference, by the rule of cases/README.md, through the command. The quick form takes the one
// coarse run of a check that says `quick`, and leaves out what is `long`; TRAMMEL_CASES=all makes every run. TRAMMEL_CASES_FOLDER
// is where cases stand, TRAMMEL_CASES_COMMAND the command that runs them (bench/forms.py).

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "judgement.hpp"
#include "places.hpp"
#include "table.hpp"

namespace trammel::cases {
namespace {

bool all_wanted() {
  const char* wanted = std::getenv("TRAMMEL_CASES");
  return wanted != nullptr && std::string_view(wanted) == "all";
}

std::vector<Check> wanted_checks() {
  const char* folder = std::getenv("TRAMMEL_CASES_FOLDER");
  std::vector<Check> checks = read_all_checks(folder != nullptr ? folder : TRAMMEL_SOURCE_DIR "/cases");
  if (!all_wanted()) std::erase_if(checks, [](const Check& check) { return check.takes_long; });
  return checks;
}

std::string test_name(const testing::TestParamInfo<Check>& info) {
  std::string name = info.param.case_name + "_" + info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// Runs are kept from one check to the next; the table is printed where several checks were made.
class Session : public testing::Environment {
 public:
  void SetUp() override { runs = std::make_unique<Runs>(); }
  void TearDown() override {
    runs.reset();
    if (verdicts.size() > 1) std::fputs(("\n" + table(verdicts)).c_str(), stdout);
  }

  std::unique_ptr<Runs> runs;
  std::vector<Verdict> verdicts;
};

Session* const session = static_cast<Session*>(testing::AddGlobalTestEnvironment(new Session));

class Case : public testing::TestWithParam<Check> {};

TEST_P(Case, agrees_with_its_reference) {
  const unsigned at_once = all_wanted() ? std::max(1U, std::thread::hardware_concurrency()) : 1;
  Verdict verdict;
  try {
    verdict = judge(GetParam(), *session->runs, !all_wanted(), at_once);
  } catch (const std::exception& error) {
    verdict.case_name = GetParam().case_name;
    verdict.check = GetParam().name;
    verdict.trust = GetParam().trust;
    verdict.faults.emplace_back(error.what());
  }
  session->verdicts.push_back(verdict);
  for (const std::string& fault : verdict.faults) ADD_FAILURE() << fault;
}

INSTANTIATE_TEST_SUITE_P(Cases, Case, testing::ValuesIn(wanted_checks()), test_name);

}  // namespace

void PrintTo(const Check& check, std::ostream* out) { *out << check.case_name << ", " << check.name; }

}  // namespace trammel::cases
