"""What bench/paired.sh runs: steps of the systems of bench/run.py by two programs in turns, such as this one and an earlier one.

A step's time is that of a long run less that of one step, over the steps between. 'time of a step' and the phases are the medians of the
pairs; 'of the least' compares the fastest runs, which a machine with other work disturbs less.
"""

import argparse
import statistics
import sys

from case_run import PHASES, RunFailed
from run import Bench, difference, wanted_rows

COLUMNS = ['system', 'size', 'time of a step', 'least, most', 'of the least', *PHASES, 'iterations', 'factorizations', 'start']


def arguments():
    parser = argparse.ArgumentParser(prog='bench/paired.sh', description='Steps of two programs in turns: ratios of their times.')
    parser.add_argument('other', metavar='PROGRAM', help='the other program, by which times are divided: its trammel')
    parser.add_argument('--rows', nargs='+', metavar='WORDS', help='the rows whose names hold one of these')
    parser.add_argument('--sizes', nargs='+', metavar='SIZE', help='these sizes alone')
    parser.add_argument('--pairs', type=int, default=5, help='runs of each program (5)')
    parser.add_argument('--longer', type=int, default=1, metavar='TIMES', help='so many times the steps of bench/run.sh')
    parser.set_defaults(mode='quick')
    return parser.parse_args(sys.argv[3:])


def per_step(program, scratch, system, size, steps):
    """A step of `program`, its start, and what the short run and the long one took."""
    bench = Bench(program, scratch, 'quick', None)
    short, long = (bench.one(system, size, count, 1) for count in (1, steps))
    found = difference(short, long)
    return {**found['per'], 'start': found['start'], 'short': short['stages'], 'long': long['stages']}


def of(now, before):
    return f'{now / before:.2f}' if now > 0 and before > 0 else ''


def of_the_least(pairs):
    """The ratio of the times of steps by the fastest runs of each kind."""
    now, before = (min(run['long'] for run in runs) - min(run['short'] for run in runs) for runs in zip(*pairs))
    return of(now, before)


def line(system, size, pairs):
    middle = [{key: statistics.median(run[key] for run in runs) for key in runs[0]} for runs in zip(*pairs)]
    now, before = middle
    ratios = sorted(a['stages'] / b['stages'] for a, b in pairs)
    cells = [system.name, str(size), f'{statistics.median(ratios):.2f}', f'{ratios[0]:.2f}, {ratios[-1]:.2f}', of_the_least(pairs)]
    for phase in PHASES:  # of the step before, so that they add up
        cells.append(f'{before[phase] / before["stages"]:.2f} to {now[phase] / before["stages"]:.2f}')
    cells += [f'{before[key]:.2f} to {now[key]:.2f}' for key in ('iterations', 'factorizations')]
    return '| ' + ' | '.join([*cells, of(now['start'], before['start'])]) + ' |'


def main():
    program, scratch = sys.argv[1:3]
    options = arguments()
    print('| ' + ' | '.join(COLUMNS) + ' |\n' + '|---' * len(COLUMNS) + '|')
    failed = False
    for system, size, steps in wanted_rows(options):
        if system.frames or system.ranks != (1,):
            continue
        try:
            pairs = [[per_step(p, scratch, system, size, steps * options.longer) for p in (program, options.other)]
                     for _ in range(options.pairs)]
            print(line(system, size, pairs), flush=True)
        except RunFailed as error:
            failed = True
            print(error, file=sys.stderr)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
