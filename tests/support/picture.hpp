#pragma once

#include <sys/wait.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGReader.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

/// What a picture of trammel-render shows, told by its colours.
namespace trammel::testing::picture {

inline int run(const std::string& command) {
  // What the drivers of a display keep until the process ends is no leak of ours.
  const int status = std::system(("ASAN_OPTIONS=detect_leaks=0 " + command).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Runs a command where there is no display: trammel-render and the view of a run provide one.
inline int run_without_display(const std::string& command) {
  return run("env -u DISPLAY -u XAUTHORITY " + command);
}

using Pixel = std::array<int, 3>;

/// Calls use(x, y, pixel), y from the top, and returns how many pixels there are.
inline int each_pixel(const std::filesystem::path& picture,
                      const std::function<void(int, int, const Pixel&)>& use) {
  vtkNew<vtkPNGReader> reader;
  reader->SetFileName(picture.c_str());
  reader->Update();
  vtkImageData* image = reader->GetOutput();
  const int* size = image->GetDimensions();
  for (int y = 0; y < size[1]; ++y)
    for (int x = 0; x < size[0]; ++x) {
      Pixel p{};
      for (int c = 0; c < 3; ++c)
        p[static_cast<std::size_t>(c)] = static_cast<int>(image->GetScalarComponentAsDouble(x, y, 0, c));
      use(x, size[1] - 1 - y, p);
    }
  return size[0] * size[1];
}

/// The part of a picture's pixels, in percent, that is of some kind.
inline double share(const std::filesystem::path& picture, const std::function<bool(const Pixel&)>& is) {
  int count = 0;
  const int all = each_pixel(picture, [&](int, int, const Pixel& p) { count += is(p) ? 1 : 0; });
  return 100.0 * count / all;
}

/// The box around the pixels of some kind.
struct PixelBox {
  int left = 1 << 20, right = -1, top = 1 << 20, bottom = -1;
};
inline PixelBox box(const std::filesystem::path& picture, const std::function<bool(const Pixel&)>& is) {
  PixelBox found;
  each_pixel(picture, [&](int x, int y, const Pixel& p) {
    if (!is(p)) return;
    found.left = std::min(found.left, x), found.right = std::max(found.right, x);
    found.top = std::min(found.top, y), found.bottom = std::max(found.bottom, y);
  });
  return found;
}

inline bool is_section(const Pixel& p) {
  return p[2] > p[0] + 25 && p[2] < 235 && p[1] > p[0] + 10 && p[1] > 0.6 * p[2];
}
inline bool is_body(const Pixel& p) { return p[0] > p[2] + 40 && p[1] > p[2] + 20; }
inline bool is_force(const Pixel& p) { return p[0] > 60 && p[0] > 2 * p[1] && p[0] > 2 * p[2]; }
inline bool is_moment(const Pixel& p) { return p[2] > 60 && p[2] > 2 * p[0] && p[2] > 1.6 * p[1]; }
/// Colours of a legend's upper quarter and of its lower end.
inline bool is_high(const Pixel& p) { return p[1] > 90 && 10 * p[0] > 4 * p[1] && 10 * p[1] > 16 * p[2]; }
inline bool is_low(const Pixel& p) { return p[0] < 110 && p[1] < 40 && p[2] > 50 && p[2] < 140; }

/// The axes in the corner have a red arrow, too.
inline constexpr double axes_share = 0.02;

}  // namespace trammel::testing::picture
