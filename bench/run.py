"""What bench/run.sh runs: measures the systems below and writes table.md, runs.csv and plots into a folder.

A step's time is that of a long run less that of one step, over the steps between; the start is what one step takes besides.
The fastest of three pairs of runs counts, and of one pair where a run takes longer than 20 s.
"""

import csv
import os
import platform
import re
import subprocess
import sys
import time

PROGRAM, SCRATCH, FOLDER, SCOPE = sys.argv[1:5]
ONLY = ' '.join(sys.argv[5:])  # part of the names of systems
SCOPES = ['quick', 'standard', 'full']
COLUMNS = ['system', 'size', 'ranks', 'unknowns', 'start [s]', 'step [ms]', 'own U [ms]', 'step [own U]', 'iterations',
           'memory [kB an unknown]', 'output [%]']
PHASES = ['residual', 'tangent', 'assembly', 'factorization', 'solve', 'rest']


def systems():
    """Name, size, case, settings, step [s], begin of the steps [s], steps, ranks, smallest scope, output."""
    for name, case in (('chain, spherical', 'case'), ('chain, revolute', 'revolute')):
        for size, steps, scope in ((100, 200, 0), (1000, 100, 0), (10000, 20, 1), (100000, 10, 2)):
            yield name, size, f'cases/chain/{case}.yaml', {'N': size, 'tolerance': 1e-8}, 1e-3, 0, steps, 1, scope, None
    for size, steps, scope in ((20, 1000, 0), (200, 500, 0), (1000, 200, 1), (10000, 50, 1)):
        yield 'flying beam', size, 'cases/flying_beam/case.yaml', {'n': size}, 1e-3, 0, steps, 1, scope, None
    yield 'four-bar', '', 'cases/four_bar_x/case.yaml', {}, 1e-3, 0, 1000, 1, 0, None
    yield 'slider-crank', '', 'cases/slider_crank/case.yaml', {}, 5e-4, 0, 1000, 1, 0, None
    for size, steps, scope in ((10, 30, 0), (20, 20, 1), (40, 10, 1), (100, 5, 2)):
        yield 'lattice', size, 'cases/lattice/case.yaml', {'n': size}, 1e-4, 2, steps, 1, scope, None
    for size, steps, scope in ((2000, 50, 0), (10000, 20, 1), (20000, 20, 1), (100000, 10, 2)):
        for ranks in (1, 2):
            yield 'chain on ranks', size, 'cases/chain/case.yaml', {'N': size, 'tolerance': 1e-8}, 1e-3, 0, steps, ranks, scope, None
    for size, steps, scope in ((20, 20, 1), (40, 10, 1)):
        yield 'lattice on ranks', size, 'cases/lattice/case.yaml', {'n': size}, 1e-4, 2, steps, 2, scope, None
    # Frames and rows at every tenth step.
    for size, steps, scope in ((1000, 100, 0), (10000, 40, 1)):
        yield ('beam with VTK and CSV', size, 'cases/flying_beam/case.yaml', {'n': size}, 1e-3, 0, steps, 1, scope,
               '{vtk: {every: 10}, csv: {every: 10}}')
    for size, steps, scope in ((1000, 100, 0), (11111, 40, 1)):
        yield ('chain with VTK and CSV', size, 'cases/chain/case.yaml', {'N': size, 'tolerance': 1e-8}, 1e-3, 0, steps, 1, scope,
               '{vtk: {every: 10}, csv: {every: 10}}')


def case_of(source, end, output):
    """A copy of the case that ends at `end` [s], with rows of the first and the last state alone where no output is asked for."""
    with open(source) as file:
        text = ''.join(line for line in file if not line.startswith('output'))
    text, stages = re.subn(r'(type: dynamic,.*?until: )[^,}]+', rf'\g<1>{end!r}', text)
    if stages != 1:
        sys.exit(f'{source}: {stages} dynamic stages')
    path = os.path.join(SCRATCH, 'case.yaml')
    with open(path, 'w') as file:
        file.write(text + 'output: ' + (output or '{csv: {every: 1000000}}') + '\n')
    return path


def run(case, settings, ranks):
    command = [PROGRAM, 'run', case, '-o', os.path.join(SCRATCH, 'out'), '-memory_view']
    for name, value in settings.items():
        command += ['--set', f'{name}={value}']
    if ranks > 1:
        command = ['mpirun', '-q', '--oversubscribe', '-n', str(ranks)] + command
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f'{" ".join(command)}\n{done.stdout}{done.stderr}')
    log = done.stdout
    found = {'wall': time.monotonic() - begin}
    for phase in PHASES + ['output', 'reading']:
        found[phase] = float(re.search(phase + r' ([0-9.e+-]+)', log[log.index('wall time'):]).group(1))
    found['unknowns'] = int(re.search(r'unknowns +(\d+)', log).group(1))
    found['steps'] = sum(int(n) for n in re.findall(r'done: (\d+) step', log))
    found['iterations'] = int(re.search(r'Newton iterations (\d+)', log).group(1))
    found['factorizations'] = int(re.search(r'factorizations (\d+)\n', log).group(1))
    found['memory'] = float(re.search(r'Maximum .*total ([0-9.e+]+)', log).group(1))
    found['stages'] = sum(found[phase] for phase in PHASES)
    return found


def empty_process():
    """Memory of a process with a model of one body [bytes]."""
    path = os.path.join(SCRATCH, 'empty.yaml')
    with open(path, 'w') as file:
        file.write('trammel: 1\nbodies:\n  ball: {type: rigid_body, mass: 1, inertia: [1, 1, 1]}\n'
                   'stages:\n  - {type: dynamic, until: 1e-3, step: 1e-3}\n')
    return run(path, {}, 1)['memory']


def measure(source, output, settings, h, begin, steps, ranks):
    """The fastest pairs of a short and a long run: what a row of the table needs."""
    best = None
    for _ in range(3):
        short = run(case_of(source, begin + h, output), {**settings, 'h': h}, ranks)
        long = run(case_of(source, begin + h * steps, output), {**settings, 'h': h}, ranks)
        more = max(long['steps'] - short['steps'], 1)
        per = {key: (long[key] - short[key]) / more for key in PHASES + ['stages', 'output', 'iterations', 'factorizations']}
        row = {'long': long, 'per': per, 'start': short['reading'] + short['stages'] - per['stages']}
        if best is None or per['stages'] < best['per']['stages']:
            best = row
        if long['wall'] > 20:
            break
    return best


def rows():
    base = empty_process()
    for name, size, source, settings, h, begin, steps, ranks, scope, output in systems():
        if scope > SCOPES.index(SCOPE) or ONLY not in name:
            continue
        print(f'{name} {size} on {ranks}', file=sys.stderr)
        found = measure(source, output, settings, h, begin, steps, ranks)
        per, long = found['per'], found['long']
        own = (per['factorization'] / max(per['factorizations'], 1e-3) if per['factorizations'] > 0 else 0)
        own += per['solve'] / max(per['iterations'], 1e-3)
        yield {
            'system': name, 'size': size, 'ranks': ranks, 'unknowns': long['unknowns'],
            'start [s]': f'{found["start"]:.3g}', 'step [ms]': f'{1e3 * per["stages"]:.3g}', 'own U [ms]': f'{1e3 * own:.3g}',
            'step [own U]': f'{per["stages"] / own:.2f}' if own > 0 else '', 'iterations': f'{per["iterations"]:.2f}',
            'memory [kB an unknown]': f'{(long["memory"] - ranks * base) / 1024 / long["unknowns"]:.2f}'
            if long['unknowns'] >= 1000 else '',
            'output [%]': f'{100 * per["output"] / (per["stages"] + per["output"]):.2g}' if output else '',
        }


def machine():
    with open('/proc/cpuinfo') as file:
        model = re.search(r'model name\s*: (.*)', file.read())
    with open('/proc/meminfo') as file:
        memory = int(re.search(r'MemTotal: +(\d+)', file.read()).group(1)) / 2**20
    return (f'{model.group(1) if model else platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB, Linux '
            f'{platform.release().split("-")[0]}; load {os.getloadavg()[0]:.1f} at the end')


def plot(table):
    try:
        import matplotlib
    except ImportError:
        print('no plots: python3-matplotlib is not installed', file=sys.stderr)
        return
    matplotlib.use('Agg')
    from matplotlib import pyplot
    curves = {}
    for row in table:
        if row['ranks'] == 1 and row['size'] != '' and 'ranks' not in row['system'] and 'VTK' not in row['system']:
            curves.setdefault(row['system'], []).append(row)
    if not curves:
        return
    for file, column, label in (('step_time', 'step [ms]', 'time of a step [ms]'), ('start', 'start [s]', 'start [s]'),
                                ('memory', 'memory [kB an unknown]', 'memory [kB an unknown]')):
        figure, axes = pyplot.subplots(figsize=(6, 4.2), constrained_layout=True)
        for name, points in curves.items():
            points = [p for p in points if p[column] not in ('', '0')]
            axes.plot([p['unknowns'] for p in points], [float(p[column]) for p in points], 'o-', label=name, markersize=4)
        axes.set_xscale('log')
        axes.set_yscale('linear' if file == 'memory' else 'log')
        axes.set_xlabel('unknowns')
        axes.set_ylabel(label)
        axes.grid(True, which='both', linewidth=0.3)
        axes.legend(frameon=False)
        for ending in ('png', 'svg'):
            figure.savefig(os.path.join(FOLDER, f'{file}.{ending}'), dpi=150)


def main():
    if SCOPE not in SCOPES:
        sys.exit(f'bench/run.sh: {SCOPE} is none of {", ".join(SCOPES)}')
    os.makedirs(FOLDER, exist_ok=True)
    table = list(rows())
    with open(os.path.join(FOLDER, 'runs.csv'), 'w', newline='') as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(table)
    lines = ['| ' + ' | '.join(COLUMNS) + ' |', '|' + '---|' * len(COLUMNS)]
    lines += ['| ' + ' | '.join(str(row[c]) for c in COLUMNS) + ' |' for row in table]
    text = f'{machine()}\n\n' + '\n'.join(lines) + '\n'
    with open(os.path.join(FOLDER, 'table.md'), 'w') as file:
        file.write(text)
    print(text, end='')
    plot(table)


main()
