"""A block on a table that turns with w = alpha t: sticks until r sqrt(w^4 + alpha^2) = mu_s g, then slips by

    p'' = -mu_k g s/|s|,   s = p' - w e3 x p

in the plane, by the classical Runge-Kutta method from the onset on, with n and 2 n steps.

python3 reference.py
"""
from math import cos, hypot, sin

g, mu_s, mu_k, alpha, r = 9.81, 0.4, 0.3, 1.0, 0.5
onset = ((mu_s * g / r) ** 2 - alpha**2) ** 0.25 / alpha
print(f"# slips at t = {onset:.13f}, w = {alpha * onset:.13f} rad/s")


def stuck(t):
    a, w = alpha * t * t / 2, alpha * t
    return [r * cos(a), r * sin(a), -r * w * sin(a), r * w * cos(a)]


def slip(t, y):
    return y[2] + alpha * t * y[1], y[3] - alpha * t * y[0]


# Acceleration that friction gives while the block sticks; the slip begins against it.
w, angle = alpha * onset, alpha * onset**2 / 2
held = (-r * w * w * cos(angle) - r * alpha * sin(angle), -r * w * w * sin(angle) + r * alpha * cos(angle))


def rate(t, y):
    s = slip(t, y)
    if t == onset:
        s = (-held[0], -held[1])
    k = -mu_k * g / hypot(*s)
    return [y[2], y[3], k * s[0], k * s[1]]


def run(to, steps):
    y = stuck(onset)
    # The slip begins from zero, where its direction is its rate's: short steps there.
    border = [onset + (to - onset) * (i / steps) ** 3 for i in range(steps + 1)]
    for t, end in zip(border, border[1:]):
        h = end - t
        k1 = rate(t, y)
        k2 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(y, k1)])
        k3 = rate(t + h / 2, [a + h / 2 * b for a, b in zip(y, k2)])
        k4 = rate(t + h, [a + h * b for a, b in zip(y, k3)])
        y = [a + h / 6 * (p + 2 * q + 2 * u + v) for a, p, q, u, v in zip(y, k1, k2, k3, k4)]
    return y


times = (1.0, 2.0, 2.6, 3.0, 3.2, 3.4, 3.6, 3.8, 4.0)
found, differ = {}, 0.0
for t in times:
    if t < onset:
        found[t] = stuck(t)
        continue
    coarse, found[t] = run(t, 4000), run(t, 8000)
    differ = max(differ, max(abs(a - b) for a, b in zip(coarse, found[t])))
print(f"# with half the steps it differs by {differ:.1e}")
for name, part in (("position", slice(0, 2)), ("velocity", slice(2, 4))):
    print(name)
    for t in times:
        print(f"          - [{t:g}, " + ", ".join(f"{x:.12f}" for x in found[t][part]) + "]")
print("slip in the axes of the table")
for t in times:
    a, s = alpha * t * t / 2, slip(t, found[t])
    print(f"          - [{t:g}, {cos(a) * s[0] + sin(a) * s[1]:.12f}, {cos(a) * s[1] - sin(a) * s[0]:.12f}]")
