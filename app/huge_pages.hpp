#pragma once

namespace trammel {

/// Lets the heap lie in huge pages where Linux gives them and addresses are not limited; to be called before much is
/// allocated. Then a large model takes a sixth of the page faults. With GLIBC_TUNABLES set nothing changes: the user has
/// decided.
void use_huge_pages();

}  // namespace trammel
