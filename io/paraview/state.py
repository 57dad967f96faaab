import os
import shutil
import subprocess
import sys

from paraview.simple import *
from vtkmodules.vtkRenderingCore import vtkRenderWindow

exec(FILTERS)
EAGER_FRAMES = 60


def provide_display():
    # A ParaView that draws through an X server (Debian's does) aborts where there is none. It gets one of its own then, until
    # this process ends, and with it its end of a pipe.
    if os.environ.get('DISPLAY') or 'XOpenGL' not in vtkRenderWindow().GetClassName():
        return
    if shutil.which('Xvfb') is None:
        sys.exit('no display: this ParaView draws through an X server; install Xvfb (Debian: apt-get install xvfb)')
    chosen, choice = os.pipe()
    ours, end = os.pipe()
    subprocess.Popen(['sh', '-c', VIRTUAL_DISPLAY], stdin=ours, stdout=choice, start_new_session=True)
    os.close(choice)
    os.close(ours)
    with open(chosen) as lines:
        authority, display = lines.readline().strip(), lines.readline().strip()
    if not display:
        sys.exit('no display: Xvfb did not start')
    os.environ['DISPLAY'], os.environ['XAUTHORITY'] = ':' + display, authority


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


def instant_of_picture():
    # The time that the command line gives, or the last one. ParaView would draw another instant, or what is there of one, and say nothing.
    times = sorted(frames)
    time = float(sys.argv[2]) if len(sys.argv) > 2 else times[-1]
    slack = 1e-9 * (times[-1] - times[0])
    before = [each for each in times if each <= time + slack]
    if not before or not time <= times[-1] + slack:
        sys.exit('there is no instant t = %g s: %s holds those from %g to %g s' % (time, pvd, times[0], times[-1]))
    for file in frames[before[-1]].values():
        pieces = xml.parse(file).getroot().iter('Piece') if file.endswith('.pvtp') else ()
        for piece in [os.path.join(os.path.dirname(file), one.get('Source')) for one in pieces]:
            if not os.path.exists(piece):
                sys.exit('the piece %s of the instant t = %g s is missing' % (piece, before[-1]))
    return time


def show(source, view, style):
    shown = Show(source, view)
    shown.ColorArrayName = ['POINTS', '']
    colour, shown.Opacity, shown.PointSize, shown.LineWidth = style
    shown.AmbientColor = shown.DiffuseColor = colour
    shown.RenderPointsAsSpheres, shown.Ambient, shown.Diffuse = 1, AMBIENT, 1 - 0.5 * AMBIENT
    return shown


def write(text, name, view, where):
    shown = Show(Text(registrationName=name, Text=text), view)
    shown.Color, shown.FontSize, shown.WindowLocation = DARK, 14, where


def script_of(function, *arguments):
    texts = ['self.GetOutputDataObject(0)'] + [repr(each) for each in arguments]
    return '%s%s(self, %s)\n' % (FILTERS, function, ', '.join(texts))


def groups_of(layer):
    # The groups drawn on the layer, with their entities. Contacts may be drawn between the first and the last time only.
    found, drawn = {}, drawn_entities(frames, layer)
    for number, row in enumerate(read_entities(entities)):
        for group, on, category, kind in GROUPS:
            if on == layer and category in row['category'] and kind in row['type']:
                if number in drawn or kind:
                    found.setdefault(group, []).append(number)
                break
    return found


def show_group(block, group, wanted):
    source = ProgrammableFilter(registrationName=group, Input=block, OutputDataSetType='vtkPolyData',
                                Script=script_of('write_group', entities, wanted, COLOURINGS))
    return source, show(source, view, STYLES[block_layers[block]])


def colour_beams(beams, view):
    # By the bending moment, or else by what is not zero; the others are offered by the list of fields.
    found = []
    for title, unit, field, components in COLOURINGS:
        colours = GetColorTransferFunction(title.replace(' ', ''))  # ParaView's name for it
        colours.RGBPoints = [x for i, c in enumerate(LEGEND) for x in (i / (len(LEGEND) - 1), *c)]
        colours.ColorSpace = 'Lab'
        colours.AutomaticRescaleRangeMode = 'Grow and update every timestep'
        legend = GetScalarBar(colours, view)
        legend.Title, legend.ComponentTitle = '%s [%s]' % (title, unit), ''
        legend.TitleColor = legend.LabelColor = DARK
        legend.AutomaticLabelFormat, legend.LabelFormat, legend.RangeLabelFormat = 0, '%.3g', '%.3g'
        legend.Visibility = 0
        largest = 0
        for source, shown in beams:
            source.UpdatePipeline(view.ViewTime)
            if title in source.PointData.keys():
                low, high = source.PointData[title].GetRange()
                largest = np.max([largest, high, -low])
        found.append((largest, unit, title))
    # Numbers that rounding leaves are no reason to be chosen.
    chosen = [t for l, u, t in found if l > 1e-9 * np.max([m for m, unit, title in found if unit == u])]
    for source, shown in beams if chosen else ():
        ColorBy(shown, ('POINTS', chosen[0]))
        shown.RescaleTransferFunctionToDataRange(False, True)
        shown.SetScalarBarVisibility(view, True)


provide_display()
view = GetActiveViewOrCreate('RenderView')
view.UseColorPaletteForBackground = 0
view.BackgroundColorMode = 'Gradient'
view.Background, view.Background2 = BELOW, ABOVE
view.OrientationAxesLabelColor = (0.0, 0.0, 0.0)

here = folder()
pvd = os.path.join(here, SERIES)
entities = os.path.join(here, SERIES[:-len('.pvd')] + '_entities.csv')
frames = read_frames(pvd)
takes_picture = len(sys.argv) > 1 and sys.argv[1].endswith('.png')
instant = instant_of_picture() if takes_picture else sorted(frames)[-1]
series = PVDReader(registrationName=SERIES, FileName=pvd)
series.UpdatePipelineInformation()
# Shown once before its filters are made: otherwise the window offers to apply what is applied already.
Show(series, view).Visibility = 0
GetAnimationScene().UpdateAnimationUsingDataTimeSteps()
view.ViewTime = GetAnimationScene().AnimationTime = sorted(frames)[-1]

block_layers, beams = {}, []
for layer in LAYERS:
    merged = MergeBlocks(registrationName='layer ' + layer, OutputDataSetType='Polygonal Mesh',
                        Input=ExtractBlock(registrationName='block ' + layer, Input=series, Selectors=['/Root/' + layer]))
    block_layers[merged] = layer
    groups = groups_of(layer)
    for group, wanted in groups.items():
        source, shown = show_group(merged, group, wanted if len(groups) > 1 else None)
        if any(field in LAYERS[layer] for title, unit, field, components in COLOURINGS) and group in ('beams', 'sections'):
            beams.append((source, shown))
colour_beams(beams, view)

words = []
for field, group, unit, colour, scale in ARROWS:
    on = [layer for layer in ('joints', 'forces') if field in LAYERS.get(layer, ())]
    if not on or scale <= 0:
        continue
    ends = ExtractBlock(registrationName='with ' + field, Input=series, Selectors=['/Root/' + layer for layer in on])
    arrows = Glyph(registrationName=group, Input=ends, GlyphType='Arrow', GlyphMode='All Points', ScaleFactor=scale)
    arrows.GlyphType.ShaftRadius, arrows.GlyphType.TipRadius = SHAFT_RADIUS, TIP_RADIUS
    arrows.GlyphType.TipLength = TIP_LENGTH
    arrows.OrientationArray = arrows.ScaleArray = ['POINTS', field]
    show(arrows, view, (colour, 1.0, 2, 1))
    words.append('%s: 1 m is %.3g %s' % (field, 1 / scale, unit))
if words:
    write('arrows   ' + '   '.join(words), 'scale of the arrows', view, 'Lower Left Corner')
clock = Show(AnnotateTimeFilter(registrationName='time', Input=series, Format='t = {time:g} s'), view)
clock.Color, clock.FontSize, clock.WindowLocation = DARK, 16, 'Upper Left Corner'

# Switched off at first. Paths and envelopes of long series, which take a while, are worked out when they are shown.
ProgrammableFilter(registrationName='names', Input=series, OutputDataSetType='vtkPolyData',
                   Script=script_of('write_names', entities, FOCUS, POSITION, UP, HALF_SIZE))
ProgrammableSource(registrationName='paths', OutputDataSetType='vtkPolyData',
                   Script=script_of('write_paths', pvd))
ProgrammableSource(registrationName='envelope', OutputDataSetType='vtkPolyData',
                   Script=script_of('write_envelope', pvd))
for name, style in (('names', (DARK, 1.0, 2, 1)), ('paths', (STYLES['markers'][0], 1.0, 2, 2)),
                    ('envelope', (STYLES['sections'][0], 0.25, 2, 1))):
    if name == 'names' or len(frames) <= EAGER_FRAMES:
        show(FindSource(name), view, style).Visibility = 0

view.CameraFocalPoint = view.CenterOfRotation = FOCUS
view.CameraPosition = POSITION
view.CameraViewUp = UP
view.CameraParallelScale = HALF_SIZE
SetActiveSource(None)
view.StillRender()  # the first Render would move the camera

if takes_picture:
    view.ViewTime = instant
    view.ViewSize = [1280, 800]
    SaveScreenshot(sys.argv[1], view)
