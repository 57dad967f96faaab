#pragma once

#include <petscsystypes.h>

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace trammel {

/// Vertices that leave no edge between ranks once they are taken away, in order: of two ranks the fewest there are
/// (Konig's theorem), of more the fewest for one pair of ranks after the other. `edges`: pairs of vertices on different ranks;
/// `first_of`: by rank its first vertex, and one past the last. Where as few of one side would do as of the other, those of which more are
/// `preferred` (ascending). Empty where more than `most` are needed.
std::optional<std::vector<PetscInt>> vertex_cover(std::vector<std::pair<PetscInt, PetscInt>> edges,
                                                  std::span<const PetscInt> first_of,
                                                  std::span<const PetscInt> preferred, std::size_t most);

}  // namespace trammel
