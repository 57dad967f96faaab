#include "inertia.hpp"

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

namespace trammel::rigid_body {

void check_inertia(const Mat3& J, const Location& where) {
  const double size = J.cwiseAbs().maxCoeff();
  if (!J.allFinite()) throw Error(where, "the inertia is not finite");
  if (!((J - J.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * size))
    throw Error(where, "the inertia is not symmetric");
  const Vec3 principal = Eigen::SelfAdjointEigenSolver<Mat3>(J, Eigen::EigenvaluesOnly).eigenvalues();
  const auto moments = [&] {
    return fmt::format("its principal moments are {:.6g}, {:.6g}, {:.6g} kg m^2", principal(0), principal(1),
                       principal(2));
  };
  if (!(principal(0) > 0)) throw Error(where, "the inertia is not positive definite: " + moments());
  // A flat body has equality: the rounding of numbers as written is allowed.
  if (!(principal(2) <= (principal(0) + principal(1)) * (1 + 1e-6)))
    throw Error(where,
                "no body has this inertia: " + moments() + ", and the largest exceeds the sum of the others");
}

Mat3 read_inertia(const Parameters& in, std::string_view name) {
  const Value& value = *in.value(name);
  const bool rows = value.is_sequence() && value.items.size() == 3 && value.items.front().is_sequence();
  Mat3 J;
  if (rows) {
    J = in.matrix(name, 3, 3);
  } else {
    if (!value.is_sequence() || value.items.size() != 3)
      throw Error(value.where, "'" + std::string(name) + "' must be [Jxx, Jyy, Jzz] or three rows, found " +
                                   value.described());
    J = in.vector3(value).asDiagonal();
  }
  check_inertia(J, value.where);
  return 0.5 * (J + J.transpose());
}

}  // namespace trammel::rigid_body
