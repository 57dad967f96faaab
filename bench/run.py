"""What bench/run.sh runs: measures the systems below, row by row, and writes table.md, rows.json and plots into a folder.

A step's time is that of a long run less that of one step, over the steps between; the start is what one step takes besides. (By an
accuracy the short run has the hundred steps that a stage has at least, and the start is left out.)
The fastest of three pairs of runs counts; fewer where they take long.
"""

import argparse
import json
import math
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import case_run
from case_run import PHASES, RunFailed

MODES = ['tiny', 'quick', 'full']
SECONDS_OF_A_ROW = {'tiny': 0, 'quick': 15, 'full': 60}  # no further pair of runs begins after that
FRAMES = '{vtk: {every: 10}, csv: {every: 10}}'
COLUMNS = ['system', 'size', 'ranks', 'unknowns', 'start [s]', 'start [steps]', 'step [ms]', 'own U [ms]', 'step [own U]',
           'iterations', 'factorizations', 'memory [kB an unknown]', 'memory [MB]', 'as fast as one rank', 'two runs at once', 'remark']


class System:
    """A row of the issue's table, at several sizes."""

    def __init__(self, name, case, sizes, step, settings=None, parameter=None, ranks=(1,), frames=False, accuracy=None):
        self.name, self.case, self.step, self.ranks, self.frames, self.accuracy = name, case, step, ranks, frames, accuracy
        self.sizes = sizes  # size, steps (by an accuracy: the time in such steps), mode from which on it is run
        self.settings, self.parameter = settings or {}, parameter

    def settings_of(self, size):
        sized = {} if self.parameter is None else {self.parameter: size}
        return {**self.settings, **sized, 'h': self.step}


TIGHT = {'tolerance': 1e-8}
CHAINS = [(100, 200, 1), (1000, 100, 1), (10000, 20, 1), (100000, 10, 1)]
SYSTEMS = [
    System('chain, spherical', 'cases/chain/case.yaml', CHAINS, 1e-3, TIGHT, 'N'),
    System('chain, revolute', 'cases/chain/revolute.yaml', CHAINS, 1e-3, TIGHT, 'N'),
    System('flying beam', 'cases/flying_beam/case.yaml', [(20, 1000, 1), (200, 500, 1), (1000, 200, 1), (10000, 50, 1)], 1e-3,
           parameter='n'),
    System('four-bar', 'cases/four_bar_x/case.yaml', [('', 1000, 1)], 1e-3),
    System('slider-crank', 'cases/slider_crank/case.yaml', [('', 1000, 1)], 5e-4),
    System('vehicle of 30 bodies', 'bench/vehicle.yaml', [('', 1000, 1)], 1e-3),
    System('windows of four-bars', 'cases/n_four_bar/case.yaml', [(10, 200, 1), (100, 100, 1), (1000, 30, 1), (10000, 8, 2)], 1e-3,
           parameter='N'),
    System('lattice n x n', 'bench/lattice.yaml', [(10, 30, 1), (20, 20, 1), (40, 10, 1), (80, 5, 1), (100, 5, 2), (150, 3, 2)],
           1e-4, parameter='n'),
    System('chain by accuracy', 'cases/chain/case.yaml', [(100, 500, 1), (1000, 300, 1), (10000, 100, 1)], 1e-3, TIGHT, 'N', (1, 2),
           accuracy=1e-3),
    System('chain, two ranks', 'cases/chain/case.yaml',
           [(1111, 50, 1), (2222, 50, 1), (5556, 30, 1), (20000, 20, 1), (111112, 8, 2)], 1e-3, TIGHT, 'N', (1, 2)),
    System('revolute chain, two ranks', 'cases/chain/revolute.yaml', [(3847, 30, 1), (15385, 20, 1)], 1e-3, TIGHT, 'N', (1, 2)),
    System('100 pendulums, two ranks', 'bench/pendulums.yaml', [(12, 50, 1), (56, 30, 1), (222, 20, 1), (1112, 8, 2)], 1e-3,
           TIGHT, 'm', (1, 2)),
    System('four-bars, two ranks', 'bench/four_bars.yaml', [(263, 50, 1), (1316, 30, 1)], 1e-3, TIGHT, 'm', (1, 2)),
    System('beam, two ranks', 'cases/flying_beam/case.yaml', [(3333, 50, 1), (20000, 20, 1), (166667, 8, 2)], 1e-3,
           parameter='n', ranks=(1, 2)),
    System('lattice, two ranks', 'bench/lattice.yaml', [(20, 20, 1), (40, 10, 1), (80, 20, 1), (100, 5, 2)], 1e-4,
           parameter='n', ranks=(1, 2)),
    System('beam, VTK and CSV', 'cases/flying_beam/case.yaml', [(1000, 100, 1), (16667, 200, 1)], 1e-3, parameter='n',
           frames=True),
    System('chain, VTK and CSV', 'cases/chain/case.yaml', [(1000, 100, 1), (11111, 160, 1)], 1e-3, TIGHT, 'N', frames=True),
]


class Bench:
    def __init__(self, program, scratch, mode, limit):
        self.program, self.scratch, self.mode, self.limit = program, scratch, mode, limit
        self.empty_ = None

    def one(self, system, size, steps, ranks, output=case_run.NO_ROWS, results='out'):
        case = case_run.cut_to(system.case, os.path.join(self.scratch, f'{results}.yaml'), system.step * steps, output,
                               accuracy=system.accuracy)
        command = case_run.command_of(self.program, case, os.path.join(self.scratch, results), system.settings_of(size), ranks,
                                      ['-memory_view'])
        log, _, cpu = case_run.run(command, self.limit)
        return {**case_run.summary(log), 'cpu': cpu}

    def two_at_once(self, system, size, steps):
        """The slower of two runs on one rank that begin together."""
        with ThreadPoolExecutor(2) as pool:
            runs = [pool.submit(self.one, system, size, steps, 1, results=results) for results in ('first', 'second')]
            return max((run.result() for run in runs), key=lambda run: run['stages'])

    def empty(self):
        """Memory of a process with a model of one body [bytes]."""
        if self.empty_ is None:
            path = os.path.join(self.scratch, 'empty.yaml')
            with open(path, 'w') as file:
                file.write('trammel: 1\nbodies:\n  ball: {type: rigid_body, mass: 1, inertia: [1, 1, 1]}\n'
                           'stages:\n  - {type: dynamic, until: 1e-3, step: 1e-3}\n')
            command = case_run.command_of(self.program, path, os.path.join(self.scratch, 'out'), options=['-memory_view'])
            self.empty_ = case_run.summary(case_run.run(command, self.limit)[0])['memory']
        return self.empty_

    def row(self, system, size, steps):
        """A line of the table for each number of ranks; runs of one and of two ranks, with and without frames, alternate."""
        kinds = [(ranks, case_run.NO_ROWS) for ranks in system.ranks]
        if system.frames:
            kinds.append((1, FRAMES))
        short, long = [None] * len(kinds), [None] * len(kinds)
        short_beside, long_beside = None, None
        begin = time.monotonic()
        for _ in range(3):
            for k, (ranks, output) in enumerate(kinds):
                short[k] = faster(short[k], self.one(system, size, 1, ranks, output))
                long[k] = faster(long[k], self.one(system, size, steps, ranks, output))
            if 2 in system.ranks:
                short_beside = faster(short_beside, self.two_at_once(system, size, 1))
                long_beside = faster(long_beside, self.two_at_once(system, size, steps))
            if time.monotonic() - begin > SECONDS_OF_A_ROW[self.mode]:
                break
        best = [difference(s, l) for s, l in zip(short, long)]
        if system.frames:
            return [self.line(system, size, 1, best[1], remark=frames_remark(best[0], best[1]))]
        lines = [self.line(system, size, ranks, best[k], best[0]) for k, (ranks, _) in enumerate(kinds)]
        if long_beside:
            beside = difference(short_beside, long_beside)['per']['stages']
            lines[-1]['two runs at once'] = ratio(2 * best[0]['per']['stages'], beside)
        return lines

    def line(self, system, size, ranks, found, alone=None, remark=''):
        per, long = found['per'], found['long']
        own = per['factorization'] / per['factorizations'] if per['factorizations'] > 0 else 0
        own += per['solve'] / per['iterations'] if per['iterations'] > 0 else 0
        above = long['memory'] - ranks * self.empty()
        start = None if system.accuracy else positive(found['start'])
        if ranks > 1:
            remark = f'interface {long.get("interface", "none")}, factorizations by MUMPS {long.get("by MUMPS", 0)}'
        return {
            'system': system.name, 'size': size, 'ranks': ranks, 'unknowns': long['unknowns'],
            'start [s]': start, 'start [steps]': ratio(start, per['stages']),
            'step [ms]': positive(1e3 * per['stages']), 'own U [ms]': positive(1e3 * own), 'step [own U]': ratio(per['stages'], own), 'iterations': per['iterations'],
            'factorizations': per['factorizations'],
            'memory [kB an unknown]': above / 1024 / long['unknowns'] if long['unknowns'] >= 1000 else None,
            'memory [MB]': long['memory'] / 1e6,
            'as fast as one rank': ratio(alone['per']['stages'], per['stages']) if alone and ranks > 1 else None,
            'remark': remark, 'curve': size != '' and system.ranks == (1,) and not system.frames, **{phase: 1e3 * per[phase] for phase in PHASES},
        }


def faster(a, b):
    """The run of these two whose stages took less time; `a` may be None."""
    return b if a is None or b['stages'] < a['stages'] else a


def difference(short, long):
    """A step of the long run, from what it took beyond the short one."""
    more = max(long['steps'] - short['steps'], 1)
    keys = PHASES + ['stages', 'output', 'iterations', 'factorizations', 'cpu']
    per = {key: (long[key] - short[key]) / more for key in keys}
    return {'per': per, 'long': long, 'start': short['reading'] + short['stages'] - per['stages']}


def positive(x):
    """None for a time that is lost in the noise of a busy machine."""
    return x if x > 0 else None


def ratio(a, b):
    return a / b if a is not None and a > 0 and b is not None and b > 0 else None


def frames_remark(without, with_frames):
    """What frames and rows cost: the part of the steps' path that waits for them, and their CPU time, of the run's."""
    per = with_frames['per']
    waits = ratio(per['output'], per['stages'] + per['output'])
    more = ratio(per['cpu'] - without['per']['cpu'], without['per']['cpu'])
    return 'output: ' + ', '.join(f'{100 * x:.1f} % {what}' for x, what in ((waits, 'of the time'), (more, 'more CPU time'))
                                  if x is not None)


def shown(row, column):
    value = row.get(column)
    if value is None or isinstance(value, (str, int)):
        return '' if value is None else str(value)
    return f'{value:.3g}' if abs(value) < 1000 else f'{value:.0f}'


def curves_of(rows):
    """Rows on one rank without frames, by system, in order of their unknowns."""
    curves = {}
    for row in rows:
        if row['curve']:
            curves.setdefault(row['system'], []).append(row)
    return {name: sorted(points, key=lambda p: p['unknowns']) for name, points in curves.items()}


def growth(rows):
    """A table of exponents: of a step's time, the start, and a factorization with a solve, from one size to the next."""
    lines = ['| system | from | to | step | start | factorization and solve |', '|---|---|---|---|---|---|']
    for name, points in curves_of(rows).items():
        for a, b in zip(points, points[1:]):
            powers = []
            for column in ('step [ms]', 'start [s]', 'own U [ms]'):
                if a[column] and b[column]:
                    powers.append(f'{math.log(b[column] / a[column]) / math.log(b["size"] / a["size"]):.2f}')
                else:
                    powers.append('')
            lines.append(f'| {name} | {a["size"]} | {b["size"]} | ' + ' | '.join(powers) + ' |')
    return lines if len(lines) > 2 else []


def write_table(folder, rows, failures, mode):
    columns = [c for c in COLUMNS if any(shown(row, c) for row in rows)]
    lines = ['| ' + ' | '.join(columns) + ' |', '|' + '---|' * len(columns)]
    lines += ['| ' + ' | '.join(shown(row, c) for c in columns) + ' |' for row in rows]
    loads = [row['load'] for row in rows]
    text = f'{case_run.machine()}; load {min(loads, default=0):.1f} to {max(loads, default=0):.1f}; mode {mode}\n\n' + '\n'.join(lines) + '\n'
    powers = growth(rows)
    if powers:
        text += '\nExponents of the growth with the size (of a lattice: with n, so 3 is that of nested dissection):\n\n'
        text += '\n'.join(powers) + '\n'
    for failure in failures:
        text += f'\nFAILED: {failure}\n'
    with open(os.path.join(folder, 'table.md'), 'w') as file:
        file.write(text)
    return text


def draw(folder, file, label, curves, logarithmic=True, guides=(), x='unknowns'):
    plots = case_run.pyplot()
    if plots is None or not curves:
        return
    figure, axes = plots.subplots(figsize=(6, 4.2), constrained_layout=True)
    for name, points in curves.items():
        axes.plot([p[0] for p in points], [p[1] for p in points], 'o-', label=name, markersize=4)
    for name, power in guides:
        points = next(iter(curves.values()))
        last = points[-1]
        xs = [points[0][0], last[0]]
        axes.plot(xs, [last[1] * (one / last[0])**power for one in xs], 'k--', linewidth=0.8, label=name)
    axes.set_xscale('log')
    axes.set_yscale('log' if logarithmic else 'linear')
    if not logarithmic:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(x)
    axes.set_ylabel(label)
    axes.grid(True, which='both', linewidth=0.3)
    axes.legend(frameon=False)
    case_run.save(figure, folder, file)
    plots.close(figure)


def draw_all(folder, rows):
    curves = curves_of(rows)
    for file, column, label, logarithmic in (('step_time', 'step [ms]', 'time of a step [ms]', True),
                                             ('start', 'start [s]', 'start [s]', True),
                                             ('memory', 'memory [kB an unknown]', 'memory [kB an unknown]', False)):
        points = {name: [(p['unknowns'], p[column]) for p in ps if p[column]] for name, ps in curves.items()}
        draw(folder, file, label, {name: ps for name, ps in points.items() if ps}, logarithmic)
    lattice = [(p['size'], p['own U [ms]']) for p in curves.get('lattice n x n', []) if p['own U [ms]']]
    if lattice:
        draw(folder, 'lattice', 'factorization and solve [ms]', {'lattice n x n': lattice}, True, [('n^3', 3)], 'n')
    twice = {}
    for row in rows:
        if row.get('as fast as one rank'):
            twice.setdefault(row['system'].replace(', two ranks', ''), []).append((row['unknowns'], row['as fast as one rank']))
    draw(folder, 'two_ranks', 'two ranks, times as fast as one', twice, False)


def stamp_of(program):
    """Tells builds apart: rows of another build are measured again."""
    root = os.path.dirname(os.path.dirname(os.path.realpath(program)))
    newest = 0.0
    for folder in ('bin', 'lib'):
        for path, _, files in os.walk(os.path.join(root, folder)):
            newest = max([newest] + [os.stat(os.path.join(path, f)).st_mtime for f in files])
    return newest


def wanted_rows(options):
    for system in SYSTEMS:
        if options.rows and not any(word in system.name for word in options.rows):
            continue
        sizes = system.sizes[:1] if options.mode == 'tiny' else system.sizes
        for size, steps, mode in sizes:
            if options.mode != 'tiny' and MODES.index(options.mode) < mode:
                continue
            if options.sizes and str(size) not in options.sizes:
                continue
            yield system, size, 5 if options.mode == 'tiny' else steps


def arguments():
    parser = argparse.ArgumentParser(prog='bench/run.sh', description='The standing benchmark: a table and plots in build/bench/run.')
    mode = parser.add_mutually_exclusive_group()
    for name, what in (('tiny', 'a few steps of the smallest size of each row, to see that all rows work'),
                       ('quick', 'all but the largest sizes; 20 minutes at most (the default)'),
                       ('full', 'all sizes')):
        mode.add_argument(f'--{name}', dest='mode', action='store_const', const=name, help=what)
    parser.set_defaults(mode='quick')
    parser.add_argument('--rows', nargs='+', metavar='WORDS', help='the rows whose names hold one of these')
    parser.add_argument('--sizes', nargs='+', metavar='SIZE', help='these sizes alone')
    parser.add_argument('--minutes', type=float, help='begin no row after that many (of --quick: 18)')
    parser.add_argument('--again', action='store_true', help='measure also the rows that this build was measured at before')
    parser.add_argument('--list', action='store_true', help='print the rows and end')
    parser.add_argument('--folder', default='build/bench/run', help='of the results')
    options = parser.parse_args(sys.argv[3:])
    if options.minutes is None and options.mode == 'quick':
        options.minutes = 18
    return options


def main():
    program, scratch = sys.argv[1:3]
    options = arguments()
    if options.list:
        for system, size, steps in wanted_rows(options):
            print(f'{system.name} {size}, {steps} steps'.replace(' ,', ','))
        return 0
    os.makedirs(options.folder, exist_ok=True)
    kept_in = os.path.join(options.folder, 'rows.json')
    stamp = [stamp_of(program), options.mode == 'tiny']
    kept = {'stamp': stamp, 'rows': {}}
    if os.path.exists(kept_in):
        with open(kept_in) as file:
            found = json.load(file)
        if found['stamp'] == stamp:
            kept = found
    bench = Bench(program, scratch, options.mode, 120 if options.mode == 'tiny' else 900)
    begin = time.monotonic()
    failures, left = [], []
    for system, size, steps in wanted_rows(options):
        name = f'{system.name} {size}'.strip()
        if name in kept['rows'] and not options.again:
            continue
        if options.minutes is not None and time.monotonic() - begin > 60 * options.minutes:
            left.append(name)
            continue
        print(f'{time.monotonic() - begin:6.0f} s  {name}', file=sys.stderr, flush=True)
        try:
            lines = bench.row(system, size, steps)
        except RunFailed as error:
            failures.append(f'{name}: {error}')
            print(failures[-1], file=sys.stderr, flush=True)
            continue
        for line in lines:
            line['load'] = os.getloadavg()[0]
        kept['rows'][name] = lines
        with open(kept_in + '.new', 'w') as file:
            json.dump(kept, file, indent=1)
            file.write('\n')
        os.replace(kept_in + '.new', kept_in)
    order = [f'{system.name} {size}'.strip() for system in SYSTEMS for size, _, _ in system.sizes]
    rows = [line for name in order for line in kept['rows'].get(name, [])]
    print(write_table(options.folder, rows, failures, options.mode), end='')
    draw_all(options.folder, rows)
    if left:
        print(f'not begun in time, the same command goes on with them: {", ".join(left)}', file=sys.stderr)
    return 1 if failures or left else 0


if __name__ == '__main__':
    sys.exit(main())
