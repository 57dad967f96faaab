#!/usr/bin/env python3
"""Whether every case runs to its end by an accuracy, and in how many steps.

Each dynamic stage of each case gets `accuracy: e` in place of its step. Printed for each case: steps, rejected ones, the estimated
error over what was asked, processor time, what a second run tells of the error over what was asked, and where vibrations lose their
phase, by how much; or why it did not end.
    bench/accuracy_of_cases.py [--trammel PROGRAM] [--accuracy 1e-4] [--limit SECONDS] [--check coarser|finer|no] [CASE ...]
With --own-steps each stage keeps its step, and the error is told as it is.
"""
import argparse
import os
import pathlib
import re
import subprocess
import tempfile

import case_run

ROOT = pathlib.Path(__file__).resolve().parent.parent


def by_accuracy(case, accuracy, check):
    """The case's text with an accuracy in each dynamic stage, or with the check of its steps where that is None, and hardly any output.
    None if it has no such stage."""
    text = (ROOT / 'cases' / case / 'case.yaml').read_text()
    to = rf'\g<0>, check: {check}' if accuracy is None else rf'\g<1>accuracy: {{value: {accuracy:g}, check: {check}}}'
    changed, stages = re.subn(r'(type: dynamic\b[^}]*?)\bsteps?: [^,}]+', to, text)
    if stages == 0:
        return None
    return re.sub(r'(?m)^output:.*', '', changed) + f'\noutput: {case_run.NO_ROWS}\n'


def why_not(failure):
    """Where a run was stopped, or the last line of what it said."""
    late = failure.__cause__
    if isinstance(late, subprocess.TimeoutExpired):
        reached = re.findall(r't = ([0-9.e+-]+) ', (late.stdout or b'').decode())
        return f'stopped at {reached[-1]} s' if reached else 'stopped'
    return str(failure).strip().splitlines()[-1][:120]


def measured(program, case, accuracy, check, limit, scratch):
    """A row of the table, or None."""
    text = by_accuracy(case, accuracy, check)
    if text is None:
        return None
    # Files that a case names lie beside it.
    file = ROOT / 'cases' / case / f'.accuracy_{os.getpid()}.yaml'
    file.write_text(text)
    try:
        log, _, seconds = case_run.run(case_run.command_of(program, str(file), f'{scratch}/{case}'), limit)
    except case_run.RunFailed as failure:
        return [case, '', '', '', '', why_not(failure)]
    finally:
        file.unlink()
    if accuracy is None:
        accuracy = 1
        log = re.sub(r'done: (\d+) steps', r'\1 steps, 0 rejected', log)
    counts = [(int(s), int(r)) for s, r in re.findall(r'(\d+) steps, (\d+) rejected', log)]
    estimates = [float(e) for e in re.findall(r'estimated error ([0-9.e+-]+)', log)]
    steps, rejected = sum(s for s, _ in counts), sum(r for _, r in counts)
    notes = ['rejected more than 2 %'] if rejected > 0.02 * steps else []
    for name, part in re.findall(r"free vibrations of '([^']+)', which may be displaced by ([0-9.e+-]+)", log):
        notes.append(f'phase of {name}: {float(part) / accuracy:.2g}')
    for part, name in re.findall(r"positions err by about ([0-9.e+-]+) of their ranges[^']*'([^']+)'", log):
        notes.append(f'check: {float(part) / accuracy:.2g}, {name}')
    if 'no check' in log:
        notes.append(re.search(r'no check.*', log)[0])
    return [case, steps, rejected, f'{max(estimates) / accuracy:.2f}' if estimates else '', f'{seconds:.1f}',
            '; '.join(notes)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--trammel', default=str(ROOT / 'build/release/bin/trammel'))
    parser.add_argument('--accuracy', type=float, default=1e-4)
    parser.add_argument('--limit', type=float, default=120)
    parser.add_argument('--check', choices=('coarser', 'finer', 'no'), default='no')
    parser.add_argument('--own-steps', action='store_true')
    parser.add_argument('cases', nargs='*', default=[])
    args = parser.parse_args()
    print('| case | steps | rejected | estimated over asked | processor time [s] | |\n|---|---|---|---|---|---|')
    cases = args.cases or sorted(file.parent.name for file in ROOT.glob('cases/*/case.yaml'))
    with tempfile.TemporaryDirectory() as scratch:
        for case in cases:
            row = measured(args.trammel, case, None if args.own_steps else args.accuracy, args.check, args.limit, scratch)
            if row:
                print('| ' + ' | '.join(map(str, row)) + ' |', flush=True)


if __name__ == '__main__':
    main()
