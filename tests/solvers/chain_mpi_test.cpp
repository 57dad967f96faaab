#include <gtest/gtest.h>

#include "test_models.hpp"

namespace trammel::testing {
namespace {

/// End of the first rod, on every rank.
Vec3 first_end(const Chain& chain, const State& s) {
  const UnknownBlock* p = chain.layout->knows(chain.frames[0].position)
                              ? chain.layout->unknown_of(chain.frames[0].position)
                              : nullptr;
  Vec3 at = Vec3::Zero();
  if (p != nullptr && p->owned) at = 2 * Eigen::Map<const Vec3>(chain.value(s, chain.frames[0].position));
  MPI_Allreduce(MPI_IN_PLACE, at.data(), 3, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  return at;
}

Vec3 fall(DynamicStage::Form form, double step,
          DynamicStage::Method method = DynamicStage::Method::generalized_alpha) {
  Chain chain(100);
  Simulation run(*chain.assembler);
  DynamicStage d;
  d.method = method;
  d.form = form;
  d.step = step;
  d.until = 0.2;
  d.radius = 0.9;
  d.newton.tolerance = 1e-11;
  const Stage stages[] = {{"", d}};
  run.run(stages);
  EXPECT_LT(run.summary().largest_violation, 1e-10);
  return first_end(chain, run.state());
}

TEST(Chain, falls_as_the_reference_says_on_any_number_of_ranks) {
  // Minimal coordinates integrated to 1e-10; see benchmarks.
  const Vec3 reference(0.9896875622, -0.1432429029, 0);
  for (const auto form :
       {DynamicStage::Form::index3, DynamicStage::Form::index2, DynamicStage::Form::index1}) {
    const Vec3 coarse = fall(form, 4e-3), fine = fall(form, 2e-3);
    const Vec3 limit = fine + (fine - coarse) / 3;
    EXPECT_LT((limit - reference).norm(), 1e-5) << (fine - reference).norm();
  }
  const Vec3 end = fall(DynamicStage::Form::index2, 5e-3, DynamicStage::Method::radau);
  EXPECT_LT((end - reference).norm(), 1e-5);
}

}  // namespace
}  // namespace trammel::testing
