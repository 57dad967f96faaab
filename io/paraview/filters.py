# What the programmable filters of the state run: each gets all of this as its script. ParaView runs the scripts in one
# namespace with the state, and replaces min, max, round, abs and all by functions of arrays there: these are avoided.
import csv
import os
import xml.etree.ElementTree as xml
from time import sleep

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints, vtkStringArray
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkDataObject
from vtkmodules.vtkCommonMath import vtkMatrix4x4
from vtkmodules.vtkCommonTransforms import vtkTransform
from vtkmodules.vtkFiltersCore import vtkAppendPolyData, vtkThreshold
from vtkmodules.vtkFiltersGeneral import vtkTransformPolyDataFilter
from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLPPolyDataReader
from vtkmodules.vtkRenderingFreeType import vtkVectorText

MOST_NAMES = 50000  # points or cells of a group that get names
MOST_TEXTS = 500
INSTANTS = 12  # of the envelope


def read_entities(path):
    with open(path, newline='') as table:
        return list(csv.DictReader(table))


def read_frames(pvd):
    # The files of the layers, by time. A run may be adding frames: read in parts, the file may not fit together.
    for trial in range(20):
        try:
            with open(pvd, 'rb', buffering=0) as file:
                root = xml.fromstring(file.readall())
            break
        except xml.ParseError:
            if trial == 19:
                raise
            sleep(0.1)
    frames = {}
    for one in root.iter('DataSet'):
        file = os.path.join(os.path.dirname(pvd), one.get('file'))
        frames.setdefault(float(one.get('timestep')), {})[one.get('name')] = file
    return frames


def read_layer(file):
    reader = vtkXMLPPolyDataReader() if file.endswith('.pvtp') else vtkXMLPolyDataReader()
    reader.SetFileName(file)
    reader.Update()
    return reader.GetOutput()


def numbers(name, data):
    found = data.GetArray(name)
    return None if found is None else vtk_to_numpy(found)


def add_numbers(name, values, data):
    array = numpy_to_vtk(np.ascontiguousarray(values), deep=True)
    array.SetName(name)
    data.AddArray(array)


def drawn_entities(frames, layer):
    # Of the first and the last time.
    drawn = set()
    for time in (sorted(frames)[0], sorted(frames)[-1]):
        found = numbers('entity', read_layer(frames[time][layer]).GetCellData())
        drawn.update([] if found is None else np.unique(found).tolist())
    return drawn


def points_by_entity(data):
    if not data.GetNumberOfPoints():
        return {}
    points, entities = vtk_to_numpy(data.GetPoints().GetData()), numbers('entity', data.GetPointData())
    order = np.argsort(entities, kind='stable')
    found, first = np.unique(entities[order], return_index=True)
    return dict(zip(found.tolist(), np.split(points[order], first[1:])))


def only_entities(given, wanted):
    marked = given.NewInstance()
    marked.ShallowCopy(given)
    chosen = np.isin(numbers('entity', given.GetCellData()), wanted)
    add_numbers('chosen', chosen.astype(np.int32), marked.GetCellData())
    cut = vtkThreshold()
    cut.SetInputData(marked)
    cut.SetInputArrayToProcess(0, 0, 0, vtkDataObject.FIELD_ASSOCIATION_CELLS, 'chosen')
    cut.SetLowerThreshold(1)
    surface = vtkGeometryFilter()
    surface.SetInputConnection(cut.GetOutputPort())
    surface.Update()
    surface.GetOutput().GetCellData().RemoveArray('chosen')
    return surface.GetOutput()


def write_group(filter, output, entities, wanted, colourings):
    # The entities `wanted` (None: all), with names, and with the numbers that colour beams.
    given = filter.GetInputDataObject(0, 0)
    if wanted is not None and numbers('entity', given.GetCellData()) is not None:
        given = only_entities(given, wanted)
    output.ShallowCopy(given)
    names = [row['name'] for row in read_entities(entities)]
    for data in (output.GetPointData(), output.GetCellData()):
        found = numbers('entity', data)
        if found is None or len(found) > MOST_NAMES:
            continue
        texts = vtkStringArray()
        texts.SetName('name')
        texts.SetNumberOfValues(len(found))
        for i, entity in enumerate(found.tolist()):
            texts.SetValue(i, names[entity] if 0 <= entity < len(names) else '')
        data.AddArray(texts)
    for title, unit, field, components in colourings:
        vectors = numbers(field, output.GetPointData())
        if vectors is not None and vectors.ndim == 2:
            parts = vectors[:, components]
            one = len(components) == 1
            add_numbers(title, parts[:, 0] if one else np.sqrt((parts**2).sum(axis=1)), output.GetPointData())


def write_names(filter, output, entities, focus, position, up, half_size):
    # The name of each entity beside it, to be read from the first camera.
    places = {}
    blocks = filter.GetInputDataObject(0, 0).NewIterator()
    while not blocks.IsDoneWithTraversal():
        for entity, points in points_by_entity(blocks.GetCurrentDataObject()).items():
            places.setdefault(entity, points[len(points) // 2])
        blocks.GoToNextItem()
    towards = np.subtract(position, focus)
    towards = towards / np.linalg.norm(towards)
    right = np.cross(up, towards)
    right = right / np.linalg.norm(right)
    above = np.cross(towards, right)
    height = 0.035 * half_size
    names = [row['name'] for row in read_entities(entities)]
    texts = vtkAppendPolyData()
    for entity, place in sorted(places.items())[:MOST_TEXTS]:
        if not 0 <= entity < len(names):
            continue
        text = vtkVectorText()
        text.SetText(names[entity])
        corner = place + height * (0.5 * right + 0.5 * above + 3 * towards)
        matrix = vtkMatrix4x4()
        for k in range(3):
            for column, axis in enumerate((right, above, towards)):
                matrix.SetElement(k, column, height * axis[k])
            matrix.SetElement(k, 3, corner[k])
        turn = vtkTransform()
        turn.SetMatrix(matrix)
        placed = vtkTransformPolyDataFilter()
        placed.SetTransform(turn)
        placed.SetInputConnection(text.GetOutputPort())
        placed.Update()
        texts.AddInputData(placed.GetOutput())
    if texts.GetNumberOfInputConnections(0):
        texts.Update()
        output.ShallowCopy(texts.GetOutput())


def write_paths(source, output, pvd):
    # The ways of joints, of the middles of bodies and of the ends of beams, over all times.
    paths = {}
    frames = read_frames(pvd)
    for time in sorted(frames):
        for layer in ('bodies', 'curves', 'joints', 'markers'):
            for entity, points in points_by_entity(read_layer(frames[time][layer])).items() if layer in frames[time] else ():
                places = [points[0], points[-1]] if layer == 'curves' else [points.mean(axis=0)]
                for k, place in enumerate(places):
                    paths.setdefault((layer, entity, k), []).append(place)
    points, lines, entities = vtkPoints(), vtkCellArray(), []
    points.SetDataTypeToDouble()
    for (_, entity, _), places in sorted(paths.items()):
        if np.ptp(places, axis=0).max() == 0:
            continue
        lines.InsertNextCell(len(places))
        for place in places:
            lines.InsertCellPoint(points.InsertNextPoint(place))
        entities.append(entity)
    output.SetPoints(points)
    output.SetLines(lines)
    add_numbers('entity', np.array(entities, dtype=np.int32), output.GetCellData())


def write_envelope(source, output, pvd):
    # Bodies and beams at some times over each other.
    frames = read_frames(pvd)
    times = sorted(frames)
    overlay = vtkAppendPolyData()
    for i in np.unique(np.linspace(0, len(times) - 1, INSTANTS).round().astype(int)):
        drawn = frames[times[i]]
        for layer in ('sections' if 'sections' in drawn else 'curves', 'bodies'):
            if layer in drawn:
                data = read_layer(drawn[layer])
                add_numbers('time', np.full(data.GetNumberOfPoints(), times[i]), data.GetPointData())
                overlay.AddInputData(data)
    if overlay.GetNumberOfInputConnections(0):
        overlay.Update()
        output.ShallowCopy(overlay.GetOutput())
