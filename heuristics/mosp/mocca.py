"""MOCCA and ILBA (MOCCA paper).

MOCCA comes in three phases as printed, as in the paper's experiments, and for any local policy, at any cut. MOCCA(4)
and MOCCA-7(4) are the paper's; MOCCA(α) and MOCCA-7(α) are found by name at any other cut α. Where the local schedules
are HF, MOCCA-7 and MOCCA-7(4) are the HF3 and HF4 of section 7.3.

ILBA is iterative load balancing of MOCCA's schedules and of the local ones (section 6).

All are deterministic, and end in `NotPlacedError` where MOCCA does not find a place for all jobs.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from heuristics.method import Method, MethodFamily
from heuristics.mosp.guarantees import balanced_sequential, fitting, local_given, mocca_cut, mocca_three, static
from heuristics.mosp.mocca_phases import LEAST_CUT, algorithm4, section7, three_phases
from heuristics.mosp.queueing import earliest_run, empty_profiles
from heuristics.mosp.ticks import TickSchedule, local_runs, read_cut, scheduler
from oas.core.errors import InputError
from oas.problems.mosp.problem import MOSP

if TYPE_CHECKING:
    from collections.abc import Callable

    from heuristics.method import Guarantee
    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.runs import ClusterRun
    from oas.problems.mosp.ticks import ScaledMosp


def _method(
    name: str,
    place: Callable[[ScaledMosp], TickSchedule],
    summary: str,
    rank: int,
    guarantee: Callable[[MospInstance], Guarantee | None] | None = None,
) -> Method:
    run = scheduler(name, place)
    required = (local_given, static, fitting)
    return Method(name, run, summary, rank=rank, problem=MOSP, guarantee=guarantee, requires=required)


def _any_policy(cut: Fraction, summary: str, rank: int) -> Method:
    """MOCCA(α), Algorithm 4; from α = 4 on it places all jobs and is an α-approximation."""
    guarantee = partial(mocca_cut, multiple=cut)
    return _method(f"MOCCA({cut})", partial(algorithm4, multiple=cut), summary, rank, guarantee)


def _experiments(name: str, cut: Fraction, summary: str, rank: int) -> Method:
    """The variant of section 7."""
    return _method(name, partial(section7, multiple=cut), summary, rank)


def balanced(base: TickSchedule) -> TickSchedule:
    """Take the clusters by their makespans, least first, and place the jobs of each anew on it and those before it.

    The jobs of a cluster go in the order of their starts, each to its earliest start; ties stay on their own
    cluster, or else go to the cluster with the least makespan. No job starts later than in `base` (Proposition 11): at
    its old start, the jobs before it hold no more processors than they did. That holds with releases, reservations and
    clusters of any sizes too.
    """
    scaled = base.scaled
    profiles = empty_profiles(scaled)
    done: list[ClusterRun] = []
    before: list[int] = []
    runs: list[list[ClusterRun]] = [[] for _ in scaled.processors]
    for run in sorted(base.runs, key=lambda one: (one.start, one.job)):
        runs[run.cluster].append(run)
    for cluster in by_makespan(base):
        for run in runs[cluster]:
            if before:
                run = earliest_run(profiles, scaled, run.job, [cluster, *before])
            profiles.occupy(run.cluster, run.start, scaled.times[run.job], scaled.widths[run.job])
            done.append(run)
        before.append(cluster)
    return TickSchedule.of(scaled, done)


def by_makespan(base: TickSchedule) -> list[int]:
    """Return the clusters by non-decreasing makespan, ties by index."""
    ends = [0] * base.scaled.cluster_count
    for run in base.runs:
        ends[run.cluster] = max(ends[run.cluster], base.end(run))
    return sorted(range(len(ends)), key=lambda cluster: ends[cluster])


def balanced_mocca(scaled: ScaledMosp, multiple: Fraction) -> TickSchedule:
    """Balance the schedule of MOCCA-7 cut at `multiple` · LB; 3 is the one of section 6, 4 that of section 7.3."""
    return balanced(section7(scaled, multiple))


def balanced_local(scaled: ScaledMosp) -> TickSchedule:
    """Balance the local schedules."""
    return balanced(local_runs(scaled))


MOCCA = (
    _method(
        "MOCCA",
        three_phases,
        "MOCCA, phases 1 to 3 as printed: what ends after 3LB is put in anew",
        rank=100,
        guarantee=mocca_three,
    ),
    _experiments(
        "MOCCA-7", Fraction(3), "MOCCA as in section 7: one backward phase from 3LB, then compaction", rank=110
    ),
    _experiments(
        "MOCCA-7(4)", Fraction(4), "MOCCA as in section 7.3: cut at 4LB, local schedules as they are", rank=111
    ),
    _any_policy(Fraction(4), "MOCCA(4), Algorithm 4 as printed: cut at 4LB, HF where it is no worse", rank=120),
)


def method_at_cut(head: str, text: str) -> Method:
    """Return MOCCA or MOCCA-7 at a cut; `InputError` if that is not a number, or below 3."""
    cut = read_cut(text)
    shown = f"{head}({cut})"
    for method in MOCCA:
        if method.name == shown:
            return method
    if cut < LEAST_CUT:
        raise InputError(f"the cut must be at least {LEAST_CUT}", field="heuristic", value=f"{head}({text})")
    if head == "MOCCA":
        return _any_policy(cut, f"MOCCA(α), cut at {cut} LB", rank=121)
    return _experiments(shown, cut, f"MOCCA as in section 7, cut at {cut} LB", rank=112)


FAMILY = MethodFamily(("MOCCA", "MOCCA-7"), method_at_cut, f"MOCCA(α) and MOCCA-7(α) at any cut α ≥ {LEAST_CUT}")


ILBA = (
    _method(
        "ILBA",
        partial(balanced_mocca, multiple=Fraction(3)),
        "iterative load balancing of MOCCA-7's schedule",
        rank=140,
        guarantee=balanced_sequential,
    ),
    Method(
        "ILBA-local",
        scheduler("ILBA-local", balanced_local),
        "iterative load balancing of the local schedules",
        rank=141,
        problem=MOSP,
        guarantee=balanced_sequential,
        requires=(local_given,),
    ),
    _method(
        "ILBA(4)",
        partial(balanced_mocca, multiple=Fraction(4)),
        "iterative load balancing of MOCCA-7(4)'s schedule",
        rank=142,
    ),
)
METHODS = (*MOCCA, *ILBA)
