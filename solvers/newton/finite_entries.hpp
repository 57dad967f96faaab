#pragma once

#include <petscmat.h>

#include <span>

namespace trammel {

/// Whether all entries of this rank's rows are finite numbers.
bool has_finite_entries(Mat A);
/// The same of these rows alone.
bool has_finite_rows(Mat A, std::span<const int> rows);

}  // namespace trammel
