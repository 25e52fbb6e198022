"""Deliberate bugs in the bounds for one cluster, the tree over starts and the gaps, with the tests to notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

TREE = ("tests/bounds/mosp/test_start_tree.py",)
GAP = ("tests/bounds/mosp/test_gaps.py",)

TIMELINE = "oas/bounds/mosp/start_tree/timeline.py"
KERNELS = "oas/bounds/mosp/start_tree/kernels.py"
MEASURES = "oas/bounds/mosp/start_tree/measures.py"
PRICES = "oas/bounds/mosp/start_tree/prices.py"
SEARCH = "oas/bounds/mosp/start_tree/search.py"
GAPS = "oas/bounds/mosp/gaps.py"
FREE = "oas/bounds/mosp/free_steps.py"

BUGS = (
    # Where jobs may start
    Bug(
        "a price ignores releases",
        TIMELINE,
        "time, first, last = self.scaled.times[job], self.releases[job],",
        "time, first, last = self.scaled.times[job], 0,",
        TREE,
    ),
    Bug(
        "a reservation holds a unit too long",
        TIMELINE,
        "change[min(end, self.horizon)] += processors",
        "change[min(end + 1, self.horizon)] += processors",
        TREE,
    ),
    Bug(
        "backwards, releases are forgotten",
        TIMELINE,
        "tuple(self.horizon - release for release in self.scaled.releases)",
        "(self.horizon,) * self.scaled.job_count",
        TREE,
    ),
    Bug(
        "backwards, reservations stay where they are",
        TIMELINE,
        "            free[:-1] = free[-2::-1]\n",
        "            pass\n",
        TREE,
    ),
    Bug(
        "a run's window is tested at its start alone",
        KERNELS,
        "for tick in range(start, end):  # noqa: SIM110  (compiled)\n        if problem.free",
        "for tick in range(start, start + 1):  # noqa: SIM110  (compiled)\n        if problem.free",
        TREE,
    ),
    Bug(
        "a run's window has an inclusive right end",
        KERNELS,
        "for tick in range(start, end):  # noqa: SIM110  (compiled)\n        if problem.free",
        "for tick in range(start, end + 1):  # noqa: SIM110  (compiled)\n        if problem.free",
        TREE,
    ),
    # What closes a node
    Bug(
        "a job that waited for its release might have started earlier",
        KERNELS,
        "if problem.releases[job] < moment and problem.free[moment - 1]",
        "if problem.free[moment - 1]",
        TREE,
    ),
    Bug(
        "a hole may lie before the release",
        KERNELS,
        "if start >= problem.releases[job] and fits(",
        "if start >= 0 and fits(",
        TREE,
    ),
    Bug("jobs that run are weighed whole", KERNELS, " - problem.weight[row + moment]\n", "\n", TREE),
    Bug(
        "a later state dominates an earlier one",
        KERNELS,
        "        and memory.state_moment[state] <= moment\n",
        "",
        TREE,
    ),
    Bug(
        "what holds more processors dominates",
        KERNELS,
        "        if memory.used[end - 1] < held:\n            return False\n",
        "",
        TREE,
    ),
    Bug("other jobs dominate", KERNELS, "        memory.state_jobs[2 * state] == low\n        and ", "        ", TREE),
    # Measures
    Bug(
        "a job weighs what it does where it is dearest",
        MEASURES,
        "np.minimum.accumulate(least",
        "np.maximum.accumulate(least",
        TREE,
    ),
    Bug(
        "there is no room in the last unit",
        MEASURES,
        "timeline.room(part.weights)[:-1] * prices",
        "(timeline.room(part.weights)[:-1] * prices) * (np.arange(timeline.horizon) + 1 < timeline.horizon)",
        TREE,
    ),
    Bug("sums may wrap", MEASURES, "if prices * sum(part.weights) > LIMIT // MAX_MEASURES:", "if False:", TREE),
    # The search
    Bug(
        "backwards schedules are not turned round",
        SEARCH,
        "enumerate(backwards if mirrored else forwards)",
        "enumerate(forwards)",
        TREE,
    ),
    Bug(
        "duals are taken with the wrong sign", PRICES, "prices[kind][unit] -= dual", "prices[kind][unit] += dual", TREE
    ),
    # Gaps
    Bug(
        "a gap is never filled up",
        GAPS,
        'np.searchsorted(attained, lengths, side="right")',
        "np.searchsorted(attained, lengths)",
        GAP,
    ),
    Bug(
        "a job as wide as what is free does not fit",
        FREE,
        "self.free >= width",
        "self.free > width",
        GAP,
    ),
    Bug(
        "gaps before the release count",
        GAPS,
        "np.maximum(begins[first:], release)",
        "begins[first:]",
        GAP,
    ),
    Bug(
        "half of the cluster is wide",
        GAPS,
        "if 2 * width > scaled.processors[0]}",
        "if 2 * width >= scaled.processors[0]}",
        GAP,
    ),
)
