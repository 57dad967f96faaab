#include "film.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "trammel/error.hpp"

extern char** environ;

namespace trammel::render {

namespace {

namespace fs = std::filesystem;

/// A folder that is gone with its contents when the film is made.
class PassingFolder {
 public:
  PassingFolder() {
    std::string name = (fs::temp_directory_path() / "trammel-render-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error(fmt::format("cannot make the folder '{}'", name));
    path_ = name;
  }
  ~PassingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Runs a program of the search path, silently, and returns its exit status; 127 where there is none.
int run(std::vector<std::string> words) {
  std::vector<char*> line;
  for (std::string& word : words) line.push_back(word.data());
  line.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int stream : {0, 1, 2}) posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, line.front(), &files, nullptr, line.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) return 127;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

void write_film(const SeriesReader& series, const std::vector<std::size_t>& instants, PictureOptions options,
                double rate, const fs::path& output) {
  const bool film = output.extension() == ".webm";
  if (!film && output.extension() != ".png")
    throw Error(fmt::format("--film: '{}' ends neither in .webm nor in .png", output.string()));
  if (film && run({"ffmpeg", "-version"}) != 0)
    throw Error(
        "--film: a .webm file is made by the program ffmpeg, which is not here; an output that ends in .png "
        "gives the "
        "pictures alone");
  const SeriesView view = series.view();
  Extent extent(options, view);
  for (const std::size_t i : instants) extent.add(series.read(i));
  const PassingFolder passing;
  const fs::path stem = film ? passing.path() / "picture" : output.parent_path() / output.stem();
  const std::string caption = options.caption;
  for (std::size_t k = 0; k < instants.size(); ++k) {
    if (caption.empty()) options.caption = fmt::format("t = {:.4g} s", series.times()[instants[k]]);
    write_picture({series.read(instants[k])}, options, view, extent,
                  fmt::format("{}_{:04}.png", stem.string(), k));
  }
  if (!film) return;
  const int status =
      run({"ffmpeg", "-y", "-framerate", fmt::format("{}", rate), "-i", stem.string() + "_%04d.png", "-c:v",
           "libvpx-vp9", "-pix_fmt", "yuv420p", "-crf", "32", "-b:v", "0", output.string()});
  if (status != 0 || !fs::exists(output))
    throw Error(fmt::format("ffmpeg cannot make '{}' (its exit status: {})", output.string(), status));
}

}  // namespace trammel::render
