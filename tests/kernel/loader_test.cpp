#include "kernel/loader.hpp"
#include "places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace trammel {
namespace {

using ::testing::HasSubstr;

std::string test_plugin(const std::string& name) {
  return std::string(TRAMMEL_TEST_PLUGIN_DIR) + "/" + name + ".so";
}

std::string message_of_loading(const std::string& path) {
  Registry registry;
  Loader loader(registry);
  try {
    loader.load(path);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Loader, loads_a_plugin_and_stamps_its_types) {
  Registry registry;
  Loader loader(registry);
  loader.load(test_plugin("plain_plugin"));
  loader.load(test_plugin("plain_plugin"));
  ASSERT_EQ(loader.plugins().size(), 1U);
  EXPECT_EQ(loader.plugins()[0].name, "plain");
  EXPECT_EQ(loader.plugins()[0].version, "2.5");
  const Type* type = registry.find(Type::Category::element, "plain_spring");
  ASSERT_NE(type, nullptr);
  EXPECT_EQ(type->plugin, "plain");
  EXPECT_THAT(type->library, HasSubstr("plain_plugin.so"));
}

TEST(Loader, reads_the_record_of_a_stripped_library) {
  const auto stripped = std::filesystem::temp_directory_path() / "trammel_stripped_plugin.so";
  const std::string command = "strip -o '" + stripped.string() + "' '" + test_plugin("plain_plugin") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const PluginRecord record = read_plugin_record(stripped.string());
  EXPECT_STREQ(record.name, "plain");
  EXPECT_EQ(record.abi, abi_number);
  Registry registry;
  Loader loader(registry);
  loader.load(stripped.string());
  EXPECT_NE(registry.find(Type::Category::element, "plain_spring"), nullptr);
  std::filesystem::remove(stripped);
}

TEST(Loader, refuses_another_build_without_running_it) {
  EXPECT_THAT(message_of_loading(test_plugin("other_abi_plugin")),
              AllOf(HasSubstr("other_abi_plugin.so"), HasSubstr("built for EIGEN_MAX_ALIGN_BYTES 32"),
                    HasSubstr("Trammel has 16")));
}

TEST(Loader, refuses_a_plugin_built_with_other_headers_without_running_it) {
  EXPECT_THAT(
      message_of_loading(test_plugin("other_headers_plugin")),
      AllOf(HasSubstr("other_headers_plugin.so"), HasSubstr("built for sdk headers"),
            HasSubstr("Trammel has " + std::string(TRAMMEL_HEADER_HASH)), HasSubstr("build it again")));
}

TEST(Loader, names_the_fault_of_a_file) {
  EXPECT_THAT(message_of_loading("/no/such/plugin.so"), HasSubstr("plugin '/no/such/plugin.so' not found"));
  const auto text = std::filesystem::temp_directory_path() / "trammel_text_plugin.so";
  std::ofstream(text) << "this is text, long enough to hold an ELF header if it were one .............";
  EXPECT_THAT(message_of_loading(text.string()), HasSubstr("not a 64-bit ELF shared library"));
  std::filesystem::remove(text);
  EXPECT_THAT(message_of_loading(std::filesystem::temp_directory_path().string()),
              HasSubstr("expected a shared library"));
  const auto pipe = std::filesystem::temp_directory_path() / "trammel_pipe_plugin.so";
  std::filesystem::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(message_of_loading(pipe.string()), HasSubstr("expected a shared library"));
  std::filesystem::remove(pipe);
  const std::string kernel = std::string(TRAMMEL_BINARY_DIR) + "/lib/libtrammel_kernel.so";
  EXPECT_THAT(message_of_loading(kernel), HasSubstr("it has no record"));
}

TEST(Loader, names_a_plugin_that_throws) {
  EXPECT_THAT(message_of_loading(test_plugin("throwing_plugin")),
              AllOf(HasSubstr("plugin 'throwing'"), HasSubstr("no licence found")));
}

TEST(Loader, refuses_two_types_of_one_name) {
  Registry registry;
  Loader loader(registry);
  loader.load(test_plugin("plain_plugin"));
  try {
    loader.load(test_plugin("same_type_plugin"));
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("plugin 'same_type'"), HasSubstr("plain_spring")));
  }
}

TEST(Loader, skips_bad_files_of_a_folder_and_gives_the_reason) {
  const auto folder = std::filesystem::temp_directory_path() / "trammel_loader_folder";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  for (const char* name : {"plain_plugin", "throwing_plugin", "half_plugin"})
    std::filesystem::copy_file(test_plugin(name), folder / (std::string(name) + ".so"));
  Registry registry;
  Loader loader(registry);
  loader.load_folder(folder.string());
  ASSERT_EQ(loader.plugins().size(), 1U);
  EXPECT_EQ(loader.plugins()[0].name, "plain");
  ASSERT_EQ(loader.rejected().size(), 2U);
  EXPECT_EQ(loader.rejected()[0].path, (folder / "half_plugin.so").string());
  EXPECT_THAT(loader.rejected()[0].reason, HasSubstr("something was thrown that is no exception"));
  EXPECT_THAT(loader.rejected()[1].reason, HasSubstr("no licence found"));
  // The type that half_plugin has added before it threw is gone with it.
  EXPECT_EQ(registry.find(Type::Category::element, "half"), nullptr);
  EXPECT_EQ(registry.all().size(), 1U);
  std::filesystem::remove_all(folder);
}

TEST(Loader, searches_the_folders_of_the_environment_first) {
  ::setenv("TRAMMEL_PLUGIN_PATH", "/first:/second", 1);
  const auto folders = Loader::default_folders();
  ::unsetenv("TRAMMEL_PLUGIN_PATH");
  ASSERT_GE(folders.size(), 3U);
  EXPECT_EQ(folders[0], "/first");
  EXPECT_EQ(folders[1], "/second");
  EXPECT_THAT(folders[2], HasSubstr("lib/trammel/plugins"));
}

}  // namespace
}  // namespace trammel
