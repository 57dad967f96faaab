#include "io/files/folder_lock.hpp"

#include <fstream>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "trammel/error.hpp"

namespace trammel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Reach = FolderLock::Reach;

class LockOnFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "trammel-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file() const { return folder_ / "run.lock"; }
  /// Leaves the file of this process, as a killed run would, with another value behind one of its words.
  void leave(const std::string& word, const std::string& value) const {
    std::ostringstream text;
    {
      const FolderLock lock(folder_, Reach::none);
      text << std::ifstream(file()).rdbuf();
    }
    std::ofstream(file()) << std::regex_replace(text.str(), std::regex(word + " [^\n]*"), word + " " + value);
  }
  std::string refusal(Reach reach) const {
    try {
      const FolderLock lock(folder_, reach);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  std::filesystem::path folder_;
};

TEST_F(LockOnFolder, keeps_others_out_while_it_lives) {
  for (const Reach reach : {Reach::find_out, Reach::all, Reach::this_host, Reach::none}) {
    {
      const FolderLock lock(folder_, reach);
      EXPECT_THAT(refusal(reach), HasSubstr("process " + std::to_string(getpid())));
      EXPECT_TRUE(std::filesystem::exists(file()));
    }
    EXPECT_FALSE(std::filesystem::exists(file()));
    EXPECT_EQ(refusal(reach), "");
  }
}

TEST_F(LockOnFolder, is_ignored_if_its_process_is_dead) {
  leave("begin", "1");  // the number belongs to another process by now
  EXPECT_EQ(refusal(Reach::none), "");
  leave("process", "999999999");
  EXPECT_EQ(refusal(Reach::none), "");
  leave("boot", "another");
  EXPECT_EQ(refusal(Reach::none), "");
  leave("since", "then");  // the process lives, but its run has ended
  EXPECT_EQ(refusal(Reach::find_out), "");
}

TEST_F(LockOnFolder, of_another_host_is_respected_where_locks_are_not_shared) {
  for (const Reach reach : {Reach::this_host, Reach::none}) {
    leave("host", "node-17");
    EXPECT_THAT(refusal(reach), AllOf(HasSubstr("on host 'node-17'"), HasSubstr("cannot be tested"),
                                      HasSubstr("remove '" + file().string() + "'")));
    EXPECT_THAT(refusal(reach), HasSubstr("node-17"));  // the refusal changed nothing
    std::filesystem::remove(file());
    EXPECT_EQ(refusal(reach), "");
  }
  leave("host", "node-17");
  EXPECT_EQ(refusal(Reach::all), "");
}

}  // namespace
}  // namespace trammel
