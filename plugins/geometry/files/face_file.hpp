#pragma once

#include <string>
#include <vector>

#include <TopoDS_Face.hxx>

namespace trammel::geometry {

struct NamedFace {
  std::string name;
  TopoDS_Face face;
};

/// What a case asks of a file.
struct FacesWanted {
  std::vector<std::string> names;  ///< empty: the only face there is
  bool of_solid = false;           ///< each must bound a solid
};

/// Reads faces from a STEP file, in metres, in the order of their names, with triangles for drawing. Faces that share an edge in
/// the file share it here. Throws Error where the file cannot be read, breaks the rules of its format or has shapes without
/// units, a name is not there (lists those there are) or stands for several faces, or a face that is to bound a solid belongs to
/// an open shell. Open CASCADE may crash on a damaged file, so call this in a process of its own (../reader_process.hpp).
std::vector<NamedFace> read_face_file(const std::string& path, const FacesWanted& wanted);

/// Faces as bytes, for another process on the same machine, and back. Throws Error where the bytes are not whole.
std::string to_bytes(const std::vector<NamedFace>& faces);
std::vector<NamedFace> faces_from_bytes(std::string_view bytes);

}  // namespace trammel::geometry
