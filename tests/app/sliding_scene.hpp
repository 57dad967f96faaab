#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "command.hpp"
#include "histories.hpp"
#include "io/case/case_file.hpp"
#include "io/recorder/csv_histories.hpp"
#include "kernel/loader.hpp"
#include "solvers/run/simulation.hpp"

/// Sliders on a cantilever, run in this process on the ranks of any communicator.
namespace trammel::testing {

/// What is on a cantilever of two metres in twenty elements, `rod`.
struct Scene {
  static constexpr int elements = 20;
  static constexpr double length = 2;
  static constexpr double step = 0.01;

  std::string name;
  std::vector<std::string> sliders;  ///< joints
  std::string bodies, joints, sensors;
  DynamicStage::Form form = DynamicStage::Form::index3;

  std::string text() const {
    return R"(trammel: 1
sections:
  rod: {stiffness: {EA: 2e4, GA: [1e4, 1e4], GJ: 20, EI: [20, 20]}, mass: {rhoA: 0.5, J: [2e-3, 1e-3, 1e-3]}}
bodies:
  rod: {type: beam, section: rod, from: [0, 0, 0], to: [2, 0, 0], elements: 20, bending: linear}
)" + bodies +
           R"(joints:
  clamp: {type: fixed, between: [ground, rod.start]}
)" + joints +
           R"(loads:
  weight: {type: gravity, acceleration: [0, -9.81, 2]}
sensors:
  tip: {type: motion, of: rod.end}
  root: {type: reaction, of: clamp}
  total: {type: energy}
)" + sensors +
           "stages: []\n";
  }
};

inline void PrintTo(const Scene& scene, std::ostream* out) { *out << scene.name; }

inline Scene bead_scene(const std::string& name, DynamicStage::Form form) {
  return {name,
          {"slide"},
          "  bead: {type: point_mass, mass: 0.3, position: [0.25, 0, 0], velocity: [3, 0, 0]}\n",
          "  slide: {type: beam_sliding, beam: rod, slider: bead, reserve: 1}\n",
          "  slide: {type: outputs, of: slide}\n  bead: {type: motion, of: bead}\n",
          form};
}

/// A sleeve that slides from the tip towards the root.
inline Scene sleeve_scene(const std::string& name) {
  return {name,
          {"slide"},
          "  block: {type: rigid_body, mass: 0.3, inertia: [0.01, 0.01, 0.01], position: [1.75, 0, 0],\n"
          "          velocity: [-3, 0, 0]}\n",
          "  slide: {type: beam_sliding, beam: rod, slider: block, contact: prismatic, reserve: 1}\n",
          "  slide: {type: outputs, of: slide}\n  block: {type: motion, of: block}\n"};
}

inline BlockId block_named(const Model& model, const std::string& name) {
  for (const BlockId id : model.blocks.ids())
    if (model.block_name(id) == name) return id;
  throw Error("there is no block '" + name + "'");
}

/// A scene with its model and its partition.
class SceneRun {
 public:
  using Histories = std::map<std::string, Table>;  ///< by file

  /// `more` adds to the model before it is partitioned.
  explicit SceneRun(const Scene& scene, MPI_Comm comm, const std::function<void(Model&)>& more = {})
      : SceneRun(scene.text(), scene.form, comm, whole, more) {}

  /// Runs any case; `partition_from`: entities from which on each rank expands its partition.
  static constexpr int whole = std::numeric_limits<int>::max();
  SceneRun(const std::string& text, DynamicStage::Form form, MPI_Comm comm, int partition_from,
           const std::function<void(Model&)>& more = {})
      : form_(form) {
    workplace_.write("case.yaml", text);
    file_ = std::make_unique<CaseFile>((workplace_ / "case.yaml").string());
    file_->build(plugins(), model, comm, partition_from);
    if (more) more(model);
    layout = std::make_unique<Layout>(comm, model, LayoutOptions{});
    assembler = std::make_unique<Assembler>(model, *layout);
  }

  /// Runs to the instant, with Newton's method to 1e-12; the histories on rank 0. Collective.
  Histories run(double until, const std::vector<Monitor*>& monitors = {}) {
    CsvHistories histories(*assembler, workplace_ / ".");
    Recording recording(histories);
    Simulation simulation(*assembler);
    simulation.add(recording);
    for (Monitor* monitor : monitors) simulation.add(*monitor);
    DynamicStage stage;
    stage.until = until;
    stage.step = Scene::step;
    stage.radius = 0.6;
    stage.form = form_;
    stage.newton.tolerance = 1e-12;
    simulation.run(std::vector{Stage{"", stage}});
    histories.flush();
    Histories tables;
    if (layout->rank() == 0)
      for (const std::filesystem::path& path : histories.files())
        tables[path.filename().string()] = table_of(workplace_.read(path.filename().string()));
    return tables;
  }

  Model model;
  std::unique_ptr<Layout> layout;
  std::unique_ptr<Assembler> assembler;

 private:
  class Recording final : public Monitor {
   public:
    explicit Recording(CsvHistories& histories) : histories_(histories) {}
    void stage_begins(const Stage&, const StepReport&, const State& state) override {
      histories_.record(state);
    }
    void accepted(const StepReport&, const State& state) override { histories_.record(state); }

   private:
    CsvHistories& histories_;
  };

  static const Registry& plugins() {
    static Registry registry;
    static Loader loader(registry);
    if (loader.plugins().empty()) loader.load_defaults();
    return registry;
  }

  DynamicStage::Form form_;
  Workplace workplace_;
  std::unique_ptr<CaseFile> file_;
};

/// "position.x [m]" -> "position", "multipliers.2" -> "multipliers.2".
inline std::string quantity(const std::string& channel) {
  const std::string name = channel.substr(0, channel.find(" ["));
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return name;
  return name.substr(0, dot) +
         (std::isdigit(static_cast<unsigned char>(name[dot + 1])) != 0 ? name.substr(dot, 2) : "");
}

/// The quantity whose range a difference is divided by. Components of a vector share the vector's range, energies
/// share one range since their sum is constant, and a channel that is zero in theory has the range of the terms
/// whose difference it is.
inline std::string yardstick(const std::string& channel) {
  if (channel.find("[J]") != std::string::npos) return "energy";
  const std::string q = quantity(channel);
  return q == "gap" ? "position" : q == "thrust" ? "force" : q;
}

/// Two runs have the same histories, to `part` of each channel's range.
inline void expect_same(const SceneRun::Histories& a, const SceneRun::Histories& b, double part) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [file, one] : a) {
    const Table& other = b.at(file);
    ASSERT_EQ(one.names, other.names) << file;
    ASSERT_EQ(one.rows.size(), other.rows.size()) << file;
    std::map<std::string, double> range;
    for (std::size_t i = 1; i < one.names.size(); ++i) {
      double low = one.rows[0][i], high = low;
      for (const auto& row : one.rows) {
        low = std::min(low, row[i]);
        high = std::max(high, row[i]);
      }
      const std::string& name = one.names[i];
      double& widest = range[name.find("[J]") != std::string::npos ? "energy" : quantity(name)];
      widest = std::max(widest, high - low);
    }
    for (std::size_t i = 1; i < one.names.size(); ++i) {
      double difference = 0;
      for (std::size_t k = 0; k < one.rows.size(); ++k)
        difference = std::max(difference, std::abs(one.rows[k][i] - other.rows[k][i]));
      EXPECT_LE(difference, part * range[yardstick(one.names[i])]) << file << ' ' << one.names[i];
    }
  }
}

}  // namespace trammel::testing
