"""What bench/counts.sh runs: counts instructions by callgrind and compares them with a file.

Of every case a short and a long run are counted; the difference over the steps between is what a step takes.

    counts.py between OLD.json NEW.json    compares two files and counts nothing
"""

import json
import os
import re
import subprocess
import sys

import case_run

ALLOWED = 0.03
COUNTED = 'trammel::StageRun::steps(trammel::StageParts*'  # and what it calls: not the start, which varies by more than a step has
SMALLEST = 0.005  # of a case's step: parts and functions below are not judged
CASES = {  # case, settings, step [s], steps of the short and the long run
    'chain of 100': ('cases/chain/case.yaml', {'N': 100}, 1e-3, 10, 60),
    'revolute chain of 50': ('cases/chain/revolute.yaml', {'N': 50}, 1e-3, 10, 60),
    'flying beam of 20': ('cases/flying_beam/case.yaml', {'n': 20}, 1e-3, 20, 220),
    'four-bar': ('cases/four_bar_x/case.yaml', {}, 1e-3, 20, 120),
    'slider-crank': ('cases/slider_crank/case.yaml', {}, 5e-4, 20, 220),
    'sliding bead': ('cases/sliding_bead/case.yaml', {}, 1e-3, 10, 60),
}
# By the library that the code lies in; the first that fits counts. All but elements and linear algebra is bookkeeping.
PARTS = [
    ('linear algebra', r'klu|amd|btf|colamd|cholmod|umfpack|blas|lapack|mumps|scotch|metis'),
    ('PETSc and MPI', r'petsc|libmpi|open-pal|open-rte|mca_|hwloc|libevent'),
    ('kernel', r'trammel_kernel'),
    ('sdk', r'trammel_sdk'),
    ('elements', r'/plugins/|/elements/|trammel/.*\.so'),
    ('solvers and io', r'/bin/trammel'),
    ('system', r'.'),
]
NO_BOOKKEEPING = {'linear algebra', 'elements'}


def part_of(library):
    return next(part for part, pattern in PARTS if re.search(pattern, library))


def by_function(out):
    """Instructions by (part, function), of one of callgrind's files."""
    text = subprocess.run(['callgrind_annotate', '--auto=no', '--threshold=100', '--show-percs=no', out],
                          capture_output=True, text=True, check=True).stdout
    counts = {}
    for number, function, library in re.findall(r'^ *([\d,]+) +(?:[^ ]*?):(.*?)(?: \[([^\]]*)\])?$', text, re.M):
        key = part_of(library or '?'), re.sub(r"'\d+$", '', function)
        counts[key] = counts.get(key, 0) + int(number.replace(',', ''))
    return counts


def counted(source, settings, steps, h):
    """Instructions by (part, function)."""
    case = case_run.cut_to(source, os.path.join(SCRATCH, 'case.yaml'), h * steps, '{csv: {every: 1000000}, log: no}')
    out = os.path.join(SCRATCH, 'callgrind.out')
    case_run.run(case_run.command_of(PROGRAM, case, os.path.join(SCRATCH, 'out'), {**settings, 'h': h}, options=['-q'],
                                     under=['valgrind', '--tool=callgrind', f'--callgrind-out-file={out}',
                                            f'--toggle-collect={COUNTED}']))
    return by_function(out)


def per_step(name):
    source, settings, h, short, long = CASES[name]
    few, many = (counted(source, settings, steps, h) for steps in (short, long))
    return {key: (many.get(key, 0) - few.get(key, 0)) / (long - short) for key in many.keys() | few.keys()}


def sums(counts):
    by_part = {part: 0.0 for part, _ in PARTS}
    for (part, _), count in counts.items():
        by_part[part] += count
    return by_part


def as_kept(counts):
    """By part, its functions of more than a thousandth of the step."""
    total = sum(counts.values())
    kept = {}
    for (part, function), count in sorted(counts.items(), key=lambda item: -item[1]):
        if count > 1e-3 * total:
            kept.setdefault(part, {})[function] = round(count)
    return {'parts': {part: round(count) for part, count in sums(counts).items()}, 'functions': kept}


def compare(name, now, before):
    """Lines on what rose; True where bookkeeping did by more than is allowed."""
    failed = False
    total = sum(before['parts'].values())
    for part, was in before['parts'].items():
        rise = now['parts'][part] - was
        if rise <= ALLOWED * max(was, SMALLEST * total) or rise <= SMALLEST * total:
            continue
        judged = part not in NO_BOOKKEEPING
        failed = failed or judged
        print(f'{"ROSE" if judged else "note"}: {name}, {part}: {was} -> {now["parts"][part]} instructions a step '
              f'(+{100 * rise / max(was, 1):.1f} %)')
        functions = before['functions'].get(part, {})
        rises = {f: count - functions.get(f, 0) for f, count in now['functions'].get(part, {}).items()}
        for function, more in sorted(rises.items(), key=lambda item: -item[1])[:3]:
            if more > 0:
                print(f'    +{more}  {function[:140]}')
    return failed


def differs(before, now):
    """Compares every case that both have; True where bookkeeping rose."""
    return any([compare(name, now[name], before[name]) for name in now if name in before])


def read(path):
    if not os.path.exists(path):
        sys.exit(f'{path} is not there: bench/counts.sh write')
    with open(path) as file:
        return json.load(file)


def count_all(names, kept):
    """Counts cases; where `kept` names a file they go into it one by one."""
    now = read(kept) if kept and os.path.exists(kept) else {}
    print('| case, thousand instructions a step | ' + ' | '.join(part for part, _ in PARTS) + ' | all |')
    print('|' + '---|' * (len(PARTS) + 2))
    for name in names:
        now[name] = as_kept(per_step(name))
        parts = now[name]['parts']
        print(f'| {name} | ' + ' | '.join(f'{parts[part] / 1000:,.0f}' for part, _ in PARTS) +
              f' | {sum(parts.values()) / 1000:,.0f} |', flush=True)
        if kept:
            with open(kept, 'w') as file:
                json.dump(now, file, indent=1)
                file.write('\n')
    return now


def main():
    global PROGRAM, SCRATCH
    if sys.argv[1] == 'between':
        sys.exit(1 if differs(read(sys.argv[2]), read(sys.argv[3])) else 0)
    PROGRAM, SCRATCH, kept, mode = sys.argv[1:5]
    if mode not in ('compare', 'write'):
        sys.exit(f'bench/counts.sh: {mode} is neither compare nor write')
    names = [name for name in CASES if ' '.join(sys.argv[5:]) in name]
    if mode == 'write':
        count_all(names, kept)
        return
    before = read(kept)
    sys.exit(1 if differs(before, count_all(names, None)) else 0)


if __name__ == '__main__':
    try:
        main()
    except case_run.RunFailed as error:
        sys.exit(str(error))
