"""Report: tables with confidence intervals, paired tests between neighbours, and the paper's printed statements."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from math import comb, sqrt
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.papers.fair_log_cases import FIGURE_4, FIGURE_5, TABLE
from benchmarks.papers.fair_log_runs import BESIDE, ORDER, REF
from oas.fair.studies.figures import mean_of
from oas.fair.utilities import distance

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchmarks.papers.fair_log_cases import LogCase
    from benchmarks.papers.fair_log_runs import Row

    Unfairness = Mapping[LogCase, Mapping[str, Fraction]]

NAMES = (*ORDER, *BESIDE)
SIGNIFICANT = Fraction(1, 20)
PAIRS = (
    *pairwise(ORDER),
    ("RAND(15)", "ROUNDROBIN"),
    ("DIRECTCONTR", "FAIRSHARE"),
    ("FAIRSHARE", "ROUNDROBIN"),
    ("ROUNDROBIN", "FCFS"),
)


def unfairness(rows: Iterable[Row]) -> dict[LogCase, dict[str, Fraction]]:
    """Return Δψ/p_tot in seconds of each policy on each case whose reference completes some work."""
    by_case: dict[LogCase, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        by_case[row.case][row.policy] = row
    return {
        case: {
            name: Fraction(distance(row.utilities, own[REF].utilities), own[REF].work * row.second)
            for name, row in own.items()
            if name != REF
        }
        for case, own in by_case.items()
        if REF in own and own[REF].work
    }


def sign_test(one: Sequence[Fraction], other: Sequence[Fraction]) -> tuple[int, int, Fraction]:
    """Return the numbers of cases with `one` < `other` and `one` > `other`, and the exact p of the two-sided sign test.

    Equal pairs do not count.
    """
    less = sum(a < b for a, b in zip(one, other, strict=True))
    more = sum(a > b for a, b in zip(one, other, strict=True))
    count = less + more
    tail = sum(comb(count, number) for number in range(min(less, more) + 1))
    return less, more, min(Fraction(1), Fraction(2 * tail, 2**count))


def table_1(found: Unfairness) -> str:
    """Return a row for each log and division of the machines: means with 95 % intervals, standard deviations."""
    lines = ["| log | machines | windows | " + " | ".join(NAMES) + " |", "|---" * (3 + len(NAMES)) + "|"]
    for (log, machines), cases in _groups(found).items():
        cells = [_mean([own[name] for own in cases if name in own]) for name in NAMES]
        lines.append(f"| {log} | {machines} | {len(cases)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def paired_tests(found: Unfairness) -> str:
    """Return the paired tests between neighbours in the paper's order, and with the other policies."""
    lines = [
        "| log | machines | one | the other | one is fairer in | less fair in | p | ratio of means |",
        "|---" * 8 + "|",
    ]
    for where, cases in _groups(found).items():
        for one, other in PAIRS:
            left, right = _both(cases, one, other)
            if left:
                less, more, chance = sign_test(left, right)
                ratio = f"{float(sum(right) / sum(left)):.2f}" if sum(left) else "–"
                cells = (*where, one, other, less, more, shown_chance(chance), ratio)
                lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _both(cases: Iterable[Mapping[str, Fraction]], one: str, other: str) -> tuple[list[Fraction], list[Fraction]]:
    """Return the unfairness of two policies on the cases that have both."""
    both = [own for own in cases if one in own and other in own]
    return [own[one] for own in both], [own[other] for own in both]


def figures(found: Unfairness) -> str:
    """Return a row for each plot of figures 4 and 5 and each k."""
    lines = ["| figure | processors | machines | k | " + " | ".join(NAMES) + " |", "|---" * (4 + len(NAMES)) + "|"]
    cases = [case for case in found if case.of in (FIGURE_4, FIGURE_5)]
    for case in sorted(cases, key=lambda one: (one.of, one.processors, one.machines, one.organizations)):
        cells = [f"{float(found[case][name]):,.0f}" if name in found[case] else "–" for name in NAMES]
        where = (case.of, case.processors, case.machines, case.organizations)
        lines.append(f"| {' | '.join(map(str, (*where, *cells)))} |")
    for of in (FIGURE_4, FIGURE_5):
        for what, fold in (("mean", fmean), ("greatest", max)):
            columns = ([found[case][name] for case in cases if case.of == of and name in found[case]] for name in NAMES)
            cells = [f"{float(fold(values)):,.0f}" if values else "–" for values in columns]
            lines.append(f"| {of} | all | all | {what} | {' | '.join(cells)} |")
    return "\n".join(lines) if cases else "Not run."


def judged(found: Unfairness) -> str:
    """Return whether the sign test confirms the printed order, for each pair of neighbours in it."""
    lines = []
    for one, other in pairwise(ORDER):
        said = {"confirmed": [], "not told apart": [], "the other way round": []}  # type: dict[str, list[str]]
        for where, cases in _groups(found).items():
            left, right = _both(cases, one, other)
            if left:
                less, more, chance = sign_test(left, right)
                verdict = "confirmed" if less > more else "the other way round"
                said["not told apart" if chance > SIGNIFICANT else verdict].append(" ".join(where))
        parts = [f"{verdict} {len(groups)} ({', '.join(groups)})" for verdict, groups in said.items() if groups]
        lines.append(f"- {one} fairer than {other}: {'; '.join(parts) or 'not run'}.")
    return "\n".join(lines)


def shown_chance(chance: Fraction) -> str:
    """Format a p-value."""
    return f"{float(chance):.3f}" if chance >= Fraction(1, 1000) else f"{float(chance):.0e}"


def _groups(found: Unfairness) -> dict[tuple[str, str], list[Mapping[str, Fraction]]]:
    groups: dict[tuple[str, str], list[Mapping[str, Fraction]]] = defaultdict(list)
    for case, own in found.items():
        if case.of == TABLE:
            groups[case.log, case.machines].append(own)
    return groups


def _mean(values: Sequence[Fraction]) -> str:
    if not values:
        return "–"
    mean = mean_of(values)
    if mean.margin is None:
        return f"{float(mean.value):,.1f}"
    variance = sum((float(one - mean.value) ** 2 for one in values), 0.0) / (len(values) - 1)
    return f"{float(mean.value):,.1f} ± {mean.margin:,.1f} (sd {sqrt(variance):,.0f})"
