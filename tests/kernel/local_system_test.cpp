// The room for one element's contribution, which is used again for elements of other sizes.

#include <gtest/gtest.h>

#include "trammel/local_system.hpp"

namespace trammel {
namespace {

TEST(LocalSystem, has_zeros_and_room_for_elements_of_every_size) {
  LocalSystem system(Request{.tangent = true, .rates = true, .bias = true});
  for (const int n : {1, 2, 5, 7, 8, 3, 9, 12, 13}) {
    system.begin(n);
    EXPECT_EQ(system.residual().size(), n);
    EXPECT_EQ(system.residual().cwiseAbs().maxCoeff(), 0) << n;
    double next = 1;
    // What is written into one matrix changes no other (the address sanitizer sees what is written behind the last).
    system.K().setConstant(next++);
    system.D().setConstant(next++);
    system.M().setConstant(next++);
    system.rate_gradient().setConstant(next++);
    system.rate().setConstant(next++);
    system.bias().setConstant(next++);
    system.residual().setConstant(next++);
    EXPECT_EQ(system.K().sum(), 1 * n * n) << n;
    EXPECT_EQ(system.D().sum(), 2 * n * n) << n;
    EXPECT_EQ(system.M().sum(), 3 * n * n) << n;
    EXPECT_EQ(system.rate_gradient().sum(), 4 * n * n) << n;
    EXPECT_EQ(system.rate().sum(), 5 * n) << n;
    EXPECT_EQ(system.bias().sum(), 6 * n) << n;
  }
}

}  // namespace
}  // namespace trammel
