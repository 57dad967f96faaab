#pragma once

namespace trammel {

/// From here on this thread, and those that it starts, compute with zero in place of subnormal numbers (below 2.2e-308), where the
/// processor can do so. Influences that decay along a long chain of bodies end in such numbers, and each of them costs a
/// processor a hundred times an ordinary one.
void flush_subnormals();

}  // namespace trammel
