"""The verifier: an exact, independent check of a schedule against its instance, whichever problem it is of."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
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

    Attributes
    ----------
    rule
        ``unknown_job``, ``missing_job``, ``duplicate_job``, ``unknown_cluster``, ``unknown_node``, ``tasks``,
        ``start``, ``duration`` or ``capacity``; of co-allocation also ``grid`` and ``link``; of MOSP also
        ``one_cluster``, ``reservation`` and ``locality``; of fair sharing also ``horizon``, ``fifo`` and ``greedy``.
    jobs
        Ids of the jobs involved.
    message
        What is wrong, with the figures; long ones are abbreviated.
    """

    rule: str
    jobs: tuple[str, ...]
    message: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", abbreviated(self.message))

    def __str__(self) -> str:
        return f"[{self.rule}] {self.message}"


SHOWN = 10  # jobs that a violation of many names


def named_violation(rule: str, ids: Any, what: str) -> list[Violation]:
    """Return the violation of a rule by the jobs of an array of ids, with their number and the first; none for none."""
    if not ids.size:
        return []
    named = tuple(str(one) for one in ids[:SHOWN])
    more = ", …" if ids.size > len(named) else ""
    return [Violation(rule, named, f"jobs that {what}: {ids.size:,} ({', '.join(named)}{more})")]


def each_job_once(jobs: Collection[str], schedule: Schedule) -> Iterator[Violation]:
    """Every job of the instance runs once, and nothing else runs."""
    runs: dict[str, int] = defaultdict(int)
    for placement in schedule.placements:
        runs[placement.job] += 1
    for name, count in runs.items():
        if name not in jobs:
            yield Violation("unknown_job", (name,), f"job {name} is not in the instance")
        elif count > 1:
            yield Violation("duplicate_job", (name,), f"job {name} runs {count} times")
    for name in jobs:
        if name not in runs:
            yield Violation("missing_job", (name,), f"job {name} does not run")


def node_conflicts(placements: Iterable[Placement]) -> Iterator[Violation]:
    """No node serves two jobs at once.

    Nodes are looked at by stretches that the same placements use, so that many nodes in a row take no longer than one.
    """
    own = list(placements)
    moments = comparable([moment for one in own for moment in (one.start, one.end)])
    by_cluster: dict[str, list[_Run]] = defaultdict(list)
    for start, end, place in sorted(zip(moments[::2], moments[1::2], range(len(own)), strict=True)):
        for name in own[place].nodes:
            by_cluster[name].append(_Run(start, end, own[place], own[place].ranges(name)))
    for name, runs in sorted(by_cluster.items()):
        if not _apart(runs):
            yield from _conflicts_on(name, runs)


def placement_violations(
    jobs: Mapping[str, Any], schedule: Schedule, rules: Callable[[Any, Placement], Iterable[Violation]]
) -> tuple[list[Violation], list[Placement]]:
    """Check that each job runs once, the `rules` of each placement of a job, and that no node serves two jobs at once.

    Return the violations, and the placements on nodes that exist: those alone can be in each other's way.
    """
    found = list(each_job_once(jobs, schedule))
    sound = []
    for placement in schedule.placements:
        if placement.job in jobs:
            own = list(rules(jobs[placement.job], placement))
            found += own
            if not any(violation.rule in ("unknown_cluster", "unknown_node") for violation in own):
                sound.append(placement)
    return [*found, *node_conflicts(sound)], sound


class _Run(NamedTuple):
    """A placement on one cluster: start and end as integers that compare as they do, and the nodes used there."""

    start: int
    end: int
    placement: Placement
    ranges: tuple[range, ...]


def _apart(runs: Sequence[_Run]) -> bool:
    """Whether it is certain that no two of these runs, in the order of their starts, share a node at any moment.

    Nodes are kept as stretches with the end of the last run on each. A run replaces the stretches that it lies on and
    leaves two more at most, so that few are looked at however many nodes there are.
    """
    borders = [0]  # where each stretch begins; the last one goes on without end
    until = [runs[0][0]] if runs else []
    for start, end, _, ranges in runs:
        if end < start:
            return False
        for one in ranges:
            first, last = bisect_right(borders, one.start) - 1, bisect_left(borders, one.stop)
            if any(moment > start for moment in until[first:last]):
                return False
            parts = [(one.start, end)]
            if borders[first] < one.start:
                parts.insert(0, (borders[first], until[first]))
            if last == len(borders) or borders[last] > one.stop:
                parts.append((one.stop, until[last - 1]))
            borders[first:last] = [border for border, _ in parts]
            until[first:last] = [moment for _, moment in parts]
    return True


def _conflicts_on(name: str, runs: Sequence[_Run]) -> Iterator[Violation]:
    """Yield the conflicts on the cluster `name`, node by node; runs in the order of their starts and ends."""
    borders = sorted({border for run in runs for one in run.ranges for border in (one.start, one.stop)})
    places = {border: place for place, border in enumerate(borders)}
    latest: dict[int, tuple[int, Placement]] = {}  # by stretch from one border to the next
    found: dict[int, list[tuple[str, str, Fraction]]] = defaultdict(list)
    for start, end, placement, ranges in runs:
        for stretch in {place for one in ranges for place in range(places[one.start], places[one.stop])}:
            known = latest.get(stretch)
            if known is not None and start < known[0]:
                found[stretch].append((known[1].job, placement.job, placement.start))
            if known is None or end > known[0]:
                latest[stretch] = (end, placement)
    for stretch in sorted(found):
        for number in range(borders[stretch], borders[stretch + 1]):
            for one, other, moment in found[stretch]:
                message = f"node {number} of cluster {name} serves {one} and {other} at {moment}"
                yield Violation("capacity", (one, other), message)


def verify(instance: Instance, schedule: Schedule) -> list[Violation]:
    """Return every violation of the instance's rules; an empty list means that the schedule is feasible.

    The rules are its problem's, such as `oas.problems.coallocation.rules` and `oas.problems.mosp.rules`; they know
    every variant that the problem lists.

    Parameters
    ----------
    instance
        Of any problem.
    schedule
        From anywhere: nothing is taken for granted.

    Returns
    -------
    list
        Each with the rule's name, the jobs involved and a sentence with the figures.

    Raises
    ------
    InputError
        If either is something else, or they are swapped.
    """
    check_instance(instance)
    check_schedule(schedule)
    check_variant(instance, "the verifier", instance.problem.variants)
    return instance.problem.part("rules")(instance, schedule)


def check(instance: Instance, schedule: Schedule, what: str = "the schedule") -> Schedule:
    """Return `schedule` if it is feasible.

    Raises `VerificationError` with every violation.
    """
    violations = verify(instance, schedule)
    if violations:
        raise VerificationError(f"{what} breaks {show_count(len(violations), 'rule')}:", tuple(violations))
    return schedule
