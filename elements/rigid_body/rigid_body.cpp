#include "body.hpp"
#include "trammel/builder.hpp"
#include "trammel/plugin.hpp"

namespace trammel::rigid_body {
namespace {

using Kind = Parameter::Kind;

std::vector<Parameter> parameters() {
  return {
      Parameter::make(Kind::real, "mass", "kg", "mass").positive().must(),
      Parameter::make(Kind::any, "inertia", "kg m^2",
                      "about the centre of mass, in body axes: [Jxx, Jyy, Jzz] or three rows")
          .such_as("[1, 1, 1]")
          .must(),
      Parameter::make(Kind::vector3, "centre", "m",
                      "centre of mass from the origin of the body frame, in body axes")
          .defaults("[0, 0, 0]"),
      Parameter::make(Kind::vector3, "position", "m", "origin of the body frame at the start, in the world")
          .defaults("[0, 0, 0]"),
      Parameter::make(Kind::rotation, "rotation", "", "from world axes to body axes at the start")
          .defaults("[1, 0, 0, 0]"),
      Parameter::make(Kind::vector3, "velocity", "m/s",
                      "of the origin of the body frame at the start, in world axes")
          .defaults("[0, 0, 0]"),
      Parameter::make(Kind::vector3, "angular_velocity", "rad/s", "at the start, in body axes")
          .defaults("[0, 0, 0]"),
      Parameter::make(Kind::map, "markers", "",
                      "named frames in the body: name: {at: [x, y, z], rotation: ...}"),
      Parameter::make(Kind::any, "shape", "",
                      "how it is drawn: {type: box | cylinder | sphere | rod | stl, ...} or a list of these")
          .with(shape_parameters()),
  };
}

void offer_markers(const Parameters& in, const Frame& frame, const Vec3& centre, Builder& builder) {
  builder.offer_marker("", Marker::on_frame(frame));
  bool centre_is_named = false;
  if (in.has("markers")) {
    static const std::vector<Parameter> known{
        Parameter::make(Kind::vector3, "at", "m", "origin of the marker, in body axes").defaults("[0, 0, 0]"),
        Parameter::make(Kind::rotation, "rotation", "", "rotation from the body axes")
            .defaults("[1, 0, 0, 0]")};
    for (const Value::Entry& entry : in.value("markers")->entries) {
      const Parameters marker = in.map(entry.value, known);
      builder.offer_marker(entry.key,
                           Marker::on_frame(frame, marker.rotation("rotation"), marker.vector3("at")));
      centre_is_named = centre_is_named || entry.key == "centre";
    }
  }
  if (!centre_is_named) builder.offer_marker("centre", Marker::on_frame(frame, Mat3::Identity(), centre));
}

/// Bodies that are built one after the other share equal shapes.
std::shared_ptr<const Solids> shared_solids(Solids solids) {
  thread_local std::shared_ptr<const Solids> last;
  if (!last || !(*last == solids)) last = std::make_shared<const Solids>(std::move(solids));
  return last;
}

void build(const Parameters& in, Builder& builder) {
  Inertia inertia;
  inertia.mass = in.real("mass");
  inertia.centre = in.vector3("centre");
  inertia.J_centre = read_inertia(in, "inertia");
  const Frame frame = builder.add_frame("", in.rotation("rotation"), in.vector3("position"),
                                        in.vector3("velocity"), in.vector3("angular_velocity"));
  offer_markers(in, frame, inertia.centre, builder);
  builder.offer_mass(Marker::on_frame(frame, Mat3::Identity(), inertia.centre), inertia.mass);
  const auto solids = shared_solids(read_solids(in, "shape"));
  const std::vector<BlockId> stencil{frame.position, frame.rotation};
  if (inertia.centre.isZero(0))
    builder.add(CentredBody(inertia, solids), stencil);
  else
    builder.add(OffsetBody(inertia, solids), stencil);
}

}  // namespace
}  // namespace trammel::rigid_body

TRAMMEL_PLUGIN("rigid_body", "0.1") {
  registry.add({.name = "rigid_body",
                .category = trammel::Type::Category::body,
                .summary = "a rigid body with mass and inertia",
                .parameters = trammel::rigid_body::parameters(),
                .build = trammel::rigid_body::build,
                .plugin = {},
                .library = {}});
}
