"""Places and velocities of a mass on a support that moves as z_s = a (1 - cos(w t)): on it while it presses,
m (g + z_s'') >= 0, else in free flight until it touches the support again, without a rebound. Instants by mpmath.

python3 reference.py
"""
from mpmath import mp, mpf, acos, cos, sin, findroot, pi

mp.dps = 30
a, w, m, g = mpf("0.1"), mpf(12), mpf(2), mpf("9.81")


def support(t):
    return a * (1 - cos(w * t)), a * w * sin(w * t), a * w * w * cos(w * t)


def touch_down(lift):
    z, v, _ = support(lift)
    height = lambda t: z + v * (t - lift) - g * (t - lift) ** 2 / 2 - support(t)[0]
    t = lift + mpf("0.02")
    while height(t) > 0:
        t += mpf("0.002")
    return findroot(height, (t - mpf("0.002"), t), solver="anderson")


# Phases: (begin, is in flight).
phases, t = [(mpf(0), False)], mpf(0)
while t < mpf("1.2"):
    lift = acos(-g / (a * w * w)) / w
    while lift < t:
        lift += 2 * pi / w
    down = touch_down(lift)
    phases += [(lift, True), (down, False)]
    t = down
    z, v, _ = support(lift)
    drop = m * (support(down)[1] - (v - g * (down - lift)))
    print(f"# lifts off at {mp.nstr(lift, 13)}, touches at {mp.nstr(down, 13)} with an impulse of {mp.nstr(drop, 13)} N s, "
          f"support's acceleration {mp.nstr(support(down)[2], 6)}")


def mass(t):
    begin, flies = [p for p in phases if p[0] <= t][-1]
    if not flies:
        z, v, acceleration = support(t)
        return z, v, m * (g + acceleration)
    z, v, _ = support(begin)
    s = t - begin
    return z + v * s - g * s * s / 2, v - g * s, mpf(0)


for name, part in (("position z", 0), ("velocity z", 1), ("normal force", 2)):
    print(name)
    for k in range(1, 13):
        t = mpf(k) / 10
        print(f"          - [{float(t):g}, {mp.nstr(mass(t)[part], 13)}]")
