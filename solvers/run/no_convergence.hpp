#pragma once

#include "trammel/error.hpp"

namespace trammel {

/// The run ends because Newton's method did not converge, even with the shortest step. The same on every rank.
class NoConvergence : public Error {
 public:
  using Error::Error;
};

}  // namespace trammel
