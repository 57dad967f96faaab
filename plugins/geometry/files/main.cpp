#include "curve_file.hpp"

// What the plugin finds in this library by name.
extern "C" __attribute__((visibility("default"))) trammel::Curve* trammel_read_curve_file(
    const std::string& path, const std::vector<std::string>& names) {
  return trammel::geometry::read_curve_file(path, names).release();
}
