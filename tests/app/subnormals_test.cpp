#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.hpp"

namespace trammel::testing {
namespace {

// A body of the mass 1e-160 * 1e-150: a subnormal number where they are not flushed, and then the case is sound.
TEST(Subnormals, count_as_zero) {
#if !defined(__x86_64__) && !defined(__aarch64__)
  GTEST_SKIP() << "left as they are on this processor";
#endif
  const Workplace here;
  here.write("case.yaml", R"(
trammel: 1
parameters: {small: 1e-160}
bodies:
  ball: {type: rigid_body, mass: small*1e-150, inertia: [1, 1, 1]}
stages: [{type: dynamic, until: 1, step: 0.1}]
)");
  const Outcome found = here.shell("trammel check case.yaml");
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.err, ::testing::HasSubstr("must be positive"));
}

}  // namespace
}  // namespace trammel::testing
