#!/usr/bin/env python3
"""Which gradient the position correction of a stabilized index-2 form takes: a model of its own, which shares no code with solvers/.

Generalized-alpha for particles on rods, with B v = 0 and C = 0 at the end of each step and q_n+1 = q_n + x - h G^T eta, where G is
the gradient of C at the start of the step (`form: index2`), at its end (what `form: projected` amounts to where forces do not depend
on velocities), or the mean of both. Bodies: a spherical pendulum (1.2 m, 1 kg, 70 degrees from the lowest point, 1.8 m/s across), and
with a second particle of 1 kg on a rod of 0.8 m below it. Tables of Markdown: the energy above the lowest point over 100 s, change at
the end and largest value as a part of the start's; largest errors over 1 s against Runge's and Kutta's method, and their orders.

  bench/stabilized_forms.py                 both tables
  bench/stabilized_forms.py --until 10 --radius 0.8
"""

import argparse
import math
import multiprocessing
import os

G = 9.81
ENDS = {"B(q_n)": (1.0, 0.0), "mean": (0.5, 0.5), "B(q_n+1)": (0.0, 1.0)}


class Rods:
    """Particles of 1 kg, each on a rod to the one before; the first one to the origin. Positions are lists x, y, z, x, y, z, ..."""

    def __init__(self, lengths, start):
        self.lengths, self.n, self.m = lengths, 3 * len(lengths), len(lengths)
        self.q, self.v = start

    def gaps(self, q):
        before = [0.0] * 3 + q[:-3]
        return [x - y for x, y in zip(q, before)]

    def constraints(self, q):
        d = self.gaps(q)
        return [(sum(x * x for x in d[3 * i:3 * i + 3]) - l * l) / (2 * l) for i, l in enumerate(self.lengths)]

    def gradient(self, q):
        d, rows = self.gaps(q), []
        for i, l in enumerate(self.lengths):
            row = [0.0] * self.n
            for k in range(3 * i, 3 * i + 3):
                row[k] = d[k] / l
                if i > 0:
                    row[k - 3] = -d[k] / l
            rows.append(row)
        return rows

    def forces(self):
        return [0.0, 0.0, -G] * self.m

    def energy(self, q, v):
        lowest = -sum(sum(self.lengths[:i + 1]) for i in range(self.m))
        return 0.5 * sum(x * x for x in v) + G * (sum(q[2::3]) - lowest)

    def accelerations(self, q, v):
        """v' and lambda of v' + B^T lambda = f, B v' + B' v = 0."""
        b, f = self.gradient(q), self.forces()
        rates = self.gaps(v)
        right = [sum(x * y for x, y in zip(row, f)) + sum(x * x for x in rates[3 * i:3 * i + 3]) / self.lengths[i]
                 for i, row in enumerate(b)]
        lam = solve([[sum(x * y for x, y in zip(r, s)) for s in b] for r in b], right)
        return [f[k] - sum(b[i][k] * lam[i] for i in range(self.m)) for k in range(self.n)], lam


def solve(matrix, right):
    """Gauss, with pivots by column."""
    n = len(right)
    a = [row[:] + [r] for row, r in zip(matrix, right)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[p] = a[p], a[k]
        for i in range(k + 1, n):
            factor = a[i][k] / a[k][k]
            if factor != 0:
                a[i] = [x - factor * y for x, y in zip(a[i], a[k])]
    for k in reversed(range(n)):
        a[k][n] = (a[k][n] - sum(a[k][j] * a[j][n] for j in range(k + 1, n))) / a[k][k]
    return [row[n] for row in a]


def runge_kutta(body, h, until, every):
    """(q, v, lambda) every so many steps."""
    q, v, all_ = body.q[:], body.v[:], []

    def moved(x, y, s):
        return [a + s * b for a, b in zip(x, y)]

    for step in range(round(until / h) + 1):
        a, lam = body.accelerations(q, v)
        if step % every == 0:
            all_.append((q, v, lam))
        q2, v2 = moved(q, v, h / 2), moved(v, a, h / 2)
        a2, _ = body.accelerations(q2, v2)
        q3, v3 = moved(q, v2, h / 2), moved(v, a2, h / 2)
        a3, _ = body.accelerations(q3, v3)
        q4, v4 = moved(q, v3, h), moved(v, a3, h)
        a4, _ = body.accelerations(q4, v4)
        q = [x + h / 6 * (k + 2 * l + 2 * m + n) for x, k, l, m, n in zip(q, v, v2, v3, v4)]
        v = [x + h / 6 * (k + 2 * l + 2 * m + n) for x, k, l, m, n in zip(v, a, a2, a3, a4)]
    return all_


def alpha(body, h, until, rho, weights):
    """Yields (q, v, lambda) at the start and after each step."""
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + af - am
    beta = (gamma + 0.5) ** 2 / 4
    n, m, first, last = body.n, body.m, *weights
    q, v = body.q[:], body.v[:]
    w, lam = body.accelerations(q, v)
    ahead = runge_kutta(body, 1e-4, 1e-4, 1)[1]
    rate = [(x - y) / 1e-4 for x, y in zip(body.accelerations(*ahead[:2])[0], w)]
    a = [x + (am - af) * h * y for x, y in zip(w, rate)]
    f, inverse, kept = body.forces(), None, 0
    yield q, v, lam

    def end(x):
        a1 = [(x[k] / h - v[k]) / (h * beta) - (0.5 - beta) / beta * a[k] for k in range(n)]
        v1 = [v[k] + h * ((1 - gamma) * a[k] + gamma * a1[k]) for k in range(n)]
        w1 = [((1 - am) * a1[k] + am * a[k] - af * w[k]) / (1 - af) for k in range(n)]
        return a1, v1, w1

    def residual(u):
        x, lam1, eta = u[:n], u[n:n + m], u[n + m:]
        _, v1, w1 = end(x)
        q1 = [q[k] + x[k] for k in range(n)]
        # The gradient of the end depends on the correction itself.
        begin = body.gradient(q)
        mu = [0.0] * n
        for _ in range(40 if last > 0 else 1):
            here = body.gradient([y - z for y, z in zip(q1, mu)])
            new = [h * sum(eta[i] * (first * begin[i][k] + last * here[i][k]) for i in range(m)) for k in range(n)]
            change = max(abs(y - z) for y, z in zip(new, mu))
            mu = new
            if change < 1e-17:
                break
        q1 = [y - z for y, z in zip(q1, mu)]
        here = body.gradient(q1)
        balance = [w1[k] + sum(here[i][k] * lam1[i] for i in range(m)) - f[k] for k in range(n)]
        rows = [sum(x * y for x, y in zip(row, v1)) for row in here]
        scale = 1 / (h * h)
        return balance + [scale * c for c in body.constraints(q1)] + [r / h for r in rows], q1

    eta = [0.0] * m
    for _ in range(round(until / h)):
        x = [h * v[k] + h * h * ((0.5 - beta) * a[k] + beta * a[k]) for k in range(n)]
        u = x + lam + eta
        before = math.inf
        for _ in range(60):
            r, q1 = residual(u)
            size = max(map(abs, r))
            if size < 1e-9:
                break
            if inverse is None or size > 0.3 * before:
                if inverse is not None and kept == 0:
                    return
                columns = []
                for k in range(len(u)):
                    d = 1e-7 * (1 if k < n else max(1.0, abs(u[k])))
                    moved = u[:]
                    moved[k] += d
                    columns.append([(y - z) / d for y, z in zip(residual(moved)[0], r)])
                matrix = [list(row) for row in zip(*columns)]
                unit = [solve(matrix, [1.0 if i == k else 0.0 for i in range(len(u))]) for k in range(len(u))]
                inverse, kept = [list(row) for row in zip(*unit)], 0
            else:
                kept += 1
            before = size
            u = [y - sum(c * z for c, z in zip(row, r)) for y, row in zip(u, inverse)]
            if not all(map(math.isfinite, u)) or max(map(abs, u[:n])) > 10:
                return
        else:
            return
        a1, v1, w1 = end(u[:n])
        q, v, w, a, lam, eta = q1, v1, w1, a1, u[n:n + m], u[n + m:]
        yield q, v, lam


def bodies():
    polar = math.radians(70)
    q, v = [1.2 * math.sin(polar), 0.0, -1.2 * math.cos(polar)], [0.0, 1.8, 0.0]
    return {"pendulum": Rods([1.2], (q, v)),
            "double pendulum": Rods([1.2, 0.8], (q + [q[0] + 0.8, 0.0, q[2]], v + [0.0, 1.8, 0.0]))}


def energies(job):
    name, ends, h, rho, until = job
    body = bodies()[name]
    start = body.energy(body.q, body.v)
    largest = last = 1.0
    count = 0
    for q, v, _ in alpha(body, h, until, rho, ENDS[ends]):
        last = body.energy(q, v) / start
        largest, count = max(largest, last), count + 1
        if largest > 1000:
            break
    lost = largest > 1000 or count <= round(until / h)
    return f"lost at {h * count:.3g} s" if lost else f"{100 * (last - 1):+.3g} ({100 * (largest - 1):+.3g})"


def orders(job):
    name, ends, rho = job
    body = bodies()[name]
    exact = runge_kutta(body, 0.02 / 64, 1, 16)
    errors = []
    for part in (1, 2, 4):
        worst = [0.0] * 3
        for step, found in enumerate(alpha(body, 0.02 / part, 1, rho, ENDS[ends])):
            true = exact[step * 4 // part]
            for k in range(3):
                worst[k] = max(worst[k], max(abs(x - y) for x, y in zip(found[k], true[k])))
        errors.append(worst)
    return [(*(e[k] for e in errors), math.log2(errors[1][k] / errors[2][k])) for k in range(3)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--radius", type=float, default=0.9)
    parser.add_argument("--until", type=float, default=100, help="of the energies [s]")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    steps = {"pendulum": (0.1, 0.05, 0.03, 0.02, 0.01, 0.005), "double pendulum": (0.05, 0.03, 0.02, 0.01)}
    with multiprocessing.Pool(options.jobs) as pool:
        print(f"Energy above the lowest point after {options.until:g} s, and its largest [% of the start's], radius {options.radius:g}\n")
        for name, sizes in steps.items():
            jobs = [(name, ends, h, options.radius, options.until) for h in sizes for ends in ENDS]
            found = pool.map(energies, jobs, chunksize=1)
            print(f"| {name}, h [s] | " + " | ".join(ENDS) + " |\n|" + "---|" * (len(ENDS) + 1))
            for i, h in enumerate(sizes):
                print(f"| {h:g} | " + " | ".join(found[i * len(ENDS):(i + 1) * len(ENDS)]) + " |")
            print()
        jobs = [(name, ends, options.radius) for name in steps for ends in ENDS]
        print("Errors over 1 s with h = 20, 10 and 5 ms, and the order of the last two\n")
        print("| system | gradient | positions | | velocities | | multipliers | |\n|---|---|---|---|---|---|---|---|")
        for (name, ends, _), columns in zip(jobs, pool.map(orders, jobs, chunksize=1)):
            print(f"| {name} | {ends} | " + " | ".join(f"{a:.1e}, {b:.1e}, {c:.1e} | {order:.2f}" for a, b, c, order in columns) + " |")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
