"""Ways to spread the tasks of one job of a co-allocation instance over clusters and node classes.

The load on the link of a cluster with n of a job's τ tasks is n·b·(τ − n)/(τ − 1), which is symmetric with its maximum
at n = τ/2. So the numbers of tasks that a link allows form two intervals, one from 0 and one up to τ. Sets of numbers
are the bits of integers. A job at level l uses only nodes with the l-th greatest Γ or a greater one.

If saturated links slow jobs down, a job has *options*: its numbers of nodes of each class. Options are numbered in
lexicographic order of these counts, classes by cluster, then fastest first; options that a link forbids on an empty
grid are omitted. Times are in slots, without slots in units of time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from math import ceil
from typing import NamedTuple

from oas.checker.coallocation_instance import CoallocationInstance, CoallocationNodes, CoallocationTicks
from oas.checker.coallocation_rules import LinkUser, progress_rates
from oas.checker.effort import Effort
from oas.checker.reading import refused

MOST_OPTIONS = 20_000  # of all jobs together

OptionItem = tuple[int, int]  # a job, and the number of one of its options


def nodes_up_to_level(scaled: CoallocationTicks) -> list[list[int]]:
    """Return ``nodes[k][l]``: the number of nodes of cluster k that have level l or a faster one."""
    nodes = [[0] * len(scaled.powers) for _ in scaled.link_capacity]
    for one in scaled.classes:
        for level in range(one.level, len(scaled.powers)):
            nodes[one.cluster][level] += one.count
    return nodes


def node_pools(instance: CoallocationInstance) -> list[tuple[str, list[int]]]:
    """Return the cluster and the node numbers of each node class."""
    pools = []
    for nodes in instance.ticks.classes:
        cluster, power = instance.clusters[nodes.cluster], instance.ticks.powers[nodes.level]
        powers = [own for count, own in cluster.groups for _ in range(count)]
        pools.append((cluster.id, [number for number, own in enumerate(powers) if own == power]))
    return pools


def counts_of_link(loads: Sequence[int], free: int, link: int) -> list[tuple[int, int]]:
    """Return the intervals (low, high) of possible numbers of tasks with these free nodes and link bandwidth."""
    tasks = len(loads) - 1
    free, half = min(free, tasks), tasks // 2
    low = bisect_right(loads, link, 0, half + 1) - 1
    if low == half:
        return [(0, free)]
    runs = [(0, min(low, free)), (tasks - low, free)]
    return runs if tasks - low <= free else runs[:1]


def shifts_or(bits: int, low: int, high: int) -> int:
    """Return the union of `bits` shifted by low, low + 1, …, high."""
    if high < low:
        return 0
    union, count, shifts = bits, 1, high - low + 1
    while 2 * count <= shifts:
        union |= union << count
        count *= 2
    return (union | union << (shifts - count)) << low


def shifted_by_runs(bits: int, runs: Sequence[tuple[int, int]]) -> int:
    """Return the sums of a number in `bits` and a number in one of the intervals."""
    union = 0
    for low, high in runs:
        union |= shifts_or(bits, low, high)
    return union


def can_be_split(loads: Sequence[int], free: Sequence[int], links: Sequence[int]) -> bool:
    """Return whether all tasks of a job fit on clusters with these free nodes and link bandwidths."""
    tasks = len(loads) - 1
    if sum(free) < tasks:
        return False
    mask, sums = (2 << tasks) - 1, 1  # bit s: the clusters so far can hold s tasks
    for nodes, link in zip(free, links, strict=True):
        sums = mask & shifted_by_runs(sums, counts_of_link(loads, nodes, link))
    return bool(sums >> tasks & 1)


def empty_grid_levels(scaled: CoallocationTicks) -> list[int | None]:
    """Return the lowest level at which each job has an allocation on an empty grid; None if it has none."""
    nodes = list(zip(*nodes_up_to_level(scaled), strict=True))
    known: dict[int, int | None] = {}
    for loads in scaled.link_loads:
        if id(loads) not in known:  # jobs with equal loads share one tuple
            fits = (level for level, free in enumerate(nodes) if can_be_split(loads, free, scaled.link_capacity))
            known[id(loads)] = next(fits, None)
    return [known[id(loads)] for loads in scaled.link_loads]


def fastest_levels(scaled: CoallocationTicks) -> list[int]:
    """Return `empty_grid_levels` of an instance in which each job has an allocation."""
    levels = empty_grid_levels(scaled)
    if None in levels:
        raise refused("instance", f"job {levels.index(None)} has no allocation, so that no bound is needed")
    return [level for level in levels if level is not None]


def node_counts(
    classes: Sequence[CoallocationNodes],
    loads: Sequence[int],
    most: Sequence[int],
    links: Sequence[int],
    effort: Effort,
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the numbers of nodes by class that hold all tasks of a job, and the loads on each link.

    The order is descending by the nodes of the first class, then of the second, and so on. `loads` are the job's loads
    by number of tasks, `most` the available nodes of each class, and `links` the free bandwidths.
    """
    last_of = {one.cluster: at for at, one in enumerate(classes)}
    later = [sum(most[at:]) for at in range(len(classes) + 1)]  # nodes of this and later classes
    start: tuple[int, ...] = ()
    open_choices = [(start, len(loads) - 1, (0,) * len(links))]  # counts so far, tasks left, tasks by cluster
    while open_choices:
        counts, left, held = open_choices.pop()
        at = len(counts)
        if at == len(classes):
            yield counts, tuple([loads[tasks] for tasks in held])
            continue
        cluster = classes[at].cluster
        for count in range(max(0, left - later[at + 1]), min(most[at], left) + 1):
            effort.spend(4)
            tasks = held[cluster] + count
            if at != last_of[cluster] or loads[tasks] <= links[cluster]:
                open_choices.append(((*counts, count), left - count, (*held[:cluster], tasks, *held[cluster + 1 :])))


class SlowedOption(NamedTuple):
    """An option."""

    counts: tuple[int, ...]  # nodes of each class
    loads: tuple[int, ...]  # on each cluster's link, in the unit of the scaled instance
    user: LinkUser
    fastest: Fraction  # the job's time with unsaturated links, not rounded to slots
    alone: Fraction  # the job's time if no other job runs, not rounded to slots
    slots: int  # minimum number of slots; 1 without slots


class SlowedOptions:
    """The options of all jobs; instances with a job without options, or with more than `MOST_OPTIONS`, are refused."""

    def __init__(self, instance: CoallocationInstance, effort: Effort) -> None:
        self.instance, self.scaled, self.effort = instance, instance.ticks, effort
        self.slotted = instance.slot > 0
        self.span = instance.slot if self.slotted else Fraction(1)  # the unit of times
        self.sizes = tuple(one.count for one in self.scaled.classes)
        self.rows: list[list[SlowedOption]] = []
        left = MOST_OPTIONS
        for job, loads in enumerate(self.scaled.link_loads):
            choices = node_counts(self.scaled.classes, loads, self.sizes, self.scaled.link_capacity, effort)
            row = list(islice(choices, left + 1))[::-1]
            left -= len(row)
            if left < 0:
                raise refused("certificate", f"more than {MOST_OPTIONS:,} allocations in all")
            if not row:
                raise refused("certificate", f"job {job} has no allocation")
            self.rows.append([self._option(job, counts, asked) for counts, asked in row])

    def _option(self, index: int, counts: tuple[int, ...], loads: tuple[int, ...]) -> SlowedOption:
        level = max(one.level for one, count in zip(self.scaled.classes, counts, strict=True) if count)
        job, power = self.instance.jobs[index], self.scaled.powers[level]
        user = LinkUser(job, power, {link: load for link, load in enumerate(loads) if load})
        alone = 1 / self.progress([user])[0]
        fastest = job.duration(power, Fraction(0)) / self.span
        return SlowedOption(counts, loads, user, fastest, alone, ceil(alone) if self.slotted else 1)

    def progress(self, users: Sequence[LinkUser]) -> list[Fraction]:
        """Return the progress of each job in a slot, or in a unit of time, in which they run together."""
        rates = progress_rates(users, self.scaled.link_bandwidth, self.instance.saturation.sharing)
        return [rate * self.span for rate in rates]
