// Cases of which each rank expands its partition, beside the whole case on one rank.

#include <string>

#include <gtest/gtest.h>

#include "io/process/recorder_ranks.hpp"
#include "sliding_scene.hpp"

namespace trammel {
namespace {

using testing::expect_same;
using testing::SceneRun;
using Form = DynamicStage::Form;

constexpr double agreement = 1e-9;  // of a channel's range

struct PartitionedCase {
  std::string name;
  std::string text;
  Form form = Form::index3;
};

void PrintTo(const PartitionedCase& run, std::ostream* out) { *out << run.name; }

int rank_count() {
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  return ranks;
}

class ExpandedByPartition : public ::testing::TestWithParam<PartitionedCase> {};

TEST_P(ExpandedByPartition, gives_the_motion_of_the_whole) {
  SceneRun many(GetParam().text, GetParam().form, PETSC_COMM_WORLD, 1);
  EXPECT_EQ(many.model.partition.whole(), rank_count() == 1);
  const auto found = many.run(0.2);
  if (many.layout->rank() == 0) {
    SceneRun one(GetParam().text, GetParam().form, PETSC_COMM_SELF, SceneRun::whole);
    const auto expected = one.run(0.2);
    EXPECT_GE(expected.size(), 4U);
    expect_same(expected, found, agreement);
  }
  MPI_Barrier(PETSC_COMM_WORLD);
}

TEST_P(ExpandedByPartition, numbers_and_names_blocks_as_in_the_whole) {
  SceneRun many(GetParam().text, GetParam().form, PETSC_COMM_WORLD, 1);
  const SceneRun one(GetParam().text, GetParam().form, PETSC_COMM_SELF, SceneRun::whole);
  const int ranks = rank_count();
  if (ranks > 1) {
    const auto all = static_cast<double>(one.model.blocks.size());
    EXPECT_LE(static_cast<double>(many.model.blocks.size()), all * (1.0 / ranks + 0.2));
  }
  ASSERT_EQ(many.model.entities.size(), one.model.entities.size());
  for (std::size_t e = 0; e < one.model.entities.size(); ++e)
    ASSERT_EQ(many.model.entities[e].name, one.model.entities[e].name);
  for (const BlockId id : many.model.blocks.ids()) {
    EXPECT_EQ(many.model.block(id).name, one.model.block(id).name);
    const BlockRoot &a = many.layout->root(id), &b = one.layout->root(id);
    EXPECT_EQ(a.root, b.root);
    EXPECT_EQ(a.fixed, b.fixed);
    ASSERT_EQ(a.Q == nullptr, b.Q == nullptr);
    if (a.Q != nullptr) {
      EXPECT_TRUE(a.Q->isApprox(*b.Q, 1e-15));
    }
  }
  const Identification &found = many.layout->identification(), &expected = one.layout->identification();
  ASSERT_EQ(found.total(), expected.total());
  for (const IdentifiedBlocks& s : found.blocks()) {
    const IdentifiedBlocks& same = expected.blocks().at(static_cast<std::size_t>(s.number));
    EXPECT_EQ(s.entity, same.entity);
    EXPECT_EQ(s.a, same.a);
    EXPECT_EQ(s.b, same.b);
    EXPECT_EQ(s.rotation, same.rotation);
    EXPECT_EQ(s.multiplier, same.multiplier);
  }
  // Every instance is evaluated once.
  PetscInt instances = many.layout->own_partition().instances;
  MPI_Allreduce(MPI_IN_PLACE, &instances, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  EXPECT_EQ(instances, one.layout->own_partition().instances);
}

/// Rods on spherical joints, with elements that act on all rods, on one of them, or between two.
const std::string chain = R"(trammel: 1
parameters: {N: 60}
functions:
  swing: 400*sin(20*t)
bodies:
  rod.(i): {for: {i: 1..N}, type: rigid_body, mass: 1, inertia: [0.01, 1/12, 1/12], position: [i - 0.5, 0, 0],
            markers: {start: {at: [-0.5, 0, 0]}, end: {at: [0.5, 0, 0]}}}
markers:
  above: {on: rod.31, at: [0, 0.2, 0]}
joints:
  pin.1: {type: spherical, between: [ground, rod.1.start]}
  pin.(i): {for: {i: 2..N}, type: spherical, between: [rod.(i-1).end, rod.(i).start]}
elements:
  tie.(i): {for: {i: 3..N}, type: spring, between: [rod.(i-2), rod.(i)], stiffness: 20, rest_length: 2}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
  side: {type: force, on: above, force: [0, 0, swing]}
sensors:
  first: {type: motion, of: rod.1.end}
  near: {type: motion, of: rod.31.end}
  held: {type: reaction, of: pin.1}
  middle: {type: outputs, of: tie.33}
  total: {type: energy}
  one: {type: energy, of: rod.7}
stages: []
)";

/// Beams that share the blocks of their ends, in loops.
const std::string lattice = R"(trammel: 1
parameters: {n: 6, l: 0.5}
materials:
  rubber: {E: 1e8, nu: 0.3, rho: 1000}
sections:
  tube: {shape: {type: tube, radius: 0.02, wall: 0.002}, material: rubber}
bodies:
  along.(i).(j):
    {for: {i: 1..n, j: 0..n}, type: beam, section: tube, from: [l*(i - 1), l*j, 0], to: [l*i, l*j, 0], elements: 2}
  across.(i).(j):
    {for: {i: 1..n, j: 1..n}, type: beam, section: tube, from: [l*i, l*(j - 1), 0], to: [l*i, l*j, 0], elements: 2}
joints:
  clamp.(j): {for: {j: 0..n}, type: fixed, between: [ground, along.1.(j).start]}
  next.(i).(j): {for: {i: 2..n, j: 0..n}, type: fixed, between: [along.(i-1).(j).end, along.(i).(j).start]}
  left.(i).(j): {for: {i: 1..n, j: 1..n}, type: fixed, between: [along.(i).(j).end, across.(i).(j).end]}
  right.(i).(j): {for: {i: 1..n, j: 1..n}, type: fixed, between: [along.(i).(j-1).end, across.(i).(j).start]}
loads:
  weight: {type: gravity, acceleration: [0, 1, -9.81]}
sensors:
  corner: {type: motion, of: along.6.0.end}
  clamp_forces: {type: reaction, of: clamp.0}
  inside: {type: reaction, of: left.3.3}
  across: {type: reaction, of: next.4.2}
  total: {type: energy}
stages: []
)";

/// Hinges with elements on their angles: springs, a motion, gears, a drive that reads another angle, and a joint
/// that
/// is released.
const std::string hinges = R"(trammel: 1
parameters: {N: 60}
bodies:
  rod.(i): {for: {i: 1..N}, type: rigid_body, mass: 1, inertia: [0.01, 1/12, 1/12], position: [i - 0.5, 0, 0],
            markers: {start: {at: [-0.5, 0, 0]}, end: {at: [0.5, 0, 0]}}}
  bob: {type: rigid_body, mass: 0.3, inertia: [0.01, 0.01, 0.01], position: [N, 0, 0]}
joints:
  hinge.1: {type: revolute, between: [ground, rod.1.start], axis: [0, 0, 1], motion: {angle: 0.1*sin(5*t)}}
  hinge.(i): {for: {i: 2..N}, type: revolute, between: [rod.(i-1).end, rod.(i).start], axis: [0, 0, 1],
              spring: {angle: 40}, damper: {angle: 0.1*i}, actuator: {angle: -2*hinge.30.angle}}
  gear: {type: coupling, terms: {hinge.20.angle: 1, hinge.40.angle: -1.5}}
  gear2: {type: coupling, terms: {hinge.40.angle: 1, hinge.55.angle: 1}}
  hook: {type: fixed, between: [rod.60.end, bob], share: no, active: {until: 0.1}}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
  push: {type: force, on: rod.45.end, force: [0, 300*sin(30*t), 0]}
  pull: {type: force, on: rod.58.end, force: [0, 100*sin(20*t), 0]}
sensors:
  first: {type: reaction, of: hinge.1}
  angle: {type: signal, of: hinge.45.angle}
  last: {type: motion, of: rod.60.end}
  bob: {type: motion, of: bob}
  gear: {type: outputs, of: gear}
  total: {type: energy}
stages: []
)";

/// Cantilevers tied to each other, with two sliders on each: they know of one another, and their beam of them.
const std::string sliders = R"(trammel: 1
parameters: {N: 50}
sections:
  rod: {stiffness: {EA: 2e4, GA: [1e4, 1e4], GJ: 20, EI: [20, 20]}, mass: {rhoA: 0.5, J: [2e-3, 1e-3, 1e-3]}}
bodies:
  rod.(i): {for: {i: 1..N}, type: beam, section: rod, from: [0, 0, i], to: [2, 0, i], elements: 4}
  bead.(i): {for: {i: 1..N}, type: point_mass, mass: 0.3, position: [0.3, 0, i], velocity: [3, 0, 0]}
  tube.(i): {for: {i: 1..N}, type: rigid_body, mass: 0.3, inertia: [0.01, 0.01, 0.01], position: [1.3, 0, i],
             velocity: [0.02*i, 0, 0]}
joints:
  clamp.(i): {for: {i: 1..N}, type: fixed, between: [ground, rod.(i).start]}
  slide.(i): {for: {i: 1..N}, type: beam_sliding, beam: rod.(i), slider: bead.(i)}
  sleeve.(i): {for: {i: 1..N}, type: beam_sliding, beam: rod.(i), slider: tube.(i), contact: cylindrical}
elements:
  tie.(i): {for: {i: 2..N}, type: spring, between: [rod.(i-1).end, rod.(i).end], stiffness: 20, rest_length: 1}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 2]}
sensors:
  slide: {type: outputs, of: slide.25}
  tip: {type: motion, of: rod.26.end}
  tube: {type: motion, of: tube.24}
  weight: {type: energy, of: weight}
  root: {type: reaction, of: clamp.1}
  total: {type: energy}
stages: []
)";

/// Loads and drives that read sensors of things far away, some of them through a function of the case.
const std::string readers = R"(trammel: 1
parameters: {N: 60}
functions:
  seen: 30*gap.distance - 140
  fed_back: 15*gap.distance - 65 - 2*tip_angle.value
bodies:
  rod.(i): {for: {i: 1..N}, type: rigid_body, mass: 1, inertia: [0.01, 1/12, 1/12], position: [i - 0.5, 0, 0],
            markers: {start: {at: [-0.5, 0, 0]}, end: {at: [0.5, 0, 0]}}}
joints:
  hinge.1: {type: revolute, between: [ground, rod.1.start], axis: [0, 0, 1]}
  hinge.(i): {for: {i: 2..N}, type: revolute, between: [rod.(i-1).end, rod.(i).start], axis: [0, 0, 1],
              spring: {angle: 40}, actuator: {angle: 0.1*drive.value}}
loads:
  weight: {type: gravity, acceleration: [0, -9.81, 0]}
  near: {type: force, on: rod.3.end, force: [0, fed_back, 0]}
  far: {type: force, on: rod.58.end, force: [seen, 100*near_angle.value, 0]}
sensors:
  drive: {type: function, value: near_angle.value + tip_angle.value}
  gap: {type: distance, between: [ground, rod.5.end]}
  near_angle: {type: function, value: 2*hinge.2.angle}
  tip_angle: {type: function, value: hinge.3.angle}
  first: {type: reaction, of: hinge.1}
  tip: {type: motion, of: rod.60.end}
  total: {type: energy}
stages: []
)";

INSTANTIATE_TEST_SUITE_P(Cases, ExpandedByPartition,
                         ::testing::Values(PartitionedCase{"chain", chain},
                                           PartitionedCase{"lattice", lattice},
                                           PartitionedCase{"lattice_of_index2", lattice, Form::index2},
                                           PartitionedCase{"hinges", hinges},
                                           PartitionedCase{"hinges_of_index2", hinges, Form::index2},
                                           PartitionedCase{"readers", readers},
                                           PartitionedCase{"sliders", sliders}),
                         [](const auto& which) { return which.param.name; });

TEST(ExpandingByPartition, names_the_entity_at_fault_on_all_ranks) {
  std::string text = chain;
  const std::string before = "between: [rod.(i-1).end, rod.(i).start]";
  text.replace(text.find(before), before.size(), "between: [rod.(i-1).end, \"rod.(i + (i > 59)).start\"]");
  try {
    SceneRun run(text, Form::index3, PETSC_COMM_WORLD, 1);
    FAIL() << "rod.61 does not exist";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("joint 'pin.60' (spherical): marker 'rod.61.start' not found"),
              std::string::npos)
        << e.what();
  }
}

TEST(ExpandingByPartition, names_signals_of_each_other_on_all_ranks) {
  std::string text = readers;
  const std::string before = "2*hinge.2.angle";
  text.replace(text.find(before), before.size(), "drive.value");
  try {
    SceneRun run(text, Form::index3, PETSC_COMM_WORLD, 1);
    FAIL() << "'drive' and 'near_angle' read each other";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("a signal that depends on itself: "), std::string::npos) << e.what();
  }
}

TEST(ExpandingByPartition, leaves_one_long_beam_to_the_partition_of_its_nodes) {
  const SceneRun run(testing::bead_scene("bead", Form::index3).text(), Form::index3, PETSC_COMM_WORLD, 1);
  EXPECT_TRUE(run.model.partition.whole());
}

}  // namespace
}  // namespace trammel
