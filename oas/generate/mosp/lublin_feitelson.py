"""The workload model of Lublin and Feitelson: sizes and running times of rigid jobs.

Source: U. Lublin, D. G. Feitelson, *The workload on parallel supercomputers: modeling the characteristics of rigid
jobs*, J. Parallel and Distributed Computing 63 (2003); parameters as in the authors' program of 1999 in the Parallel
Workloads Archive, those for all jobs together. The program can also draw batch and interactive jobs apart, with
parameters of their own; as the MOCCA paper does not say, the single set is taken here. Arrivals are not modelled.

- Size: a job is serial with probability 0.244. Otherwise the logarithm of its size, to base 2, is two-stage uniform:
  with probability 0.86 from [0.8, h − 2.5], else from [h − 2.5, h], where h is the logarithm of the system's size; with
  probability 0.576 (of all jobs) it is then rounded, which makes a power of two. The size is rounded at the end.
- Running time: its natural logarithm is hyper-gamma: Γ(4.2, 0.94) with probability p, else Γ(312, 0.03), where
  p = 0.78 − 0.0054·size, kept within [0, 1]; drawn again above 12, that is beyond 45 hours.

Chosen here: the first stage is empty where h − 2.5 < 0.8, and then stands for 0.8; a running time is rounded to whole
seconds. Logarithms and gamma variates are floats; only what is rounded leaves this file.
"""

from __future__ import annotations

from math import exp, floor, log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

SERIAL, POWER_OF_TWO = 0.244, 0.576
LOW, BELOW_HIGH, FIRST_STAGE = 0.8, 2.5, 0.86
SHORT, LONG = (4.2, 0.94), (312.0, 0.03)
"""Shape and scale of the two gamma distributions."""
SLOPE, INTERCEPT = -0.0054, 0.78
MOST_LOG_TIME = 12


def draw_size(rng: Random, system: int) -> int:
    """Draw a job's number of processors in a system of so many, at least 2.

    Now and then it is as many as there are; where that is no power of two, it can be the next power of two.
    """
    kind = rng.random()
    if kind <= SERIAL:
        return 1
    exponent = draw_log_size(rng, log2(system))
    if kind <= SERIAL + POWER_OF_TWO:
        exponent = floor(exponent + 0.5)
    return floor(2.0**exponent + 0.5)


def draw_log_size(rng: Random, high: float) -> float:
    """Draw the logarithm to base 2 of a parallel job's size: two-stage uniform up to `high`."""
    middle = max(LOW, high - BELOW_HIGH)
    if rng.random() <= FIRST_STAGE:
        return rng.uniform(LOW, middle)
    return rng.uniform(middle, max(middle, high))


def draw_log_time(rng: Random, size: int) -> float:
    """Draw the natural logarithm of a running time: hyper-gamma, before it is cut off."""
    share = min(1.0, max(0.0, SLOPE * size + INTERCEPT))
    return rng.gammavariate(*(SHORT if rng.random() <= share else LONG))


def draw_time(rng: Random, size: int) -> int:
    """Draw a running time in whole seconds, at least 1, for a job on so many processors."""
    logarithm = draw_log_time(rng, size)
    while logarithm > MOST_LOG_TIME:
        logarithm = draw_log_time(rng, size)
    return max(1, floor(exp(logarithm) + 0.5))
