#pragma once

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

namespace trammel {

/// A number for messages, ten digits at most: "0.25", "1e-09", "nan".
inline std::string number_text(double x) {
  if (std::isnan(x)) return "nan";  // never "-nan"
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.10g", x);
  return text.data();
}

}  // namespace trammel
