#include "io/paraview_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/recorder_camera.hpp"

namespace trammel {

namespace {

constexpr double longest_arrow = 0.15;  // by the diagonal of what is drawn

constexpr const char* script = R"(
import os
import sys

from paraview.simple import *

STYLES = {  # colour, opacity, size of points, width of lines
    'curves': ((0.15, 0.25, 0.45), 1.0, 2, 2),
    'sections': ((0.42, 0.58, 0.78), 1.0, 2, 1),
    'bodies': ((0.80, 0.72, 0.58), 1.0, 2, 1),
    'joints': ((0.30, 0.30, 0.33), 1.0, 8, 1),
    'forces': ((0.80, 0.15, 0.15), 1.0, 6, 1),
    'markers': ((0.10, 0.55, 0.30), 1.0, 6, 1),
}
ARROWS = {'force': (0.80, 0.15, 0.15), 'moment': (0.15, 0.35, 0.80)}


UNITS = {'force': 'N', 'moment': 'N m'}
DARK = (0.15, 0.15, 0.15)


def show(source, view, colour, opacity=1.0, point_size=2, line_width=1):
    shown = Show(source, view)
    shown.ColorArrayName = ['POINTS', '']
    shown.AmbientColor = shown.DiffuseColor = colour
    shown.Opacity = opacity
    shown.PointSize = point_size
    shown.RenderPointsAsSpheres = 1
    shown.LineWidth = line_width
    return shown


def show_bending(block, layer, view, style):
    # The section moment has the torque first.
    moment = Calculator(registrationName=layer + ': bending moment', Input=block, ResultArrayName='bending moment',
                        Function='sqrt("section moment_Y"^2 + "section moment_Z"^2)')
    shown = show(moment, view, *style)
    ColorBy(shown, ('POINTS', 'bending moment'))
    colours = GetColorTransferFunction('bendingmoment')
    colours.ApplyPreset('Viridis (matplotlib)', True)
    colours.AutomaticRescaleRangeMode = 'Grow and update every timestep'
    shown.RescaleTransferFunctionToDataRange(False, True)
    legend = GetScalarBar(colours, view)
    legend.Title, legend.ComponentTitle = 'bending moment [N m]', ''
    legend.TitleColor = legend.LabelColor = DARK
    shown.SetScalarBarVisibility(view, True)
    return moment


def write(text, name, view, where):
    shown = Show(Text(registrationName=name, Text=text), view)
    shown.Color, shown.FontSize, shown.WindowLocation = DARK, 14, where


view = GetActiveViewOrCreate('RenderView')
view.UseColorPaletteForBackground = 0
view.BackgroundColorMode = 'Gradient'
view.Background = (0.86, 0.89, 0.93)
view.Background2 = (1.0, 1.0, 1.0)
view.OrientationAxesLabelColor = (0.0, 0.0, 0.0)


def folder():
    # Of this file. ParaView tells its path to a state file (File > Load State, --state=), but not to a script (paraview FILE,
    # --script=): the command line has it then.
    if '__file__' in globals():
        return os.path.dirname(os.path.abspath(__file__))
    paths = []
    if os.path.exists('/proc/self/cmdline'):
        with open('/proc/self/cmdline', errors='surrogateescape') as line:
            paths = [word.split('=', 1)[-1] for word in line.read().split('\0') if word.endswith('.py')]
    for path in paths + [SERIES]:
        found = os.path.dirname(os.path.abspath(path))
        if os.path.exists(os.path.join(found, SERIES)):
            return found
    raise RuntimeError(SERIES + ' not found: open this file by File > Load State')


here = folder()
series = PVDReader(registrationName=SERIES, FileName=os.path.join(here, SERIES))
series.UpdatePipelineInformation()
scales = []
for layer in LAYERS:
    block = ExtractBlock(registrationName=layer, Input=series, Selectors=['/Root/' + layer])
    if layer in BENDS:
        show_bending(block, layer, view, STYLES[layer])
    else:
        show(block, view, *STYLES[layer])
    for field, scale in LAYERS[layer].items():
        arrows = Glyph(registrationName=layer + ': ' + field, Input=block, GlyphType='Arrow')
        arrows.OrientationArray = ['POINTS', field]
        arrows.ScaleArray = ['POINTS', field]
        arrows.ScaleFactor = scale
        arrows.GlyphMode = 'All Points'
        show(arrows, view, ARROWS[field])
        if scale > 0 and field not in [name for name, each in scales]:
            scales.append((field, '%s: 1 m is %.3g %s' % (field, 1 / scale, UNITS[field])))
Hide(series, view)
if scales:
    write('arrows   ' + '   '.join(each for name, each in scales), 'scale of the arrows', view, 'Lower Left Corner')
clock = Show(AnnotateTimeFilter(registrationName='time', Input=series, Format='t = {time:g} s'), view)
clock.Color, clock.FontSize, clock.WindowLocation = DARK, 16, 'Upper Left Corner'

view.CameraFocalPoint = view.CenterOfRotation = FOCUS
view.CameraPosition = POSITION
view.CameraViewUp = UP
view.CameraParallelScale = HALF_SIZE

times = GetTimeKeeper().TimestepValues
if not hasattr(times, '__len__'):
    times = [times]
GetAnimationScene().UpdateAnimationUsingDataTimeSteps()
if len(times):
    view.ViewTime = GetAnimationScene().AnimationTime = times[-1]
SetActiveSource(None)
Render(view)

if len(sys.argv) > 1 and sys.argv[1].endswith('.png'):
    if len(sys.argv) > 2:
        view.ViewTime = float(sys.argv[2])
    view.ViewSize = [1280, 800]
    SaveScreenshot(sys.argv[1], view)
)";

std::string python_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string tuple_text(const std::array<double, 3>& v) { return fmt::format("({})", fmt::join(v, ", ")); }

bool has_field(const SeriesLayer& layer, const char* name) {
  return std::any_of(layer.fields.begin(), layer.fields.end(),
                     [&](const LayerField& f) { return f.name == name && f.components == 3; });
}

}  // namespace

std::string paraview_state(const ParaviewView& view) {
  DrawingExtent extent;
  DrawingExtent arrows;  // beams draw their inner forces as fields, not as arrows
  for (const SeriesLayer& layer : view.layers) {
    extent.add(layer.extent);
    if (layer.name == "joints" || layer.name == "forces") arrows.add(layer.extent);
  }
  const double size = extent.diagonal() > 0 ? extent.diagonal() : 1;
  const auto scale = [&](double largest) { return longest_arrow * size / (largest > 0 ? largest : 1); };
  std::string layers;
  std::vector<std::string> bends;
  for (const SeriesLayer& layer : view.layers) {
    std::vector<std::string> fields;
    if (layer.name == "joints" || layer.name == "forces") {
      if (has_field(layer, "force")) fields.push_back(fmt::format("'force': {}", scale(arrows.force)));
      if (has_field(layer, "moment")) fields.push_back(fmt::format("'moment': {}", scale(arrows.moment)));
    }
    if (has_field(layer, "section moment")) bends.push_back(python_text(layer.name));
    layers += fmt::format("    '{}': {{{}}},\n", layer.name, fmt::join(fields, ", "));
  }
  const RecorderCamera camera =
      extent.diagonal() > 0 ? camera_of_box(extent.low, extent.high) : RecorderCamera{};
  return fmt::format(
             "# A view for ParaView 5.10 or later: paraview <this file>, or File > Load State.\n"
             "SERIES = {}\n"
             "LAYERS = {{  # with the fields that are drawn as arrows, and metres by newton or newton "
             "metre\n{}}}\n"
             "BENDS = [{}]  # layers coloured by the bending moment of beams\n"
             "FOCUS = {}\nPOSITION = {}\nUP = {}\nHALF_SIZE = {}\n",
             python_text(view.pvd), layers, fmt::join(bends, ", "), tuple_text(camera.focus),
             tuple_text(camera.position), tuple_text(camera.up), camera.half_size) +
         script;
}

}  // namespace trammel
