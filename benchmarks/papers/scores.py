"""Cases and rows of the MOCCA paper's experiments (section 7): which instance, and what each method made of it.

A case is pure data and says everything about its instance; a row says everything about one run but its duration. Both
can be made anywhere and in any order.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from heuristics.mosp.balancing import balanced
from heuristics.mosp.mocca_cuts import section7
from heuristics.mosp.ticks import local_runs
from oas.bounds.mosp.paper import paper_bound
from oas.core.verifier import check
from oas.generate.mosp_swf import swf
from oas.generate.mosp_uni import uni

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heuristics.mosp.ticks import TickSchedule
    from oas.core.mosp import MospInstance
    from oas.core.scaled_mosp import ScaledMosp
    from oas.generate.mosp_section7 import Policy

WORKLOADS = {"uni": uni, "swf": swf}
SCHEDULERS: dict[str, Callable[[ScaledMosp], TickSchedule]] = {
    "local": local_runs,
    "MOCCA": section7,
    "ILBA": lambda scaled: balanced(section7(scaled)),
    "MOCCA(4)": lambda scaled: section7(scaled, Fraction(4)),
    "ILBA(4)": lambda scaled: balanced(section7(scaled, Fraction(4))),
}
"""The paper's methods in section 7's variant: MOCCA removes what ends after 3LB, with (4) after 4LB; ILBA follows."""


@dataclass(frozen=True)
class Case:
    """An instance and what to run on it; fields as the parameters of `oas.generate.uni`."""

    workload: str
    organizations: int
    jobs: int
    processors: int
    seed: int
    methods: tuple[str, ...]
    local: Policy = "HF"
    pareto: int | None = None

    def instance(self) -> MospInstance:
        """Draw the instance."""
        return WORKLOADS[self.workload](
            seed=self.seed,
            jobs=self.jobs,
            organizations=self.organizations,
            processors=self.processors,
            pareto=self.pareto,
            local=self.local,
        )


@dataclass(frozen=True)
class Row:
    """A method's makespan on a case's instance, verified.

    Attributes
    ----------
    bound
        LB = max(W / Σ m_k, p_max), by which the paper divides.
    """

    case: Case
    method: str
    makespan: Fraction
    bound: Fraction

    @property
    def score(self) -> Fraction:
        """The paper's s(alg, I): makespan / LB."""
        return self.makespan / self.bound


def rows_of(case: Case) -> list[Row]:
    """Run a case's methods on its instance.

    Raises
    ------
    VerificationError
        If a method's schedule breaks a rule.
    NotPlacedError
        If a method cannot place all jobs; the paper never saw that.
    """
    instance = case.instance()
    bound = paper_bound(instance)
    rows = []
    for name in case.methods:
        schedule = SCHEDULERS[name](instance.scaled()).to_schedule(instance, name)
        check(instance, schedule)
        rows.append(Row(case, name, schedule.makespan, bound))
    return rows


def run(cases: Sequence[Case], workers: int) -> Iterator[list[Row]]:
    """Yield the rows of each case, in order, from so many processes."""
    if workers == 1:
        yield from map(rows_of, cases)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(rows_of, cases, chunksize=8)
