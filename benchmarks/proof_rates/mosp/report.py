"""The rows as a page of Markdown: mismatches first of all, targets, a table for each plan, true ratios, locality."""

from __future__ import annotations

from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.proof_rates.mosp.locality import contradictions, distribution, pairs
from benchmarks.proof_rates.mosp.plans import PLANS, WORKLOADS
from benchmarks.proof_rates.mosp.ratios import NOTE, printed_table, ratio_table
from benchmarks.proof_rates.mosp.samples import NOTE as SAMPLES
from benchmarks.proof_rates.mosp.samples import groups, side_by_side
from benchmarks.proof_rates.mosp.targets import verdicts
from benchmarks.proof_rates.shared import anytime
from benchmarks.proof_rates.shared.intervals import interval_text
from benchmarks.proof_rates.shared.stages import shares
from benchmarks.proof_rates.shared.targets import mean_gap, percent
from benchmarks.proof_rates.shared.text import circumstances, endings, load_range, most_open, rival_gap, worst_gap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.proof_rates.mosp.plans import Cell
    from benchmarks.proof_rates.mosp.rows import MospRow

PAPER_PLANS = ("uni", "swf", "pareto")
_HEADS = ("workload", "n", "N", "m", "shape", "locality")
_COLUMNS = (
    "proven",
    "95 % interval",
    "certificate",
    "claim",
    "LB meets ILBA",
    "proven of the rest",
    "combinatorial",
    "most open",
    "mean gap",
    "worst gap",
    "mean s",
    "worst s",
    "CP-SAT proven",
    "its mean gap",
    "its mean s",
    "mismatches",
)
_LEGEND = """\
Instances of the MOCCA paper's section 7 (`oas generate uni`, `swf`), in every cell others, by
`oas.solve` as it stands, then by CP-SAT: cumulative model, a process of its own, one thread, from the same start (the
best schedule of all heuristics that keep locality) and the same bound (the best combinatorial bound: configurations and
the like are what `oas.solve` finds in its own time). The limit of CP-SAT is the wall time that `oas.solve` took, but
at least a second, and never more than `oas.solve` was allowed. Where start and bound already meet, CP-SAT is not
run and counts as having proven it in 0 s. In the plan smoke both have longer. Both processes are warm: what is
compiled is loaded. CP-SAT's clock runs
while its model is built and solved, that of `oas.solve` from instance to result, heuristics included.

*Certificate*: exact arithmetic, without a solver, confirmed the bound after the solve. *Claim*: the bound's last step
is a solver's word. *LB meets ILBA*: the paper's own bound, rounded up to a unit, meets ILBA's schedule: instances that
were closed before, though nobody said so; *proven of the rest* leaves them out. *Combinatorial*: proven where the best
of all bounds that take no search meets the schedule. *Open*: units of time between bound and schedule. *Gap*:
schedule / bound - 1. *Mismatch*: two answers that cannot both be true, or an error. *95 % interval*: Wilson's, of the
share proven."""


def report(rows: Sequence[MospRow]) -> str:
    """Return the page."""
    parts = ["# Proof rates of the MOCCA paper's experiment", "", _LEGEND, ""]
    wrong = [f"{row.case}: {row.mismatch}" for row in rows if row.mismatch] + contradictions(rows)
    if wrong:
        parts += [f"**{len(wrong)} MISMATCHES**", "", *(f"- {text}" for text in wrong), ""]
    if not rows:
        return "\n".join([*parts, "No rows.", ""])
    parts += [*circumstances(rows), "", "## Targets", "", *verdicts(rows), ""]
    beside = list(side_by_side(rows))
    if beside:
        parts += ["## Samples side by side", "", SAMPLES, "", *beside, ""]
    parts += ["## What is open after so many seconds", "", *anytime.section(groups(rows)), ""]
    parts += ["## Ratios printed in the paper, and true ones", "", NOTE, ""]
    parts += [*printed_table([row for row in rows if row.plan in PAPER_PLANS]), ""]
    for name, plan in PLANS.items():
        own = [row for row in rows if row.plan == name]
        if own:
            parts += [f"## {plan.title}", "", *_section(name, own, plan.cells)]
    return "\n".join(parts)


def _section(name: str, rows: Sequence[MospRow], cells: Iterable[Cell]) -> Iterator[str]:
    by_cell: dict[Cell, list[MospRow]] = {cell: [] for cell in cells}
    for row in rows:
        by_cell.setdefault(row.cell, []).append(row)
    seeds = max(len(own) for own in by_cell.values())
    yield f"    python -m benchmarks.proof_rates.mosp --plan {name} --seeds {seeds} --rows mosp.jsonl"
    yield ""
    limit = max(row.cell.seconds for row in rows)
    yield f"Limit {limit:g} s, {len(rows)} instances, machine load {load_range([row.load for row in rows])}."
    yield ""
    yield f"| {' | '.join((*_HEADS, *_COLUMNS))} |"
    yield "|" + "---|" * (len(_HEADS) + len(_COLUMNS))
    for cell, own in by_cell.items():
        if own:
            yield _line(_head(cell), own)
    for workload, jobs in sorted({(row.cell.workload, row.cell.jobs) for row in rows}):
        own = [row for row in rows if (row.cell.workload, row.cell.jobs) == (workload, jobs)]
        yield _line((f"**{workload}**", f"**{jobs}**", *["all"] * 4), own)
    yield _line(["all"] * 6, rows)
    yield ""
    yield endings(rows)
    yield ""
    spent = ", ".join(f"{stage} {percent(Fraction(share), 0)}" for stage, share in shares(rows).items())
    rechecks = [row.recheck_seconds for row in rows]
    yield f"Where the time goes: {spent}. Re-check of a bound: {fmean(rechecks):.2f} s, at worst {max(rechecks):.1f} s."
    yield ""
    if pairs(rows):
        yield from distribution(rows)
        yield ""
    if name in PAPER_PLANS or name == "smoke":
        yield from _ratios(rows)


def _ratios(rows: Sequence[MospRow]) -> Iterator[str]:
    """The tables of heuristics, where the instances keep locality."""
    kept = [row for row in rows if row.cell.locality is not None]
    for workload in WORKLOADS:
        own = [row for row in kept if row.cell.workload == workload]
        for by_jobs in (False, True) if own else ():
            yield f"### True ratios of the heuristics on {workload}, by {'n and N' if by_jobs else 'N'}"
            yield ""
            yield from ratio_table(own, by_jobs=by_jobs)
            yield ""


def _head(cell: Cell) -> tuple[object, ...]:
    shape = "–" if cell.pareto is None else cell.pareto
    return cell.workload, cell.jobs, cell.organizations, cell.processors, shape, cell.locality or "none"


def _line(head: Iterable[object], rows: Sequence[MospRow]) -> str:
    done = [row for row in rows if row.own.proven]
    certified = sum(row.certified for row in done)
    rest = [row for row in rows if not row.easy]
    seconds = [row.own.seconds for row in rows]
    cells: Iterable[object] = (
        *head,
        f"{len(done)} of {len(rows)}",
        interval_text(len(done), len(rows)),
        certified,
        len(done) - certified,
        percent(Fraction(len(rows) - len(rest), len(rows)), 0),
        f"{sum(row.own.proven for row in rest)} of {len(rest)}",
        sum(row.own.upper == row.combinatorial for row in done),
        most_open(row.own.open for row in rows),
        percent(mean_gap(rows)),
        percent(worst_gap(rows)),
        f"{fmean(seconds):.2f}",
        f"{max(seconds):.1f}",
        sum(row.rival.proven for row in rows),
        rival_gap(rows),
        f"{fmean(row.rival.seconds for row in rows):.2f}",
        sum(bool(row.mismatch) for row in rows),
    )
    return f"| {' | '.join(map(str, cells))} |"
