// Drift of constraints, and order of convergence in time, of every form of the equations of motion, as Markdown.
//
//   drift NAME CASE.yaml H UNTIL        largest violation of C, B v + C_t and B v' + bias over a run
//   drift --order NAME CASE.yaml H UNTIL   errors of positions, velocities, multipliers with h, h/2, h/4

#include <petscsys.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/case/case_file.hpp"
#include "kernel/loader.hpp"
#include "solvers/linear/petsc_owned.hpp"
#include "solvers/run/simulation.hpp"

namespace {

using namespace trammel;

struct Way {
  const char* name;
  DynamicStage::Form form;
  bool projection;
};

constexpr Way ways[] = {{"index 3", DynamicStage::Form::index3, true},
                        {"index 3, projected", DynamicStage::Form::projected, true},
                        {"index 2, stabilized", DynamicStage::Form::index2, true},
                        {"index 1, projected", DynamicStage::Form::index1, true},
                        {"index 1, not projected", DynamicStage::Form::index1, false}};

/// A case with its equations.
struct System {
  System(const Registry& registry, const std::string& path) : file(path) {
    file.build(registry, model);
    // Every joint has its equations.
    layout = std::make_unique<Layout>(PETSC_COMM_SELF, model, LayoutOptions{.identify = false});
    assembler = std::make_unique<Assembler>(model, *layout);
  }
  CaseFile file;
  Model model;
  std::unique_ptr<Layout> layout;
  std::unique_ptr<Assembler> assembler;
};

double largest_violation(Assembler& assembler, const State& state, ConstraintLevel level) {
  const OwnedVec r(assembler.layout().create_vector());
  if (!assembler.residual(state, level, r.get())) return HUGE_VAL;
  const PetscScalar* rows = nullptr;
  double largest = 0;
  TRAMMEL_PETSC(VecGetArrayRead(r.get(), &rows));
  for (const UnknownBlock& u : assembler.layout().unknowns())
    if (u.kind == BlockKind::multiplier)
      for (int k = 0; k < u.size; ++k) largest = std::max(largest, std::abs(rows[u.local + k]));
  TRAMMEL_PETSC(VecRestoreArrayRead(r.get(), &rows));
  return largest;
}

/// The largest violations of all steps.
class Watch final : public Monitor {
 public:
  explicit Watch(Assembler& assembler) : assembler_(assembler) {}
  void accepted(const StepReport& report, const State& state) override {
    static constexpr ConstraintLevel levels[] = {ConstraintLevel::position, ConstraintLevel::velocity,
                                                 ConstraintLevel::acceleration};
    for (std::size_t i = 0; i < 3; ++i)
      largest[i] = std::max(largest[i], largest_violation(assembler_, state, levels[i]));
    iterations += report.iterations;
  }
  std::array<double, 3> largest{};
  int iterations = 0;

 private:
  Assembler& assembler_;
};

DynamicStage motion(const Way& way, double h, double until) {
  DynamicStage stage;
  stage.form = way.form;
  stage.projection = way.projection;
  stage.step = h;
  stage.until = until;
  stage.newton.tolerance = 1e-11;
  return stage;
}

void drift(const Registry& registry, const std::string& name, const std::string& path, double h,
           double until) {
  for (const Way& way : ways) {
    System system(registry, path);
    Simulation run(*system.assembler);
    Watch watch(*system.assembler);
    run.add(watch);
    const Stage stages[] = {{"", motion(way, h, until)}};
    run.run(stages);
    const auto steps = static_cast<double>(run.summary().timings.steps);
    std::printf("| %s | %s | %.1e | %.1e | %.1e | %.1e | %.1f |\n", name.c_str(), way.name, watch.largest[0],
                watch.largest[1], watch.largest[2], run.summary().largest_gain, watch.iterations / steps);
    std::fflush(stdout);
  }
}

/// Largest differences of positions, velocities and multipliers at the times of the coarsest run.
class Samples final : public Monitor {
 public:
  Samples(const Layout& layout, double spacing) : layout_(layout), spacing_(spacing) {}
  void accepted(const StepReport&, const State& state) override {
    const double n = state.time / spacing_;
    if (std::abs(n - std::round(n)) < 1e-6) states.push_back(state);
  }
  std::array<double, 3> difference(const Samples& exact) const {
    std::array<double, 3> largest{};
    for (std::size_t i = 0; i < states.size(); ++i)
      for (const UnknownBlock& u : layout_.unknowns())
        for (int k = 0; k < u.size; ++k) {
          const auto value = static_cast<std::size_t>(u.offset.value + k),
                     dof = static_cast<std::size_t>(u.offset.dof + k);
          const State &a = states[i], &b = exact.states.at(i);
          const auto put = [&](std::size_t field, double d) {
            largest[field] = std::max(largest[field], std::abs(d));
          };
          if (u.kind == BlockKind::multiplier) put(2, a.value[value] - b.value[value]);
          if (!is_kinematic(u.kind)) continue;
          put(0, a.value[value] - b.value[value]);
          put(1, a.rate[dof] - b.rate[dof]);
        }
    return largest;
  }
  std::vector<State> states;

 private:
  const Layout& layout_;
  double spacing_;
};

void order(const Registry& registry, const std::string& name, const std::string& path, double h,
           double until) {
  constexpr int finest = 64;
  for (const Way& way : ways) {
    std::array<std::array<double, 3>, 3> errors{};
    System system(registry, path);
    const auto run = [&](int parts) {
      System own(registry, path);
      Simulation simulation(*own.assembler);
      Samples samples(*system.layout, h);
      simulation.add(samples);
      const Stage stages[] = {{"", motion(way, h / parts, until)}};
      simulation.run(stages);
      return samples;
    };
    const Samples exact = run(finest);
    for (int k = 0; k < 3; ++k) errors[static_cast<std::size_t>(k)] = run(1 << k).difference(exact);
    std::printf("| %s | %s |", name.c_str(), way.name);
    for (std::size_t field = 0; field < 3; ++field)
      std::printf(" %.1e, %.1e, %.1e | %.2f |", errors[0][field], errors[1][field], errors[2][field],
                  std::log2(errors[1][field] / errors[2][field]));
    std::printf("\n");
    std::fflush(stdout);
  }
}

int run(int argc, char** argv) {
  const bool orders = argc > 1 && std::string_view(argv[1]) == "--order";
  const int first = orders ? 2 : 1;
  if (argc != first + 4) {
    std::fprintf(stderr, "usage: drift [--order] NAME CASE.yaml H UNTIL\n");
    return 2;
  }
  Registry registry;
  Loader loader(registry);
  loader.load_folder(TRAMMEL_PLUGIN_DIR);
  const double h = std::atof(argv[first + 2]), until = std::atof(argv[first + 3]);
  (orders ? order : drift)(registry, argv[first], argv[first + 1], h, until);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int none = 1;
  char** arguments = argv;
  if (PetscInitialize(&none, &arguments, nullptr, nullptr) != 0) return 1;
  int status = 1;
  try {
    status = run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "drift: %s\n", error.what());
  }
  PetscFinalize();
  return status;
}
