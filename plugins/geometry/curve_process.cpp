#include "curve_process.hpp"

#include "files/answer.hpp"
#include "nurbs_bytes.hpp"
#include "reader_process.hpp"

namespace trammel::geometry {

std::string curve_reader() { return beside_plugins("curve_files"); }

NurbsDefinition load_curve_file(const std::string& path, const std::vector<std::string>& names,
                                const std::string& reader) {
  std::vector<std::string> arguments{path};
  arguments.insert(arguments.end(), names.begin(), names.end());
  return from_bytes(read_by_process(reader, arguments, answer_curve));
}

}  // namespace trammel::geometry
