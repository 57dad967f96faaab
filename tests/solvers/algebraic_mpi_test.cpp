// Algebraic unknowns beside constraints, on any number of ranks.

#include <gtest/gtest.h>

#include "algebraic_models.hpp"
#include "solvers/run/snapshot.hpp"

namespace trammel::testing {
namespace {

/// A Series on the x of a body. Stencil: position, node.
struct SideSprings {
  Series springs;
  void evaluate(const LocalState& x, LocalSystem& out) const {
    const double s = x.position(0)[0] - x.value(1)[0], f = springs.b * s * s * s;
    out.residual()[0] = f;
    out.residual()[3] = springs.a * x.value(1)[0] - f;
    if (!out.request.tangent) return;
    const double k = 3 * springs.b * s * s;
    out.K()(0, 0) = k;
    out.K()(0, 3) = out.K()(3, 0) = -k;
    out.K()(3, 3) = springs.a + k;
  }
  Energy energy(const LocalState& x) const {
    const double z = x.value(1)[0], s = x.position(0)[0] - z;
    Energy e;
    e.strain = 0.5 * springs.a * z * z + 0.25 * springs.b * s * s * s * s;
    return e;
  }
};

/// A chain of rods on ball joints, held sideways at every rod by springs in series.
struct SpringChain : Chain {
  std::vector<BlockId> nodes;

  explicit SpringChain(int n) : Chain(n, MPI_COMM_NULL) {
    for (int i = 0; i < n; ++i) {
      entity("springs" + std::to_string(i));
      const Measure measure = Measure::length();
      const double guess = 0.1;
      nodes.push_back(builder.add_algebraic("node", {&guess, 1}, {&measure, 1}, "m"));
      builder.add(SideSprings{{30, 200}}, {frames[static_cast<std::size_t>(i)].position, nodes.back()});
    }
    finish();
  }
};

/// Positions of all frames and nodes on all ranks.
std::vector<double> values_of(const SpringChain& m, const State& state) {
  std::vector<double> all;
  const auto take = [&](BlockId id, int size) {
    const UnknownBlock* u = m.layout->knows(id) ? m.layout->unknown_of(id) : nullptr;
    for (int k = 0; k < size; ++k) all.push_back(u != nullptr && u->owned ? m.value(state, id)[k] : 0);
  };
  for (const Frame& frame : m.frames) take(frame.position, 3);
  for (const BlockId id : m.nodes) take(id, 1);
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM,
                PETSC_COMM_WORLD);
  return all;
}

std::vector<Stage> chain_stages(DynamicStage::Form form) {
  Stage stage = dynamic(form, 0.2, 0.005);
  std::get<DynamicStage>(stage.what).newton.tolerance = 1e-12;
  return {stage};
}

/// Takes the snapshot after `step` steps.
struct Keeper : Monitor {
  int step = 0;
  std::optional<Snapshot> kept;
  bool wants_snapshot(const StepReport& report) override { return report.number == step; }
  void take(const Snapshot& snapshot) override { kept = snapshot; }
};

TEST(Algebraic, nodes_beside_constraints_satisfy_their_equations_and_continue_from_a_snapshot) {
  for (const DynamicStage::Form form : forms) {
    SpringChain m(4);
    Simulation run(*m.assembler);
    Keeper keeper;
    keeper.step = 15;
    run.add(keeper);
    run.run(chain_stages(form));
    const std::vector<double> end = values_of(m, run.state());
    const Series springs{30, 200};
    for (std::size_t i = 0; i < m.nodes.size(); ++i)
      EXPECT_NEAR(end[3 * m.frames.size() + i], node_at(end[3 * i], springs), 1e-9) << i;
    EXPECT_EQ(run.summary().timings.cuts, 0);
    ASSERT_TRUE(keeper.kept.has_value());
    if (m.layout->ranks() > 1) continue;  // another partition has another snapshot in memory

    SpringChain again(4);
    Simulation on(*again.assembler);
    on.run(chain_stages(form), *keeper.kept);
    const std::vector<double> later = values_of(again, on.state());
    for (std::size_t i = 0; i < end.size(); ++i) EXPECT_EQ(later[i], end[i]) << i;
  }
}

}  // namespace
}  // namespace trammel::testing
