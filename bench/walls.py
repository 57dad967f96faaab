#!/usr/bin/env python3
"""What steps by accuracy reach where a smooth force sets in within a small part of a step.

A block of 2 kg moves along a guide at 1 m/s between two walls, or falls onto a floor from 0.1 m, for 1 s. For each wall and each
accuracy asked for: the largest error of its position over (range x amplification x what was asked), and the steps. The reference is
a Runge-Kutta method of order 4 with steps of its own; the amplification is that of a start that is perturbed by a millionth.
    bench/walls.py [--trammel PROGRAM] [--accuracy 1e-2,1e-3,1e-4,1e-5] [TEXT ...]
TEXT: only walls whose name contains it.
"""
import argparse
import csv
import math
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = 200
GAP, MASS, WEIGHT = 0.1, 2.0, 9.81 * 2

CASE = '''trammel: 1
bodies:
  block: {{type: rigid_body, mass: 2, inertia: [0.02, 0.02, 0.02], velocity: [{speed}, 0, 0]}}
joints:
  guide: {{type: prismatic, between: [ground, block], axis: [1, 0, 0], spring: {{slide: {{law: "{law}"}}}}}}
sensors:
  slide: {{type: signal, of: guide.slide}}
stages:
  - {{type: dynamic, until: 1, accuracy: {{value: {accuracy}, check: no}}, newton: {{tolerance: 1e-11}}}}
output: {{csv: {{interval: 0.005}}}}
'''


class Wall:
    """A force on the block: by its position, and as the law of a spring, which acts against it; both from the force of a wall at the depth d."""

    def __init__(self, name, push, law, falls=False):
        self.name, self.speed = name, 0.0 if falls else 1.0
        if falls:
            self.force = lambda x: push(-GAP - x) - WEIGHT
            self.law = f'{WEIGHT} - ' + law.replace('d', f'(-{GAP} - guide.slide)')
        else:
            self.force = lambda x: push(-GAP - x) - push(x - GAP)
            self.law = law.replace('d', f'(guide.slide - {GAP})') + ' - ' + law.replace('d', f'(-{GAP} - guide.slide)')

    def motion(self, x, v):
        """Positions at the times of the rows."""

        def step(x, v, h):
            a = self.force(x) / MASS
            v2, a2 = v + h / 2 * a, self.force(x + h / 2 * v) / MASS
            v3, a3 = v + h / 2 * a2, self.force(x + h / 2 * v2) / MASS
            v4, a4 = v + h * a3, self.force(x + h * v3) / MASS
            return x + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a + 2 * a2 + 2 * a3 + a4)

        rows, t, h = [x], 0.0, 1e-5
        for row in range(1, ROWS + 1):
            while t < row / ROWS - 1e-14:
                now = min(h, row / ROWS - t)
                (x1, v1), (x2, v2) = step(x, v, now), step(*step(x, v, now / 2), now / 2)
                error = max(abs(x1 - x2) / GAP, abs(v1 - v2))
                if not error < 1e-10:
                    h = now / 2
                    continue
                x, v, t = x2, v2, t + now
                if error < 2e-12 and now == h:
                    h = min(1e-3, 1.4 * h)
            rows.append(x)
        return rows


def exponential(force, length):
    return lambda d: force * math.exp(min(d / length, 600)), f'{force}*exp(d/{length})'


def power(stiffness, exponent):
    return lambda d: stiffness * max(0, d)**exponent, f'{stiffness}*max(0, d)^{exponent}'


WALLS = [Wall(f'{force:g} N exp(d / {1e3 * length:g} mm)', *exponential(force, length)) for length in (1e-3, 1e-4, 1e-5) for force in (1e2, 1e3, 1e4)]
WALLS += [Wall(f'{k:g} N/m^2 d^2', *power(k, 2)) for k in (1e6, 1e8, 1e10)] + [Wall(f'{k:g} N/m d', *power(k, 1)) for k in (2e4, 2e6)]
WALLS += [Wall(f'floor, 1000 N exp(d / {1e3 * length:g} mm)', *exponential(1e3, length), falls=True) for length in (1e-3, 1e-4)]


def measure(program, wall, accuracy, exact, unit):
    with tempfile.TemporaryDirectory() as folder:
        case = pathlib.Path(folder) / 'case.yaml'
        case.write_text(CASE.format(speed=wall.speed, law=wall.law, accuracy=accuracy))
        done = subprocess.run([program, 'run', str(case), '-o', folder], capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr.strip().splitlines()[-1]
        error = 0.0
        with open(pathlib.Path(folder) / 'slide.csv', newline='') as f:
            for row in csv.DictReader(f):
                error = max(error, abs(float(row['value [m]']) - exact[round(float(row['time [s]']) * ROWS)]))
    steps = re.search(r'estimated error [\d.e+-]+ of the ranges of positions; (\d+) steps', done.stdout)
    return f'{error / unit / accuracy:.2g} ({steps[1]})'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--trammel', default=str(ROOT / 'build/release/bin/trammel'))
    parser.add_argument('--accuracy', default='1e-2,1e-3,1e-4,1e-5')
    parser.add_argument('walls', nargs='*')
    options = parser.parse_args()
    accuracies = [float(e) for e in options.accuracy.split(',')]
    print('| wall | amplification |' + ''.join(f' {e:g} |' for e in accuracies))
    print('|---|---|' + '---|' * len(accuracies))
    for wall in WALLS:
        if options.walls and not any(text in wall.name for text in options.walls):
            continue
        exact = wall.motion(0, wall.speed)
        size = max(exact) - min(exact)
        starts = [(1e-6 * size, wall.speed), (0, wall.speed + 1e-6)]
        amplification = max([1] + [abs(a - b) / size / 1e-6 for start in starts for a, b in zip(wall.motion(*start), exact)])
        found = [measure(options.trammel, wall, e, exact, size * amplification) for e in accuracies]
        print(f'| {wall.name} | {amplification:.2g} | ' + ' | '.join(found) + ' |', flush=True)


if __name__ == '__main__':
    main()
