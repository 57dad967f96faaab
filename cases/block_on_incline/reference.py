"""A block on a slope under a pull P sin(w t) along it: sticks while the force along the slope is within mu_s m g cos(slope),
slides by m x'' = m g sin(slope) + P sin(w t) - mu_k m g cos(slope), and sticks where it comes to rest. Closed form of each
phase, instants by mpmath.

python3 reference.py
"""
from mpmath import mp, mpf, asin, cos, sin, findroot, pi, radians

mp.dps = 30
m, g, slope, mu_s, mu_k = mpf(2), mpf("9.81"), radians(mpf(20)), mpf("0.5"), mpf("0.4")
P, w = mpf(6), mpf(2)
held = m * g * (mu_s * cos(slope) - sin(slope))  # pull at which it slips
fall = g * (sin(slope) - mu_k * cos(slope))


def speed(t, t0):
    return fall * (t - t0) + P / (m * w) * (cos(w * t0) - cos(w * t))


def way(t, t0):
    s = t - t0
    return fall * s * s / 2 + P / (m * w) * (cos(w * t0) * s - (sin(w * t) - sin(w * t0)) / w)


slides, x = [], mpf(0)
for k in range(3):
    begin = asin(held / P) / w + 2 * pi * k / w
    t = begin + mpf("0.1")
    while speed(t, begin) > 0:
        t += mpf("0.01")
    end = findroot(lambda s: speed(s, begin), (t - mpf("0.01"), t), solver="anderson")
    need = m * g * sin(slope) + P * sin(w * end)
    print(f"# slips at {mp.nstr(begin, 13)}, sticks at {mp.nstr(end, 13)} after {mp.nstr(way(end, begin), 13)} m; "
          f"needs {mp.nstr(need, 6)} N there of {mp.nstr(mu_s * m * g * cos(slope), 6)} N")
    slides.append((begin, end, x))
    x += way(end, begin)


def motion(t):
    place, v = mpf(0), mpf(0)
    friction = m * g * sin(slope) + P * sin(w * t)
    for begin, end, before in slides:
        if t >= end:
            place, v = before + way(end, begin), mpf(0)
        elif t > begin:
            place, v, friction = before + way(t, begin), speed(t, begin), mu_k * m * g * cos(slope)
    return place, v, friction


for name, part in (("x", 0), ("v", 1), ("friction", 2)):
    print(name)
    for k in range(1, 17):
        t = mpf(k) / 4
        print(f"          - [{float(t):g}, {mp.nstr(motion(t)[part], 13)}]")
