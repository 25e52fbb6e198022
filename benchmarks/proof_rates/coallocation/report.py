"""The rows as a page of Markdown: targets, a table for each plan, where the time goes, mismatches first of all."""

from __future__ import annotations

from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.proof_rates.coallocation.plans import PLANS
from benchmarks.proof_rates.coallocation.targets import verdicts
from benchmarks.proof_rates.shared import anytime
from benchmarks.proof_rates.shared.intervals import interval_text
from benchmarks.proof_rates.shared.stages import shares
from benchmarks.proof_rates.shared.targets import mean_gap, percent
from benchmarks.proof_rates.shared.text import circumstances, endings, load_range, most_open, rival_gap, worst_gap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.proof_rates.coallocation.plans import Cell
    from benchmarks.proof_rates.coallocation.rows import CoallocationRow

_COLUMNS = (
    "jobs",
    "grid",
    "bandwidth",
    "η %",
    "proven",
    "95 % interval",
    "trivial",
    "combinatorial",
    "certificate",
    "claim",
    "most open",
    "mean gap",
    "worst gap",
    "mean s",
    "worst s",
    "total s",
    "CP-SAT proven",
    "in our time",
    "its mean gap",
    "its total s",
    "mismatches",
)
_LEGEND = """\
OAS section 4 instances (`oas generate section4`) by `oas.solve` as it stands, then by CP-SAT: counts model, a process
of its own, one thread, from the best heuristic schedule as a hint and from no bound. The limit of CP-SAT is the wall
time that `oas.solve` took, but at least a second; 20 s in the plans eight and growth. Both processes are warm: what is
compiled is loaded. CP-SAT's clock runs while its model is built and solved, that of `oas.solve` from instance to
result, heuristics included.

*Trivial*: area or longest job alone meets the schedule; *combinatorial*: these or another bound that takes no search;
both are counted in *certificate* too. *Certificate*: exact arithmetic, without a solver, confirmed the bound after the
solve. *Claim*: the last step of the bound is the word of a complete search (ours, in integers, or a solver's). *Open*:
slots between bound and schedule, ticks at η = 0. *Gap*: schedule / bound - 1. *In our time*: proven by CP-SAT within
the wall time of `oas.solve` on that instance. *Mismatch*: two answers that cannot both be true, or an error. *95 %
interval*: Wilson's, of the share proven; instances of the plans named old share jobs, so theirs is too narrow."""


def report(rows: Sequence[CoallocationRow]) -> str:
    """Return the page."""
    parts = ["# Proof rates of co-allocation", "", _LEGEND, ""]
    wrong = [row for row in rows if row.mismatch]
    if wrong:
        parts += [f"**{len(wrong)} MISMATCHES**", ""]
        parts += [f"- {row.case}: {row.mismatch}" for row in wrong]
        parts.append("")
    if not rows:
        return "\n".join([*parts, "No rows.", ""])
    parts += [*circumstances(rows), "", "## Targets", "", *verdicts(rows), ""]
    parts += ["## What is open after so many seconds", "", *anytime.section(groups(rows)), ""]
    for name, plan in PLANS.items():
        own = [row for row in rows if row.plan == name]
        if own:
            parts += [f"## {plan.title}", "", *_section(name, own, plan.cells), ""]
    return "\n".join(parts)


def groups(rows: Sequence[CoallocationRow]) -> dict[str, list[CoallocationRow]]:
    """Return the rows by plan and bandwidth, those of the growth of cost left out."""
    found: dict[str, list[CoallocationRow]] = {}
    order = list(PLANS)
    for row in sorted(rows, key=lambda row: (order.index(row.plan), row.cell.bandwidth)):
        if row.plan != "growth":
            found.setdefault(f"{row.plan}, {row.cell.bandwidth}", []).append(row)
    return found


def _section(name: str, rows: Sequence[CoallocationRow], cells: Iterable[Cell]) -> Iterator[str]:
    by_cell: dict[Cell, list[CoallocationRow]] = {cell: [] for cell in cells}
    for row in rows:
        by_cell[row.cell].append(row)
    seeds = max(len(own) for own in by_cell.values())
    seconds = max(cell.seconds for cell in by_cell)
    yield f"    python -m benchmarks.proof_rates.coallocation --plan {name} --seeds {seeds} --rows coallocation.jsonl"
    yield ""
    yield f"Limit {seconds:g} s, machine load {load_range([row.load for row in rows])}."
    yield ""
    yield f"| {' | '.join(_COLUMNS)} |"
    yield "|" + "---|" * len(_COLUMNS)
    for cell, own in by_cell.items():
        if own:
            yield _line((cell.jobs, cell.grid, cell.bandwidth, cell.percent), own)
    yield _line(("all", "", "", ""), rows)
    yield ""
    yield endings(rows)
    yield ""
    spent = ", ".join(f"{stage} {percent(Fraction(share), 0)}" for stage, share in shares(rows).items())
    rechecks = [row.recheck_seconds for row in rows]
    yield f"Where the time goes: {spent}. Re-check of a bound: {fmean(rechecks):.2f} s, at worst {max(rechecks):.1f} s."
    if name == "growth":
        yield ""
        yield "![Seconds and shares of the stages against jobs, nodes, clusters, 1/η](../../docs/proof-rate-growth.png)"


def _line(head: tuple[object, ...], rows: Sequence[CoallocationRow]) -> str:
    proven = [row for row in rows if row.own.proven]
    certified = sum(row.certified for row in proven)
    seconds = [row.own.seconds for row in rows]
    cells: Iterable[object] = (
        *head,
        f"{len(proven)} of {len(rows)}",
        interval_text(len(proven), len(rows)),
        sum(row.own.upper == row.trivial for row in proven),
        sum(row.own.upper == row.combinatorial for row in proven),
        certified,
        len(proven) - certified,
        most_open(row.own.open for row in rows),
        percent(mean_gap(rows)),
        percent(worst_gap(rows)),
        f"{fmean(seconds):.1f}",
        f"{max(seconds):.1f}",
        f"{sum(seconds):.1f}",
        sum(row.rival.proven for row in rows),
        sum(row.rival_in_time for row in rows),
        rival_gap(rows),
        f"{sum(row.rival.seconds for row in rows):.1f}",
        sum(bool(row.mismatch) for row in rows),
    )
    return f"| {' | '.join(map(str, cells))} |"
