#pragma once

namespace trammel::geometry {

// The first byte that `curve_files` writes.
inline constexpr char answer_curve = 'c';    ///< the spline follows (nurbs_bytes.hpp)
inline constexpr char answer_refused = 'e';  ///< a message follows

}  // namespace trammel::geometry
