#!/usr/bin/env python3
"""Small deflections of the lattice by the stiffness method: Timoshenko beams, exact at their nodes, and nothing shared
with Trammel. Prints deflections along the free edge under 1 N at one of its corners."""
import math

n, length, force = 4, 0.5, 1.0
E, nu, outer, wall = 2.1e11, 0.3, 0.02, 0.002

inner = outer - wall
G = E / (2 * (1 + nu))
area = math.pi * (outer**2 - inner**2)
EI = E * math.pi / 4 * (outer**4 - inner**4)
GJ = G * math.pi / 2 * (outer**4 - inner**4)
ratio = (inner / outer) ** 2
shear_factor = 6 * (1 + nu) * (1 + ratio) ** 2 / ((7 + 6 * nu) * (1 + ratio) ** 2 + (20 + 12 * nu) * ratio)  # Cowper 1966
GA = shear_factor * G * area

# Unknowns of a node: deflection w along z, slopes w_x and w_y of the section normals. A bar along x bends in w_x and
# twists in w_y, a bar along y the other way round.
phi = 12 * EI / (GA * length**2)
c = EI / (length**3 * (1 + phi))
bending = [[12 * c, 6 * c * length, -12 * c, 6 * c * length],
           [6 * c * length, (4 + phi) * c * length**2, -6 * c * length, (2 - phi) * c * length**2],
           [-12 * c, -6 * c * length, 12 * c, -6 * c * length],
           [6 * c * length, (2 - phi) * c * length**2, -6 * c * length, (4 + phi) * c * length**2]]

index = {}
for i in range(1, n + 1):
    for j in range(n + 1):
        index[i, j] = 3 * len(index)
size = 3 * len(index)
K = [[0.0] * size for _ in range(size)]


def add(a, b, slope):
    """The bar from node a to node b, whose slope along itself is component `slope`."""
    def unknowns(parts):
        return [index[node] + part if node in index else None for node in (a, b) for part in parts]

    def scatter(matrix, places):
        for row, r in zip(matrix, places):
            for entry, s in zip(row, places):
                if r is not None and s is not None:
                    K[r][s] += entry

    scatter(bending, unknowns([0, slope]))
    t = GJ / length
    scatter([[t, -t], [-t, t]], unknowns([3 - slope]))


for i in range(1, n + 1):
    for j in range(n + 1):
        add((i - 1, j), (i, j), 1)
        if j > 0:
            add((i, j - 1), (i, j), 2)

f = [0.0] * size
f[index[n, 0]] = -force

for k in range(size):  # Gauss elimination; K is positive definite
    for r in range(k + 1, size):
        factor = K[r][k] / K[k][k]
        if factor != 0:
            for s in range(k, size):
                K[r][s] -= factor * K[k][s]
            f[r] -= factor * f[k]
w = [0.0] * size
for k in reversed(range(size)):
    w[k] = (f[k] - sum(K[k][s] * w[s] for s in range(k + 1, size))) / K[k][k]

print(f"loaded corner {w[index[n, 0]]:.12e} m, middle {w[index[n, n // 2]]:.12e} m, free corner {w[index[n, n]]:.12e} m")
