"""Deliberate bugs in what checks the fair scheduling paper: constructions, experiments on logs, strategies, claims."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

PAPER = ("tests/generate/test_fair.py",)
LOGS = ("tests/benchmarks/test_fair_logs.py",)
STRATEGIES = ("tests/benchmarks/agreement/fair/test_strategies.py",)
CLAIMS = ("tests/studies/fair/test_figures.py",)

BUGS = (
    Bug(
        "in the repaired reduction later dates are shifted by H − 1 only",
        "oas/generate/fair/subset_sum.py",
        "shift = 2 * early - 2",
        "shift = early - 1",
        PAPER,
    ),
    Bug(
        "subsets whose sum is x count as below x",
        "oas/generate/fair/subset_sum.py",
        "if sum(part) < bound",
        "if sum(part) <= bound",
        PAPER,
    ),
    Bug(
        "pairs that are equal count in the sign test",
        "benchmarks/papers/fair_logs/report.py",
        "count = less + more",
        "count = len(one)",
        LOGS,
    ),
    Bug(
        "the distance is divided by the policy's own work",
        "benchmarks/papers/fair_logs/report.py",
        "own[REF].work * row.second)",
        "row.work * row.second)",
        LOGS,
    ),
    Bug(
        "windows overlap",
        "benchmarks/papers/fair_logs/cases.py",
        "return [rest + number * length for",
        "return [rest + number * length // 2 for",
        LOGS,
    ),
    Bug(
        "padding counts as real work",
        "benchmarks/agreement/fair/strategies.py",
        "times = [real.get(changed.jobs[one].id, int(changed.jobs[one].time)) for one in ticks.order]",
        "times = [int(changed.jobs[one].time) for one in ticks.order]",
        STRATEGIES,
    ),
    Bug(
        "the second piece in turn is presented with the first",
        "benchmarks/agreement/fair/strategies.py",
        "job.processors, start + time // 2)",
        "job.processors, job.release)",
        STRATEGIES,
    ),
    Bug(
        "ε is linear in 1/N",
        "oas/studies/claims/fair.py",
        "organizations * sqrt(log(organizations / (1 - confidence)) / samples)",
        "organizations * sqrt(log(organizations / (1 - confidence))) / samples",
        CLAIMS,
    ),
)
