"""Small MOSP instances that the tests of models share."""

from __future__ import annotations

from fractions import Fraction as F

from oas.problems.mosp.instance import MospInstance, Organization, Reservation, RigidJob


def unequal() -> MospInstance:
    """Clusters of three and two processors, a job that only the first can take, times in halves, locality."""
    first = Organization("A", 3, [RigidJob("a0", 2, 3), RigidJob("a1", F(1, 2), 1)])
    second = Organization("B", 2, [RigidJob("b0", F(3, 2), 2), RigidJob("b1", 1, 1)])
    return MospInstance([first, second])


def reserved() -> MospInstance:
    """One cluster with a reservation, a job released within it, starts given for the local schedule."""
    jobs = [RigidJob("a", 2, 2), RigidJob("b", 1, 1, 2), RigidJob("c", 2, 1)]
    organization = Organization("A", 2, jobs, [Reservation(1, 3, 1)])
    return MospInstance([organization], F(3, 2), {"a": 3, "b": 5, "c": 0})


def alike() -> MospInstance:
    """Three clusters alike, two jobs alike with one deadline, one like them of another organization without it."""
    first = Organization("A", 2, [RigidJob("a0", 1, 1), RigidJob("a1", 1, 1)])
    second = Organization("B", 2, [RigidJob("b0", 1, 1), RigidJob("b1", 2, 2)])
    return MospInstance([first, second, Organization("C", 2)])
