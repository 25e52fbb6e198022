"""How the optimum of an instance stands to those of related ones, all by brute force.

Whatever the sharing: no less than with links without limit, no more than with saturation forbidden, which is what a
threshold of 1 is; no less the greater the threshold. Each of these only takes schedules away. Under the paper's sharing
it is also no more with a wider link: with the same starts all jobs are as fast or faster, and end no later. Under
max-min sharing that does not follow, and where it fails is counted, not held against anyone.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from benchmarks.agreement.participants import AGREED, TOO_LARGE, ParticipantFinding, finding
from oas.core.errors import TooLargeError
from oas.exact.coallocation.brute_force import brute_force as plain_brute_force
from oas.exact.coallocation.saturated.brute_force import brute_force
from oas.problems.coallocation.instance import Cluster
from oas.problems.coallocation.saturation import Saturation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.problems.coallocation.instance import CoallocationInstance

THRESHOLDS = (None, Fraction(1, 2), Fraction(3, 4), Fraction(1))
WIDER = (Fraction(3, 2), Fraction(1))  # times as wide, and then wider by


def relations(instance: CoallocationInstance, optimum: Fraction) -> Iterator[ParticipantFinding]:
    """Compare the optimum of an instance under slowdown with those of its relatives."""
    try:
        yield from _limits(instance, optimum)
        yield from _thresholds(instance, optimum)
        yield from _links(instance, optimum)
    except TooLargeError as error:
        yield ParticipantFinding("relations", TOO_LARGE, str(error))


def _limits(instance: CoallocationInstance, optimum: Fraction) -> Iterator[ParticipantFinding]:
    forbid = plain_brute_force(instance.with_saturation("forbid"))[0]
    every = sum(job.bandwidth * job.tasks for job in instance.jobs) * len(instance.jobs) + 1
    open_links = [Cluster(one.id, one.groups, every) for one in instance.clusters]
    free = plain_brute_force(replace(instance.with_saturation("forbid"), clusters=open_links))[0]  # type: ignore[arg-type]
    yield finding("slowdown <= forbid", f"{optimum}, forbid {forbid}" if optimum > forbid else "")
    yield finding("slowdown >= links without limit", f"{optimum}, without {free}" if optimum < free else "")
    sharing = instance.saturation.sharing
    alike = brute_force(instance.with_saturation(Saturation("slowdown", 1, sharing)))[0]
    yield finding("threshold 1 = forbid", f"{alike}, forbid {forbid}" if alike != forbid else "")


def _thresholds(instance: CoallocationInstance, optimum: Fraction) -> Iterator[ParticipantFinding]:
    own = instance.saturation
    for threshold in THRESHOLDS:
        if threshold == own.threshold:
            continue
        other = brute_force(instance.with_saturation(Saturation("slowdown", threshold, own.sharing)))[0]
        greater = (threshold or 0) > (own.threshold or 0)
        wrong = other < optimum if greater else other > optimum
        yield finding("no less at a greater threshold", f"{own}: {optimum}; {threshold}: {other}" if wrong else "")


def _links(instance: CoallocationInstance, optimum: Fraction) -> Iterator[ParticipantFinding]:
    for index, cluster in enumerate(instance.clusters):
        wide = Cluster(cluster.id, cluster.groups, cluster.bandwidth * WIDER[0] + (index % 2) * WIDER[1])
        if wide.bandwidth == cluster.bandwidth:
            continue
        clusters = [*instance.clusters[:index], wide, *instance.clusters[index + 1 :]]
        other = brute_force(replace(instance, clusters=clusters))[0]  # type: ignore[arg-type]
        said = f"link {cluster.id} of {wide.bandwidth}: {other}, before {optimum}" if other > optimum else ""
        if instance.saturation.sharing == "paper":
            yield finding("no more with a wider link", said)
        else:
            name = "max-min: more with a wider link (counted)" if said else "max-min: no more with a wider link"
            yield ParticipantFinding(name, AGREED, said)
