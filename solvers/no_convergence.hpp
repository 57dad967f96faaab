#pragma once

#include "trammel/error.hpp"

namespace trammel {

/// A run ends because Newton's method did not converge, with the shortest step either. The same on every rank.
class NoConvergence : public Error {
 public:
  using Error::Error;
};

}  // namespace trammel
