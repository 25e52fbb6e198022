"""Tables by sample: proofs, times and gaps at the end and after given seconds, and the cost of locality."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from math import fsum, inf, sqrt
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from oas.campaigns.report.summary import spread
from oas.core.result import CHECK
from oas.show.text_tables import MISSING, Table, percent
from oas.solving.progress import COMPILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oas.campaigns.report.frame import Run, Runs

_EXACT_HEADER = (
    "sample", "method", "runs", "proven", "95 % interval", "certificate", "most ticks open", "gap mean [%]", "worst",
    "mean [s]", "worst [s]",
)  # fmt: skip
_EXACT_REMARK = (
    "Gap: makespan / lower bound − 1, both of the same run; a run without a bound or a schedule counts in no gap. "
    "Ticks: slots, if the instance has them. 95 % interval: Wilson's, of the share proven; it holds for instances that "
    "share no jobs."
)
_RATIO_STEPS = tuple(Fraction(step, 100) for step in (100, 105, 110, 120, 130, 150))


def sample_tables(runs: Runs) -> Iterator[Table]:
    """Yield the tables that have runs."""
    kinds: dict[str, list[tuple[str, str, list[Run]]]] = {"exact": [], "heuristic": []}
    for (sample, method), cell_runs in runs.by_sample.items():
        kinds[cell_runs[0].record.kind].append((sample, method, cell_runs))
    if kinds["exact"]:
        rows = [(sample, method, *_exact_cells(cell_runs, runs)) for sample, method, cell_runs in kinds["exact"]]
        yield Table("Exact methods by sample", _EXACT_HEADER, rows, _EXACT_REMARK)
    if kinds["heuristic"]:
        header = ("sample", "method", "runs", "solved", "at optimum", "n", "gap mean [%]", "worst", "n",
                  "above bound mean [%]", "worst")  # fmt: skip
        rows = [(sample, method, *_heuristic_cells(cell_runs)) for sample, method, cell_runs in kinds["heuristic"]]
        yield Table("Heuristics by sample", header, rows)
    relaxation = relaxation_table(runs)
    if relaxation is not None:
        yield relaxation


def _exact_cells(cell_runs: Sequence[Run], runs: Runs) -> tuple[str, ...]:
    proven = sum(run.proven for run in cell_runs)
    gaps = spread(run.own_gap for run in cell_runs)
    open_ticks = [runs.open_ticks(run) for run in cell_runs]
    seconds = [run.record.solve_seconds for run in cell_runs]
    known = [value for value in open_ticks if value is not None]
    return (
        str(len(cell_runs)),
        str(proven),
        interval_text(proven, len(cell_runs)),
        str(sum(run.certified for run in cell_runs)),
        f"{float(max(known)):g}" if len(known) == len(cell_runs) else MISSING,
        percent(gaps.mean),
        percent(gaps.worst),
        f"{fsum(seconds) / len(seconds):.2f}",
        f"{max(seconds):.1f}",
    )


def _heuristic_cells(cell_runs: Sequence[Run]) -> tuple[str, ...]:
    cells = [
        str(len(cell_runs)),
        str(sum(run.objective is not None for run in cell_runs)),
        str(sum(run.gap == 0 for run in cell_runs)),
    ]
    for gaps in (spread(run.gap for run in cell_runs), spread(run.bound_gap for run in cell_runs)):
        cells += [str(gaps.count), percent(gaps.mean), percent(gaps.worst)]
    return tuple(cells)


def relaxation_table(runs: Runs) -> Table | None:
    """Compare the optima with and without locality; None without a pair of proven optima."""
    pairs = [
        (runs.references[digest].optimum, runs.references[free].optimum)
        for digest, free in runs.relaxed.items()
        if digest != free and digest in runs.references and free in runs.references
    ]
    ratios = [local / free for local, free in pairs if local is not None and free]
    if not ratios:
        return None
    classes = Counter(next((step for step in _RATIO_STEPS if ratio <= step), None) for ratio in ratios)
    rows = [("1" if step == 1 else f"up to {float(step):g}", str(classes[step])) for step in _RATIO_STEPS]
    rows.append((f"above {float(_RATIO_STEPS[-1]):g}", str(classes[None])))
    mean = fsum(map(float, ratios)) / len(ratios)
    remark = f"Both proven on {len(ratios)} of {len(pairs)} instances; mean {mean:.4f}, largest {max(ratios)}."
    return Table("Optimum with locality / optimum without", ("ratio", "instances"), rows, remark)


def wilson(successes: int, total: int) -> tuple[float, float]:
    """Return Wilson's 95 % confidence interval of a share (Wilson 1927, J. Am. Stat. Assoc. 22).

    It assumes independent draws and is too narrow for instances that share jobs. Raises `ValueError` unless
    0 ≤ `successes` ≤ `total` and `total` ≥ 1.
    """
    if not 0 <= successes <= total or not total:
        raise ValueError(f"{successes} of {total} is no share")
    z = 1.959963984540054  # standard deviations that contain 95 % of the normal distribution
    share = successes / total
    scale = 1 + z * z / total
    middle = (share + z * z / (2 * total)) / scale
    half = z / scale * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    # The exact limits are 0 for no successes and 1 for no failures.
    return (0.0 if not successes else middle - half), (1.0 if successes == total else middle + half)


def interval_text(successes: int, total: int) -> str:
    """Format Wilson's 95 % interval in percent, such as ``69.9 to 97.2 %``; a dash without draws."""
    if not total:
        return "–"
    low, high = wilson(successes, total)
    return f"{100 * low:.1f} to {100 * high:.1f} %"


SECONDS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
ANYTIME_REMARK = (
    "Gap: makespan / lower bound − 1 after so many seconds, median and mean over the runs. In brackets: runs without "
    "a bound or a schedule by then; the median counts them as the largest, the mean leaves them out. A run that has "
    "ended keeps its gap. What a solver states while it runs counts only as far as the verified result confirms it."
)


class Figures(NamedTuple):
    """Median and mean gap after some seconds, infinite where unknown, and the number of runs without a gap."""

    median: float
    mean: float
    without: int


def gap_after(run: Run, seconds: float) -> Fraction | None:
    """Return the gap of a run at a moment in seconds; None without a bound or a schedule by then."""
    if run.objective is None or run.lower_bound is None:
        return None
    lower, upper = Fraction(0), None
    for moment, bound, makespan in steps_of(run):
        if moment > seconds:
            break
        # Values of a running solver are not verified; they are limited to the verified result.
        lower = max(lower, min(bound or lower, run.lower_bound))
        if makespan is not None:
            makespan = max(makespan, run.objective)
            upper = makespan if upper is None else min(upper, makespan)
    return None if upper is None or not lower else upper / lower - 1


def steps_of(run: Run) -> list[tuple[float, Fraction | None, Fraction | None]]:
    """Return seconds, bound and makespan at each improvement and at the end of the run."""
    recorded = [
        (moment, *(None if text is None else Fraction(text) for text in values))
        for moment, *values in json.loads(run.record.progress)
    ]
    return [*recorded, (run.record.solve_seconds, run.lower_bound, run.objective)]


def figures(cell_runs: Sequence[Run], seconds: float) -> Figures:
    """Return the gaps of some runs after `seconds`."""
    gaps = [gap_after(run, seconds) for run in cell_runs]
    known = [float(gap) for gap in gaps if gap is not None]
    return Figures(
        median([inf if gap is None else float(gap) for gap in gaps]),
        fsum(known) / len(known) if known else inf,
        len(gaps) - len(known),
    )


def exact_groups(runs: Runs) -> dict[tuple[str, str], list[Run]]:
    """Return the runs of exact methods, by sample and method."""
    return {key: cell_runs for key, cell_runs in runs.by_sample.items() if cell_runs[0].record.kind == "exact"}


def moments(runs: Runs) -> list[int]:
    """Return `SECONDS` up to the first value at which all exact runs have ended."""
    longest = max((run.record.solve_seconds for run in runs.runs if run.record.kind == "exact"), default=0)
    return [second for place, second in enumerate(SECONDS) if place == 0 or SECONDS[place - 1] < longest]


def anytime_table(runs: Runs) -> Table | None:
    """Return the gaps after given seconds, by sample and exact method; None without such runs."""
    groups, seconds = exact_groups(runs), moments(runs)
    rows = [
        (sample, method, str(len(cell_runs)), *(_text(figures(cell_runs, second)) for second in seconds))
        for (sample, method), cell_runs in groups.items()
    ]
    header = ("sample", "method", "runs", *(f"{second} s" for second in seconds))
    return Table("Gap after given seconds [%]: median, mean", header, rows, ANYTIME_REMARK) if rows else None


def _text(gaps: Figures) -> str:
    values = (MISSING if value == inf else percent(value) for value in gaps[:2])
    return ", ".join(values) + (f" ({gaps.without})" if gaps.without else "")


def shares(cell_runs: Sequence[Run]) -> dict[str, float]:
    """Return the share of each stage in the total time of some runs; the remainder is ``other``.

    The time of a stage ``a: b`` is subtracted from that of ``a``. Compilation and second opinions are left out.
    """
    spent: dict[str, float] = {}
    for run in cell_runs:
        for name, seconds in disjoint(json.loads(run.record.stages)).items():
            if name not in (COMPILE, "total") and not name.startswith(CHECK):
                spent[name] = spent.get(name, 0.0) + seconds
    total = sum(run.record.solve_seconds for run in cell_runs)
    if not total:
        return {}
    spent["other"] = max(0.0, total - sum(spent.values()))
    return {name: seconds / total for name, seconds in spent.items()}


def disjoint(stages: Mapping[str, float]) -> dict[str, float]:
    """Return seconds by stage without overlap."""
    remaining = dict(stages)
    for name, seconds in stages.items():
        parent, colon, _ = name.partition(": ")
        if colon and parent in remaining:
            remaining[parent] = max(0.0, remaining[parent] - seconds)
    return remaining


def stages_of(spent: Mapping[tuple[str, str], Mapping[str, float]]) -> list[str]:
    """Return the stages of all groups in the order of their first occurrence, ``other`` last."""
    names = dict.fromkeys(stage for of_group in spent.values() for stage in of_group if stage != "other")
    return [*names, "other"]


def stage_table(runs: Runs) -> Table | None:
    """Return the share of each stage in the time of exact methods, by sample; None without such runs."""
    spent = {key: shares(cell_runs) for key, cell_runs in exact_groups(runs).items()}
    if not spent:
        return None
    stages = stages_of(spent)
    rows = [(*key, *(percent(of_group.get(stage)) for stage in stages)) for key, of_group in spent.items()]
    return Table("Share of each stage in the time [%]", ("sample", "method", *stages), rows)
