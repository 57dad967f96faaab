#pragma once

#include <filesystem>
#include <string>

#include "kernel/assembler.hpp"
#include "kernel/model_builder.hpp"
#include "trammel/lie.hpp"

// A line of bodies that draw and report, for the tests of recorders. None of them is a plugin.
namespace trammel::testing {

/// A body that draws a line with two fields, a box, a force where it is an even one, and a joint.
struct DrawnBody {
  int number = 0;
  double mass = 1;

  void evaluate(const LocalState& x, LocalSystem& out) const {
    out.residual().head<3>() = mass * x.acceleration(0);
    out.residual().tail<3>() = x.acceleration(1);
    if (out.request.tangent) out.M().diagonal() << mass, mass, mass, 1, 1, 1;
  }
  Energy energy(const LocalState& x) const {
    return {.kinetic = 0.5 * mass * x.velocity(0).squaredNorm(),
            .strain = 0.25 * number,
            .potential = -1.0,
            .dissipated_power = 0.5};
  }
  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    sink.vector("position", "m", x.position(0));
    sink.scalar("number", "", number);
    sink.scalar("third", "rad", x.time() / 3);
  }
  void draw(const LocalState& x, const ReactionContributions&, Canvas& canvas) const {
    const Vec3 p = x.position(0);
    const std::array<Vec3, 3> line{p, p + Vec3(0.4, 0, 0), p + Vec3(0.8, 0.1, 0)};
    canvas.polyline(Canvas::Layer::curves, line);
    const std::array<double, 3> arc{0, 0.4, 0.8};
    canvas.field("arc", arc, 1);
    if (number % 2 == 1) {  // a field that only some parts have
      const std::array<double, 9> strain{1, 2, 3, 4, 5, 6, 7, 8, 9.0 + number};
      canvas.field("strain", strain, 3);
    }
    canvas.box(Canvas::Layer::bodies, x.rotation(1), p, Vec3(0.3, 0.2, 0.1));
    if (number % 2 == 0) {
      canvas.points(Canvas::Layer::forces, {&p, 1});
      const Vec3 force(0, 0, 10.0 * (number + 1)), moment(0, 2, 0);
      canvas.field("force", {force.data(), 3}, 3);
      canvas.field("moment", {moment.data(), 3}, 3);
    }
    if (x.time() > 0.45) canvas.points(Canvas::Layer::joints, {&p, 1});  // a layer that comes later
  }
};

/// A sensor with an instance of its own.
struct Probe {
  void evaluate(const LocalState&, LocalSystem&) const {}
  void outputs(const LocalState& x, const ReactionContributions&, OutputSink& sink) const {
    sink.vector("velocity", "m/s", x.velocity(0));
  }
};

inline int begin_entity(ModelBuilder& builder, const std::string& name, Type::Category category) {
  static std::map<Type::Category, Type> types;
  Type& type = types[category];
  type.name = "plain";
  type.category = category;
  type.plugin = "test";
  Entity entity;
  entity.name = name;
  return builder.begin(entity, type);
}

/// N bodies "body0", "body1", ... one metre apart along x, body i at (i, 0.1 i, 0) with velocity (0, i, 0).
inline std::vector<Frame> line_of_bodies(Model& model, int n) {
  ModelBuilder builder(model);
  std::vector<Frame> frames;
  for (int i = 0; i < n; ++i) {
    begin_entity(builder, "body" + std::to_string(i), Type::Category::body);
    frames.push_back(
        builder.add_frame("", so3::exp(Vec3(0, 0, 0.1 * i)), Vec3(i, 0.1 * i, 0), Vec3(0, i, 0)));
    builder.add(DrawnBody{i, 1.0 + i}, {frames.back().position, frames.back().rotation});
  }
  return frames;
}

/// A folder of this test's own, the same on all ranks, made empty by rank 0.
inline std::filesystem::path fresh_folder(const std::string& name) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("trammel_" + name + "_" + std::to_string(ranks));
  if (rank == 0) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  MPI_Barrier(PETSC_COMM_WORLD);
  return folder;
}

}  // namespace trammel::testing
