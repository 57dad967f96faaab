#include "face_type.hpp"

#include <fmt/format.h>

#include "drawn_faces.hpp"
#include "files/answer.hpp"
#include "named_in_file.hpp"
#include "reader_process.hpp"
#include "trammel/plugin.hpp"

namespace trammel::geometry {

namespace {

std::string range(const SurfaceRange& r) {
  return fmt::format("from {:.6g} to {:.6g}{}", r.first, r.last, r.periodic ? ", periodic" : "");
}

void build(const Parameters& in, Builder& builder) {
  const Marker marker = builder.marker(in, "on");
  std::shared_ptr<const FaceSurface> surface;
  try {
    surface = load_face_file(file_path(in), {names_in_file(in, "faces", "a face"), in.flag("of_solid")},
                             in.flag("reversed"));
  } catch (const Error& e) {
    if (e.where().line != 0) throw;
    throw Error(in.where("file"), e.what());
  }
  offer_surface(builder, surface, marker, in.where("on"));
  builder.note("shape", [&] { return fmt::format("u {}; v {}", range(surface->u()), range(surface->v())); });
  builder.add(DrawnFaces(*surface, marker), marker.blocks());
}

}  // namespace

std::string face_reader() { return reader_beside_plugins("face_files"); }

std::shared_ptr<const FaceSurface> load_face_file(const std::string& path, const FacesWanted& wanted,
                                                  bool reversed, const std::string& reader) {
  std::vector<std::string> arguments{path, wanted.of_solid ? "of_solid" : "any"};
  arguments.insert(arguments.end(), wanted.names.begin(), wanted.names.end());
  return std::make_shared<const FaceSurface>(
      faces_from_bytes(read_by_process(reader, arguments, answer_faces)), reversed);
}

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
