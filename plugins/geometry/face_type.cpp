#include "face_type.hpp"

#include <fmt/format.h>

#include "drawn_faces.hpp"
#include "files/answer.hpp"
#include "named_in_file.hpp"
#include "reader_process.hpp"
#include "shapes.hpp"

namespace trammel::geometry {

namespace {

std::string range(const SurfaceRange& r) {
  return fmt::format("from {:.6g} to {:.6g}{}", r.first, r.last, r.periodic ? ", periodic" : "");
}

void build(const Parameters& in, Builder& builder) {
  const Marker marker = builder.marker(in, "on");
  std::shared_ptr<const Surface> surface;
  FaceMesh mesh;
  try {
    std::vector<std::string> arguments{file_path(in), in.flag("of_solid") ? "of_solid" : "any"};
    for (std::string& name : names_in_file(in, "faces", "a face")) arguments.push_back(std::move(name));
    surface = shapes().faces(read_by_process(beside_plugins("face_files"), arguments, answer_faces),
                             in.flag("reversed"), mesh);
  } catch (const Error& e) {
    if (e.where().line != 0) throw;
    throw Error(in.where("file"), e.what());
  }
  offer_surface(builder, surface, marker, in.where("on"));
  builder.note("shape", [&] { return fmt::format("u {}; v {}", range(surface->u()), range(surface->v())); });
  builder.add(DrawnFaces(std::move(mesh), marker), marker.blocks());
}

}  // namespace

void add_face_file(Registry& registry) {
  using Kind = Parameter::Kind;
  Type type;
  type.name = "face_file";
  type.category = surface_category;
  type.summary = "trimmed faces of a STEP file, joined over their common edges";
  type.parameters = {
      Parameter::make(Kind::text, "file", "", "its path; a relative one counts from the folder of the case")
          .must(),
      Parameter::make(Kind::any, "faces", "",
                      "name of a face, or a list of neighbours; absent: the only one there is"),
      Parameter::make(Kind::flag, "of_solid", "",
                      "yes: refuses a face whose shell is open, since the side of its material "
                      "is not known")
          .defaults("no"),
      Parameter::make(Kind::marker, "on", "",
                      "marker that the surface is fixed in, and in whose axes it is given")
          .defaults("ground"),
      Parameter::make(Kind::flag, "reversed", "",
                      "yes: the normal, which points out of the material, is turned round")
          .defaults("no")};
  type.build = build;
  registry.add(std::move(type));
}

}  // namespace trammel::geometry
