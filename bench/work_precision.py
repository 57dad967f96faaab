"""What bench/work_precision.sh runs: error against CPU time, of methods and forms, for problems with known answers.

Error: the largest distance of a reported point from the reference, over all points and instants of the reference, as a part of the
largest distance between two extremes of that point in the reference (the diagonal of the box that its values fill). Time: user and system time of the process,
less that of a run of one step; the least of the runs. With beams, mesh and step are refined together.
"""

import argparse
import csv
import json
import math
import os
import re
import sys

import yaml

import case_run
from case_run import RunFailed

METHODS = {  # what stands in the stage, None for the case's own radius; by `accuracy` in place of a step
    'projected index 3 (default)': 'form: projected',
    'index 3': 'form: index3',
    'stabilized index 2': 'form: index2',
    'index 1, projected': 'form: index1',
    'Radau IIA': 'method: radau',
    'steps by accuracy': None,
}


class Problem:
    """A dynamic case: the check of its reference that has the values, and a ladder of (settings, step [s], accuracy)."""

    def __init__(self, name, folder, check, ladder, until=None, channel='position', interval=0.1, trust=None):
        self.name, self.folder, self.check, self.ladder = name, folder, check, ladder
        self.until, self.channel, self.interval, self.trust = until, channel, interval, trust


def beam_ladder(elements, steps, accuracies):
    return [({'n': n}, h, e) for n, h, e in zip(elements, steps, accuracies)]


PROBLEMS = [
    Problem('R07: heavy top', 'heavy_top', 'motion',
            [({}, 8e-4 / 2**k, 1e-2 / 8**k) for k in range(6)], until=1, trust=1e-9),
    Problem('D01: spin-up', 'spin_up', 'tip',
            beam_ladder((10, 20, 40, 80), (0.02, 0.01, 0.005, 0.0025), (4e-3, 1e-3, 2.5e-4, 6e-5)), until=20,
            interval=1, trust=1e-9),
    Problem('D03-S: flying beam', 'flying_beam', 'motion',
            beam_ladder((10, 20, 40, 80), (0.05, 0.025, 0.0125, 0.00625), (1e-2, 3e-3, 7e-4, 2e-4)), until=15, interval=0.5, trust=1e-6),
    Problem('M01: four-bar, axis in the coupler (X)', 'four_bar_x', 'dynamic',
            beam_ladder((5, 10, 20), (0.01, 0.005, 0.0025), (1e-2, 1e-3, 1e-4)), until=12, channel='displacement', interval=1,
            trust=1e-4),
    Problem('M01: four-bar, axis in the rocker (Y)', 'four_bar_y', 'dynamic',
            beam_ladder((5, 10, 20), (0.01, 0.005, 0.0025), (1e-2, 1e-3, 1e-4)), until=12, channel='displacement', interval=1,
            trust=4e-4),
]
PRINCETON = 'B10: Princeton beam, statics'
WIDTH = {'tiny': 2, 'quick': 3, 'full': 99}  # steps of a ladder


def history(path, channel):
    """Rows of a history by time, as vectors of a channel's x, y and z."""
    with open(path, newline='') as file:
        rows = list(csv.DictReader(file))
    columns = [c for c in rows[0] if re.fullmatch(re.escape(channel) + r'\.[xyz]( \[.*\])?', c)]
    if len(columns) != 3:
        raise RunFailed(f'{path}: no channel {channel}')
    return {round(float(row['time [s]']), 6): [float(row[c]) for c in columns] for row in rows}


def reference_of(problem):
    """By sensor: (time, vector), and the names of its components."""
    with open(f'cases/{problem.folder}/reference.yaml') as file:
        checks = yaml.safe_load(file)['checks']
    check = next(c for c in checks if c['name'] == problem.check)
    found = {}
    for quantity in check['quantities']:
        if quantity['channel'] == problem.channel:
            places = ['xyz'.index(c) for c in quantity['components']]
            found[quantity['sensor']] = places, [(float(v[0]), [float(x) for x in v[1:]]) for v in quantity['values']]
    return found


def error_of(results, problem, reference):
    worst = 0.0
    for sensor, (places, values) in reference.items():
        rows = history(os.path.join(results, f'{sensor}.csv'), problem.channel)
        vectors = [v for _, v in values]
        extent = math.dist([min(c) for c in zip(*vectors)], [max(c) for c in zip(*vectors)])
        for instant, vector in values:
            if round(instant, 6) not in rows:
                raise RunFailed(f'{problem.name}: no row at t = {instant:g}')
            mine = rows[round(instant, 6)]
            worst = max(worst, math.dist([mine[p] for p in places], vector) / extent)
    return worst


class Measuring:
    def __init__(self, program, scratch, repeats, limit):
        self.program, self.scratch, self.repeats, self.limit = program, scratch, repeats, limit

    def case(self, problem, method, step, accuracy, until):
        source = f'cases/{problem.folder}/case.yaml'
        path = case_run.cut_to(source, os.path.join(self.scratch, f'{problem.folder}.yaml'), until,
                               f'{{csv: {{interval: {problem.interval!r}}}}}')
        with open(path) as file:
            lines = file.readlines()
        for k, line in enumerate(lines):
            if 'type: dynamic' not in line:
                continue
            # Newton's method must not be seen beside the error of the step.
            line = re.sub(r'newton: \{[^}]*\}', 'newton: {tolerance: 1e-10}', line)
            asked = f'accuracy: {{value: {accuracy!r}, check: no}}' if METHODS[method] is None else f'step: {step!r}'
            line = re.sub(r'\bstep: h\b', asked, line)
            if METHODS[method] is not None and 'radau' in METHODS[method]:
                line = re.sub(r'radius: [0-9.]+', METHODS[method], line)
            elif METHODS[method] is not None:
                line = re.sub(r'(radius: [0-9.]+)', rf'\1, {METHODS[method]}', line)
            lines[k] = line
        with open(path, 'w') as file:
            file.write(''.join(lines))
        return path

    def cpu(self, case, settings):
        command = case_run.command_of(self.program, case, os.path.join(self.scratch, 'out'), settings)
        best, log = math.inf, ''
        for _ in range(self.repeats):
            log, _, seconds = case_run.run(command, self.limit)
            best = min(best, seconds)
        return best, case_run.summary(log)

    def dynamic(self, problem, method, settings, step, accuracy):
        start, _ = self.cpu(self.case(problem, 'projected index 3 (default)', step, accuracy, step), settings)
        seconds, found = self.cpu(self.case(problem, method, step, accuracy, problem.until), settings)
        error = error_of(os.path.join(self.scratch, 'out'), problem, reference_of(problem))
        asked = f'accuracy {accuracy:.1e}' if METHODS[method] is None else f'h = {step:g} s'
        return {'problem': problem.name, 'method': method, 'asked': ', '.join([*(f'{k} = {v}' for k, v in settings.items()), asked]),
                'error': error, 'seconds': max(seconds - start, 1e-3), 'steps': found['steps'], 'iterations': found['iterations'],
                'trust': problem.trust}

    def princeton(self, bending, elements):
        with open('bench/princeton.yaml') as file:
            text = file.read()
        case = os.path.join(self.scratch, 'princeton.yaml')
        with open(case, 'w') as file:
            file.write(text.replace('bending: constant', f'bending: {bending}'))
        seconds, found = self.cpu(case, {'n': elements})
        with open('bench/princeton.csv', newline='') as file:
            reference = list(csv.DictReader(file))
        vectors = [[float(row[f'displacement.{c} [m]']) for c in 'xyz'] for row in reference]
        largest = max(math.hypot(*v) for v in vectors)
        worst = 0.0
        for k, vector in enumerate(vectors):
            rows = history(os.path.join(self.scratch, 'out', f'tip.{k // 7 + 1}.{k % 7}.csv'), 'displacement')
            worst = max(worst, math.dist(rows[max(rows)], vector) / largest)
        return {'problem': PRINCETON, 'method': f'moment {bending} in an element', 'asked': f'n = {elements}', 'error': worst,
                'seconds': found['stages'], 'steps': found['steps'], 'iterations': found['iterations'], 'trust': 1e-9}


def draw(rows, folder):
    plots = case_run.pyplot()
    if plots is None or not rows:
        return
    plots.rcParams.update({'font.family': 'serif', 'mathtext.fontset': 'dejavuserif', 'font.size': 9, 'axes.linewidth': 0.6})
    names = list(dict.fromkeys(row['problem'] for row in rows))
    markers = dict(zip([*METHODS, 'moment constant in an element', 'moment linear in an element'], 'osv^D*os'))
    across = min(3, len(names))
    figure, axes = plots.subplots(math.ceil(len(names) / across), across, squeeze=False, constrained_layout=True,
                                  figsize=(2.6 * across + 0.4, 2.7 * math.ceil(len(names) / across)))
    handles = {}
    for name, one in zip(names, axes.flat):
        alone, single = plots.subplots(figsize=(4.2, 3.4), constrained_layout=True)
        for axis in (one, single):
            curves(axis, [row for row in rows if row['problem'] == name], name, markers, handles)
        single.legend(frameon=False, fontsize=7)
        case_run.save(alone, folder, re.sub(r'[^a-z0-9]+', '_', name.lower()).strip('_'))
        plots.close(alone)
    for one in list(axes.flat)[len(names):]:
        one.axis('off')
    bottom = 0.5 / figure.get_size_inches()[1]
    figure.get_layout_engine().set(rect=(0, bottom, 1, 1 - bottom))
    figure.legend(handles.values(), handles.keys(), frameon=False, fontsize=8, loc='lower center', ncol=4)
    case_run.save(figure, folder, 'work_precision')
    plots.close(figure)


def curves(axis, rows, name, markers, handles):
    for method in dict.fromkeys(row['method'] for row in rows):
        points = [(row['seconds'], row['error']) for row in rows if row['method'] == method]
        line, = axis.plot(*zip(*points), marker=markers[method], markersize=3.5, linewidth=0.9, label=method,
                          color=f'C{list(markers).index(method)}')
        handles.setdefault(method, line)
    trust = rows[0]['trust']
    if min(row['error'] for row in rows) < 30 * trust:
        axis.axhline(trust, color='0.5', linewidth=0.7, linestyle=':')
        axis.annotate("reference's trust", (0.98, trust), xycoords=('axes fraction', 'data'), ha='right', va='bottom', fontsize=6, color='0.4')
    axis.set_xscale('log')
    axis.set_yscale('log')
    axis.xaxis.set_minor_formatter('')
    axis.set_title(name, fontsize=8)
    axis.set_xlabel('CPU time [s]')
    axis.set_ylabel('error / range')
    axis.grid(True, which='major', linewidth=0.3)


def main():
    program, scratch = sys.argv[1:3]
    parser = argparse.ArgumentParser(prog='bench/work_precision.sh')
    parser.add_argument('--mode', choices=list(WIDTH), default='full', help='steps of the ladders: 2, 3, all')
    parser.add_argument('--problems', nargs='+', metavar='WORD', help='those whose names hold one of these')
    parser.add_argument('--methods', nargs='+', metavar='WORD')
    parser.add_argument('--repeats', type=int, default=3, help='runs of which the least CPU time counts')
    parser.add_argument('--limit', type=float, default=120, help='of a run [s]')
    parser.add_argument('--again', action='store_true', help='measure also what was measured before')
    parser.add_argument('--folder', default='build/bench/work_precision')
    options = parser.parse_args(sys.argv[3:])
    os.makedirs(options.folder, exist_ok=True)
    kept_in = os.path.join(options.folder, 'points.json')
    kept = {}
    if os.path.exists(kept_in) and not options.again:
        with open(kept_in) as file:
            kept = json.load(file)
    measuring = Measuring(program, scratch, options.repeats, options.limit)

    def chosen(name, words):
        return not words or any(word in name for word in words)

    def keep(key, measure):
        if key in kept:
            return kept[key]
        print(key, file=sys.stderr, flush=True)
        try:
            kept[key] = measure()
        except RunFailed as error:
            print(str(error)[-600:], file=sys.stderr, flush=True)
            kept[key] = None
        with open(kept_in, 'w') as file:
            json.dump(kept, file, indent=1)
        return kept[key]

    rows = []
    for problem in PROBLEMS:
        if not chosen(problem.name, options.problems):
            continue
        for method in METHODS:
            if not chosen(method, options.methods):
                continue
            for settings, step, accuracy in problem.ladder[:WIDTH[options.mode]]:
                rows.append(keep(f'{problem.name}, {method}, {settings}, {step!r}',
                                 lambda: measuring.dynamic(problem, method, settings, step, accuracy)))
    if chosen(PRINCETON, options.problems):
        for bending in ('constant', 'linear'):
            for elements in (2, 4, 8, 16, 32, 64)[:WIDTH[options.mode]]:
                rows.append(keep(f'{PRINCETON}, {bending}, {elements}', lambda: measuring.princeton(bending, elements)))
    failed = rows.count(None)
    rows = [row for row in rows if row]
    lines = ['| problem | method | asked | error | CPU time [s] | steps | iterations |', '|' + '---|' * 7]
    lines += [f'| {r["problem"]} | {r["method"]} | {r["asked"]} | {r["error"]:.2g} | {r["seconds"]:.3g} | {r["steps"]} | {r["iterations"]} |'
              for r in rows]
    text = f'{case_run.machine()}\n\n' + '\n'.join(lines) + '\n'
    with open(os.path.join(options.folder, 'table.md'), 'w') as file:
        file.write(text)
    print(text, end='')
    draw(rows, options.folder)
    if failed:
        print(f'{failed} runs failed', file=sys.stderr)
    return 0


if __name__ == '__main__':
    sys.exit(main())
