"""Samples of the uniform workload side by side, and the groups of instances that belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.proof_rates.mosp.plans import JOBS, PLANS
from benchmarks.proof_rates.shared.intervals import interval_text
from benchmarks.proof_rates.shared.targets import mean_gap, percent
from benchmarks.proof_rates.shared.text import most_open, worst_gap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.proof_rates.mosp.rows import MospRow

UNIFORM = ("uni-old", "uni-former", "uni", "held-out")
NOTE = """\
*uni-old* has seeds 100 to 105 in every cell: its cells of one n share six workloads, so its intervals, which take
instances as independent, are too narrow. *uni-former* is the sample of the figures of 21 November 2026: its cells of
one n share no jobs. In *uni* and *held-out* no two cells share any; no tuning has looked at *held-out*. Times drawn:
how many different lists of times stand behind the instances."""


def groups(rows: Sequence[MospRow]) -> dict[str, list[MospRow]]:
    """Return the rows by plan, workload and number of jobs, those of the price of locality left out."""
    found: dict[str, list[MospRow]] = {}
    order = list(PLANS)
    for row in sorted(rows, key=lambda row: (order.index(row.plan), row.cell.workload != "uni", row.cell.jobs)):
        if row.plan != "locality":
            cell = row.cell
            workload = "" if row.plan == cell.workload else f", {cell.workload}"
            found.setdefault(f"{row.plan}{workload}, n = {cell.jobs}", []).append(row)
    return found


def side_by_side(rows: Sequence[MospRow]) -> Iterator[str]:
    """Yield a line for each n and each sample of the uniform workload that was measured; nothing if none was."""
    lines = [
        _line(jobs, plan, own)
        for jobs in JOBS
        for plan in UNIFORM
        if (own := [row for row in rows if _key(row) == ("uni", jobs, plan)])
    ]
    if lines:
        yield "| n | sample | instances | times drawn | proven | 95 % interval | most open | mean gap | worst gap |"
        yield "|---|---|---|---|---|---|---|---|---|"
        yield from lines


def _key(row: MospRow) -> tuple[str, int, str]:
    return row.cell.workload, row.cell.jobs, row.plan


def _line(jobs: int, plan: str, rows: Sequence[MospRow]) -> str:
    done = sum(row.own.proven for row in rows)
    cells = (
        jobs,
        plan,
        len(rows),
        len({times_drawn(row) for row in rows}),
        done,
        interval_text(done, len(rows)),
        most_open(row.own.open for row in rows),
        percent(mean_gap(rows)),
        percent(worst_gap(rows)),
    )
    return f"| {' | '.join(map(str, cells))} |"


def times_drawn(row: MospRow) -> tuple[int, ...]:
    """Return the times of the row's jobs in the order in which they were drawn, whoever owns them."""
    jobs = row.cell.instance(row.seed).jobs
    return tuple(int(job.time) for job in sorted(jobs, key=lambda job: int(job.id[1:])))
