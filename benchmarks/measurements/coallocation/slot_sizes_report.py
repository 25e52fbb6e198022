"""The report of `slot_sizes`: the paper's statements judged, and the tables they are judged by."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import pairwise
from math import exp
from statistics import fmean, median
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.measurements.machine import cpu_model
from oas.exact.versions import versions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from fractions import Fraction

    from oas.studies.slot_sizes.points import SlotPoint
    from oas.studies.slot_sizes.study import SlotStudy

MIP_PERCENTS = (250, 200, 150, 100, 75, 50)
MIP_SECONDS = 45.0
NEAR = 0.05  # of the continuous optimum: what "near its minimum" is taken for
PRINTED_LEAST = 15  # percent: the paper's smallest slot
KNEE = 50  # percent of the mean base time
COLUMNS = (
    "η",
    "proven",
    "slotted",
    "executed",
    "rounding loss",
    "scheduling loss",
    "compaction",
    "executed",
    "variables",
    "s, median",
    "s, worst",
)


@dataclass(frozen=True)
class MipRun:
    """One run of HiGHS: processor seconds, building included, whether it proved its optimum, variables."""

    percent: int
    seconds: float
    proven: bool
    variables: int


@dataclass(frozen=True)
class Fit:
    """Growth of a median time: its factor each time 1/η grows by 1/100 %, and how well two laws fit."""

    factor: float
    exponential: float
    power: float
    order: float


def fit(times: Mapping[int, float]) -> Fit | None:
    """Fit log time by a line in 1/η and by a line in log(1/η); None with fewer than three sizes."""
    if len(times) < 3:
        return None
    logs = np.log(list(times.values()))
    inverse = np.array([100 / percent for percent in times])
    slope, exponential = _line(inverse, logs)
    order, power = _line(np.log(inverse), logs)
    return Fit(exp(slope), exponential, power, order)


def _line(places: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Slope of the least-squares line and R²."""
    slope, height = np.polyfit(places, values, 1)
    rest = values - (slope * places + height)
    spread = float(((values - values.mean()) ** 2).sum())
    return float(slope), 1 - float((rest**2).sum()) / spread if spread else 1.0


def mean_table(studies: Sequence[SlotStudy]) -> Iterator[str]:
    """Yield a row a slot size, means over all workloads, in percent of the continuous optimum."""
    yield f"| {' | '.join(COLUMNS)} |"
    yield "|" + "---|" * len(COLUMNS)
    for percent in [point.percent for point in studies[0].points]:
        pairs = [(_at(study, percent), _at(study, 0)) for study in studies]
        points = [point for point, _ in pairs]
        slotted = [_ratio(point.makespan, free.makespan) for point, free in pairs]
        executed = [_ratio(point.executed, free.makespan) for point, free in pairs]
        sizes = [point.sizes.start_indexed.variables for point in points]
        counted = [one for one in sizes if one is not None]
        cells = [
            f"{percent} %",
            f"{sum(point.proven for point in points)} of {len(points)}",
            f"+{_percent(fmean(slotted))}",
            f"+{_percent(fmean(executed))}",
            _percent(fmean(slotted) - fmean(executed)),
            _percent(fmean(executed)),
            _percent(fmean(float(point.compaction) for point in points)),
            _percent(fmean(float(point.executed_compaction) for point in points)),
            f"{fmean(counted):,.0f}" if len(counted) == len(sizes) else f"{len(sizes) - len(counted)} too large",
            f"{median(point.seconds for point in points):.2f}",
            f"{max(point.seconds for point in points):.2f}",
        ]
        yield f"| {' | '.join(cells)} |"


def statements(studies: Sequence[SlotStudy], runs: Sequence[MipRun]) -> Iterator[str]:
    """Yield the three statements of section 4.1, each with what was found."""
    steps = [(one, other) for study in studies for one, other in pairwise(study.points) if one.proven and other.proven]
    falls = sum(one.makespan > other.makespan for one, other in steps)
    percents = [point.percent for point in studies[0].points]
    means = [fmean(_above(study, percent, "makespan") for study in studies) for percent in percents]
    rises = all(one < other for one, other in pairwise(means))
    yield (
        f"1. *The makespan grows with η.* {'Confirmed' if rises else 'Refuted'} on the mean"
        f"{', which rises at every step' if rises else ''}; on single workloads it falls in {falls} of {len(steps)} "
        "steps between proven optima: a coarser grid need not be a multiple of the finer."
    )
    yield "2. *Below 50 % it is near its minimum.*"
    for what, value, least in (
        ("slotted, against the paper's smallest slot", "makespan", PRINTED_LEAST),
        ("slotted, against η = 0", "makespan", 0),
        ("executed, against η = 0", "executed", 0),
    ):
        yield f"   - {what}: {_near(studies, value, least)}"
    yield f"3. *The time to solve grows exponentially as η shrinks.* {_growth(studies, runs)}"


def _near(studies: Sequence[SlotStudy], value: str, least: int) -> str:
    """Judge whether makespans at sizes from `least` to the knee are within 5 % of that at `least`."""
    found = []
    for percent in [point.percent for point in studies[0].points if least < point.percent < KNEE]:
        every = [_ratio(getattr(_at(one, percent), value), getattr(_at(one, least), value)) for one in studies]
        found.append((percent, fmean(every), sum(share <= NEAR for share in every)))
    verdict = "confirmed" if all(mean <= NEAR for _, mean, _ in found) else "refuted"
    told = "; ".join(f"{percent} %: +{_percent(mean)}, {near} of {len(studies)}" for percent, mean, near in found)
    return f"{verdict} on the mean ({told} within 5 %)"


def _growth(studies: Sequence[SlotStudy], runs: Sequence[MipRun]) -> str:
    medians = _medians(runs)
    grown = fit(medians)
    own = fit(
        {int(p): median(_at(s, p).seconds for s in studies) for p in [one.percent for one in studies[0].points] if p}
    )
    if grown is None or own is None:
        return "Not enough runs to judge."
    better = "exponential" if grown.exponential > grown.power else "polynomial"
    verdict = "Confirmed" if better == "exponential" else "Steep, rather polynomial than exponential"
    coarse, fine = max(medians), min(medians)
    growth = medians[fine] / medians[coarse]
    return (
        f"{verdict}, of the MIP: from {coarse} % to {fine} % its median time grows {growth:.0f} times, the number of "
        f"slots {coarse / fine:.0f} times. The log of the medians that no limit cut off is linear in 1/η with "
        f"R² = {grown.exponential:.2f} (times {grown.factor:.1f} for each further slot in the mean base time) and in "
        f"log(1/η) with R² = {grown.power:.2f} (order {grown.order:.1f}): over these {len(medians)} sizes the "
        f"{better} law fits better. Of `oas.solve` it is neither: {own.factor:.2f} times as long for each further slot "
        f"(R² = {own.exponential:.2f})."
    )


def _medians(runs: Sequence[MipRun]) -> dict[int, float]:
    """Median time at each size where more than half of the runs ended with a proof: what was cut off is above it."""
    found = {}
    for percent in MIP_PERCENTS:
        own = [run for run in runs if run.percent == percent]
        if own and 2 * sum(run.proven for run in own) > len(own):
            found[percent] = median(run.seconds if run.proven else float("inf") for run in own)
    return found


def mip_table(runs: Sequence[MipRun]) -> Iterator[str]:
    """Yield a row a slot size of what HiGHS takes."""
    medians = _medians(runs)
    yield "| η | proven | variables, mean | processor s, median |"
    yield "|---|---|---|---|"
    for percent in MIP_PERCENTS:
        own = [run for run in runs if run.percent == percent]
        if own:
            lowest = median(run.seconds for run in own)
            shown = f"{medians[percent]:.2f}" if percent in medians else f"above {lowest:.2f}, cut off"
            proven, size = sum(run.proven for run in own), fmean(run.variables for run in own)
            yield f"| {percent} % | {proven} of {len(own)} | {size:,.0f} | {shown} |"


def _at(study: SlotStudy, percent: Fraction | int) -> SlotPoint:
    return next(point for point in study.points if point.percent == percent)


def _above(study: SlotStudy, percent: Fraction | int, value: str) -> float:
    """Return the excess of a makespan over the continuous one, as a share of it."""
    return _ratio(getattr(_at(study, percent), value), _at(study, 0).makespan)


def _ratio(value: Fraction, reference: Fraction) -> float:
    return float(value / reference - 1)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def report(studies: Sequence[SlotStudy], runs: Sequence[MipRun], seconds: Sequence[float], command: str) -> list[str]:
    """Return the lines of the results file."""
    points = [point for study in studies for point in study.points]
    return [
        "# The size of the time slots",
        "",
        f"    {command}",
        "",
        f"{', '.join(f'{name} {text}' for name, text in versions({}).items())}; {cpu_model()}, {os.cpu_count()} CPUs,",
        "shared with other work: wall times are upper estimates, processor times are not.",
        "",
        f"{len(studies)} workloads of 8 jobs on 3 x 4 nodes, one thread. Proven: {sum(one.proven for one in points)} "
        f"of {len(points)} points. A whole sweep took {median(seconds):.0f} s (median), {max(seconds):.0f} s at worst.",
        "",
        "## What the paper states (section 4.1)",
        "",
        *statements(studies, runs),
        "",
        "## Sweeps by `oas.slot_study`",
        "",
        "Means over the workloads, makespans and losses against the continuous optimum. Variables: of the",
        "start-indexed model, not built. Seconds: wall time of `oas.solve`.",
        "",
        *mean_table(studies),
        "",
        "## The start-indexed model under HiGHS",
        "",
        f"Std bandwidth, from the best heuristic's schedule, without any bound, {MIP_SECONDS:g} s of wall time each.",
        "",
        *mip_table(runs),
        "",
    ]
