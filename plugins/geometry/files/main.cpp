// curve_files FILE [EDGE...]: reads a curve from a STEP or IGES file and writes it to standard output, or why it cannot.
// A process of its own: whatever a damaged file makes of Open CASCADE ends here.

#include "../nurbs_bytes.hpp"
#include "answer.hpp"
#include "answering.hpp"
#include "curve_file.hpp"

int main(int argc, char** argv) {
  using namespace trammel::geometry;
  if (argc < 2) return 2;
  answer_and_exit(argv[1], answer_curve, [&] {
    return to_bytes(read_spline_file(argv[1], std::vector<std::string>(argv + 2, argv + argc)));
  });
}
