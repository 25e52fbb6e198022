"""The distance of heuristics from the optimum; the papers, which had only a lower bound, could not print it."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.proof_rates.mosp.plans import Cell, Workload
    from benchmarks.proof_rates.mosp.rows import MospRow


def _homogeneous(cell: Cell) -> bool:
    return cell.pareto is None


def _local(count: int) -> Callable[[Cell], bool]:
    return lambda cell: cell.pareto is None and cell.jobs > 10 and cell.organizations == count


METHODS = ("local", "MOCCA", "MOCCA-7", "MOLBA(2)", "MOLBA(3)", "ILBA", "ILBA-local")
NOTE = """\
MOCCA as printed, MOCCA-7 the variant that the paper ran and from which ILBA starts, MOLBA with cuts 2LB and 3LB, ILBA
also from the local schedules. *To LB*: makespan / LB, as the paper scores it. *To the optimum*: where it is proven,
mean and worst. *All*: every instance, between makespan / best schedule and makespan / best bound, so the true figure
lies in the interval; a worst ratio is the greatest lower end to the greatest upper end. Instances on which a method
does not apply are not counted."""

# What stands in the MOCCA paper's text, sections 7.2 and 7.4: workload, method, statistic, printed, which cells.
PRINTED: tuple[tuple[Workload, str, str, str, Callable[[Cell], bool]], ...] = (
    *(
        ("uni", "local", f"mean, n > 10, N = {count}", printed, _local(count))
        for count, printed in ((2, "1.57"), (5, "3.00"), (10, "4.93"), (20, "7.35"))
    ),
    ("uni", "local", "worst", "12.12", _homogeneous),
    ("uni", "MOCCA-7", "mean", "2.40", _homogeneous),
    ("uni", "ILBA", "mean", "1.24", _homogeneous),
    ("swf", "MOCCA-7", "mean", "1.16", _homogeneous),
    ("swf", "ILBA", "mean", "1.03", _homogeneous),
    ("uni", "ILBA", "mean, Pareto 1", "1.15", lambda cell: cell.pareto == 1),
    ("uni", "ILBA", "mean, Pareto 10", "1.12", lambda cell: cell.pareto == 10),
    ("swf", "ILBA", "mean, Pareto, all shapes", "below 1.0001", lambda cell: cell.pareto is not None),
)
_HEAD = (
    "n",
    "N",
    "method",
    "instances",
    "to LB, mean",
    "worst",
    "proven",
    "to the optimum, mean",
    "worst",
    "all, mean",
    "all, worst",
)


def printed_table(rows: Sequence[MospRow]) -> Iterator[str]:
    """Yield what the paper's text states beside the same figure here: to LB, and to the optimum or its interval."""
    yield "| workload | method | figure | printed, to LB | here, to LB | here, to the optimum | proven |"
    yield "|---|---|---|---|---|---|---|"
    for workload, method, figure, printed, about in PRINTED:
        counted = [row for row in _counted(rows, method) if row.cell.workload == workload and about(row.cell)]
        if counted:
            join = max if figure == "worst" else fmean
            score = join([float(row.heuristics[method] / row.paper_bound) for row in counted])
            least = join([_to(row.heuristics[method], row.own.upper) for row in counted])
            most = join([_to(row.heuristics[method], row.own.lower) for row in counted])
            done = f"{sum(row.own.proven for row in counted)} of {len(counted)}"
            yield (
                f"| {workload} | {method} | {figure} | {printed} | {score:.3f} | {_interval(least, most)} | {done} |"
            )


def _counted(rows: Sequence[MospRow], method: str) -> list[MospRow]:
    return [row for row in rows if method in row.heuristics and row.own.lower and row.own.upper]


def ratio_table(rows: Sequence[MospRow], *, by_jobs: bool = False) -> Iterator[str]:
    """Yield the table by N, over all n together or for each n."""
    yield f"| {' | '.join(_HEAD)} |"
    yield "|" + "---|" * len(_HEAD)
    groups = sorted({(row.cell.jobs if by_jobs else 0, row.cell.organizations) for row in rows})
    for jobs, organizations in groups:
        own = [row for row in rows if row.cell.organizations == organizations and jobs in (0, row.cell.jobs)]
        for method in METHODS:
            counted = _counted(own, method)
            if counted:
                yield _line(jobs or "all", organizations, method, counted)


def _line(jobs: object, organizations: int, method: str, rows: Sequence[MospRow]) -> str:
    scores = [float(row.heuristics[method] / row.paper_bound) for row in rows]
    proven = [_to(row.heuristics[method], row.own.upper) for row in rows if row.own.proven]
    least = [_to(row.heuristics[method], row.own.upper) for row in rows]
    most = [_to(row.heuristics[method], row.own.lower) for row in rows]
    cells = (
        jobs,
        organizations,
        method,
        len(rows),
        f"{fmean(scores):.3f}",
        f"{max(scores):.3f}",
        len(proven),
        f"{fmean(proven):.3f}" if proven else "–",
        f"{max(proven):.3f}" if proven else "–",
        _interval(fmean(least), fmean(most)),
        _interval(max(least), max(most)),
    )
    return f"| {' | '.join(map(str, cells))} |"


def _to(makespan: int, reference: int | None) -> float:
    assert reference
    return makespan / reference


def _interval(least: float, most: float) -> str:
    low, high = f"{least:.3f}", f"{most:.3f}"
    return low if low == high else f"{low} to {high}"
