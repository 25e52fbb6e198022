"""Stages that raise the bound: bounds with certificates, trees, and questions to CP-SAT."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from oas.mosp.bounds.configurations import configuration_bound
from oas.mosp.bounds.partitions import partition_bound
from oas.mosp.bounds.start_tree import start_tree_bound
from oas.mosp.bounds.two_dimensional import two_dimensional_bound
from oas.mosp.models.axis_pumpkin import FORMULATION as AXIS
from oas.mosp.models.cumulative_cpsat import FORMULATION as CUMULATIVE
from oas.mosp.ticks import coarsened
from oas.solvers.task import CPSAT, Settings
from oas.solving.formulation import SECOND_WEIGHT
from oas.solving.model_run import Question

if TYPE_CHECKING:
    from oas.mosp.exact.search import MospExactSearch

# Shares refer to the remaining time, numbers of jobs are maxima.
BOUND_SHARE = 0.2  # of each bound
TWO_DIMENSIONAL_JOBS = 200  # with more jobs, no gain of the two-dimensional bound has been observed
FEW_JOBS = 25  # then there is only one start tree, and partitions come before CP-SAT is asked
FEW_TREE, FIRST_TREE, LAST_TREE = 0.35, 0.2, 0.5  # shares of the only tree, or of the first and the last
TREE_JOBS = 60  # for a second tree
WAIT_SHARE = 0.85  # for bounds that run in parallel, once the instance is settled by claims
LOOP_JOBS = 120  # limit of the kernels of partitions
PARTITION_JOBS = 12  # per cluster
UNEQUAL_JOBS = 6  # the same for clusters of different sizes; more have not been tried
FEW_PARTITIONS, PARTITIONS, UNEQUAL_PARTITIONS = 0.5, 0.3, 0.1  # shares
DECIDE_SHARE, FAIR_JOBS = 0.25, 30  # for each answer; beyond this number of jobs the share decreases proportionally
EARLY_JOBS = 25  # CP-SAT is asked before the slow bounds, and before most of the local search
EARLY_LOG_SHARE, LOG_SHARE = 0.3, 0.6  # of a solver that logs its proof, before CP-SAT is asked and for its claim
UNLIMITED_SECONDS = 60.0  # for an answer without a time limit
# The model breaks its symmetries itself; the symmetry detection of CP-SAT 9.15 crashes on some infeasible models.
OPTIONS = {"symmetry_level": 0}


def configurations(search: MospExactSearch, memory: int | None) -> None:
    """Compute the configuration bound; later stages use its weights."""
    if not search.step():
        return
    assert search.evidence.makespan is not None
    with search.timed("configurations"):
        seconds = search.share(BOUND_SHARE)
        settlement = configuration_bound(
            search.instance, Fraction(0), search.evidence.makespan, seconds=seconds, memory=memory
        )
    if settlement.bound is not None and settlement.bound.certificate is not None:
        search.heights = tuple(settlement.bound.certificate["weights"])  # type: ignore[arg-type]
    search.keep(settlement)
    search.raise_if_interrupted(settlement.termination)


def two_dimensional(search: MospExactSearch, memory: int | None) -> None:
    """Refute makespans by the two-dimensional bound."""
    if search.scaled.job_count <= TWO_DIMENSIONAL_JOBS:
        bound = partial(two_dimensional_bound, memory=memory, heights=search.heights)
        search.settle("two-dimensional", bound, BOUND_SHARE)


def first_tree(search: MospExactSearch, memory: int | None) -> None:
    """Refute makespans by a tree of starts, before more local search."""
    if search.scaled.cluster_count == 1:
        _grow(search, memory, FEW_TREE if search.scaled.job_count <= FEW_JOBS else FIRST_TREE)


def last_tree(search: MospExactSearch, memory: int | None) -> None:
    """Refute makespans by a tree of starts, after more local search."""
    if search.scaled.cluster_count == 1 and FEW_JOBS < search.scaled.job_count <= TREE_JOBS:
        _grow(search, memory, LAST_TREE)


def _grow(search: MospExactSearch, memory: int | None, share: float) -> None:
    """Refute makespans by trees of starts, and start again each time that one finds a shorter schedule instead."""
    bound = partial(start_tree_bound, memory=memory, heights=search.heights)
    search.settle_while_better("start tree", bound, share)


def _have_equal_clusters(search: MospExactSearch) -> bool:
    return len(set(search.scaled.processors)) == 1


def first_partitions(search: MospExactSearch, memory: int | None) -> None:
    """Refute makespans by partitions of few jobs before CP-SAT is asked, since the answer has a certificate."""
    if search.scaled.job_count <= FEW_JOBS:
        _share_out(search, memory, FEW_PARTITIONS)


def partitions(search: MospExactSearch, memory: int | None) -> None:
    """Refute makespans by partitions of more jobs."""
    if search.scaled.job_count > FEW_JOBS:
        _share_out(search, memory, PARTITIONS if _have_equal_clusters(search) else UNEQUAL_PARTITIONS)


def _share_out(search: MospExactSearch, memory: int | None, share: float) -> None:
    """Refute makespans by partitions, and start again each time that one gives a shorter schedule instead."""
    scaled = search.scaled
    jobs = (PARTITION_JOBS if _have_equal_clusters(search) else UNEQUAL_JOBS) * scaled.cluster_count
    if scaled.job_count <= min(LOOP_JOBS, jobs) and scaled.cluster_count > 1 and not scaled.reservations:
        search.settle_while_better("partitions", partial(partition_bound, memory=memory), share)


# CP-SAT is asked whether the longest makespan left is feasible, then the shortest; its answer is a claim. A refutation
# of the longest settles everything, several times as fast as refuting one makespan after the other. If that question is
# not answered in time, a refutation of the shortest still raises the bound.


def early_decisions(search: MospExactSearch, memory: int | None) -> None:
    """Ask CP-SAT if there are few jobs; bounds with certificates have their time before a second run confirms it."""
    if search.scaled.job_count <= EARLY_JOBS:
        _decide(search, memory)


def early_proof_log(search: MospExactSearch, memory: int | None) -> None:
    """Let Pumpkin refute shorter schedules of few jobs: often faster than CP-SAT, and its proof is a certificate."""
    if search.scaled.job_count <= EARLY_JOBS:
        while search.refute(AXIS, coarsened(search.scaled)[1], EARLY_LOG_SHARE, memory):
            pass


def proof_log(search: MospExactSearch, memory: int | None) -> None:
    """Let Pumpkin prove what CP-SAT claims."""
    if search.settled:
        search.refute(AXIS, coarsened(search.scaled)[1], LOG_SHARE, memory)


def decisions(search: MospExactSearch, memory: int | None) -> None:
    """Ask CP-SAT as long as it answers.

    If a claim settles the instance, bounds with certificates that run in parallel get some time first.
    """
    if search.settled:
        search.wait_for_stages(WAIT_SHARE)
    _decide(search, memory)


def confirmation(search: MospExactSearch, memory: int | None) -> None:
    """Confirm a claim that settles the instance by a second run in the remaining time."""
    search.confirms = True
    if search.asks and search.settled and search.step() and not search.decide_in_parallel(_question(search), memory):
        search.decide(_question(search), search.share(1.0), memory)


def _question(search: MospExactSearch) -> Question:
    _, unit = coarsened(search.scaled)
    settings = Settings(CPSAT, seed=search.seed, options=OPTIONS)
    second = partial(search.strengthened, scale=SECOND_WEIGHT)
    return Question(CUMULATIVE, unit, settings, search.strengthened, True, second)


def _decide(search: MospExactSearch, memory: int | None) -> None:
    if not search.asks:
        return
    above = _question(search)
    if search.decide_in_parallel(above, memory):
        return
    below = replace(above, from_above=False)
    share = DECIDE_SHARE * min(1.0, FAIR_JOBS / search.scaled.job_count)
    while search.step():
        questions = (above, below) if search.upper - search.lower > above.unit else (above,)
        seconds = (search.share(share) or UNLIMITED_SECONDS) / len(questions)
        if not any(search.decide(question, seconds, memory) for question in questions):
            return
