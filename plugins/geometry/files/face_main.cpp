// face_files FILE of_solid|any [FACE...]: reads faces from a STEP file and writes them to standard output, or why it cannot.
// A process of its own: whatever a damaged file makes of Open CASCADE ends here.

#include <string_view>

#include "answer.hpp"
#include "answering.hpp"
#include "face_file.hpp"

int main(int argc, char** argv) {
  using namespace trammel::geometry;
  if (argc < 3) return 2;
  answer_and_exit(argv[1], answer_faces, [&] {
    return to_bytes(read_face_file(
        argv[1], {std::vector<std::string>(argv + 3, argv + argc), std::string_view(argv[2]) == "of_solid"}));
  });
}
