"""CP-SAT, asked whether the longest makespan left is feasible, then the shortest; its answer is a claim.

A refutation of the longest settles everything, several times as fast as refuting one makespan after the other. If that
question is not answered in time, a refutation of the shortest still raises the bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.exact.search import Question
from oas.models.mosp.cumulative_cpsat import FORMULATION as CUMULATIVE
from oas.problems.mosp.ticks import coarsened
from oas.solvers.discovery import usable

if TYPE_CHECKING:
    from oas.exact.mosp.search import MospExactSearch

DECIDE_JOBS = 120  # up to which it is asked
DECIDE_SHARE, FAIR_JOBS = 0.25, 30  # of the time left, for each answer; less in proportion from so many jobs on
EARLY_JOBS = 25  # up to which it is asked before the slow bounds, and before most of the local search
UNLIMITED_SECONDS = 60.0  # for an answer where there is no time limit
# The model breaks its symmetries itself; while CP-SAT 9.15 looks for them it crashes on some infeasible models.
OPTIONS = {"symmetry_level": 0}


def early_decisions(search: MospExactSearch, memory: int | None) -> None:
    """Ask where jobs are few. A no is withheld, so that bounds with certificates still have their turn."""
    if search.scaled.job_count <= EARLY_JOBS:
        _decide(search, memory, withhold=True)


def decisions(search: MospExactSearch, memory: int | None) -> None:
    """Take what has been withheld for what it is, then ask as long as there are answers."""
    search.release_claims()
    _decide(search, memory)


def _decide(search: MospExactSearch, memory: int | None, *, withhold: bool = False) -> None:
    if search.scaled.job_count > DECIDE_JOBS or not usable("cpsat"):
        return
    _, unit = coarsened(search.scaled)
    above = Question(CUMULATIVE, unit, OPTIONS, search.strengthened, from_above=True)
    if search.threads > 1:
        search.ask_beside(above, memory, withhold=withhold)
        return
    below = above._replace(from_above=False)
    share = DECIDE_SHARE * min(1.0, FAIR_JOBS / search.scaled.job_count)
    while search.step():
        questions = (above, below) if search.upper - search.lower > unit else (above,)
        seconds = (search.share(share) or UNLIMITED_SECONDS) / len(questions)
        if not any(search.ask(question, seconds, memory, withhold=withhold) for question in questions):
            return
