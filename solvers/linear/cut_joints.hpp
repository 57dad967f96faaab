#pragma once

#include <petscsystypes.h>

#include <span>
#include <vector>

namespace trammel {

/// The row of a multiplier that is coupled to other ranks, and its columns.
struct CutRow {
  PetscInt row = 0;
  std::vector<PetscInt> own;    ///< of the row's rank
  std::vector<PetscInt> other;  ///< of other ranks
};

/// Of a rank's `rows`, in order, those that are not in `cover` (ascending), and are of a joint that has a row there.
///
/// Two rows are of one joint if they have a column of another rank in common, and of their own rank one that is not in the cover:
/// joints of one body have other bodies of their own. Without such columns on their own rank they need one that is not in the cover on another.
std::vector<PetscInt> rest_of_cut_joints(std::span<const CutRow> rows, std::span<const PetscInt> cover);

}  // namespace trammel
