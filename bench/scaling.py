"""What bench/scaling.sh runs: what the busiest rank does in a step, counted, and a model of the time that follows from it.

Counted, so that other work on the machine does not matter: instructions of each rank outside of MPI (callgrind, a window of steps),
and messages and bytes of each rank (Open MPI's monitoring, which sees the messages that collective operations are made of, and a
preloaded library for those of persistent requests, which it does not see; a long run less a short one). Modelled, with a core of its own for each rank:

    time of a step = instructions / RATE + messages * LATENCY + bytes / BANDWIDTH       each of the rank that has most
"""

import argparse
import glob
import json
import math
import os
import re
import sys

import case_run
from case_run import RunFailed

LATENCY = 1.5e-6  # [s]
BANDWIDTH = 12e9  # of a rank [B/s]
CASES = {  # case, parameter, its value of so many ranks (weak), of all (strong), settings, step [s]
    'chain': ('cases/chain/case.yaml', 'N', lambda ranks: 1111 * ranks, 1111 * 16, {'tolerance': 1e-8}, 1e-3),
    'lattice': ('bench/lattice.yaml', 'n', lambda ranks: round(11 * math.sqrt(ranks)), 44, {}, 1e-4),
}
WINDOW = (3, 8)  # solutions of steps
STEPS = 10
# By share on each rank from the start, as large models are read.
OPTIONS = ['-partition_from', '1']


class Counting:
    def __init__(self, program, scratch, libraries):
        self.program, self.scratch, self.libraries = program, scratch, libraries

    def library(self, name):
        return os.path.join(self.libraries, name + '.so')

    def case(self, name, steps):
        source, _, _, _, _, h = CASES[name]
        return case_run.cut_to(source, os.path.join(self.scratch, 'case.yaml'), h * steps)

    def settings(self, name, size):
        _, parameter, _, _, settings, h = CASES[name]
        return {**settings, parameter: size, 'h': h}

    def messages(self, name, size, ranks, steps):
        """Of each rank: messages and bytes sent and received, the larger of both, in a whole run; and the run's summary."""
        for old in glob.glob(os.path.join(self.scratch, 'sent.*')) + glob.glob(os.path.join(self.scratch, 'persistent.*')):
            os.remove(old)
        command = case_run.command_of(self.program, self.case(name, steps), os.path.join(self.scratch, 'out'),
                                      self.settings(name, size), ranks, OPTIONS)
        monitor = ['--mca', 'pml', '^ucx,cm', '--mca', 'pml_monitoring_enable', '2', '--mca', 'pml_monitoring_enable_output', '3',
                   '--mca', 'pml_monitoring_filename', os.path.join(self.scratch, 'sent')]
        persistent = os.path.join(self.scratch, 'persistent')
        preload = ['-x', 'LD_PRELOAD=' + self.library('persistent_messages'), '-x', 'PERSISTENT_MESSAGES=' + persistent]
        if ranks > 1:
            command[1:1] = monitor + preload
        log = case_run.run(command, 3600, {'OMPI_MCA_pml': '^ucx,cm'})[0]
        sent = [[0, 0] for _ in range(ranks)]
        received = [[0, 0] for _ in range(ranks)]
        files = glob.glob(os.path.join(self.scratch, 'sent.*.prof'))
        if ranks > 1 and len(files) != ranks:
            raise RunFailed('this MPI library has no monitoring of messages (Open MPI 4 has)')
        for path in files:
            with open(path) as file:
                for a, b, size_, count in re.findall(r'^[EI]\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs', file.read(), re.M):
                    for place, rank in ((sent, int(a)), (received, int(b))):
                        place[rank][0] += int(count)
                        place[rank][1] += int(size_)
        for rank in range(ranks if ranks > 1 else 0):
            with open(f'{persistent}.{rank}') as file:
                for place, line in zip((sent, received), file):
                    for k, number in enumerate(line.split()):
                        place[rank][k] += int(number)
        return [[max(s[k], r[k]) for k in (0, 1)] for s, r in zip(sent, received)], case_run.summary(log)

    def messages_of_a_step(self, name, size, ranks):
        """The busiest rank's messages and bytes, in a step; unknowns, iterations, factorizations of a step, and interface."""
        few, short = self.messages(name, size, ranks, WINDOW[0])
        many, long = self.messages(name, size, ranks, STEPS)
        more = long['steps'] - short['steps']
        per = [[(m[k] - f[k]) / more for k in (0, 1)] for f, m in zip(few, many)]
        return {'messages': max(p[0] for p in per), 'bytes': max(p[1] for p in per), 'unknowns': long['unknowns'],
                'iterations': (long['iterations'] - short['iterations']) / more,
                'factorizations': (long['factorizations'] - short['factorizations']) / more,
                'interface': long.get('interface', 0), 'by MUMPS': long.get('by MUMPS', 0)}

    def instructions_of_a_step(self, name, size, ranks):
        """Of each rank, outside of MPI."""
        for old in glob.glob(os.path.join(self.scratch, 'count.*')):
            os.remove(old)
        # --toggle-collect turns --collect-atstart off, so that comes last.
        under = ['valgrind', '--tool=callgrind', '--instr-atstart=no', '--toggle-collect=MPI_*', '--toggle-collect=PMPI_*',
                 '--toggle-collect=mpi_*_', '--collect-atstart=yes', f'--callgrind-out-file={self.scratch}/count.%p']
        command = case_run.command_of(self.program, self.case(name, STEPS), os.path.join(self.scratch, 'out'),
                                      self.settings(name, size), ranks, [*OPTIONS, '-q'], under)
        case_run.run(command, 7200, {'LD_PRELOAD': self.library('step_window'), 'STEP_WINDOW': '%d %d' % WINDOW})
        counts = []
        for path in glob.glob(os.path.join(self.scratch, 'count.*')):
            with open(path) as file:
                total = re.search(r'^totals: (\d+)', file.read(), re.M)
            counts.append(int(total.group(1)) / (WINDOW[1] - WINDOW[0]))
        return [c for c in sorted(counts) if c > 0]

    def rate(self):
        """Instructions of a second of CPU time, of a chain of 1,111 rods on one rank: the fastest of three."""
        instructions = self.instructions_of_a_step('chain', 1111, 1)[-1]
        best = math.inf
        for _ in range(3):
            seconds = []
            for steps in (WINDOW[0], 60):
                command = case_run.command_of(self.program, self.case('chain', steps), os.path.join(self.scratch, 'out'),
                                              self.settings('chain', 1111))
                seconds.append(case_run.run(command)[2])
            best = min(best, (seconds[1] - seconds[0]) / (60 - WINDOW[0]))
        return instructions / best


def modelled(row, rate):
    return row['instructions'] / rate + row['messages'] * LATENCY + row['bytes'] / BANDWIDTH


def table(rows, rate):
    lines = ['| model | scaling | ranks | unknowns | interface | instructions [10^6] | mean over ranks | messages | kB | modelled step [ms] | '
             'of it communication | efficiency | beside the same model on one rank |', '|' + '---|' * 13]
    ones = {}
    for row in rows:
        seconds = modelled(row, rate)
        key = row['model'], row['scaling']
        ones.setdefault(key, (row['ranks'], seconds))
        first_ranks, first = ones[key]
        efficiency = first / seconds if row['scaling'] == 'weak' else first * first_ranks / (seconds * row['ranks'])
        same = f'{100 * row["alone"] / row["ranks"] / rate / seconds:.0f} %' if 'alone' in row else ''
        lines.append(
            f'| {row["model"]} | {row["scaling"]} | {row["ranks"]} | {row["unknowns"]} | {row["interface"]}'
            f'{" (MUMPS)" if row["by MUMPS"] else ""} | {row["instructions"] / 1e6:.1f} | '
            f'{row["mean"] / 1e6:.1f} | {row["messages"]:.0f} | {row["bytes"] / 1e3:.1f} | {1e3 * seconds:.2f} | '
            f'{100 * (1 - row["instructions"] / rate / seconds):.0f} % | {100 * efficiency:.0f} % | {same} |')
    return lines


def main():
    program, scratch, libraries = sys.argv[1:4]
    parser = argparse.ArgumentParser(prog='bench/scaling.sh')
    parser.add_argument('--models', nargs='+', default=list(CASES), choices=list(CASES))
    parser.add_argument('--ranks', nargs='+', type=int, default=[1, 4, 8, 16])
    parser.add_argument('--weak-only', nargs='*', type=int, default=[64], help='ranks of weak scaling alone')
    parser.add_argument('--rate', type=float, help='instructions a second of CPU time; measured where it is not given')
    parser.add_argument('--folder', default='build/bench/scaling')
    parser.add_argument('--strong', action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args(sys.argv[4:])
    os.makedirs(options.folder, exist_ok=True)
    kept_in = os.path.join(options.folder, 'counts.json')
    kept = {}
    if os.path.exists(kept_in):
        with open(kept_in) as file:
            kept = json.load(file)
    counting = Counting(program, scratch, libraries)

    def count(name, scaling, size, ranks):
        key = f'{name} {size} on {ranks}'
        row = kept.get(key)
        if row is None:
            print(key, file=sys.stderr, flush=True)
            row = counting.messages_of_a_step(name, size, ranks)
            counts = counting.instructions_of_a_step(name, size, ranks)
            row.update({'instructions': counts[-1], 'mean': sum(counts) / len(counts)})
            kept[key] = row
            with open(kept_in, 'w') as file:
                json.dump(kept, file, indent=1)
        return {**row, 'model': name, 'scaling': scaling, 'ranks': ranks}

    rate = options.rate or kept.get('rate') or counting.rate()
    kept['rate'] = rate
    rows = []
    for name in options.models:
        _, _, weak, strong, _, _ = CASES[name]
        for ranks in [*options.ranks, *options.weak_only]:
            rows.append(count(name, 'weak', weak(ranks), ranks))
            # A larger model may need more iterations: this is no matter of ranks.
            rows[-1]['alone'] = count(name, 'alone', weak(ranks), 1)['instructions']
        if options.strong:
            for ranks in options.ranks:
                rows.append(count(name, 'strong', strong, ranks))
    text = (f'{case_run.machine()}; model: {rate / 1e9:.2f} instructions in a nanosecond, {LATENCY * 1e6:g} us a message, '
            f'{BANDWIDTH / 1e9:g} GB/s a rank\n\n' + '\n'.join(table(rows, rate)) + '\n')
    with open(os.path.join(options.folder, 'table.md'), 'w') as file:
        file.write(text)
    print(text, end='')


if __name__ == '__main__':
    try:
        main()
    except RunFailed as error:
        sys.exit(str(error))
