// trammel-render: pictures and films of a run's drawings.

#include <fmt/format.h>
#include <vtkObject.h>
#include <vtkPointData.h>
#include <CLI/CLI.hpp>

#include "display.hpp"
#include "film.hpp"
#include "picture.hpp"
#include "trammel/error.hpp"

namespace {

namespace render = trammel::render;

struct Arguments {
  std::string results, picture = "picture.png", size = "1280x800", view;
  std::vector<double> times, from, up;
  std::vector<std::string> hide, named;
  int instants = 0;
  double arrow = -1, rate = 25;
  bool list = false, film = false;
  render::PictureOptions options;
};

/// Prints what every instant holds, as VTK's readers find it.
void list(const render::SeriesReader& series) {
  fmt::print("{}: {} instants\n", series.pvd().string(), series.times().size());
  for (std::size_t i = 0; i < series.times().size(); ++i) {
    fmt::print("t = {}\n", series.times()[i]);
    for (const auto& [name, poly] : series.read(i)) {
      fmt::print("  {}: {} points, {} cells;", name, poly->GetNumberOfPoints(), poly->GetNumberOfCells());
      for (int k = 0; k < poly->GetPointData()->GetNumberOfArrays(); ++k)
        fmt::print(" {}", poly->GetPointData()->GetArrayName(k));
      fmt::print("\n");
    }
  }
}

std::vector<std::size_t> chosen(const render::SeriesReader& series, const Arguments& arguments) {
  std::vector<std::size_t> instants;
  for (const double time : arguments.times) instants.push_back(series.nearest(time));
  const double first = series.times().front(), last = series.times().back();
  for (int i = 0; i < arguments.instants; ++i)
    instants.push_back(series.nearest(
        arguments.instants > 1 ? first + (last - first) * i / (arguments.instants - 1) : last));
  if (instants.empty() && arguments.film)
    for (std::size_t i = 0; i < series.times().size(); ++i) instants.push_back(i);
  if (instants.empty()) instants.push_back(series.times().size() - 1);
  return instants;
}

void read_size(const std::string& text, render::PictureOptions& options) {
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &options.width, &options.height, &rest) != 2 ||
      options.width < 16 || options.height < 16 || options.width > 16384 || options.height > 16384)
    throw trammel::Error(fmt::format("--size: '{}' is no size such as 1280x800", text));
}

void run(Arguments& arguments) {
  const render::SeriesReader series(arguments.results);
  if (arguments.list) return list(series);
  read_size(arguments.size, arguments.options);
  const auto triple = [](const std::vector<double>& v) { return std::array<double, 3>{v[0], v[1], v[2]}; };
  if (!arguments.from.empty()) arguments.options.from = triple(arguments.from);
  if (!arguments.up.empty()) arguments.options.up = triple(arguments.up);
  if (arguments.arrow >= 0) arguments.options.arrow = arguments.arrow;
  arguments.options.hide = {arguments.hide.begin(), arguments.hide.end()};
  arguments.options.named = {arguments.named.begin(), arguments.named.end()};
  if (!arguments.named.empty()) arguments.options.names = series.names();
  const std::vector<std::size_t> numbers = chosen(series, arguments);
  render::provide_display();
  if (arguments.film)
    return render::write_film(series, numbers, arguments.options, arguments.rate, arguments.picture);

  std::vector<render::Layers> instants;
  std::vector<std::string> times;
  const render::SeriesView view = series.view();
  render::Extent extent(arguments.options, view);
  for (const std::size_t i : numbers) {
    instants.push_back(series.read(i));
    extent.add(instants.back());
    times.push_back(fmt::format("{:.4g}", series.times()[i]));
  }
  if (arguments.options.caption.empty())
    arguments.options.caption = times.size() <= 6 ? fmt::format("t = {} s", fmt::join(times, ", "))
                                                  : fmt::format("{} instants, t = {} to {} s", times.size(),
                                                                times.front(), times.back());
  render::write_picture(instants, arguments.options, view, extent, arguments.picture);
}

}  // namespace

int main(int argc, char** argv) {
  vtkObject::GlobalWarningDisplayOff();  // what goes wrong is said by our own message
  Arguments a;
  CLI::App app("Draws what a run recorded for ParaView into a PNG file.", "trammel-render");
  app.add_option("results", a.results, "folder of the results, or a .pvd file in it")->required();
  app.add_option("-o,--output", a.picture, "the picture")->capture_default_str();
  app.add_option("--time", a.times,
                 "instants to draw, by time [s]; several over each other, the last one in full colours")
      ->delimiter(',');
  app.add_option("--instants", a.instants, "draw so many instants, spread over the run")
      ->check(CLI::Range(1, 1000));
  app.add_option("--view", a.from, "direction from which to look: x,y,z")->expected(3)->delimiter(',');
  app.add_option("--up", a.up, "direction that points up: x,y,z")->expected(3)->delimiter(',');
  app.add_option("--size", a.size, "of the picture, in pixels")->capture_default_str();
  app.add_option("--zoom", a.options.zoom, "above 1: closer")->check(CLI::Range(0.01, 100.0));
  app.add_option("--arrow", a.arrow,
                 "length of the longest arrow by the diagonal of the scene; 0: none; absent: to the scale of "
                 "ParaView's view")
      ->check(CLI::Range(0.0, 10.0));
  app.add_option("--colour", a.options.colour,
                 "number by which beams are coloured: bending moment, torque, normal force, shear force, a "
                 "field's name, or "
                 "none");
  app.add_option("--hide", a.hide,
                 "layers that are not drawn: curves, sections, bodies, joints, forces, markers")
      ->delimiter(',')
      ->check(CLI::IsMember({"curves", "sections", "bodies", "joints", "forces", "markers"}));
  app.add_option("--names", a.named, "layers whose things have their names below them")
      ->delimiter(',')
      ->check(CLI::IsMember({"curves", "sections", "bodies", "joints", "forces", "markers"}));
  app.add_flag(
      "--film", a.film,
      "one picture for each instant, numbered, or a film where the output ends in .webm (needs ffmpeg)");
  app.add_option("--rate", a.rate, "pictures a second of a film")
      ->check(CLI::Range(1.0, 120.0))
      ->capture_default_str();
  app.add_option("--caption", a.options.caption, "text in the corner; by default the time");
  app.add_flag("--list", a.list, "print the layers and fields of every instant in place of a picture");
  app.footer("Example: trammel-render results/four_bar_x -o four_bar.png --instants 5 --view 0,-1,0.3");
  CLI11_PARSE(app, argc, argv);
  try {
    run(a);
  } catch (const std::exception& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return 1;
  }
  return 0;
}
