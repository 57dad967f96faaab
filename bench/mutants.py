#!/usr/bin/env python3
"""Damages cases and the files that they read, and sees what the command makes of them.

  bench/mutants.py                        1,000 mutants of seed 1, with build/release/bin/trammel
  bench/mutants.py --count 40 --seed 7    fewer, others
  bench/mutants.py --reference OLD        compares histories with those of another trammel
  bench/mutants.py --only 317 --keep out  one mutant again, its files kept

Every mutant goes through `trammel check`, and those that pass through `trammel run`, ten steps long. A fault is: an end by
a signal, 10 s of CPU time without one (60 s of any time), a message of more than 400 characters, without a place, with
control characters or more than one, and results that are cut off. Prints a table and the faults; the exit status is 1
where there are any. Needs Python 3 alone.
"""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = 50  # where files are truncated
CPU_SECONDS, WALL_SECONDS = 10, 60
MEMORY = 0  # bytes; 0: all there is
LONGEST_MESSAGE = 400

# Cases with a stage that is cut to ten steps.
CASES = ("andrews_squeezer bricard buffers cardan caught_rod chain critical_speed cycloid_beads dc_motor double_pendulum "
         "ellipse_bead flying_beam four_bar_x generic_path governor heavy_top helix helix_bead incline_friction "
         "moving_load physical_pendulum planetary_gear sarrus screw slewing_crane slider_crank spaghetti stick_slip stops "
         "telescopic_mast track_loop universal_shafts").split()

# What the cases do not have: functions of all kinds, merged maps, markers in markers, shapes and curves from files. The
# file is read twice, since programs up to 0.1 mistook the unit at the first time.
EXTRA = """trammel: 1
title: Everything at once
parameters: {n: 3, l: 0.5, rate: 2*pi/n, tilt: deg(5), h: 0.01}
functions:
  push: {type: spline, points: [[0, 0], [0.1, 5], [0.2, 3]], outside: extend}
  ease: {type: cycloidal, from: [0, 0], to: [0.1, 1], of: t}
materials:
  steel: &steel {E: 2.1e11, nu: 0.3, density: 7850}
  soft: {<<: *steel, E: 1e9}
sections:
  thick: {stiffness: {EA: 1e6, GA: [4e5, 4e5], GJ: 50, EI: [100, 100]}, mass: {rhoA: 1, J: [1e-3, 1e-3, 1e-3]}}
bodies:
  block: {type: rigid_body, mass: 1, inertia: [0.1, 0.2, 0.2], shape: {type: stl, file: block.stl, scale: 0.001}}
  bead: {type: rigid_body, mass: 0.5, inertia: [0.1, 0.1, 0.1], shape: {type: stl, file: bead.stl}}
  rod.(i): {for: {i: 1..n}, type: rigid_body, mass: 1, inertia: [0.01, 1/12, 1/12], position: [(i - 0.5)*l, 0, 2]}
  beam: {type: beam, section: thick, from: [0, 0, 3], to: [1, 0, 3], elements: 4}
markers:
  arm: {on: block, at: [0.2, 0, 0]}
  tip: {on: arm, at: [0, 0.1, 0], rotation: {axis: [0, 0, 1], angle: tilt}}
curves:
  other: {type: curve_file, file: TRACK}
  track: {type: curve_file, file: TRACK}
joints:
  slide: {type: curve_sliding, between: [track, bead], assemble: yes}
  hinge: {type: revolute, between: [ground, block], axis: [0, 0, 1], spring: {angle: {stiffness: 10, rest: 0.1}},
          damper: {angle: 0.3}, friction: {angle: {coefficient: 0.1, normal: 3, regularization: 0.01}}}
  root: {type: spherical, between: [{on: ground, at: [0, 0, 2]}, {on: rod.1, at: [-l/2, 0, 0]}]}
  pin.(i): {for: {i: 2..n}, type: spherical, between: [{on: rod.(i-1), at: [l/2, 0, 0]}, {on: rod.(i), at: [-l/2, 0, 0]}]}
  clamp: {type: fixed, between: [{on: ground, at: [0, 0, 3]}, beam.start]}
elements:
  link: {type: spring, between: [tip, rod.(n)], stiffness: 3, rest_length: 0.2}
loads:
  weight: {type: gravity, acceleration: [0, 0, -9.81], factor: ease}
  blow: {type: force, on: beam.end, force: [0, push, "2*sin(rate*t)"]}
sensors:
  tip: {type: motion, of: tip}
  bead: {type: motion, of: bead}
  hinge: {type: outputs, of: hinge}
  end: {type: motion, of: beam.end}
stages:
  - {type: assemble}
  - {type: dynamic, until: 0.1, step: h, radius: 0.8}
output: {vtk: {every: 5}, csv: {every: 1}}
"""


def block():
    """A tetrahedron as a text and as a binary STL file."""
    corner = [(0, 0, 0), (100, 0, 0), (0, 80, 0), (0, 0, 60)]
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
    text = "solid block\n"
    binary = b"block".ljust(80) + struct.pack("<I", len(faces))
    for face in faces:
        text += "facet normal 0 0 1\nouter loop\n"
        text += "".join("vertex %g %g %g\n" % corner[k] for k in face) + "endloop\nendfacet\n"
        binary += struct.pack("<3f", 0, 0, 1) + b"".join(struct.pack("<3f", *corner[k]) for k in face) + b"\0\0"
    return (text + "endsolid block\n").encode(), binary


def sources():
    """Pairs of a name and files by name; the first file is the case."""
    found = []
    for name in CASES:
        text = (ROOT / "cases" / name / "case.yaml").read_text()
        short = re.sub(r"until: [^,}\n]+(, *step: )([^,}\n]+)", r"until: 10*(\2)\1\2", text)
        found.append((name, {"case.yaml": short.encode()}))
    here = ROOT / "bench" / "mutants"
    text, binary = block()
    for track in ("track.step", "track.igs"):
        case = EXTRA.replace("TRACK", track).encode()
        found.append((track, {"case.yaml": case, track: (here / track).read_bytes(), "block.stl": text,
                              "bead.stl": binary}))
    return found + found[-2:] * 5  # these hold most


# --- mutations: each takes the bytes and a source of chance, and gives other bytes ---

def truncated(data, chance, place=None):
    k = chance.randrange(PLACES) if place is None else place
    return data[:len(data) * k // PLACES]


def flipped(data, chance):
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def lines_of(data, chance):
    """The lines, and the numbers of two of them."""
    lines = data.splitlines(keepends=True)
    return lines, chance.randrange(len(lines)), chance.randrange(len(lines))


def line_deleted(data, chance):
    lines, i, _ = lines_of(data, chance)
    return b"".join(lines[:i] + lines[i + 1:])


def line_doubled(data, chance):
    lines, i, j = lines_of(data, chance)
    return b"".join(lines[:j] + [lines[i]] + lines[j:])


def lines_swapped(data, chance):
    lines, i, j = lines_of(data, chance)
    lines[i], lines[j] = lines[j], lines[i]
    return b"".join(lines)

NUMBER = re.compile(rb"(?<![\w.#])-?\d+\.?\d*(?:[eE][-+]?\d+)?(?![\w.])")
ODD_NUMBERS = (b"1e308 -1e308 1e-308 5e-324 1e309 0 -0 -1 nan inf -inf 1e15 99999999999999999999 2147483648 99999 1/0 0x10 "
               b"1e 1,5 sqrt(-1) 1e-15").split()
WRONG = (b"[]", b"{}", b"~", b"[1, 2, 3]", b"{a: 1}", b"yes", b'""', b"'text'", b"[[1, 2], [3]]", b"*nothing", b"&a 1",
         b"!!binary aGFsbG8=", b"- 1", b"|", b"t", b"ground", b"[1, [2, {x: [3]}]]", b"2*t", b"\xe2\x82\xac", b"if(t, 1, 2)")


def replaced(data, pattern, by, chance):
    hits = list(pattern.finditer(data))
    if not hits:
        return data
    hit = chance.choice(hits)
    return data[:hit.start()] + by + data[hit.end():]


def odd_number(data, chance):
    return replaced(data, NUMBER, chance.choice(ODD_NUMBERS), chance)


VALUE = re.compile(rb"(?<=: )[^\s,{}\[\]][^,{}\[\]\n]*|(?<=: )\[[^\[\]{}\n]*\]|(?<=: )\{[^{}\n]*\}")
WORD = re.compile(rb"(?<![\w.])[A-Za-z_][\w.]*")


def other_number(data, chance):
    """A number a little larger or smaller: most mutants stay valid."""
    hits = list(NUMBER.finditer(data))
    if not hits:
        return data
    hit = chance.choice(hits)
    by = b"%.4g" % (float(hit.group()) * chance.choice((0.5, 0.9, 1.1, 2)))
    return data[:hit.start()] + by + data[hit.end():]


def wrong_type(data, chance):
    return replaced(data, VALUE, chance.choice(WRONG), chance)


def names_swapped(data, chance):
    words = [m.group() for m in WORD.finditer(data)]
    return replaced(data, WORD, chance.choice(words), chance) if words else data


def nul_bytes(data, chance):
    at = chance.randrange(len(data))
    return data[:at] + b"\0" * chance.choice((1, 3, 100)) + data[at + chance.choice((0, 1)):]


def long_text(data, chance):
    junk = bytes(chance.randrange(256) for _ in range(1000)) * 1000
    text = chance.choice((b"x" * 1_000_000, junk, b'"' + b"\\x01\\0" * 200_000 + b'"', b"1+" * 3000 + b"1"))
    return replaced(data, chance.choice((VALUE, WORD)), text, chance)


def nested(data, chance):
    n = 10_000
    return replaced(data, VALUE, chance.choice((b"[" * n + b"]" * n, b"{a: " * n + b"1" + b"}" * n, b"[" * n, b"{a: " * n,
                                                b"(" * n + b"1" + b")" * n, b"-" * n + b"1", b"sin(" * 60 + b"1" + b")" * 60,
                                                b"ramp(t,0,1," * 60 + b"t" + b",1)" * 60,
                                                b"{type: ramp, from: [0, 0], to: [1, 1], of: " * 90 + b"t" + b"}" * 90)),
                    chance)


CYCLES = {b"parameters": b"loop_a: loop_b, loop_b: loop_c + 1, loop_c: loop_a",
          b"functions": b"loop_a: {type: ramp, from: [0, 0], to: [1, 1], of: loop_b}, "
                        b"loop_b: {type: ramp, from: [0, 0], to: [1, 1], of: loop_a}",
          b"markers": b"loop_a: {on: loop_b}, loop_b: {on: loop_a, at: [1, 0, 0]}",
          b"sections": b"loop_a: {section: loop_b}, loop_b: {section: loop_a}",
          b"bodies": b"loop_a: &loop {type: rigid_body, mass: 1, inertia: [1, 1, *loop]}"}


def cycle(data, chance):
    key, entries = chance.choice(sorted(CYCLES.items()))
    if key == b"sections":
        data = re.sub(rb"section: \w+", b"section: loop_a", data)
    at = re.search(rb"^" + key + rb":\s*\{", data, re.M)
    if at:
        return data[:at.end()] + entries + b", " + data[at.end():]
    at = re.search(rb"^" + key + rb":[^\n]*\n( +)", data, re.M)
    if at:
        lines = re.split(rb", (?=loop_\w: )", entries)
        return data[:at.start(1)] + b"".join(at.group(1) + line + b"\n" for line in lines) + data[at.start(1):]
    return data + b"\n" + key + b": {" + entries + b"}\n"


def chain(data, chance):
    """30,000 parameters, each defined by the next one."""
    lines = b"".join(b"  link%d: link%d+1\n" % (i, i + 1) for i in range(30_000)) + b"  link30000: 1\n"
    if re.search(rb"^parameters:\s*\n", data, re.M):
        return re.sub(rb"^parameters:\s*\n", lambda m: m.group() + lines, data, count=1, flags=re.M)
    return data + b"parameters:\n" + lines


def grid(data, chance):
    n = chance.choice((b"99999", b"1e9", b"0..1", b"-5"))
    ranges = b"for: {i9: 1..%s, j9: 1..%s, k9: 1..%s}, type:" % (n, n, n)
    return replaced(data, re.compile(rb"(?<=\{)type:"), ranges, chance)


def references_swapped(data, chance):
    hits = [m.group() for m in re.finditer(rb"#\d+", data)]
    return replaced(data, re.compile(rb"#\d+"), chance.choice(hits), chance) if hits else data


def parentheses(data, chance):
    return replaced(data, re.compile(rb"\("), b"(" * 10_000, chance)


def bytes_cut(data, chance):
    at = chance.randrange(len(data))
    return data[:at] + data[at + chance.choice((1, 4, 40)):]


OF_ANY = (truncated, flipped, flipped, line_deleted, line_doubled, lines_swapped, odd_number, odd_number, nul_bytes,
          bytes_cut)
MUTATIONS = {"YAML": OF_ANY + (wrong_type, wrong_type, names_swapped, names_swapped, long_text, nested, cycle, chain, grid) +
             (other_number,) * 8,
             "STEP": OF_ANY + (references_swapped,) * 3 + (parentheses, other_number), "IGES": OF_ANY + (other_number,),
             "STL": OF_ANY + (other_number,)}


FAMILIES = {"YAML": 50, "STEP": 17, "IGES": 17, "STL": 16}  # per cent


def family_of(file):
    return {"case.yaml": "YAML", "track.step": "STEP", "track.igs": "IGES"}.get(file, "STL")


def mutant(number, seed, families, all_sources):
    """Family, what was done, and the files."""
    chance = random.Random(f"{seed}:{number}")
    family = chance.choices(families, [FAMILIES[f] for f in families])[0]
    fitting = [source for source in all_sources if any(family_of(file) == family for file in source[1])]
    name, files = chance.choice(fitting)
    files = dict(files)
    target = chance.choice([file for file in sorted(files) if family_of(file) == family])
    done = []
    for _ in range(chance.choice((1, 1, 1, 2))):
        mutation = chance.choice(MUTATIONS[family])
        if files[target]:
            files[target] = mutation(files[target], chance)
        done.append(mutation.__name__)
    return family, f"{name}: {' and '.join(done)} in {target}", files


# --- runs ---

class Outcome:
    def __init__(self, status, err, hung):
        self.status, self.err, self.hung = status, err, hung


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 2))
    if MEMORY:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def command(trammel, words, folder):
    with open(folder / "stderr", "wb") as err:
        process = subprocess.Popen([trammel, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=err, preexec_fn=limits)
        try:
            status = process.wait(WALL_SECONDS)
            hung = status in (-signal.SIGXCPU, -signal.SIGKILL)
        except subprocess.TimeoutExpired:
            process.kill()
            status, hung = process.wait(), True
    text = (folder / "stderr").read_bytes()
    (folder / "stderr").unlink()
    return Outcome(status, text, hung)


def faults_of_message(outcome, names, running):
    text = outcome.err.decode("utf-8", "backslashreplace").strip()
    text = "\n".join(line for line in text.split("\n") if ": warning: " not in line)
    found = []
    if outcome.status == 0:
        return found
    if len(text) > LONGEST_MESSAGE:
        found.append(f"a message of {len(text)} characters")
    if text.count("error: ") != 1:
        found.append(f"{text.count('error: ')} errors in one message")
    if any(ord(c) < 32 and c != "\n" or ord(c) == 127 for c in text):
        found.append("control characters in a message")
    place = re.match(r"(?:%s)(?::\d+:\d+)?: error: " % "|".join(map(re.escape, names)), text)
    names_something = running and re.search(r"t = |at the start|'[^']+'", text)
    if not place and not names_something:
        found.append("a message without a place")
    return found


def columns(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    return rows


def faults_of_results(folder):
    found = []
    for path in sorted(folder.rglob("*")) if folder.exists() else []:
        data = path.read_bytes() if path.is_file() else b""
        if path.suffix == ".csv":
            rows = columns(path)
            if not data.endswith(b"\n") or len({len(row) for row in rows}) > 1:
                found.append(f"{path.name} is cut off")
        elif path.suffix in (".pvd", ".vtp", ".vtu", ".pvtp", ".pvtu") and not data.rstrip().endswith(b"</VTKFile>"):
            found.append(f"{path.name} is cut off")
    return found


def progress(folder):
    """Whether a run that was stopped had taken steps."""
    return any(len(columns(path)) > 2 for path in folder.rglob("*.csv")) if folder.exists() else False


def difference(folder, other):
    """The largest difference of a history's values, by the largest value of their unit in the file; None where there are
    other histories or rows. A component that is zero but for rounding is judged by the others."""
    largest = 0.0
    names, others = (sorted(p.name for p in f.glob("*.csv") if not p.name.endswith("_entities.csv"))
                     for f in (folder, other))
    if names != others:
        return None
    for name in names:
        ours, theirs = columns(folder / name), columns(other / name)
        if len(ours) != len(theirs) or ours[:1] != theirs[:1]:
            return None
        units = [title.partition("[")[2] for title in theirs[0]]
        values = [[[float(x) for x in column] for column in zip(*rows[1:])] for rows in (ours, theirs)]
        sizes = {}
        for unit, column in zip(units, values[1]):
            sizes[unit] = max(sizes.get(unit, 1e-12), *map(abs, column))
        for unit, a, b in zip(units, *values):
            largest = max(largest, max(abs(x - y) for x, y in zip(a, b)) / sizes[unit])
    return largest


class Report:
    def __init__(self, family, what):
        self.family, self.what = family, what
        self.state, self.faults, self.notes, self.message, self.difference = "", [], [], "", None


def tried(number, args, all_sources):
    family, what, files = mutant(number, args.seed, args.families, all_sources)
    report = Report(family, what)
    with tempfile.TemporaryDirectory(prefix="trammel-mutant-") as path:
        folder = pathlib.Path(args.keep) if args.keep else pathlib.Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
        check = command(args.trammel, ["check", "case.yaml"], folder)
        report.message = check.err.decode("utf-8", "backslashreplace").strip()
        report.state = "refused"
        judge(report, check, files, False)
        if set(os.listdir(folder)) - set(files):
            report.faults.append("check wrote files")
        if check.status == 0:
            run = command(args.trammel, ["run", "case.yaml", "-q", "-o", "out"], folder)
            report.message = run.err.decode("utf-8", "backslashreplace").strip()
            stopped = run.hung and progress(folder / "out")
            report.state = "long" if stopped else "failed" if run.status else "ran"
            if not stopped:
                judge(report, run, files, True)
                report.faults += faults_of_results(folder / "out")
        for fault in report.faults:
            print(f"fault {number} ({what}): {fault}", file=sys.stderr, flush=True)
        if args.reference and report.state in ("refused", "ran"):
            compare(report, args.reference, folder)
    return report


def judge(report, outcome, files, running):
    title = "run" if running else "check"
    if outcome.hung:
        report.faults.append(f"{title} hung")
    elif outcome.status < 0 or outcome.status >= 128:
        report.faults.append(f"{title} ended with signal {-outcome.status if outcome.status < 0 else outcome.status - 128}")
    else:
        report.faults += faults_of_message(outcome, list(files), running)


def compare(report, reference, folder):
    if report.state == "refused":
        if command(reference, ["check", "case.yaml"], folder).status == 0:
            report.notes.append("was accepted before: " + report.message)
        return
    before = command(reference, ["run", "case.yaml", "-q", "-o", "before/out"], folder)
    if before.status:
        report.notes.append("runs now; before: " + before.err.decode("utf-8", "backslashreplace").strip()[:200])
        return
    report.difference = difference(folder / "out", folder / "before" / "out")
    if report.difference is None:
        report.notes.append("other histories than before")
    elif report.difference > 1e-9:
        report.notes.append(f"histories differ from those before by {report.difference:.2g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trammel", default=str(ROOT / "build/release/bin/trammel"))
    parser.add_argument("--reference", help="another trammel, to compare with")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--family", default=",".join(FAMILIES), help="kinds of files that are damaged")
    parser.add_argument("--memory", type=float, default=6, help="limit in GB, 0: none")
    parser.add_argument("--only", type=int, help="number of one mutant")
    parser.add_argument("--keep", help="folder for the files of --only")
    args = parser.parse_args()
    if args.keep and args.only is None:
        parser.error("--keep needs --only")
    args.families = args.family.split(",")
    global MEMORY
    MEMORY = int(args.memory * 2 ** 30)
    args.trammel = shutil.which(args.trammel) or parser.error("no command " + args.trammel)
    all_sources = sources()
    numbers = range(args.count) if args.only is None else [args.only]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        reports = dict(zip(numbers, pool.map(lambda n: tried(n, args, all_sources), numbers)))
    print("| files | mutants | refused by check | stopped in the run | ran | still running | faults |")
    print("|---|---|---|---|---|---|---|")
    for family in args.families:
        of = [r for r in reports.values() if r.family == family]
        print(f"| {family} | {len(of)} | " + " | ".join(
            str(sum(r.state == state for r in of)) for state in ("refused", "failed", "ran", "long")) +
            f" | {sum(bool(r.faults) for r in of)} |")
    if args.reference:
        same = [r.difference for r in reports.values() if r.difference is not None]
        print(f"\n{len(same)} ran before and now; largest difference of a history {max(same, default=0):.2g}")
    for title, kind in (("fault", "faults"), ("note", "notes")):
        for number, report in reports.items():
            for text in getattr(report, kind):
                print(f"{title} {number} ({report.what}): {text}")
                if kind == "faults":
                    print("    " + report.message[:300].replace("\n", "\n    "))
    if args.only is not None:
        print(reports[args.only].state, reports[args.only].what, reports[args.only].message, sep="\n")
    return 1 if any(report.faults for report in reports.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
