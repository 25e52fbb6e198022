"""Gaps of exact methods after given seconds, and the share of each stage in their time."""

from __future__ import annotations

import json
from fractions import Fraction
from math import fsum, inf
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from oas.campaigns.report.tables import MISSING, Table, percent
from oas.exact.progress import COMPILE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.campaigns.report.frame import Run, Runs

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
        # Neither is better than the verified result: solvers state values that are not verified.
        lower = max(lower, min(bound or lower, run.lower_bound))
        if makespan is not None:
            held = max(makespan, run.objective)
            upper = held if upper is None else min(upper, held)
    return None if upper is None or not lower else upper / lower - 1


def steps_of(run: Run) -> list[tuple[float, Fraction | None, Fraction | None]]:
    """Return seconds, bound and makespan at each improvement, with the end of the run as the last one."""
    recorded = [
        (moment, *(None if text is None else Fraction(text) for text in values))
        for moment, *values in json.loads(run.record.progress)
    ]
    return [*recorded, (run.record.seconds, run.lower_bound, run.objective)]


def figures(own: Sequence[Run], seconds: float) -> Figures:
    """Return the figures of some runs at a moment in seconds."""
    gaps = [gap_after(run, seconds) for run in own]
    known = [float(gap) for gap in gaps if gap is not None]
    return Figures(
        median([inf if gap is None else float(gap) for gap in gaps]),
        fsum(known) / len(known) if known else inf,
        len(gaps) - len(known),
    )


def exact_groups(runs: Runs) -> dict[tuple[str, str], list[Run]]:
    """Return the runs of exact methods, by sample and method."""
    return {key: own for key, own in runs.by_sample.items() if own[0].record.kind == "exact"}


def moments(runs: Runs) -> list[int]:
    """Return `SECONDS` up to the first one at which all runs of exact methods have ended."""
    longest = max((run.record.seconds for run in runs.runs if run.record.kind == "exact"), default=0)
    return [second for place, second in enumerate(SECONDS) if place == 0 or SECONDS[place - 1] < longest]


def anytime_table(runs: Runs) -> Table | None:
    """Return the gaps after given seconds, by sample and exact method; None without such runs."""
    groups, seconds = exact_groups(runs), moments(runs)
    rows = [
        (sample, method, str(len(own)), *(_text(figures(own, second)) for second in seconds))
        for (sample, method), own in groups.items()
    ]
    header = ("sample", "method", "runs", *(f"{second} s" for second in seconds))
    return Table("Gap after given seconds [%]: median, mean", header, rows, ANYTIME_REMARK) if rows else None


def _text(found: Figures) -> str:
    values = (MISSING if value == inf else percent(value) for value in found[:2])
    return ", ".join(values) + (f" ({found.without})" if found.without else "")


def shares(own: Sequence[Run]) -> dict[str, float]:
    """Return the share of each stage in the total time of some runs; the rest is ``other``.

    A stage named ``a: b`` is a part of ``a``, which keeps the rest. Compilation is left out.
    """
    spent: dict[str, float] = {}
    for run in own:
        for name, seconds in disjoint(json.loads(run.record.stages)).items():
            if name not in (COMPILE, "total"):
                spent[name] = spent.get(name, 0.0) + seconds
    total = sum(run.record.seconds for run in own)
    if not total:
        return {}
    spent["other"] = max(0.0, total - sum(spent.values()))
    return {name: seconds / total for name, seconds in spent.items()}


def disjoint(stages: Mapping[str, float]) -> dict[str, float]:
    """Return seconds by stage without overlap."""
    own = dict(stages)
    for name, seconds in stages.items():
        whole, colon, _ = name.partition(": ")
        if colon and whole in own:
            own[whole] = max(0.0, own[whole] - seconds)
    return own


def stages_of(spent: Mapping[tuple[str, str], Mapping[str, float]]) -> list[str]:
    """Return the stages of all groups in the order of their first occurrence, ``other`` last."""
    names = dict.fromkeys(stage for of_group in spent.values() for stage in of_group if stage != "other")
    return [*names, "other"]


def stage_table(runs: Runs) -> Table | None:
    """Return the share of each stage in the time of exact methods, by sample; None without such runs."""
    spent = {key: shares(own) for key, own in exact_groups(runs).items()}
    if not spent:
        return None
    stages = stages_of(spent)
    rows = [(*key, *(percent(of_group.get(stage)) for stage in stages)) for key, of_group in spent.items()]
    return Table("Share of each stage in the time [%]", ("sample", "method", *stages), rows)
