"""MOCCA paper, section 7.2: local scheduling, MOCCA and ILBA on clusters of equal size."""

from __future__ import annotations

from itertools import pairwise
from statistics import correlation, fmean
from typing import TYPE_CHECKING

from benchmarks.papers.experiment import Statement, near

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.papers.experiment import MospRow

ORGANIZATIONS, JOBS, PROCESSORS = (2, 5, 10, 20), (10, 50, 100, 500), (32, 128, 512)
METHODS = ("local", "MOCCA", "ILBA")
WORKLOADS = ("uni", "swf")
SWF = "the paper does not say how it set up the generator; here its single set of parameters for all jobs"


def mean(
    rows: Sequence[MospRow],
    method: str,
    *,
    workload: str | None = None,
    jobs: Sequence[int] = JOBS,
    counts: Sequence[int] = ORGANIZATIONS,
) -> float:
    """Return the mean score of a method over the cases of a workload (None: all) with n in `jobs` and N in `counts`."""
    chosen = (row for row in rows if row.method == method and workload in (None, row.workload))
    return fmean(float(row.score) for row in chosen if row.jobs in jobs and row.organizations in counts)


def statements(rows: Sequence[MospRow]) -> list[Statement]:
    """Compare what the section states in words and numbers; its figures print no values."""
    parts = (_local, _correlations, _means, _optimal, _growth, _processors, _worst)
    return [statement for part in parts for statement in part(rows)]


def _local(rows: Sequence[MospRow]) -> Iterator[Statement]:
    remark = "under this Zipf distribution O1 owns 43 % of the jobs at N = 20: local tends to .43 · 20"
    for count, printed in zip(ORGANIZATIONS, (1.57, 3.00, 4.93, 7.35), strict=True):
        ours = mean(rows, "local", workload="uni", jobs=JOBS[1:], counts=[count])
        agrees = near(ours, printed)
        says = f"uni, n > 10, N = {count}: mean score of local"
        yield Statement("7.2.1", says, f"{printed:.2f}", f"{ours:.2f}", agrees, "" if agrees or count < 20 else remark)


def _correlations(rows: Sequence[MospRow]) -> Iterator[Statement]:
    for workloads, printed in ((("uni",), 0.69), (WORKLOADS, 0.38)):
        local = [row for row in rows if row.method == "local" and row.workload in workloads]
        ours = correlation([row.organizations for row in local], [float(row.score) for row in local])
        says = f"correlation of N and local's score, {' and '.join(workloads)}"
        yield Statement("7.2.1", says, f"{printed:.2f}", f"{ours:.2f}", near(ours, printed, 0.15))


def _means(rows: Sequence[MospRow]) -> Iterator[Statement]:
    printed = {("uni", "MOCCA"): 2.40, ("uni", "ILBA"): 1.24, ("swf", "MOCCA"): 1.16, ("swf", "ILBA"): 1.03}
    for (workload, method), theirs in printed.items():
        ours = mean(rows, method, workload=workload)
        agrees = near(ours, theirs)
        remark = SWF if workload == "swf" and not agrees else ""
        yield Statement("7.2.2", f"{workload}: mean score of {method}", f"{theirs:.2f}", f"{ours:.2f}", agrees, remark)


def _optimal(rows: Sequence[MospRow]) -> Iterator[Statement]:
    for method, printed, least in (("ILBA", 0.40, True), ("MOCCA", 0.26, False)):
        scores = [row.score for row in rows if row.method == method]
        ours = sum(score == 1 for score in scores) / len(scores)
        text = f"{'at least ' if least else ''}{100 * printed:.0f} %"
        agrees = ours >= printed - 0.01 if least else near(ours, printed, 0.15)
        remark = "" if agrees else "follows from swf: see its mean scores"
        says = f"share of instances with score 1, {method}"
        yield Statement("7.2.2", says, text, f"{100 * ours:.0f} %", agrees, remark)
    small = [row for row in rows if (row.workload, row.method, row.jobs) == ("swf", "ILBA", 10)]
    missed = sum(row.score > 1 for row in small)
    says = "swf, n = 10: instances in which ILBA misses score 1"
    yield Statement("7.2.3", says, "1 of 600", f"{missed} of {len(small)}", missed <= max(1, len(small) // 600), SWF)


def _growth(rows: Sequence[MospRow]) -> list[Statement]:
    """Test section 7.2.4: rise or fall of scores with n; differences up to .01 do not count."""

    def breaks(workload: str, method: str, sizes: Sequence[int], counts: Sequence[int]) -> list[str]:
        means = [mean(rows, method, workload=workload, jobs=[jobs], counts=counts) for jobs in sizes]
        return [
            f"{workload}{f', N = {counts[0]}' if len(counts) == 1 else ''}, {method}: "
            f"{means[one]:.2f} at n = {sizes[one]}, {means[other]:.2f} at {sizes[other]}"
            for one, other in pairwise(range(len(sizes)))
            if means[one] > means[other] + 0.01
        ]

    local = [
        text
        for workload in WORKLOADS
        for count in ORGANIZATIONS
        if (workload, count) not in {("uni", 2), ("uni", 5)}
        for text in breaks(workload, "local", JOBS, [count])
    ]
    swf = [text for method in METHODS[1:] for text in breaks("swf", method, JOBS, ORGANIZATIONS)]
    uni = [text for method in METHODS[1:] for text in breaks("uni", method, JOBS[:0:-1], ORGANIZATIONS)]
    claims = (
        ("local's score rises with n in all but uni with N = 2 and 5", local),
        ("swf: the scores of MOCCA and ILBA rise with n", swf),
        ("uni, n > 10: the scores of MOCCA and ILBA fall with n or stay", uni),
    )
    return [
        Statement("7.2.4", says, "yes", "yes" if not broken else "not quite", not broken, "; ".join(broken))
        for says, broken in claims
    ]


def _processors(rows: Sequence[MospRow]) -> Iterator[Statement]:
    """Test section 7.2.5 by Welch's two-tailed t-test; p below .05 counts as an influence of m."""
    from scipy.stats import ttest_ind

    for sizes, printed in (((32, 128), (0.35, 0.11, 0.28)), ((128, 512), (0.56, 0.24, 0.31))):
        for method, theirs in zip(METHODS, printed, strict=True):
            first, second = (
                [float(row.score) for row in rows if row.method == method and row.processors == size] for size in sizes
            )
            value = float(ttest_ind(first, second, equal_var=False).pvalue)
            says = f"p-value of a difference between m = {sizes[0]} and {sizes[1]}, {method}"
            remark = "agrees where neither sees an influence (p > .05)"
            yield Statement("7.2.5", says, f"{theirs:.2f}", f"{value:.2f}", value > 0.05, remark)


def _worst(rows: Sequence[MospRow]) -> list[Statement]:
    worst = max((row for row in rows if row.method == "local"), key=lambda row: row.score)
    seen = f"{float(worst.score):.2f} ({worst.workload}, N = {worst.organizations}, n = {worst.jobs})"
    agrees = near(float(worst.score), 12.12, 0.1) and worst.organizations == 20
    return [Statement("7.2.6", "worst score of local", "12.12 (uni, N = 20, n = 100)", seen, agrees)]
