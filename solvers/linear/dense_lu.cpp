#include "solvers/linear/dense_lu.hpp"

namespace trammel {

std::unique_ptr<DenseLu> DenseLu::make() {
#ifdef TRAMMEL_DENSE_LU_AVX2
  if (__builtin_cpu_supports("avx2")) return for_avx2();
#endif
  return for_any();
}

}  // namespace trammel
