"""OAS paper, section 4.1: the size of the time slots. Its figure's values are lost; its claims in words are tested."""

from __future__ import annotations

from itertools import pairwise
from math import log
from statistics import fmean
from typing import TYPE_CHECKING, Any

from benchmarks.papers.experiment import Statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.papers.experiment import OasRow

SIMILAR = 0.05
"""Makespans that differ by at most this share count as similar in the sense of the paper."""
KNEE = 50
"""Percent of the mean base time below which the paper finds makespans similar."""


def best_rows(rows: Sequence[OasRow]) -> list[OasRow]:
    """Return the shortest schedule of each instance, proven ones first."""
    best: dict[Any, OasRow] = {}
    for row in sorted(rows, key=lambda row: (not row.optimal, row.makespan)):
        best.setdefault((_cell(row), row.parameters["slot_percent"]), row)
    return list(best.values())


def statements(rows: Sequence[OasRow]) -> list[Statement]:
    """Test the section's statements."""
    best = best_rows(rows)
    return [_grows(best), *_shortest(best), *_knee(best), _time(rows)]


def tables(rows: Sequence[OasRow]) -> str:
    """Return the figure's quantities by slot size: means over the instances, relative to the smallest slot."""
    best = best_rows(rows)
    first = _by_instance(best, _sizes(best)[0])
    lines = [
        "Means over the instances; makespans relative to the same instance's slotted one at the smallest slot.",
        "",
        "| slot | makespan | executed | compaction | executed | proven optimal | HiGHS: mean s | ended by the clock |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for size in _sizes(best):
        own = _by_instance(best, size)
        mip = [row for row in rows if row.method == "highs" and row.parameters["slot_percent"] == size]
        cells = [
            f"{size} %",
            f"{fmean(float(row.makespan / first[key].makespan) for key, row in own.items()):.3f}",
            f"{fmean(float(row.executed / first[key].makespan) for key, row in own.items()):.3f}",
            f"{100 * fmean(float(row.compaction) for row in own.values()):.1f} %",
            f"{100 * fmean(float(row.executed_compaction) for row in own.values()):.1f} %",
            f"{sum(row.optimal for row in own.values())} of {len(own)}",
            f"{fmean(row.seconds for row in mip):.2f}" if mip else "–",
            f"{sum(not row.optimal for row in mip)} of {len(mip)}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _grows(best: Sequence[OasRow]) -> Statement:
    means = {size: _mean(best, size) for size in _sizes(best)}
    broken = [f"{one} % to {other} %" for one, other in pairwise(means) if means[one] > means[other]]
    steps = [(_by_instance(best, one), _by_instance(best, other)) for one, other in pairwise(means)]
    pairs = [(small[key], large[key]) for small, large in steps for key in small.keys() & large.keys()]
    falls = sum(small.makespan > large.makespan for small, large in pairs)
    seen = "the mean rises at every step" if not broken else f"the mean falls from {', '.join(broken)}"
    remark = (
        f"on single instances it falls in {falls} of {len(pairs)} steps: a larger slot need not be a multiple of "
        "the smaller"
        if falls
        else ""
    )
    return Statement("4.1", "the makespan increases with the slot size", "yes", seen, not broken, remark)


def _shortest(best: Sequence[OasRow]) -> Iterator[Statement]:
    least = _sizes(best)[0]
    for says, value in (("slotted", "makespan"), ("executed", "executed")):
        own = _by_instance(best, least)
        beaten = sum(
            any(getattr(row, value) < getattr(own[_cell(row)], value) for row in best if _cell(row) == key)
            for key in own
        )
        text = f"{len(own) - beaten} of {len(own)} instances"
        yield Statement("4.1", f"the shortest slot has the best {says} makespan", "yes", text, not beaten)


def _knee(best: Sequence[OasRow]) -> Iterator[Statement]:
    """Test the mean excess of makespans at slots below `KNEE` over those at the smallest slot."""
    least = _sizes(best)[0]
    for says, value in (("slotted", "makespan"), ("executed", "executed")):
        first = _by_instance(best, least)
        excess = {}
        for size in _sizes(best):
            pairs = [(row, first[key]) for key, row in _by_instance(best, size).items()]
            excess[size] = fmean(float(getattr(row, value) / getattr(small, value)) - 1 for row, small in pairs)
        below = max(share for size, share in excess.items() if size < KNEE)
        text = f"below: at most {100 * below:.1f} % above that at {least} %; at {KNEE} %: {100 * excess[KNEE]:.1f} %"
        says = f"below {KNEE} % the {says} makespan is similar to its minimum (here: within {100 * SIMILAR:.0f} %)"
        yield Statement("4.1", says, "yes", text, below <= SIMILAR)


def _time(rows: Sequence[OasRow]) -> Statement:
    """Test the growth on instances that need the solver at some slot size; bounds close the others immediately."""
    says = "the solving time grows exponentially as the slot shrinks"
    mip = [row for row in rows if row.method == "highs"]
    hard = {_cell(row) for row in mip if row.by_solver}
    if not hard:
        return Statement("4.1", says, "yes", "no instance here needs the solver", False, "nothing to judge it by")
    sizes = _sizes(mip)
    means = {
        size: fmean(log(row.seconds) for row in mip if _cell(row) in hard and row.parameters["slot_percent"] == size)
        for size in sizes
    }
    growth = (means[sizes[0]] - means[sizes[-1]]) / log(2)
    rises = sum(means[one] > means[other] for one, other in pairwise(sizes))
    stopped = sum(not row.optimal for row in mip)
    text = (
        f"from {sizes[-1]} % to {sizes[0]} % it doubles {growth:.1f} times, the number of slots "
        f"{log(sizes[-1] / sizes[0], 2):.1f} times; it rises at {rises} of {len(sizes) - 1} steps"
    )
    remark = f"HiGHS, geometric means over {len(hard)} instances; {stopped} runs ended by the clock count as that long"
    # A time proportional to the number of slots would double as often as that number.
    return Statement("4.1", says, "yes", text, growth > log(sizes[-1] / sizes[0], 2), remark)


def _mean(best: Iterable[OasRow], size: int) -> float:
    return fmean(float(row.makespan) for row in best if row.parameters["slot_percent"] == size)


def _sizes(rows: Iterable[OasRow]) -> list[int]:
    return sorted({row.parameters["slot_percent"] for row in rows})


def _cell(row: OasRow) -> tuple[Any, ...]:
    return row.parameters["bandwidth"], row.parameters["seed"]


def _by_instance(rows: Iterable[OasRow], size: int) -> dict[Any, OasRow]:
    return {_cell(row): row for row in rows if row.parameters["slot_percent"] == size}
