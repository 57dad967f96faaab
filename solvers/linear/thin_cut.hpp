#pragma once

#include <vector>

namespace trammel {

/// A few unknowns in the middle of a long thin part of a matrix (by compressed columns, its structure that of A + A^T): without them its halves
/// are not coupled. If they are eliminated last, the part can be eliminated from both ends. Empty where no connected part has most of the
/// unknowns, or where that part is not thin.
std::vector<int> thin_cut(int n, const int* starts, const int* columns);

}  // namespace trammel
