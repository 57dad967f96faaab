"""Writes reference.csv of each example: closed forms and Runge-Kutta integrations that share no code with Trammel.

Run in this folder: python3 references.py
"""
import math


def rk4(f, y, t, end, steps):
    h = (end - t) / steps
    for _ in range(steps):
        k1 = f(t, y)
        k2 = f(t + h / 2, [a + h / 2 * b for a, b in zip(y, k1)])
        k3 = f(t + h / 2, [a + h / 2 * b for a, b in zip(y, k2)])
        k4 = f(t + h, [a + h * b for a, b in zip(y, k3)])
        y = [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(y, k1, k2, k3, k4)]
        t += h
    return y


def along(f, y, times, steps=2000):
    t, rows = 0.0, []
    for end in times:
        y = rk4(f, y, t, end, steps)
        t = end
        rows.append((end, y))
    return rows


def write(name, within, columns, rows):
    """`within`: largest error, as a fraction of a column's range; `columns`: SENSOR:CHANNEL as in its history."""
    with open(f"{name}/reference.csv", "w") as out:
        print(f"within,{within}", file=out)
        print(",".join(["time"] + columns), file=out)
        for row in rows:
            print(",".join(f"{x:.12g}" for x in row), file=out)


def belt():
    M, m, g = 3.0, 1.0, 9.81  # r: length of the swinging part, theta: its angle from the vertical

    def f(_, y):
        r, theta, u, w = y
        return [u, w, (m * r * w * w + g * (m * math.cos(theta) - M)) / (M + m),
                -(2 * u * w + g * math.sin(theta)) / r]

    times = [0.1 * k for k in range(1, 7)]
    rows = [(t, r * math.sin(a), -r * math.cos(a), -(2 - r))
            for t, (r, a, _, _) in along(f, [1.0, math.pi / 3, 0.0, 0.0], times)]
    write("belt", 1e-4, ["swing:position.x", "swing:position.z", "counter:position.z"], rows)


def skate():
    w, g = 2.0, 5.0
    rows = []
    for k in range(1, 9):
        t = 0.5 * k
        rows.append((t, g / (2 * w * w) * math.sin(w * t) ** 2,
                     g / (2 * w * w) * (w * t - math.sin(2 * w * t) / 2)))
    write("skate", 1e-4, ["skate:position.x", "skate:position.y"], rows)


def bouc_wen():
    J, k, a, beta, gamma = 0.5, 40.0, 0.2, 3.0, 1.0

    def f(_, y):
        q, v, z = y
        return [v, -k * (a * q + (1 - a) * z) / J, v - beta * abs(v) * abs(z) * z - gamma * v * z * z]

    rows = [(t, q, z) for t, (q, _, z) in along(f, [0.0, 6.0, 0.0], [0.25 * n for n in range(1, 13)], 20000)]
    write("bouc_wen", 2e-4, ["axle:angle", "spring:hysteretic"], rows)


def tyre():
    m, C, s, V, v0 = 20.0, 60e3, 0.4, 10.0, 0.5
    d = V / s / 2
    w = math.sqrt(C / m - d * d)
    rows = []
    for n in range(1, 11):
        t = 0.03 * n  # e' = v - (V/s) e, v' = -(C/m) e; e(0) = 0, e'(0) = v0
        e = v0 / w * math.exp(-d * t) * math.sin(w * t)
        rate = v0 * math.exp(-d * t) * (math.cos(w * t) - d / w * math.sin(w * t))
        rows.append((t, rate + 2 * d * e, e))
    write("tyre", 5e-4, ["carrier:velocity.y", "tyre:deflection"], rows)


def muscle():
    F, l0, slack, k, lag, u, m, g = 400.0, 0.1, 0.2, 20e3, 0.05, 0.35, 10.0, 9.81

    def fibre(length, a):
        low, high = 0.0, length - slack  # the tendon's force falls, the fibre's is found by bisection from above
        z = high
        for _ in range(100):
            x = z / l0 - 1
            value = F * (a * math.exp(-5 * x * x) + 2 * max(x, 0.0) ** 2) - k * (length - z - slack)
            slope = F / l0 * (-10 * a * x * math.exp(-5 * x * x) + 4 * max(x, 0.0)) + k
            step = value / slope
            z -= step
            if abs(step) < 1e-15:
                break
        assert low < z <= high
        return z

    def f(_, y):
        length, v, a = y
        return [v, g - k * (length - fibre(length, a) - slack) / m, (u - a) / lag]

    rows = [(t, -y[0], y[2], fibre(y[0], y[2]))
            for t, y in along(f, [0.32, 0.0, 0.0], [0.05 * n for n in range(1, 13)], 1000)]
    write("muscle", 2e-4, ["weight:position.z", "muscle:activation", "muscle:fibre_length"], rows)


def superelement():
    EA, m, L, M, v0 = 1000.0, 1.0, 1.0, 1.0, 1.0
    c = math.sqrt(EA * L / m)
    modes = []
    for n in range(400):
        low, high = n * math.pi + 1e-12, n * math.pi + math.pi / 2 - 1e-12
        for _ in range(200):
            x = (low + high) / 2
            below = (-1) ** n * (x * math.sin(x) - m / M * math.cos(x)) < 0
            low, high = (x, high) if below else (low, x)
        x = (low + high) / 2
        # Start: v(s) = v0 s / L, as the element's shape without modes has it.
        start = m * v0 * (math.sin(x) / x ** 2 - math.cos(x) / x) + M * v0 * math.sin(x)
        norm = m * (0.5 - math.sin(2 * x) / (4 * x)) + M * math.sin(x) ** 2
        modes.append((x * c / L, start / norm * math.sin(x)))
    rows = [(t, 1 + sum(a / w * math.sin(w * t) for w, a in modes)) for t in [0.05 * n for n in range(1, 11)]]
    write("superelement", 5e-4, ["tip:position.x"], rows)


def support():
    g, r, start = 9.81, 1.0, math.radians(10)
    leave = math.acos(2 / 3 * math.cos(start))

    # Time as a function of the angle: dt = d theta / sqrt(2 g / r (cos start - cos theta)), with theta - start = s^2.
    def time_to(theta):
        n, end = 20000, math.sqrt(theta - start)
        h, total = end / n, 0.0
        for i in range(n):
            s = (i + 0.5) * h
            total += h * 2 * s / math.sqrt(2 * g / r * (math.cos(start) - math.cos(start + s * s)))
        return total

    leaves = time_to(leave)
    speed = math.sqrt(2 * g * r * (math.cos(start) - math.cos(leave)))
    rows = []
    for t in [0.1 * n for n in range(1, 12)]:
        if t < leaves:
            low, high = start + 1e-12, leave
            for _ in range(60):
                theta = (low + high) / 2
                low, high = (theta, high) if time_to(theta) < t else (low, theta)
            x, z = r * math.sin(theta), r * math.cos(theta)
        else:
            s = t - leaves
            x = r * math.sin(leave) + speed * math.cos(leave) * s
            z = r * math.cos(leave) - speed * math.sin(leave) * s - g * s * s / 2
        rows.append((t, x, z))
    write("support", 1e-5, ["mass:position.x", "mass:position.z"], rows)


def gust():
    F, m, start, duration = 6.0, 2.0, 0.2, 0.8
    w = 2 * math.pi / duration
    rows = []
    for k in range(1, 16):
        t = 0.1 * k
        s = min(max(t - start, 0.0), duration)
        v = F / (2 * m) * (s - math.sin(w * s) / w)
        x = F / (2 * m) * (s * s / 2 - (1 - math.cos(w * s)) / w ** 2) + v * max(t - start - duration, 0.0)
        rows.append((t, x, v))
    write("gust", 1e-4, ["bob:position.x", "bob:velocity.x"], rows)


def pebble():
    R, k, g = 0.4, 2.0, 9.81

    def f(_, s):
        # A point on F = |p|^2 + k x y z - R^2 = 0: p'' = -g e_z + mu grad F, grad F . p'' + p' . H p' = 0.
        x, y, z, a, b, c = s
        n = [2 * x + k * y * z, 2 * y + k * x * z, 2 * z + k * x * y]
        H = 2 * (a * a + b * b + c * c) + 2 * k * (a * b * z + a * c * y + b * c * x)
        mu = (g * n[2] - H) / sum(e * e for e in n)
        return [a, b, c, mu * n[0], mu * n[1], mu * n[2] - g]

    times = [0.1 * i for i in range(1, 6)]
    rows = []
    for t, s in along(f, [R, 0.0, 0.0, 0.0, 2.5, 1.0], times):
        x, y, z = s[:3]
        rows.append((t, x, y, z, *s[3:]))
    write("pebble", 1e-5, ["bead:position.x", "bead:position.y", "bead:position.z",
                           "bead:velocity.x", "bead:velocity.y", "bead:velocity.z"], rows)


def tearing():
    J, k, start, w0 = 0.5, 40.0, 0.1, 3.0
    largest = {1: start, -1: start}
    pieces, t, v = [], 0.0, w0  # (begin, end, side, deflection on that side over the time since the begin)
    side = 1
    while t < 3:
        # From q = 0 with the speed v: along the straight line, ...
        w = math.sqrt(k * start / largest[side] / J)
        if v / w <= largest[side]:
            end = t + math.pi / w
            pieces.append((t, end, side, lambda s, v=v, w=w: v / w * math.sin(w * s)))
        else:
            # ... tearing under the force k start, and back along a straight line to zero.
            torn = t + math.asin(largest[side] * w / v) / w
            pieces.append((t, torn, side, lambda s, v=v, w=w: v / w * math.sin(w * s)))
            u, a, q = math.sqrt(v * v - (w * largest[side]) ** 2), k * start / J, largest[side]
            turn = torn + u / a
            pieces.append((torn, turn, side, lambda s, u=u, a=a, q=q: q + u * s - a * s * s / 2))
            largest[side] += u * u / (2 * a)
            q, w = largest[side], math.sqrt(k * start / largest[side] / J)
            end = turn + math.pi / 2 / w
            pieces.append((turn, end, side, lambda s, q=q, w=w: q * math.cos(w * s)))
            v = q * w
        t, side = end, -side
    rows = []
    for time in [0.25 * n for n in range(1, 13)]:
        begin, _, side, q = next(p for p in pieces if p[0] <= time <= p[1])
        rows.append((time, side * q(time - begin)))
    write("tearing", 1e-4, ["axle:angle"], rows)


if __name__ == "__main__":
    for example in (belt, skate, bouc_wen, tyre, muscle, superelement, support, gust, pebble, tearing):
        example()
