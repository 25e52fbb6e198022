"""Exact, independent verification of schedules, and the rules that all problems share."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from oas.core.errors import VerificationError, abbreviated
from oas.core.formats import show_count
from oas.core.instances import check_instance, check_schedule
from oas.core.numbers import comparable
from oas.core.problem import check_variant

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.schedule import Placement, Schedule


@dataclass(frozen=True)
class Violation:
    """One broken rule.

    It is ``unknown_job``, ``missing_job``, ``duplicate_job``, ``unknown_cluster``, ``unknown_node``, ``tasks``,
    ``start``, ``duration`` or ``capacity``; in co-allocation also ``grid`` and ``link``; in MOSP also ``one_cluster``,
    ``reservation`` and ``locality``; in fair sharing also ``horizon``, ``fifo`` and ``greedy``. A constraint of a model
    that the values in a solution file break is ``constraint``.
    """

    rule: str  #: name of the rule
    jobs: tuple[str, ...]  #: ids of the jobs involved
    message: str  #: the fault with its figures; long numbers are abbreviated

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", abbreviated(self.message))

    def __str__(self) -> str:
        return f"[{self.rule}] {self.message}"


SHOWN = 10  # maximum number of jobs named in one violation


def named_violation(rule: str, ids: Any, fault: str) -> list[Violation]:
    """Return one violation of a rule by all jobs of an array of ids, or an empty list for an empty array."""
    if not ids.size:
        return []
    named = tuple(map(str, ids[:SHOWN]))
    more = ", …" if ids.size > len(named) else ""
    return [Violation(rule, named, f"jobs that {fault}: {ids.size:,} ({', '.join(named)}{more})")]


def each_job_once(jobs: Collection[str], schedule: Schedule) -> Iterator[Violation]:
    """Check that each of the jobs runs exactly once, and no other job runs."""
    runs = Counter(placement.job for placement in schedule.placements)
    for name, count in runs.items():
        if name not in jobs:
            yield Violation("unknown_job", (name,), f"job {name} is not in the instance")
        elif count > 1:
            yield Violation("duplicate_job", (name,), f"job {name} runs {count} times")
    for name in jobs:
        if name not in runs:
            yield Violation("missing_job", (name,), f"job {name} does not run")


def node_conflicts(placements: Iterable[Placement]) -> Iterator[Violation]:
    """Check that no node serves two jobs at the same time.

    Consecutive nodes with the same placements are checked together, so that many of them need no more time than one.
    """
    given = list(placements)
    moments = comparable([moment for one in given for moment in (one.start, one.end)])
    by_cluster: dict[str, list[_Run]] = defaultdict(list)
    for start, end, place in sorted(zip(moments[::2], moments[1::2], range(len(given)), strict=True)):
        for name in given[place].nodes:
            by_cluster[name].append(_Run(start, end, given[place], given[place].ranges(name)))
    for name, runs in sorted(by_cluster.items()):
        if not _certainly_disjoint(runs):
            yield from _conflicts_on(name, runs)


def distinct_nodes(placement: Placement, cluster: str) -> int:
    """Return the number of distinct nodes that a placement uses on a cluster."""
    reached = distinct = 0
    for nodes in placement.ranges(cluster):  # ascending; repeated numbers make them overlap
        distinct += max(0, nodes.stop - max(nodes.start, reached))
        reached = max(reached, nodes.stop)
    return distinct


def placement_violations(
    instance: Instance, schedule: Schedule, rules: Callable[[Any, Placement, int], Iterable[Violation]]
) -> tuple[list[Violation], list[Placement]]:
    """Check the placements of a schedule: each job runs once, its nodes exist, and no node serves two jobs at a time.

    `rules` are called for each job with its placement and the number of distinct nodes. Return the violations, and the
    placements whose nodes all exist.
    """
    jobs = {job.id: job for job in instance.jobs}
    sizes = dict(instance.cluster_sizes)
    violations = list(each_job_once(jobs, schedule))
    sound = []
    for placement in schedule.placements:
        if placement.job in jobs:
            distinct, exist = 0, True
            for name in placement.nodes:
                distinct += distinct_nodes(placement, name)
                exist = exist and placement.ranges(name)[-1].stop <= sizes.get(name, 0)
            if exist:
                sound.append(placement)
            else:
                violations += unknown_nodes(placement, sizes, instance.problem.nodes)
            violations += rules(jobs[placement.job], placement, distinct)
    return [*violations, *node_conflicts(sound)], sound


def unknown_nodes(placement: Placement, sizes: Mapping[str, int], noun: str) -> Iterator[Violation]:
    """Check that the clusters and nodes of a placement exist; `noun` is the plural word for nodes."""
    job = placement.job
    for name in placement.nodes:
        if name not in sizes:
            yield Violation("unknown_cluster", (job,), f"job {job} uses cluster {name}, which does not exist")
            continue
        for nodes in placement.ranges(name):
            for number in range(max(nodes.start, sizes[name]), nodes.stop):
                message = f"job {job} uses number {number} of cluster {name}, which has {noun} 0 to {sizes[name] - 1}"
                yield Violation("unknown_node", (job,), message)


class _Run(NamedTuple):
    """A placement on one cluster: integers that compare like start and end, and the nodes there."""

    start: int
    end: int
    placement: Placement
    ranges: tuple[range, ...]


def _certainly_disjoint(runs: Sequence[_Run]) -> bool:
    """Return True only if no two of the runs, in the order of their starts, use a node at the same time.

    Nodes are divided into intervals, each with the end of its last run. A run replaces the intervals that it covers and
    adds at most two, so that the time hardly depends on the number of nodes.
    """
    borders = [0]  # beginning of each interval; the last interval has no end
    until = [runs[0][0]] if runs else []
    for start, end, _, ranges in runs:
        if end < start:
            return False
        for nodes in ranges:
            first, last = bisect_right(borders, nodes.start) - 1, bisect_left(borders, nodes.stop)
            if any(moment > start for moment in until[first:last]):
                return False
            parts = [(nodes.start, end)]
            if borders[first] < nodes.start:
                parts.insert(0, (borders[first], until[first]))
            if last == len(borders) or borders[last] > nodes.stop:
                parts.append((nodes.stop, until[last - 1]))
            borders[first:last] = [border for border, _ in parts]
            until[first:last] = [moment for _, moment in parts]
    return True


def _conflicts_on(name: str, runs: Sequence[_Run]) -> Iterator[Violation]:
    """Yield the conflicts on a cluster node by node; the runs are in the order of their starts and ends."""
    borders = sorted({border for run in runs for nodes in run.ranges for border in (nodes.start, nodes.stop)})
    places = {border: place for place, border in enumerate(borders)}
    latest: dict[int, tuple[int, Placement]] = {}  # by interval between neighbouring borders: the run that ends last
    conflicts: dict[int, list[tuple[str, str, Fraction]]] = defaultdict(list)
    for start, end, placement, ranges in runs:
        for interval in {place for nodes in ranges for place in range(places[nodes.start], places[nodes.stop])}:
            previous = latest.get(interval)
            if previous is not None and start < previous[0]:
                conflicts[interval].append((previous[1].job, placement.job, placement.start))
            if previous is None or end > previous[0]:
                latest[interval] = (end, placement)
    for interval in sorted(conflicts):
        for number in range(borders[interval], borders[interval + 1]):
            for first, second, moment in conflicts[interval]:
                message = f"node {number} of cluster {name} serves {first} and {second} at {moment}"
                yield Violation("capacity", (first, second), message)


def verify(instance: Instance, schedule: Schedule) -> list[Violation]:
    """Return every violation of the instance's rules; an empty list means that the schedule is feasible.

    The rules are those of the instance's problem, such as `oas.coallocation.rules` and `oas.mosp.rules`. Raises
    `InputError` if an argument is of another type, or they are swapped.

    Parameters
    ----------
    instance
        An instance of any problem.
    schedule
        Any schedule; no property is assumed.
    """
    check_instance(instance)
    check_schedule(schedule)
    check_variant(instance, "the verifier", instance.problem.variants)
    return instance.problem.part("rules")(instance, schedule)


def check(instance: Instance, schedule: Schedule, what: str = "the schedule") -> Schedule:
    """Return `schedule` if it is feasible, otherwise raise `VerificationError` with every violation.

    `what` names the schedule in the message.
    """
    violations = verify(instance, schedule)
    if violations:
        raise VerificationError(f"{what} breaks {show_count(len(violations), 'rule')}:", tuple(violations))
    return schedule
