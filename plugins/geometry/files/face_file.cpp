#include "face_file.hpp"

#include <algorithm>

#include <BRepMesh_IncrementalMesh.hxx>
#include <BRep_Tool.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <STEPControl_Reader.hxx>
#include <TopExp.hxx>
#include <TopTools_IndexedDataMapOfShapeListOfShape.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Edge.hxx>
#include <TopoDS_Shell.hxx>
#include <XSControl_TransferReader.hxx>
#include <XSControl_WorkSession.hxx>

#include <fmt/format.h>

#include "../shapes/occt_curve.hpp"
#include "exchange_file.hpp"
#include "trammel/nearest_name.hpp"

namespace trammel::geometry {

namespace {

constexpr std::size_t most_of_name = 40, most_of_list = 160;  // characters that a message repeats
constexpr double sag = 1e-3, turn_of_a_piece = 0.05;  // of triangles: by the size of their edges; [rad]

using Ancestors = TopTools_IndexedDataMapOfShapeListOfShape;

struct FacesOfFile {
  std::vector<NamedFace> faces;
  Ancestors shells;  ///< of each face
};

FacesOfFile faces_of(STEPControl_Reader& reader) {
  reader.TransferRoots();
  const TopoDS_Shape all = reader.OneShape();
  FacesOfFile found;
  if (all.IsNull()) return found;
  TopTools_IndexedMapOfShape shapes;
  TopExp::MapShapes(all, TopAbs_FACE, shapes);
  for (int i = 1; i <= shapes.Extent(); ++i) {
    const auto& process = *reader.WS()->TransferReader();
    Handle(Standard_Transient) entity = process.EntityFromShapeResult(shapes(i), 1);
    if (entity.IsNull()) entity = process.EntityFromShapeResult(shapes(i), 3);
    found.faces.push_back({name_of(entity), TopoDS::Face(shapes(i))});
  }
  TopExp::MapShapesAndAncestors(all, TopAbs_FACE, TopAbs_SHELL, found.shells);
  return found;
}

std::string listed(const std::vector<NamedFace>& faces) {
  std::string list;
  int unnamed = 0;
  for (const NamedFace& f : faces) {
    if (f.name.empty()) {
      ++unnamed;
    } else if (list.size() > most_of_list) {
      list += ", ...";
      break;
    } else {
      list += (list.empty() ? "" : ", ") + shown(f.name, most_of_name);
    }
  }
  if (list.empty()) return fmt::format("It has {} faces without names", unnamed);
  return "Faces there: " + list +
         (unnamed > 0 ? fmt::format(", and {} without names", unnamed) : std::string());
}

const NamedFace& face_called(const std::string& name, const std::vector<NamedFace>& faces,
                             const std::string& file) {
  const NamedFace* found = nullptr;
  std::vector<std::string> known;
  for (const NamedFace& f : faces) {
    known.push_back(f.name);
    if (f.name != name) continue;
    if (found != nullptr)
      throw Error("'" + file + "' has several faces '" + name + "': give each a name of its own");
    found = &f;
  }
  if (found != nullptr) return *found;
  const std::string near = did_you_mean(name, known);
  throw Error("'" + file + "' has no face '" + name + "'" + (near.empty() ? "." : near) + " " +
              listed(faces));
}

/// Throws Error where the face belongs to no shell that closes: the side of its material is not known then.
void require_solid(const NamedFace& face, const Ancestors& shells, const std::string& file) {
  std::string why = "it belongs to no shell";
  if (const int i = shells.FindIndex(face.face); i > 0 && !shells(i).IsEmpty()) {
    const TopoDS_Shape shell = shells(i).First();
    if (BRep_Tool::IsClosed(shell)) return;
    Ancestors faces;
    TopExp::MapShapesAndAncestors(shell, TopAbs_EDGE, TopAbs_FACE, faces);
    int open = 0;
    gp_Pnt place;
    for (int e = 1; e <= faces.Extent(); ++e) {
      const TopoDS_Edge edge = TopoDS::Edge(faces.FindKey(e));
      if (faces(e).Extent() != 1 || BRep_Tool::Degenerated(edge) ||
          BRep_Tool::IsClosed(edge, TopoDS::Face(faces(e).First())))
        continue;
      double from = 0, to = 0;
      if (const Handle(Geom_Curve) curve = BRep_Tool::Curve(edge, from, to); open++ == 0 && !curve.IsNull())
        place = curve->Value((from + to) / 2);
    }
    why = fmt::format("its shell is open at {} edges, one of them at [{:.6g}, {:.6g}, {:.6g}]", open,
                      place.X(), place.Y(), place.Z());
  }
  throw Error(
      fmt::format("the face '{}' of '{}' bounds no solid: {}. So the side of its material is not known; "
                  "close the solid, or give `of_solid: no`, and `reversed` where the normal is wrong",
                  shown(face.name, most_of_name), file, why));
}

}  // namespace

std::vector<NamedFace> read_face_file(const std::string& path, const FacesWanted& wanted) {
  const auto [file, ending] = required_file(path);
  if (!is_step(ending)) throw Error("'" + file + "': expected a STEP file (.step, .stp, .p21)");
  Message::DefaultMessenger()->ChangePrinters().Clear();
  return guarded("'" + file + "' cannot be read", [&, &file = file] {
    STEPControl_Reader reader;
    read_step_in_metres(reader, path, file);
    const FacesOfFile all = faces_of(reader);
    if (all.faces.empty()) throw Error("'" + file + "' holds no faces");
    std::vector<NamedFace> chosen;
    for (const std::string& name : wanted.names) chosen.push_back(face_called(name, all.faces, file));
    if (wanted.names.empty()) {
      if (all.faces.size() > 1)
        throw Error("'" + file + "' holds more than one face: give 'faces', the names of those wanted. " +
                    listed(all.faces));
      chosen = all.faces;
    }
    for (std::size_t i = 0; i < chosen.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (chosen[i].face.IsSame(chosen[k].face))
          throw Error("the face '" + shown(chosen[i].name, most_of_name) + "' is given twice");
    for (const NamedFace& face : chosen) {
      if (wanted.of_solid) require_solid(face, all.shells, file);
      BRepMesh_IncrementalMesh(face.face, sag, true, turn_of_a_piece);
    }
    return chosen;
  });
}

}  // namespace trammel::geometry
