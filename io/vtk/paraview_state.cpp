#include "io/vtk/paraview_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/drawing/view_style.hpp"
#include "io/paraview_script.hpp"
#include "io/process/virtual_display.hpp"

namespace trammel {

namespace {

std::string python_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

template <class Numbers>
std::string tuple(const Numbers& numbers) {
  return fmt::format("({})", fmt::join(std::begin(numbers), std::end(numbers), ", "));
}

std::string names(const std::vector<LayerField>& fields) {
  std::vector<std::string> texts;
  for (const LayerField& field : fields) texts.push_back(python_text(field.name));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

/// The tables of view_style.hpp, in Python.
std::string style_tables(const RecordedView& seen) {
  namespace style = view_style;
  std::string text = "STYLES = {  # colour, opacity, size of points, width of lines\n";
  for (const style::LayerStyle& s : style::layers)
    text += fmt::format("    '{}': ({}, {}, {}, {}),\n", s.layer, tuple(s.colour), s.opacity, s.point_size,
                        s.line_width);
  text += "}\nGROUPS = [  # layer, and words in category and type; the first that fits holds\n";
  for (const style::Group& g : style::groups)
    text += fmt::format("    ('{}', '{}', '{}', '{}'),\n", g.name, g.layer, g.category, g.type);
  text += "]\nARROWS = [  # field, group, unit, colour, metres by unit\n";
  for (const style::Arrow& a : style::arrows)
    text += fmt::format("    ('{}', '{}', '{}', {}, {}),\n", a.field, a.group, a.unit, tuple(a.colour),
                        a.field == "force" ? seen.metres_per_newton : seen.metres_per_newton_metre);
  text += "]\nCOLOURINGS = [  # of beams: title, unit, field and the components whose norm it is\n";
  for (const style::Colouring& c : style::colourings) {
    std::vector<int> components;
    for (int k = 0; k < 3; ++k)
      if (c.components[static_cast<std::size_t>(k)]) components.push_back(k);
    text +=
        fmt::format("    ('{}', '{}', '{}', [{}]),\n", c.title, c.unit, c.field, fmt::join(components, ", "));
  }
  text += "]\nLEGEND = [\n";
  for (const style::Colour& c : style::legend) text += "    " + tuple(c) + ",\n";
  return text + fmt::format(
                    "]\nDARK, BELOW, ABOVE = {}, {}, {}\nAMBIENT = {}\n"
                    "SHAFT_RADIUS, TIP_RADIUS, TIP_LENGTH = {}, {}, {}\n",
                    tuple(style::dark), tuple(style::below), tuple(style::above), style::ambient,
                    style::shaft_radius, style::tip_radius, style::tip_length);
}

}  // namespace

std::string paraview_state(const ParaviewView& view) {
  std::string layers;
  for (const SeriesLayer& layer : view.layers)
    layers += fmt::format("    '{}': {},\n", layer.name, names(layer.fields));
  const RecorderCamera& camera = view.seen.camera;
  return fmt::format(
             "# A view for ParaView 5.10 or later: paraview <this file>, or File > Load State.\n"
             "SERIES = {}\n"
             "LAYERS = {{  # with their fields\n{}}}\n"
             "FOCUS = {}\nPOSITION = {}\nUP = {}\nHALF_SIZE = {}\n"
             "VIRTUAL_DISPLAY = {}\n",
             python_text(view.pvd), layers, tuple(camera.focus), tuple(camera.position), tuple(camera.up),
             camera.half_size, python_text(virtual_display)) +
         style_tables(view.seen) + "FILTERS = r\"\"\"\n" + paraview_script::filters + "\"\"\"\n" +
         paraview_script::state;
}

}  // namespace trammel
