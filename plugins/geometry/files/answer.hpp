#pragma once

namespace trammel::geometry {

// The first byte that `curve_files` and `face_files` write.
inline constexpr char answer_curve = 'c';    ///< the spline follows (nurbs_bytes.hpp)
inline constexpr char answer_faces = 'f';    ///< faces follow (face_file.hpp)
inline constexpr char answer_refused = 'e';  ///< a message follows

}  // namespace trammel::geometry
