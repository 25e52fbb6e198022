"""Tables by sample: proofs and times of exact methods, gaps of heuristics, what locality costs, published optima."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import fsum, sqrt
from typing import TYPE_CHECKING

from oas.campaigns.report.summary import spread
from oas.campaigns.report.tables import MISSING, Table, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.campaigns.report.frame import Run, Runs

Z95 = 1.959963984540054  # standard deviations that contain 95 % of the normal distribution
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
    """Yield the tables for which there are runs."""
    kinds: dict[str, list[tuple[str, str, list[Run]]]] = {"exact": [], "heuristic": []}
    for (sample, method), own in runs.by_sample.items():
        kinds[own[0].record.kind].append((sample, method, own))
    if kinds["exact"]:
        rows = [(sample, method, *_exact_cells(own, runs)) for sample, method, own in kinds["exact"]]
        yield Table("Exact methods by sample", _EXACT_HEADER, rows, _EXACT_REMARK)
    if kinds["heuristic"]:
        header = ("sample", "method", "runs", "solved", "at optimum", "n", "gap mean [%]", "worst", "n",
                  "above bound mean [%]", "worst")  # fmt: skip
        rows = [(sample, method, *_heuristic_cells(own)) for sample, method, own in kinds["heuristic"]]
        yield Table("Heuristics by sample", header, rows)
    if (table := relaxation_table(runs)) is not None:
        yield table
    if (table := published_table(runs)) is not None:
        yield table


def _exact_cells(own: Sequence[Run], runs: Runs) -> tuple[str, ...]:
    proven = sum(run.proven for run in own)
    gaps = spread(run.own_gap for run in own)
    open_ticks = [runs.open_ticks(run) for run in own]
    seconds = [run.record.seconds for run in own]
    known = [value for value in open_ticks if value is not None]
    return (
        str(len(own)),
        str(proven),
        interval_text(proven, len(own)),
        str(sum(run.certified for run in own)),
        f"{float(max(known)):g}" if len(known) == len(own) else MISSING,
        percent(gaps.mean),
        percent(gaps.worst),
        f"{fsum(seconds) / len(seconds):.2f}",
        f"{max(seconds):.1f}",
    )


def _heuristic_cells(own: Sequence[Run]) -> tuple[str, ...]:
    cells = [str(len(own)), str(sum(run.objective is not None for run in own)), str(sum(run.gap == 0 for run in own))]
    for gaps in (spread(run.gap for run in own), spread(run.bound_gap for run in own)):
        cells += [str(gaps.count), percent(gaps.mean), percent(gaps.worst)]
    return tuple(cells)


def relaxation_table(runs: Runs) -> Table | None:
    """Return how the optima with locality compare with those without; None without a pair of proven optima."""
    pairs = [
        (runs.references[digest].optimum, runs.references[free].optimum)
        for digest, free in runs.relaxed.items()
        if digest != free and digest in runs.references and free in runs.references
    ]
    ratios = [kept / free for kept, free in pairs if kept is not None and free]
    if not ratios:
        return None
    classes = Counter(next((step for step in _RATIO_STEPS if ratio <= step), None) for ratio in ratios)
    rows = [("1" if step == 1 else f"up to {float(step):g}", str(classes[step])) for step in _RATIO_STEPS]
    rows.append((f"above {float(_RATIO_STEPS[-1]):g}", str(classes[None])))
    mean = fsum(map(float, ratios)) / len(ratios)
    remark = f"Both proven on {len(ratios)} of {len(pairs)} instances; mean {mean:.4f}, largest {max(ratios)}."
    return Table("Optimum with locality / optimum without", ("ratio", "instances"), rows, remark)


def published_table(runs: Runs) -> Table | None:
    """Return by sample and exact method whether published optima are reached; None if no optimum is published."""
    rows = []
    for (sample, method), own in runs.by_sample.items():
        known = [(run, optimum) for run in own if (optimum := run.order.origin.published_optimum) is not None]
        if own[0].record.kind == "exact" and known:
            schedules = sum(run.objective == optimum for run, optimum in known)
            bounds = sum(run.lower_bound == optimum for run, optimum in known)
            rows.append((sample, method, str(len(own)), str(len(known)), str(schedules), str(bounds)))
    header = ("sample", "method", "runs", "published optimum known", "schedule has it", "bound has it")
    return Table("Published optima", header, rows) if rows else None


def wilson(successes: int, total: int, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's confidence interval of a share (Wilson 1927, J. Am. Stat. Assoc. 22), for the quantile `z`.

    It holds for independent draws: the interval is too narrow for instances that share jobs. Raises `ValueError` unless
    0 ≤ `successes` ≤ `total` and `total` ≥ 1.
    """
    if not 0 <= successes <= total or not total:
        raise ValueError(f"{successes} of {total} is no share")
    share = successes / total
    scale = 1 + z * z / total
    middle = (share + z * z / (2 * total)) / scale
    half = z / scale * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    # For none and for all the formula gives 0 and 1 exactly, which rounding would miss.
    return (0.0 if not successes else middle - half), (1.0 if successes == total else middle + half)


def interval_text(successes: int, total: int) -> str:
    """Return Wilson's 95 % interval in percent, such as ``69.9 to 97.2 %``; a dash without draws."""
    if not total:
        return "–"
    low, high = wilson(successes, total)
    return f"{100 * low:.1f} to {100 * high:.1f} %"
