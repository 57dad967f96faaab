"""Cases cut to a length, run, and their logs read: what the scripts of this folder have in common."""

import os
import re
import resource
import subprocess
import time

PHASES = ['residual', 'tangent', 'assembly', 'factorization', 'solve', 'rest']
NO_ROWS = '{csv: {every: 1000000}}'  # the first and the last state alone


class RunFailed(Exception):
    """A run that ended with an error, or took too long: its command and the end of what it said."""


def cut_to(source, target, end, output=NO_ROWS, from_rest=False, accuracy=None):
    """Writes a copy of the case whose dynamic stage ends at `end` [s], with steps by `accuracy` if that is given. Its static stage is left
    out with `from_rest`."""
    with open(source) as file:
        lines = [line for line in file if not line.startswith('output')]
    if from_rest:
        lines = [line for line in lines if 'type: static' not in line]
    text, stages = re.subn(r'(type: dynamic,.*?until: )[^,}]+', rf'\g<1>{end!r}', ''.join(lines))
    if stages != 1:
        raise RunFailed(f'{source}: {stages} dynamic stages')
    if accuracy:
        text, stages = re.subn(r'step: h(, radius: [0-9.]+)?', f'accuracy: {{value: {accuracy:g}, check: no}}', text)
        if stages != 1:
            raise RunFailed(f'{source}: {stages} stages with steps of size h')
    with open(target, 'w') as file:
        file.write(text + f'output: {output}\n')
    return target


def command_of(program, case, results, settings=None, ranks=1, options=(), under=()):
    """The command of a run; `under` stands before the program, such as valgrind's."""
    command = [*under, program, 'run', case, '-o', results]
    for name, value in (settings or {}).items():
        command += ['--set', f'{name}={value}']
    command += options
    if ranks > 1:
        command = ['mpirun', '-q', '--oversubscribe', '-n', str(ranks)] + command
    return command


def run(command, limit=None, environment=None):
    """Runs a command; its log, wall time [s] and CPU time of all its processes [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, env={**os.environ, **(environment or {})})
    except subprocess.TimeoutExpired as error:
        raise RunFailed(f'{" ".join(command)}: longer than {limit:g} s') from error
    wall = time.monotonic() - begin
    if done.returncode:
        raise RunFailed(f'{" ".join(command)}: exit status {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}')
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def summary(log):
    """What a log's summary says: seconds by phase, unknowns, steps, iterations, factorizations, and bytes with -memory_view."""
    found = {}
    times = log[log.index('wall time'):]
    for phase in PHASES + ['output', 'reading']:
        found[phase] = float(re.search(phase + r' ([0-9.e+-]+)', times).group(1))
    found['unknowns'] = int(re.search(r'unknowns +(\d+)', log).group(1))
    found['steps'] = sum(int(n) for n in re.findall(r'done: (\d+) step', log))
    found['iterations'] = int(re.search(r'Newton iterations (\d+)', log).group(1))
    found['factorizations'] = int(re.search(r'factorizations (\d+)\n', log).group(1))
    found['stages'] = sum(found[phase] for phase in PHASES)
    memory = re.search(r'Maximum .*total ([0-9.e+]+)', log)
    if memory:
        found['memory'] = float(memory.group(1))
    interface = re.findall(r'substructuring: interface of (\d+) unknowns', log)
    if interface:
        found['interface'] = int(interface[-1])
    elsewhere = re.findall(r'factorizations by MUMPS instead (\d+)', log)
    if elsewhere:
        found['by MUMPS'] = int(elsewhere[-1])
    return found


def machine():
    """The kind of this machine, in words."""
    with open('/proc/cpuinfo') as file:
        model = re.search(r'model name\s*: (.*)', file.read())
    with open('/proc/meminfo') as file:
        memory = int(re.search(r'MemTotal: +(\d+)', file.read()).group(1)) / 2**20
    kind = model.group(1).strip() if model else os.uname().machine
    return f'{kind}, {os.cpu_count()} cores, {memory:.0f} GB, Linux {os.uname().release.split("-")[0]}'


def pyplot():
    """matplotlib's pyplot for files, or None with a note where it is not installed."""
    try:
        import matplotlib
    except ImportError:
        import sys
        print('no plots: python3-matplotlib is not installed', file=sys.stderr)
        return None
    matplotlib.use('Agg')
    matplotlib.rcParams['svg.hashsalt'] = 'trammel'  # the same plot gives the same file
    from matplotlib import pyplot as plots
    return plots


def save(figure, folder, name):
    """Writes a figure as PNG and SVG."""
    for ending in ('png', 'svg'):
        metadata = {'Date': None} if ending == 'svg' else None
        figure.savefig(os.path.join(folder, f'{name}.{ending}'), dpi=150, metadata=metadata)
