#!/usr/bin/env python3
"""Kills runs at random moments, lets them go on from their checkpoints, and compares with the undisturbed run; damages checkpoints.

Prints the rows of the table in bench/README.md. Fails where a result differs, a damaged file is taken, or something crashes or hangs.
"""
import argparse
import csv
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASE = ROOT / "bench/chain_of_rods.yaml"
EVERY = 100
TOLERANCE = 1e-9  # of a channel's range


def command(program, ranks, folder, *options):
    launch = ["mpirun", "-q", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    return launch + [program, "run", str(CASE), "-q", "-o", folder, "--checkpoint-every", str(EVERY), *options]


def start(words, where):
    return subprocess.Popen(words, cwd=where, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            start_new_session=True)


def finish(words, where, limit=600):
    """Status and message of a run; a hang is a status of its own."""
    run = start(words, where)
    try:
        _, message = run.communicate(timeout=limit)
        return run.returncode, message
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        return "hang", ""


def processes_of(run, program):
    """The ranks of a run: itself, or the children of its launcher."""
    found = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(run.pid)], capture_output=True, text=True).stdout
    ranks = [int(line.split()[0]) for line in found.splitlines() if program in line]
    return ranks or [run.pid]


def rows_of(path):
    with open(path, newline="") as file:
        lines = list(csv.reader(file))
    return [[float(x) for x in line] for line in lines[1:]]


def difference(a, b):
    """The largest difference over its channel's range; infinite where rows are missing or too many."""
    one, two = rows_of(a), rows_of(b)
    if len(one) != len(two):
        return float("inf")
    worst = 0.0
    for column in zip(zip(*one), zip(*two)):
        span = max(column[0]) - min(column[0])
        apart = max(abs(x - y) for x, y in zip(*column))
        worst = max(worst, apart / max(span, 1e-3))
    return worst


def series_of(folder):
    return sorted(p.name for p in folder.glob("*_vtk/*")) + [next(folder.glob("*.pvd")).read_text()]


def await_step(run, folder):
    """Waits until the run has recorded its first step, or is over."""
    history = folder / "tip.csv"
    while run.poll() is None and not (history.exists() and history.read_bytes().count(b"\n") > 1):
        time.sleep(0.01)


def disturbed(program, where, ranks, how, begin, steps):
    """Runs with one fault and goes on until the end: how it went on, and what went wrong. `begin` and `steps`: seconds of the
    undisturbed run before its first step, and of its steps. One fault in six strikes before the first step."""
    folder = where / "disturbed"
    shutil.rmtree(folder, ignore_errors=True)
    run = start(command(program, ranks, "disturbed"), where)
    if random.random() < 1 / 6:
        time.sleep(random.random() * begin)
    else:
        await_step(run, folder)
        time.sleep(random.random() * 0.9 * steps)
    if run.poll() is None:
        try:
            os.kill(random.choice(processes_of(run, program)), how)
        except ProcessLookupError:
            pass
    try:
        run.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        return "hang", ""
    if run.returncode == 0:
        return "none", ""
    options = ["--restart"] if list(folder.glob("checkpoint_*.h5")) else []
    status, message = finish(command(program, ranks, "disturbed", *options), where)
    if "the run is finished" in message:
        return "finished", ""  # killed between the last checkpoint and its end
    if status != 0:
        return f"status {status}", message
    return ("restart" if options else "anew"), ""


def kills(program, where, ranks, how, count):
    shutil.rmtree(where / "whole", ignore_errors=True)
    launched = time.monotonic()
    run = start(command(program, ranks, "whole"), where)
    await_step(run, where / "whole")
    begin = time.monotonic() - launched
    _, message = run.communicate(timeout=600)
    steps = time.monotonic() - launched - begin
    if run.returncode != 0:
        sys.exit(f"the undisturbed run ends with {run.returncode}: {message}")
    worst, ends, equal, bad = 0.0, {}, 0, []
    most = 5 * count
    for _ in range(most):
        if sum(ends.values()) - ends.get("none", 0) == count:
            break
        end, message = disturbed(program, where, ranks, how, begin, steps)
        ends[end] = ends.get(end, 0) + 1
        if end == "none":  # it ended before the fault: the machine is faster now
            steps *= 0.7
        if end not in ("none", "anew", "restart", "finished"):
            bad.append(f"{end}: {message.strip()}")
            continue
        apart = difference(where / "whole/tip.csv", where / "disturbed/tip.csv")
        worst = max(worst, apart)
        equal += (where / "whole/tip.csv").read_bytes() == (where / "disturbed/tip.csv").read_bytes()
        # The series has the name of its folder.
        names = [text.replace("disturbed", "whole") for text in series_of(where / "disturbed")]
        if apart > TOLERANCE or len(names) != len(series_of(where / "whole")) or (
                ranks == 1 and names != series_of(where / "whole")):
            bad.append(f"differs by {apart:.2g} after {end}")
    struck, tried = sum(ends.values()) - ends.get("none", 0), sum(ends.values())
    if struck < count:
        bad.append(f"only {struck} of {tried} runs were struck")
    name = signal.Signals(how).name
    print(f"| {struck} {name}, {ranks} ranks | {ends} | {equal} of {tried} equal in bytes, largest difference {worst:.1e} of a range |",
          flush=True)
    return bad


def mutants(program, where, count):
    """Damages a checkpoint in one place each time: it must be refused."""
    shutil.rmtree(where / "whole", ignore_errors=True)
    finish(command(program, 1, "whole"), where)
    good = sorted((where / "whole").glob("checkpoint_*.h5"))[0]
    bytes_ = good.read_bytes()
    bad, ends = [], {}
    for _ in range(count):
        kind = random.choice(["byte", "byte", "byte", "cut", "longer", "zeros", "swap"])
        data = bytearray(bytes_)
        at = random.randrange(len(data))
        if kind == "byte":
            data[at] ^= 1 << random.randrange(8)
        elif kind == "cut":
            del data[at:]
        elif kind == "longer":
            data += bytes(random.randrange(1, 2000))
        elif kind == "zeros":
            data[at:at + 64] = bytes(len(data[at:at + 64]))
        else:
            other = random.randrange(len(data))
            data[at:at + 32], data[other:other + 32] = data[other:other + 32], data[at:at + 32]
        if bytes(data) == bytes_:
            continue
        good.write_bytes(bytes(data))
        status, message = finish(command(program, 1, "whole", "--restart", str(good)), where, 60)
        ends[status] = ends.get(status, 0) + 1
        if status != 1 or not re.search("is damaged|is no checkpoint|(newer|older) program", message):
            bad.append(f"{kind} at {at}: status {status}: {message.strip()}")
    good.write_bytes(bytes_)
    tried = sum(ends.values())
    print(f"| {tried} damaged checkpoints | exit statuses {ends} | {tried - len(bad)} refused with a message |", flush=True)
    return bad


def changing_ranks(program, where):
    """4 ranks, then 1, 2, 3, and back to 4."""
    shutil.rmtree(where / "whole", ignore_errors=True)
    shutil.rmtree(where / "chain", ignore_errors=True)
    finish(command(program, 1, "whole"), where)
    bad, options = [], []
    for part, ranks in enumerate([4, 1, 2, 3, 4]):
        until = f"until={0.4 * (part + 1):g}"
        status, message = finish(command(program, ranks, "chain", "--set", until, *options), where)
        if status != 0:
            bad.append(f"on {ranks} ranks: status {status}: {message.strip()}")
        options = ["--restart"]
    apart = difference(where / "whole/tip.csv", where / "chain/tip.csv") if not bad else float("inf")
    print(f"| 4, 1, 2, 3, 4 ranks | {len(bad)} failed | largest difference {apart:.1e} of a range |", flush=True)
    return bad + ([f"differs by {apart:.2g}"] if apart > TOLERANCE else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="kill -9, shared out over 1, 2 and 4 ranks")
    parser.add_argument("--terms", type=int, default=20, help="SIGTERM, likewise")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/trammel"))
    given = parser.parse_args()
    random.seed(given.seed)
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        where = pathlib.Path(folder)
        bad += changing_ranks(given.program, where)
        for how, count in ((signal.SIGKILL, given.kills), (signal.SIGTERM, given.terms)):
            for k, ranks in enumerate((1, 2, 4)):
                if share := count // 3 + (k < count % 3):
                    bad += kills(given.program, where, ranks, how, share)
        if given.mutants:
            bad += mutants(given.program, where, given.mutants)
    for line in bad:
        print("FAILED:", line)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
