"""Random cover problems with optima by dynamic programming."""

import random


def knapsacks(count, size=16, seed=7, unit=10):
    """Return (payload of `builders.knapsack`, least weight) pairs; weights are from 100 to 200 units."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        weights = [draw.randrange(100 * unit, 200 * unit) for _ in range(size)]
        values = [draw.randrange(1, 60) for _ in range(size)]
        needed = sum(values) // 2
        found.append(((weights, values, needed), _least_weight(weights, values, needed)))
    return found


def _least_weight(weights, values, needed):
    best = [0] + [None] * needed
    for weight, value in zip(weights, values, strict=True):
        for reached in range(needed, -1, -1):
            if best[reached] is None:
                continue
            after = min(needed, reached + value)
            if best[after] is None or best[reached] + weight < best[after]:
                best[after] = best[reached] + weight
    return best[needed]
