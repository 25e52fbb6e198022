"""The mean load, and the longest job."""

from fractions import Fraction

from oas.solving.lower_bound import LowerBound


def load(instance):
    times = [job.time for job in instance.jobs]
    return max(Fraction(sum(times), instance.machines), Fraction(max(times)))


BOUND = LowerBound("mean load", load)
