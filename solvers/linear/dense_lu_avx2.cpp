// This file alone is compiled for AVX2, without FMA (see partial_lu.cpp). Eigen has another name here: its functions exist twice in the program, and the linker must
// not take one of these for the other.
#define Eigen Eigen_avx2
#include "solvers/linear/dense_lu_eigen.hpp"

namespace trammel {

std::unique_ptr<DenseLu> DenseLu::for_avx2() { return std::unique_ptr<DenseLu>(new EigenLu); }

}  // namespace trammel
