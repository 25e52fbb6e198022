"""Schedules from the sets of the program: some clusters run sets that it uses, a complete search fills the others.

Diving as Sadykov et al., *Primal heuristics for branch and price*, INFORMS Journal on Computing 2019, describe it, with
its end left to the search for partitions (worker side).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from oas.bounds.mosp.cluster_sets.kernels import YES
from oas.bounds.mosp.cluster_sets.pricing import LONG
from oas.bounds.mosp.partitions.sharing import Sharing
from oas.bounds.mosp.two_dimensional.scales import Scales

if TYPE_CHECKING:
    from random import Random

    from oas.bounds.mosp.covering import Pair
    from oas.bounds.mosp.set_tree.tree import SetTree

FEW = 22  # jobs left that a complete search is for
STEPS, EFFORT = 2_000, 2_000_000  # of a packing there, and of the search, some tenths of a second
_USED = 1e-6


def dive(tree: SetTree, draw: Random) -> bool:
    """Look for a schedule, which `tree` then has; return whether there is one.

    Sets that the program uses are taken one after the other, drawn by their parts, as long as the program says that the
    other clusters suffice for what is left.
    """
    cluster = tree.cluster
    kept: list[tuple[int, ...]] = []
    together: tuple[Pair, ...] = ()
    while not tree.must_stop():
        gone = {job for jobs in kept for job in jobs}
        left = [job for job in range(len(cluster.jobs)) if job not in gone]
        if len(left) <= FEW:
            return _finish(tree, kept, left)
        tree.suppose(together)
        if not tree.suffices(together):
            return False
        choices = [
            (jobs, amount)
            for (_, jobs), amount in zip(tree.master.columns, tree.master.values, strict=True)
            if amount > _USED and not gone & {*jobs} and cluster.pack(jobs, LONG).answer == YES
        ]
        if not choices or len(kept) + 1 >= tree.count:
            return False
        jobs = draw.choices([one for one, _ in choices], [amount for _, amount in choices])[0]
        kept.append(jobs)
        together += tuple(pairwise(jobs))
    return False


def _finish(tree: SetTree, kept: list[tuple[int, ...]], left: list[int]) -> bool:
    """Share the jobs left out among the clusters left."""
    scales = tree.cluster.scales
    scaled = scales.scaled
    rest = replace(
        scaled,
        processors=scaled.processors[len(kept) :],
        times=tuple(scaled.times[job] for job in left),
        widths=tuple(scaled.widths[job] for job in left),
        releases=tuple(scaled.releases[job] for job in left),
        owners=tuple(scaled.owners[job] for job in left),
        local_starts=(),
    )
    answer = Sharing(Scales(rest, scales.makespan, scales.mirrored), STEPS, [], EFFORT).search(EFFORT)
    if answer.runs is None:
        return False
    runs = [(job, len(kept) + own, start) for job, (own, start) in zip(left, answer.runs, strict=True)]
    return tree.take(kept, runs)
