#include "kernel/model.hpp"

namespace trammel {

int Model::dofs(std::span<const BlockId> stencil) const {
  int n = 0;
  for (const BlockId id : stencil) n += block(id).size;
  return n;
}

}  // namespace trammel
