#!/usr/bin/env python3
"""What the defaults of dynamic stages rest on: all quick cases and some hard models over form, radius, tolerance and kept tangent.

One setting at a time differs from the defaults (form projected, radius 0.9, tolerance 1e-8, kept tangents). In the dynamic stages
of a case the settings named here replace those that it has. Tables of Markdown:

1. all quick cases (`scripts/verify.sh`), a row a setting: errors against the references beside those of the defaults (geometric mean
   over the checks that time steps decide, how many are more than 1.25 times larger or smaller, the largest ratio and its check), checks whose error
   is above what they allow, errors of the energy balance beside those of the defaults (geometric mean), iterations and factorizations in all, stages that warn of index 3 or
   of energy, runs that the guard ends, other failures;
2. models in bench/forms/: what each finds out (see `models`), a column a setting;
3. with --growth the pendulum over 100 s: energy by form, radius and step.

  cmake --build build/release --target cases_tests runtime && bench/forms.py
  bench/forms.py --each            the errors of every check too
  bench/forms.py --growth
"""

import argparse
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEFAULTS = {"form": "projected", "radius": "0.9", "tolerance": "1e-8", "keep_tangent": "yes"}
VARIED = {"form": ("index3", "index2", "index1"), "radius": ("0.6", "0.8", "0.95", "1"),
          "tolerance": ("1e-6", "1e-7", "1e-10", "1e-12"), "keep_tangent": ("no",)}
SETTINGS = {"defaults": DEFAULTS} | {f"{k} {v}": DEFAULTS | {k: v} for k, all_ in VARIED.items() for v in all_}


def edited(text, s):
    """The text of a case with these settings in its dynamic stages; load steps get those of Newton's method alone."""
    newton = f"newton: {{tolerance: {s['tolerance']}, keep_tangent: {s['keep_tangent']}}}"

    def dynamic(stage):
        line = re.sub(r", (form: \w+|radius: [\w.]+|newton: \{[^}]*\}|projection: \w+)", "", stage.group(0)[:-1])
        return f"{line}, form: {s['form']}, radius: {s['radius']}, {newton}}}"

    return re.sub(r"\{type: dynamic,(?:[^{}]|\{[^{}]*\})*\}", dynamic, text)


def of_statics(text, s):
    newton = f"newton: {{tolerance: {s['tolerance']}, keep_tangent: {s['keep_tangent']}}}"
    return re.sub(r"(\{type: static[^{}]*)\}", lambda m: f"{m.group(1)}, {newton}}}", text)


class Summary:
    """Of a run's output."""

    def __init__(self, text, status):
        def number(pattern):
            found = re.search(pattern, text)
            return float(found.group(1)) if found else 0.0

        self.status = status
        self.steps, self.cuts = number(r"  steps (\d+)"), number(r"of them cut (\d+)")
        self.iterations, self.factorizations = number(r"Newton iterations (\d+)"), number(r"factorizations (\d+)")
        self.balance = number(r"error of the energy balance ([-+.\de]+)")
        told = text[text.find("\nsummary"):] if "\nsummary" in text else text
        self.turns = "directions of constraints turn" in told
        self.energy_warned = re.search(r"WARNING.*energy", told) is not None and not self.turns
        self.last = text.strip().splitlines()[-1][:120] if text.strip() else ""


def run(file, out, settings=(), ranks=1):
    command = ["mpirun", "-q", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    command += [PROGRAM, "run", str(file), "-o", str(out)] + [x for s in settings for x in ("--set", s)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return Summary(done.stdout + done.stderr, done.returncode)


def columns(file):
    """{channel: values} of a history."""
    head, *rows = file.read_text().splitlines()
    names = [re.sub(r" \[.*", "", n.replace('"', "")) for n in head.split(",")]
    return dict(zip(names, zip(*([float(x) for x in r.split(",")] for r in rows))))


def all_cases(s, place):
    """(checks {name: (error, allowed)}, summaries {(case, arguments): Summary}) of the quick cases with these settings."""
    cases, logs = place / "cases", place / "logs"
    logs.mkdir()
    shutil.copytree(ROOT / "cases", cases)
    for file in cases.glob("*/*.yaml"):
        if file.name != "reference.yaml":
            file.write_text(edited(file.read_text(), s))
    wrapper = place / "trammel"
    # Without --quiet the run tells what it took.
    wrapper.write_text(f"""#!/usr/bin/env bash
words=("$@"); log={logs}/$$; out=("${{words[@]/--quiet}}")
plain=(); for w in "${{out[@]}}"; do [ -n "$w" ] && plain+=("$w"); done
{PROGRAM} "${{plain[@]}}" 2>&1 | tee $log.txt; status=${{PIPESTATUS[0]}}
echo "$2 ${{*:6}} status $status" >$log.call; exit $status
""")
    wrapper.chmod(0o755)
    environment = os.environ | {"TRAMMEL_CASES": "quick", "TRAMMEL_CASES_FOLDER": str(cases), "TRAMMEL_CASES_COMMAND": str(wrapper)}
    done = subprocess.run([str(TESTS), "--gtest_brief=1"], env=environment, capture_output=True, text=True, check=False)
    checks, summaries = {}, {}
    for line in done.stdout.splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if len(cells) == 12 and cells[2] != "trust" and not cells[0].startswith("-"):
            ended = cells[4] == "0" and cells[11] == "FAIL"
            checks[f"{cells[0]}, {cells[1]}"] = (None if ended else float(cells[4]), cells[11] == "pass")
    for call in logs.glob("*.call"):
        words = call.read_text().split()
        status = int(words[-1])
        name = words[0].replace(str(cases) + "/", "")
        summaries[name, " ".join(words[1:-2])] = Summary(call.with_suffix(".txt").read_text(), status)
    return checks, summaries


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def table_of_cases(each):
    found = {}
    for name, s in SETTINGS.items():
        with tempfile.TemporaryDirectory(prefix="trammel_forms_") as folder:
            found[name] = all_cases(s, pathlib.Path(folder))
        print(f"  {name}: {len(found[name][1])} runs", file=sys.stderr, flush=True)
    base, base_runs = found["defaults"]
    print("| setting | error beside the defaults' | larger | smaller | largest ratio | beyond what is allowed | balance of energy "
          "| iterations | factorizations | warned: index 3, energy | ended by the guard | failed |\n" + "|---" * 12 + "|")
    for name, (checks, runs) in found.items():
        ratios = {c: max(e, 1e-9) / max(base[c][0], 1e-9) for c, (e, _) in checks.items() if e is not None and base[c][0] is not None}
        # What no time step decides says nothing here.
        ratios = {c: r for c, r in ratios.items() if any(f[0].get(c, (0,))[0] not in (None, 0) and
                                                        abs(math.log(max(f[0][c][0], 1e-9) / max(base[c][0], 1e-9))) > 1e-3 for f in found.values())}
        worst = max(ratios, key=ratios.get, default=None)
        largest = f"{ratios[worst]:.2g} ({worst})" if worst else "-"
        both = [k for k, r in runs.items() if k in base_runs and r.status == 0 and base_runs[k].status == 0 and r.steps > 0]
        balance = [max(runs[k].balance, 1e-300) / base_runs[k].balance for k in both
                   if base_runs[k].balance > 1e-9 and runs[k].balance > 1e-12]
        print(f"| {name} | {mean(list(ratios.values())):.3f} | {sum(r > 1.25 for r in ratios.values())} | {sum(r < 0.8 for r in ratios.values())} "
              f"| {largest} | {sum(e is not None and not fine for e, fine in checks.values())} | {mean(balance):.3f} "
              f"| {sum(runs[k].iterations for k in both) / sum(base_runs[k].iterations for k in both):.2f} "
              f"| {sum(runs[k].factorizations for k in both) / sum(base_runs[k].factorizations for k in both):.2f} "
              f"| {sum(r.turns for r in runs.values())}, {sum(r.energy_warned for r in runs.values())} "
              f"| {sum(r.status == 3 for r in runs.values())} | {sum(r.status not in (0, 3) for r in runs.values())} |", flush=True)
    count, iterations = len(base_runs), sum(r.iterations for r in base_runs.values())
    print(f"\n({len(base)} checks, {count} runs; at the defaults {sum(r.steps for r in base_runs.values()):.0f} steps, {iterations:.0f} iterations, "
          f"{sum(r.factorizations for r in base_runs.values()):.0f} factorizations.)\n")
    for name, (checks, runs) in found.items():
        for key, r in sorted(runs.items()):
            if r.status != 0:
                print(f"- {name}: {key[0]} {key[1]}: status {r.status}: {r.last}")
        beyond = [c for c, (e, fine) in checks.items() if e is not None and not fine]
        if beyond:
            print(f"- {name}: beyond what is allowed: {'; '.join(f'{c} ({checks[c][0]:.1e})' for c in beyond)}")
    if each:
        print("\n| check | " + " | ".join(found) + " |\n" + "|---" * (len(found) + 1) + "|")
        for c in base:
            errors = [found[name][0].get(c, (None,))[0] for name in found]
            print(f"| {c} | " + " | ".join("-" if e is None else f"{e:.1e}" for e in errors) + " |")
    print()


def normal_forces():
    """On the particle on the paraboloid every 0.01 s, from its motion in x and y by Runge's and Kutta's method."""
    def normal(s):
        return (2 * (s[2] ** 2 + s[3] ** 2) + 9.81) / (1 + 4 * (s[0] ** 2 + s[1] ** 2))

    def rate(s):
        n = normal(s)
        return (s[2], s[3], -2 * s[0] * n, -2 * s[1] * n)

    s, h, all_ = (1.0, 0.0, 0.0, 2.0), 0.01 / 40, []
    for step in range(4001):
        if step % 40 == 0:
            all_.append(normal(s))
        a = rate(s)
        b = rate([x + h / 2 * y for x, y in zip(s, a)])
        c = rate([x + h / 2 * y for x, y in zip(s, b)])
        d = rate([x + h * y for x, y in zip(s, c)])
        s = [x + h / 6 * (p + 2 * q + 2 * r + t) for x, p, q, r, t in zip(s, a, b, c, d)]
    return all_


def lift(t):
    """Acceleration of the follower."""
    ecc, radius, w = 0.02, 0.06, 20
    s, c = math.sin(w * t), math.cos(w * t)
    root, p = math.sqrt(radius ** 2 - (ecc * c) ** 2), ecc ** 2 * c * s * w
    return -ecc * w * w * s + ecc ** 2 * (c * c - s * s) * w * w / root - p * p / root ** 3


def effort(r):
    return f"{r.iterations / max(r.steps, 1):.2f}, {r.factorizations / max(r.steps, 1):.2f}" if r.status == 0 else f"status {r.status}"


def energy_text(place, r):
    if r.status not in (0, 3):
        return f"status {r.status}"
    total = columns(place / "total.csv")["total"]
    start = total[0] + 9.81 * 1.2
    last, most = (total[-1] - total[0]) / start, (max(total) - total[0]) / start
    return "lost" if most > 1000 else f"{100 * last:+.2g} ({100 * most:+.2g})"


def models(place):
    """Rows (what is measured, function of settings to a text)."""
    def prepared(name, s):
        text = of_statics(edited((ROOT / "bench/forms" / f"{name}.yaml").read_text(), s), s)
        file = place / f"{name}.yaml"
        file.write_text(text)
        return file

    def accelerations(name, file, channel, exact, s):
        out = place / "out"
        r = run(prepared(name, s), out)
        if r.status != 0:
            return f"status {r.status}"
        found = columns(out / file)[channel]
        spread = max(exact) - min(exact)
        run(prepared(name, s | {"tolerance": "1e-13", "keep_tangent": "no"}), place / "floor")
        floor = columns(place / "floor" / file)[channel]
        apart = max(abs(x - y) for x, y in zip(found, floor)) / spread
        return f"{max(abs(x - y) for x, y in zip(found, exact)) / spread:.1e}, {apart:.0e}; {effort(r)}"

    def pendulum(s, h=0.05):
        return energy_text(place / "out", run(prepared("pendulum", s), place / "out", (f"h={h}",)))

    def slider_crank(s):
        text = edited((ROOT / "cases/slider_crank/case.yaml").read_text(), s)
        file = place / "slider_crank.yaml"
        file.write_text(text)
        r = run(file, place / "out", ("h=0.01", "until=20"))
        return f"{r.balance:.1e} J; {effort(r)}" if r.status == 0 else f"status {r.status}"

    def swing(s):
        r = run(prepared("swing", s), place / "out")
        return f"{r.cuts:.0f} of {r.steps:.0f}; {effort(r)}" if r.status == 0 else f"status {r.status}"

    def whip(s):
        file = prepared("whip", s)
        run(file, place / "one")
        run(file, place / "two", (), 2)
        worst = 0
        for sensor in ("first", "last"):
            one, two = columns(place / "one" / f"{sensor}.csv"), columns(place / "two" / f"{sensor}.csv")
            axes = ("acceleration.x", "acceleration.y")
            spread = max(max(one[a]) - min(one[a]) for a in axes)
            worst = max(worst, *(max(abs(x - y) for x, y in zip(one[a], two[a])) / spread for a in axes))
        return f"{worst:.0e}"

    def statics(name, *settings):
        def found(s):
            if s["form"] != DEFAULTS["form"] or s["radius"] != DEFAULTS["radius"]:
                return ""
            r = run(prepared(name, s), place / "out", settings)
            return f"{effort(r)}" + (f", {r.cuts:.0f} cut" if r.cuts else "")
        return found

    lifted = [lift(0.002 * i) for i in range(151)]
    normal = normal_forces()
    return [("pendulum, h = 50 ms, 100 s: energy at the end, largest [%]", pendulum),
            ("slider-crank, h = 10 ms, 20 s: balance of energy", slider_crank),
            ("cam, h = 1 ms: acceleration's error, part of it Newton's", lambda s: accelerations("cam", "follower.csv", "acceleration.y", lifted, s)),
            ("paraboloid, h = 5 ms: force's error, part of it Newton's", lambda s: accelerations("bowl", "bowl.csv", "force.z", normal, s)),
            ("stiff swinging beam: cuts", swing),
            ("chain on 1 and 2 ranks: accelerations apart", whip),
            ("elastica, EA = 1e8, 32 elements", statics("elastica")),
            ("elastica, EA = 1e9, 128 elements", statics("elastica", "axial=1e9", "n=128")),
            ("lattice, 10 x 10 cells", statics("lattice")),
            ("lattice, 20 x 20 cells", statics("lattice", "n=20", "load=4000", "steps=40"))]


def table_of_models():
    print("(\"a, b\" at the end: iterations and factorizations a step)\n")
    print("| model | " + " | ".join(SETTINGS) + " |\n" + "|---" * (len(SETTINGS) + 1) + "|")
    with tempfile.TemporaryDirectory(prefix="trammel_forms_") as folder:
        for name, measure in models(pathlib.Path(folder)):
            print(f"| {name} | " + " | ".join(measure(s) for s in SETTINGS.values()) + " |", flush=True)
    print()


def table_of_growth():
    forms, radii, steps = ("index3", "projected", "index2", "index1"), ("0.6", "0.8", "0.9", "1"), (0.1, 0.05, 0.03, 0.02, 0.01, 0.005)
    print("Pendulum, 100 s: change of the energy above the lowest point at the end (largest gain) [%]\n")
    print("| radius | h [s] | " + " | ".join(forms) + " |\n" + "|---" * (len(forms) + 2) + "|")
    with tempfile.TemporaryDirectory(prefix="trammel_forms_") as folder:
        place = pathlib.Path(folder)
        text = (ROOT / "bench/forms/pendulum.yaml").read_text()
        for radius in radii:
            for h in steps:
                line = []
                for form in forms:
                    (place / "pendulum.yaml").write_text(edited(text, DEFAULTS | {"form": form, "radius": radius}))
                    line.append(energy_text(place / "out", run(place / "pendulum.yaml", place / "out", (f"h={h}",))))
                print(f"| {radius} | {h:g} | " + " | ".join(line) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--growth", action="store_true", help="the pendulum alone")
    parser.add_argument("--models", action="store_true", help="the models alone")
    parser.add_argument("--only", nargs="+", choices=list(SETTINGS), help="these settings beside the defaults")
    options = parser.parse_args()
    for name in [n for n in SETTINGS if options.only and n not in ("defaults", *options.only)]:
        del SETTINGS[name]
    global PROGRAM, TESTS
    PROGRAM, TESTS = str(pathlib.Path(options.build) / "bin/trammel"), pathlib.Path(options.build) / "tests/cases_tests"
    if options.growth:
        table_of_growth()
        return
    if not options.models:
        table_of_cases(options.each)
    table_of_models()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
