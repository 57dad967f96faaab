#!/usr/bin/env python3
"""How well forces and accelerations are known at the default settings of Newton's method.

Each case runs at the size of its quick check, once at the defaults and once at a tolerance of 1e-13 with a new tangent in every
iteration, which is as far as rounding allows. A line each: the largest difference of the two over all rows of all histories, of
forces and moments (with multipliers) and of accelerations, as a part of the quantity's range over the sensor (the components of a
vector are one quantity); its channel and instant; iterations and factorizations of the first run. What is beyond ten times the
tolerance is marked. Where events make the two runs take different steps, rows of equal time are compared.

  bench/newton_error.py                              all cases
  bench/newton_error.py heavy_top chain              these
  bench/newton_error.py --effort                     each case as it stands, its iterations and factorizations alone
  bench/newton_error.py --tolerance 1e-10 --program build/release/bin/trammel --limit 60
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def quick_settings(case):
    """The parameters of the case's quick check, and the case file that it runs."""
    for name in ("reference.yaml", "case.yaml"):
        file = case / name
        if file.exists():
            found = re.search(r"quick: \{set: \{([^}]*)\}", file.read_text())
            if found:
                return [p.replace(": ", "=").strip() for p in found.group(1).split(",")]
    return []


def run(program, file, out, settings, limit):
    """Counts that the summary tells, or why there are none."""
    command = [program, "run", str(file), "-o", str(out)]
    for s in settings:
        command += ["--set", s]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f"takes more than {limit:g} s"
    if done.returncode != 0:
        return done.stderr.strip().splitlines()[-1][:150] if done.stderr.strip() else "failed"
    found = re.search(r"steps (\d+), of them cut (\d+); Newton iterations (\d+); factorizations (\d+)", done.stdout)
    return tuple(int(n) for n in found.groups())


def table(file):
    lines = file.read_text().splitlines()
    head = re.sub(r'"', "", lines[0]).split(",")
    rows = {}
    for line in lines[1:]:
        numbers = [float(x) for x in line.split(",")]
        rows[numbers[0]] = numbers  # of two rows of one instant the later one
    return head, rows


def quantity(channel):
    return re.sub(r"\.[xyzw0-9]+$", "", channel.split(" [")[0])


def differences(one, other):
    """By "forces" and "accelerations": (largest part of the range, channel, time)."""
    worst = {"forces": (0.0, "-", 0.0), "accelerations": (0.0, "-", 0.0)}
    groups = []  # (kind, quantity, range, largest difference, channel, time)
    for file in sorted(one.glob("*.csv")):
        if file.name.endswith("_entities.csv"):
            continue
        head, rows = table(file)
        _, floor = table(other / file.name)
        times = [t for t in rows if t in floor]
        by_name = {}
        for i, channel in enumerate(head[1:], 1):
            by_name.setdefault(quantity(channel), []).append(i)
        for name, columns in by_name.items():
            kind = "accelerations" if "acceleration" in name else \
                "forces" if re.search(r"force|moment(?!um)|multiplier|normal|reaction", name) else None
            if kind is None or not times:
                continue
            spread = max(max(floor[t][i] for t in times) - min(floor[t][i] for t in times) for i in columns)
            part, i, t = max((abs(rows[t][i] - floor[t][i]), i, t) for i in columns for t in times)
            groups.append((kind, name, spread, part, f"{file.stem}: {head[i].split(' [')[0]}", t))
    for kind, name, spread, difference, channel, time in groups:
        # What is next to nothing beside the same quantity of another sensor is zero by nature.
        widest = max(g[2] for g in groups if g[1] == name)
        own = max(spread, 1e-2 * widest)
        if own > 0 and difference / own > worst[kind][0]:
            worst[kind] = (difference / own, channel, time)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/trammel"))
    parser.add_argument("--tolerance", type=float, default=1e-8)
    parser.add_argument("--form", help="of constraints, in place of the case's own")
    parser.add_argument("--limit", type=float, default=60, help="of a run [s]")
    parser.add_argument("--effort", action="store_true")
    options = parser.parse_args()
    names = options.cases or sorted(p.parent.name for p in ROOT.glob("cases/*/case.yaml"))
    steps = cuts = iterations = factorizations = 0
    for name in names:
        with tempfile.TemporaryDirectory(prefix="trammel_newton_") as folder:
            place = pathlib.Path(folder)
            case = place / name
            shutil.copytree(ROOT / "cases" / name, case)
            settings = quick_settings(case)
            text = (case / "case.yaml").read_text()
            text = re.sub(r"\n {0,2}vtk: .*|\noutput: \{vtk: [^}]*\}\}", "", text)
            if options.form:
                text = re.sub(r", form: \w+", "", text).replace("{type: dynamic,", f"{{type: dynamic, form: {options.form},")

            def with_newton(newton):
                file = case / "case.yaml"
                file.write_text(text if newton is None else re.sub(r"newton: \{[^}]*\}", "newton: " + newton, text))
                return file

            first = run(options.program, with_newton(None if options.effort else f"{{tolerance: {options.tolerance:g}}}"),
                        place / "first", settings, options.limit)
            if isinstance(first, str):
                print(f"{name:18} {first}", flush=True)
                continue
            steps, cuts = steps + first[0], cuts + first[1]
            iterations, factorizations = iterations + first[2], factorizations + first[3]
            line = f"{name:18} steps {first[0]:6} cuts {first[1]:4} iterations {first[2]:6} factorizations {first[3]:6}"
            if not options.effort:
                second = run(options.program, with_newton("{tolerance: 1e-13, keep_tangent: no}"), place / "second", settings,
                             3 * options.limit)
                if isinstance(second, str):
                    print(line, second, flush=True)
                    continue
                for kind, (part, channel, time) in differences(place / "first", place / "second").items():
                    mark = " *" if part > 10 * options.tolerance else "  "
                    line += f" | {kind} {part:.1e}{mark} {channel} at {time:g}"
            print(line, flush=True)
    print(f"{'all':18} steps {steps:6} cuts {cuts:4} iterations {iterations:6} factorizations {factorizations:6}")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
