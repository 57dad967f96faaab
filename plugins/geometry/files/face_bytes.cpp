#include <cstring>
#include <sstream>

#include <BRep_Builder.hxx>
#include <BinTools.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Compound.hxx>
#include <TopoDS_Iterator.hxx>

#include "../shapes/occt_curve.hpp"
#include "face_file.hpp"
#include "trammel/error.hpp"

namespace trammel::geometry {

// The number of faces, each name with its length before it, and the faces as Open CASCADE writes them.

std::string to_bytes(const std::vector<NamedFace>& faces) {
  std::string bytes;
  const auto put = [&bytes](std::size_t n) { bytes.append(reinterpret_cast<const char*>(&n), sizeof n); };
  TopoDS_Compound all;
  BRep_Builder builder;
  builder.MakeCompound(all);
  put(faces.size());
  for (const NamedFace& face : faces) {
    put(face.name.size());
    bytes += face.name;
    builder.Add(all, face.face);
  }
  std::ostringstream shapes;
  BinTools::Write(all, shapes);
  return bytes + shapes.str();
}

std::vector<NamedFace> faces_from_bytes(std::string_view bytes) {
  const auto take = [&bytes](std::size_t size) {
    if (bytes.size() < size) throw Error("the faces are incomplete");
    const std::string_view taken = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return taken;
  };
  const auto number = [&take] {
    std::size_t n = 0;
    std::memcpy(&n, take(sizeof n).data(), sizeof n);
    return n;
  };
  std::vector<NamedFace> faces;
  for (std::size_t n = number(); n > 0; --n) faces.push_back({std::string(take(number())), {}});
  return guarded("the faces are incomplete", [&] {
    std::istringstream text{std::string(bytes)};
    TopoDS_Shape all;
    BinTools::Read(all, text);
    std::size_t next = 0;
    if (!all.IsNull())
      for (TopoDS_Iterator i(all); i.More() && next < faces.size(); i.Next())
        faces[next++].face = TopoDS::Face(i.Value());
    if (next < faces.size()) throw Error("the faces are incomplete");
    return faces;
  });
}

}  // namespace trammel::geometry
