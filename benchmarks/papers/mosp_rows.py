"""Rows of the MOCCA paper's experiments: each heuristic's makespan on each instance, the bound and the optimum."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.papers.experiment import drawn_instances
from oas.bounds.mosp.simple import paper_bound
from oas.core.result import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger


@dataclass(frozen=True)
class MospRow:
    """A method's makespan on an instance of section 7.

    Attributes
    ----------
    workload, organizations, jobs, processors, seed, local, pareto
        Parameters of the instance, as of `oas.generate.uni`.
    method
        Label in the campaign.
    makespan
        None if the method gave no schedule.
    bound
        LB = max(W / Σ m_k, p_max), by which the paper divides.
    optimum
        Proven, of the instance with locality; None where the campaign's exact method proved none.
    """

    workload: str
    organizations: int
    jobs: int
    processors: int
    seed: int
    local: str
    pareto: int | None
    method: str
    makespan: Fraction | None
    bound: Fraction
    optimum: Fraction | None

    @property
    def score(self) -> Fraction:
        """The paper's s(alg, I): makespan / LB."""
        assert self.makespan is not None
        return self.makespan / self.bound

    @property
    def true_ratio(self) -> Fraction | None:
        """Makespan / proven optimum; None if none is proven."""
        return None if self.optimum is None or self.makespan is None else self.makespan / self.optimum


def mosp_rows(campaign: Campaign, ledger: Ledger) -> list[MospRow]:
    """Return the rows of the campaign's heuristics; what its exact method proved is in each."""
    rows = []
    for parameters, instance, records in drawn_instances(campaign, ledger, with_results=False):
        drawn = {"local": "HF", "pareto": None, **parameters, "bound": paper_bound(instance)}
        optima = [one.objective for one in records if one.kind == "exact" and one.status == Status.OPTIMAL.value]
        optimum = _number(optima[0]) if optima else None
        rows += [
            MospRow(**drawn, method=one.method, makespan=_number(one.objective), optimum=optimum)
            for one in records
            if one.kind == "heuristic"
        ]
    return rows


def _number(text: str | None) -> Fraction | None:
    return None if text is None else Fraction(text)


def optima_table(rows: Sequence[MospRow], label: Callable[[MospRow], str] = lambda row: row.method) -> str:
    """Return ratios to the paper's bound and to the proven optimum, by workload and method, as a Markdown table."""
    lines = [
        "Ratios to LB and to the optimum are means over the instances whose optimum is proven.",
        "",
        "| workload | method | instances | optimum proven | makespan / LB | makespan / optimum | worst | optimal |",
        "|---|---|---|---|---|---|---|---|",
    ]
    groups: dict[tuple[str, str], list[MospRow]] = {}
    for row in rows:
        groups.setdefault((row.workload, label(row)), []).append(row)
    for (workload, name), own in groups.items():
        proven = [row for row in own if row.true_ratio is not None]
        cells = [workload, name, str(len(own)), f"{100 * len(proven) / len(own):.0f} %", *_ratios(proven)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _ratios(proven: Sequence[MospRow]) -> list[str]:
    ratios = [row.true_ratio for row in proven if row.true_ratio is not None]
    if not ratios:
        return ["–"] * 4
    return [
        f"{fmean(float(row.score) for row in proven):.3f}",
        f"{fmean(map(float, ratios)):.3f}",
        f"{float(max(ratios)):.3f}",
        f"{100 * sum(ratio == 1 for ratio in ratios) / len(ratios):.0f} %",
    ]
