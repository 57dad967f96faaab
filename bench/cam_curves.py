#!/usr/bin/env python3
"""The motion that a cam made of 50 to 400 control points gives its follower, against the law that it was made from.

    bench/cam_curves.py [--trammel PROGRAM] [--to FOLDER]

Runs cases/cam_follower/nurbs.yaml with simple knots everywhere. Prints the largest differences of lift, rate and acceleration from
the law over one turn, and their orders from the smallest to the largest number of points. Draws the motions beside the law, and
the differences (motion.png, motion.svg). The steps are so small that the largest differences are those of the splines.
"""
import argparse
import csv
import math
import pathlib
import re
import tempfile

import case_run

ROOT = pathlib.Path(__file__).resolve().parent.parent
POINTS = [50, 100, 200, 400]
OMEGA, LIFT, RISE = 10.0, 0.03, math.radians(120)
DWELL = math.radians(60)


def law(theta):
    """Lift [m] and its first and second derivative by the angle: cycloidal rise, dwell, fall, dwell."""
    theta %= 2 * math.pi
    falls = theta >= RISE + DWELL
    x = (theta - (RISE + DWELL if falls else 0)) / RISE
    if x >= 1:
        return (0.0, 0.0, 0.0) if falls else (LIFT, 0.0, 0.0)
    turn = 2 * math.pi * x
    s = [LIFT * (x - math.sin(turn) / (2 * math.pi)), LIFT / RISE * (1 - math.cos(turn)),
         LIFT / RISE**2 * 2 * math.pi * math.sin(turn)]
    return (LIFT - s[0], -s[1], -s[2]) if falls else tuple(s)


def motion(program, folder, points, turn_in_steps):
    """Angles [rad], and lift, rate and acceleration of the follower [m, m/s, m/s^2] at the rows of a run."""
    text = (ROOT / 'cases/cam_follower/nurbs.yaml').read_text()
    text, found = re.subn(r'\n *knots_at_ends: .*', '', text)
    assert found == 1
    text = re.sub(r'\noutput:.*', '', text)
    case = pathlib.Path(folder) / f'{points}.yaml'
    case.write_text(text + f'output: {{csv: {{every: {turn_in_steps // 1440}}}}}\n')
    step = 2 * math.pi / OMEGA / turn_in_steps
    case_run.run(case_run.command_of(program, str(case), str(case.with_suffix('')),
                                     {'points': points, 'h': repr(step), 'until': repr(step * turn_in_steps)}, options=['-q']))
    with open(case.with_suffix('') / 'guide.csv') as file:
        rows = list(csv.reader(file))
    columns = [next(i for i, name in enumerate(rows[0]) if name.split(' ')[0] == wanted)
               for wanted in ('time', 'slide', 'slide_rate', 'slide_acceleration')]
    numbers = [[float(row[i]) for i in columns] for row in rows[1:]]
    return [OMEGA * row[0] for row in numbers], [[row[k] for row in numbers] for k in (1, 2, 3)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--trammel', default=str(ROOT / 'build/release/bin/trammel'))
    parser.add_argument('--to', default=str(ROOT / 'build/bench/cam_curves'))
    parser.add_argument('--steps', type=int, default=2880, help='in a turn, a multiple of 1440')
    arguments = parser.parse_args()
    if arguments.steps < 1440 or arguments.steps % 1440:
        parser.error('--steps must be a multiple of 1440')
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for n in POINTS:
            found[n] = motion(arguments.trammel, folder, n, arguments.steps)
    scale = [1, OMEGA, OMEGA**2]
    names = ['lift [m]', 'rate [m/s]', 'acceleration [m/s$^2$]']
    largest = {n: [max(abs(y - scale[k] * law(a)[k]) for a, y in zip(found[n][0], found[n][1][k])) for k in range(3)] for n in POINTS}
    print('| n | ' + ' | '.join(map(str, POINTS)) + ' | order |\n|' + '---|' * (len(POINTS) + 2))
    for k, name in enumerate(['lift [m]', 'rate [m/s]', 'acceleration [m/s^2]']):
        order = math.log2(largest[POINTS[0]][k] / largest[POINTS[-1]][k]) / math.log2(POINTS[-1] / POINTS[0])
        print(f'| {name} | ' + ' | '.join(f'{largest[n][k]:.2g}' for n in POINTS) + f' | {order:.2f} |')

    plots = case_run.pyplot()
    if plots is None:
        return
    pathlib.Path(arguments.to).mkdir(parents=True, exist_ok=True)
    figure, axes = plots.subplots(3, 2, figsize=(10, 8), sharex=True)
    for k in range(3):
        angles = found[POINTS[0]][0]
        degrees = [math.degrees(a) for a in angles]
        left, right = axes[k]
        left.plot(degrees, [scale[k] * law(a)[k] for a in angles], color='black', linewidth=3, alpha=0.3, label='law')
        for n in POINTS:
            left.plot(degrees, found[n][1][k], linewidth=0.9, label=f'{n} points')
            right.semilogy(degrees, [max(abs(y - scale[k] * law(a)[k]), 1e-16) for a, y in zip(found[n][0], found[n][1][k])],
                           linewidth=0.7, label=f'{n} points')
        left.set_ylabel(names[k])
        right.set_ylabel('difference')
    for column in (0, 1):
        axes[2][column].set_xlabel('angle of the cam [degrees]')
        axes[2][column].set_xticks(range(0, 361, 60))
    axes[0][0].legend(fontsize=8)
    figure.tight_layout()
    case_run.save(figure, arguments.to, 'motion')
    print(f'figures: {arguments.to}/motion.png and .svg')


if __name__ == '__main__':
    main()
