"""Instances to test heuristics on."""

import random
from functools import partial

from oas.testing.parts import KitParts, shrunk_name, without_one
from tests.seam.instance import Machines, machines


def drawn(seed, jobs=6):
    draw = random.Random(seed)
    return machines(draw.randint(2, 3), [draw.randint(1, 9) for _ in range(jobs)], f"machines {seed}")


def smaller(instance):
    for jobs in without_one(instance.jobs):
        yield partial(Machines, instance.machines, tuple(jobs), shrunk_name(instance))


PARTS = KitParts(drawn, partial(drawn, jobs=20), smaller)
