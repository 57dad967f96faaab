#!/usr/bin/env python3
"""What steps by accuracy reach, and what they cost beside the best fixed step.

For each case: the accuracy asked for; the largest error of a channel, as a part of its range, against a run with much finer
steps (of a beam: positions and rotations of all nodes; a range counts as at least a tenth of the largest of its kind); that divided by the problem's own amplification (of a start that is perturbed by a millionth, at least 1); steps,
rejected ones, iterations of Newton's method and factorizations; and beside fixed steps of the same error, by a power law between
two runs: steps, iterations, and work, for which a factorization counts as three iterations (`keep_iterations`).
    bench/accuracy.py [--trammel PROGRAM] [--accuracy 1e-3] [CASE ...]
Each case is measured at the accuracy given and at a tenth of it.
"""
import argparse
import csv
import math
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = 120  # of a history
DELTA = 1e-6
# The reference's accuracy is the finest one over this. Below 1e-5 rounding errors govern the steps of sliding_bead, and steps of stick_slip
# miss that it begins to slip.
FINER = {'sliding_bead': 10, 'stick_slip': 10}
TANGENT = 3  # iterations
POSITION = ['position.x [m]', 'position.y [m]', 'position.z [m]']
ROTATION = ['quaternion.w', 'quaternion.x', 'quaternion.y', 'quaternion.z']
BEAMS = {'spin_up': ('arm', 10), 'sliding_bead': ('rod', 16), 'flying_beam': ('noodle', 20)}  # name and elements

# Folder of the case, or a model of bench/forms: channels as (history, columns), coarsest fixed step, and how its start is perturbed: a text of the case and
# what replaces it, D standing for a millionth. None: a motion that forgets its start, or has none of its own.
CASES = {
    'pendulum': (10, [('bob', ['position.x [m]', 'position.y [m]'])], 0.01, ('[-1, 0, 0]', '[-cos(2*D), -sin(2*D), 0]')),
    'governor': (10, [('slider', ['position.z [m]']), ('angle', ['value [rad]'])], 0.01, ('rate: 2*pi ', 'rate: 2*pi*(1 + D) ')),
    'heavy_top': (1, [('top', ['position.x [m]', 'position.y [m]', 'position.z [m]'])], 2e-3, ('rate: -4.61538', 'rate: -4.61538*(1 + D)')),
    'spin_up': (20, [], 0.1, None),
    'sliding_bead': (0.6, [('bead', POSITION)], 4e-3, ('velocity: [0.5,', 'velocity: [0.5*(1 + D),')),
    'stick_slip': (25, [('slide', ['value [m]'])], 4e-3, None),
    'ellipse_bead': (5, [('bead', ['position.x [m]', 'position.z [m]'])], 0.02, ('position: [2, 0, 0]', 'position: [2*cos(2*D), 0, -sin(2*D)]')),
    'spinning_hoop': (2, [('bead', ['position.x [m]', 'position.z [m]'])], 0.02, ('theta: deg(30)', 'theta: deg(30)+D')),
    # R11, D03-S (flying_beam) and K13: motions that amplify a perturbation of their start.
    'double_pendulum': (3, [('tip', ['position.x [m]', 'position.y [m]'])], 0.01, ('position: [1.5, 0, 0]\n', 'position: [1.5, 0, 0]\n    angular_velocity: [0, 0, 10*D]\n')),
    'flying_beam': (15, [], 0.1,
                    ('from: [6, 0, 0], to: [0, 8, 0]', 'from: [6 + 4*D, 3*D, 0], to: [-4*D, 8 - 3*D, 0]')),
    'chain_of_five': (3, [('end', ['position.x [m]', 'position.y [m]'])], 2e-3, ('a1: deg(-20)', 'a1: deg(-20) + D')),
}


def source(case):
    of_cases = ROOT / 'cases' / case / 'case.yaml'
    return of_cases if of_cases.exists() else ROOT / 'bench/forms' / f'{case}.yaml'


def angle(a, b):
    """Between two orientations given by quaternions [rad]."""
    return 2 * math.atan2(min(math.dist(a, b), math.dist(a, [-x for x in b])), max(math.dist(a, b), math.dist(a, [-x for x in b])))


def with_nodes(case, text, channels):
    """The text with a sensor at each node of the case's beam, and the channels with theirs."""
    if case not in BEAMS:
        return text, channels
    beam, elements = BEAMS[case]
    sensors = ''.join(f'  at_{k}: {{type: motion, of: {beam}.at({k}/{elements})}}\n' for k in range(elements + 1))
    nodes = [(f'at_{k}', columns) for k in range(elements + 1) for columns in (POSITION, ROTATION)]
    return text.replace('sensors:\n', 'sensors:\n' + sensors), channels + nodes


class Run:
    """One run of a case: its histories, steps, iterations and the solver's time."""

    def __init__(self, program, case, text, steps, form):
        until, channels, _, _ = CASES[case]
        text, channels = with_nodes(case, text, channels)
        text = re.sub(r'\bstep: h\b', steps, text)
        text = re.sub(r'(type: dynamic, )', rf'\1form: {form}, ', text)
        text = re.sub(r'\noutput:.*', '', text) + f'\noutput: {{csv: {{interval: {until / ROWS!r}}}}}\n'
        folder = pathlib.Path(tempfile.mkdtemp(prefix='accuracy_'))
        file = source(case).parent / f'.{folder.name}.yaml'
        file.write_text(text)
        try:
            done = subprocess.run([program, 'run', str(file), '-o', str(folder)], capture_output=True, text=True)
        finally:
            file.unlink()
        self.log = done.stdout + done.stderr
        if done.returncode != 0:
            shutil.rmtree(folder)
            raise RuntimeError(f'{case}, {steps}: {done.stderr.strip()}')
        self.channels = []
        for history, columns in channels:
            rows = {}
            with open(folder / f'{history}.csv', newline='') as f:
                for row in csv.DictReader(f):
                    rows[round(float(row['time [s]']) * ROWS / until)] = [float(row[c]) for c in columns]
            self.channels.append((columns == ROTATION, rows))
        shutil.rmtree(folder)
        summary = re.search(r'steps (\d+), of them cut (\d+); Newton iterations (\d+); factorizations (\d+)', self.log)
        self.steps, self.cut, self.iterations, self.factorizations = map(int, summary.groups())
        self.work = self.iterations + TANGENT * self.factorizations
        asked = re.search(r'estimated error ([\d.e+-]+) of the ranges of positions; (\d+) steps, (\d+) rejected', self.log)
        self.estimated, self.rejected = (float(asked[1]), int(asked[3])) if asked else (0.0, 0)

    def error(self, reference):
        found = {True: [], False: []}  # whether it is a rotation: errors and ranges
        for (turns, mine), (_, true) in zip(self.channels, reference.channels):
            times = sorted(set(mine) & set(true))
            if turns:
                span = max(angle(true[t], true[times[0]]) for t in times)
                found[True].append((max(angle(mine[t], true[t]) for t in times), span))
                continue
            size = len(true[times[0]])
            span = math.dist([min(true[t][k] for t in times) for k in range(size)], [max(true[t][k] for t in times) for k in range(size)])
            found[False].append((max(math.dist(mine[t], true[t]) for t in times), span))
        return max(error / max(span, max(s for _, s in kind) / 10) for kind in found.values() for error, span in kind if error > 0)


def fixed_step(case, parts):
    """A fixed step that divides the interval of rows."""
    return f'step: {CASES[case][0] / ROWS / parts!r}'


def measure(program, case, accuracies, form):
    until, _, coarse, perturbed = CASES[case]
    text = source(case).read_text()
    parts = max(1, math.ceil(until / ROWS / coarse))
    finest = min(accuracies)
    exact = f'accuracy: {{value: {finest / FINER.get(case, 50)!r}, check: no}}'
    reference = Run(program, case, text, exact, form)
    amplification = 1.0
    if perturbed:
        assert perturbed[0] in text, case
        other = Run(program, case, text.replace(perturbed[0], perturbed[1].replace('D', repr(DELTA))), exact, form)
        amplification = max(1.0, other.error(reference) / DELTA)
    fixed = []
    for power in range(14):
        try:
            run = Run(program, case, text, fixed_step(case, parts * 2**power), form)
        except RuntimeError:  # the step is too long for a solution, or for the energy
            continue
        fixed.append((run.error(reference), run))
        if fixed[-1][0] < finest / 20 or run.steps > 60000:
            break
    before = None
    for e in accuracies:
        run = Run(program, case, text, f'accuracy: {{value: {e!r}, check: no}}', form)
        error = run.error(reference)
        same = None
        for (e1, r1), (e2, r2) in zip(fixed, fixed[1:]):
            if e2 < error <= e1:
                x = math.log(error / e1) / math.log(e2 / e1)
                same = [math.exp((1 - x) * math.log(a) + x * math.log(b)) for a, b in ((r1.steps, r2.steps), (r1.iterations, r2.iterations), (r1.work, r2.work))]
        beside = f'{run.steps / same[0]:.2f} | {run.iterations / same[1]:.2f} | {run.work / same[2]:.2f}' if same else '- | - | -'
        ratio = f'{error / before:.3f}' if before else ''
        print(f'| {case} | {e:g} | {error:.2g} | {amplification:.3g} | {error / amplification / e:.2f} | {ratio} | {run.estimated:.2g} | {run.steps} | {run.rejected} | {run.iterations} | {run.factorizations} | {beside} |', flush=True)
        before = error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--trammel', default=str(ROOT / 'build/release/bin/trammel'))
    parser.add_argument('--accuracy', type=float, default=1e-3)
    parser.add_argument('--form', default='projected')
    parser.add_argument('cases', nargs='*', default=[])
    options = parser.parse_args()
    print('| case | asked | error found | amplification | error / (amplification asked) | beside that of ten times as much | estimated | steps | rejected | iterations | factorizations | steps beside fixed ones | iterations beside | work beside |')
    print('|' + '---|' * 14)
    for case in options.cases or CASES:
        try:
            measure(options.trammel, case, [options.accuracy, options.accuracy / 10], options.form)
        except RuntimeError as error:
            print(f'| {case} | {error} |', flush=True)


if __name__ == '__main__':
    main()
