#include "solvers/linear/dense_lu_eigen.hpp"

namespace trammel {

std::unique_ptr<DenseLu> DenseLu::for_any() { return std::make_unique<EigenLu>(); }

}  // namespace trammel
