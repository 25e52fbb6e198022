"""Deliberate bugs in MOSP's bounds, heuristics and guarantees, with the tests that have to notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

BOUNDS = ("tests/bounds/mosp",)
KERNELS = ("tests/heuristics/mosp/test_profile.py", "tests/heuristics/mosp/test_queueing.py")
PAPERS = (
    "tests/heuristics/mosp/test_mocca.py",
    "tests/heuristics/mosp/test_methods.py",
    "tests/benchmarks/agreement/mosp/test_guarantees.py",
)

VOLUME = "oas/bounds/mosp/volume.py"
WEIGHTS = "oas/bounds/mosp/simple.py"
LOOPS = "heuristics/mosp/capacity/kernels.py"
PHASES = "heuristics/mosp/mocca_phases.py"
ILBA = "heuristics/mosp/ilba.py"
MOLBA = "heuristics/mosp/molba.py"
PROMISES = "heuristics/mosp/guarantees.py"

BUGS = (
    # Bounds
    Bug(
        "a volume bound forgets later releases",
        VOLUME,
        "left = np.cumsum(work[:, ::-1], axis=1)[:, ::-1]",
        "left = work",
        BOUNDS,
    ),
    Bug(
        "a job that leaves room for one at the threshold weighs as much as the cluster",
        WEIGHTS,
        "np.where(width > size - threshold",
        "np.where(width >= size - threshold",
        BOUNDS,
    ),
    Bug(
        "u_k where it is not rounded is too large",
        WEIGHTS,
        "np.where(rest, whole * size, k * width)",
        "whole * size",
        BOUNDS,
    ),
    Bug(
        "a job counts as more than it fits",
        "oas/bounds/mosp/simple.py",
        "width: width // unit",
        "width: -(-width // unit)",
        BOUNDS,
    ),
    Bug("a lane holds narrow jobs too", "oas/bounds/mosp/simple.py", "jobs[1] >= width", "jobs[1] > 0", BOUNDS),
    Bug(
        "a job alone looks at reservations where it starts only",
        "oas/bounds/mosp/simple.py",
        "starts + time <= ends",
        "starts < ends",
        BOUNDS,
    ),
    # Free capacity and queues
    Bug(
        "a job does not fit where another begins as it ends",
        LOOPS,
        "and moments[step] < end:",
        "and moments[step] <= end:",
        KERNELS,
    ),
    Bug(
        "a gap as long as the job is too short",
        LOOPS,
        "moments[step] >= start + time",
        "moments[step] > start + time",
        KERNELS,
    ),
    Bug("EASY promises nothing", LOOPS, "while promised <= now:", "while False:", KERNELS),
    Bug("a hint holds for shorter jobs too", LOOPS, "    row += time_bounds[row] < time\n", "", KERNELS),
    Bug("a hint holds for narrower jobs too", LOOPS, "    column += width_bounds[column] < width\n", "", KERNELS),
    Bug("a run takes a processor too few", LOOPS, "free[step] -= width", "free[step] -= max(1, width - 1)", KERNELS),
    # MOCCA, MOLBA, ILBA
    Bug(
        "LB forgets the longest job",
        "heuristics/mosp/threshold.py",
        "return max(mean_load(scaled), Fraction(max(scaled.times)))",
        "return mean_load(scaled)",
        PAPERS,
    ),
    Bug(
        "jobs of half a cluster are high",
        PHASES,
        "if 2 * width <= scaled.processors[k]",
        "if 2 * width < scaled.processors[k]",
        PAPERS,
    ),
    Bug(
        "phase 2 stacks on what it has stacked",
        PHASES,
        "moment + time <= deadlines[k]",
        "moment + time <= cut.threshold",
        PAPERS,
    ),
    Bug("phase 3 runs into phase 2", PHASES, "and end <= deadlines[k]", "and end <= cut.threshold", PAPERS),
    Bug(
        "MOCCA(4) keeps any shorter local schedule",
        "heuristics/mosp/mocca_cuts.py",
        "if not (alone < threshold and alone < by_height):",
        "if not alone < by_height:",
        PAPERS,
    ),
    Bug(
        "backwards from the threshold beyond 0",
        "heuristics/mosp/mocca_cuts.py",
        "    profiles.close(threshold)\n",
        "",
        PAPERS,
    ),
    Bug("ILBA leaves home on ties", ILBA, "[cluster, *before]", "[*before, cluster]", PAPERS),
    Bug(
        "ILBA begins with the busiest cluster",
        ILBA,
        "key=lambda cluster: ends[cluster]",
        "key=lambda cluster: -ends[cluster]",
        PAPERS,
    ),
    Bug("ILBA takes jobs as they are numbered", ILBA, "(one.start, one.job)", "one.job", PAPERS),
    Bug(
        "MOLBA moves what starts at the cut",
        MOLBA,
        "starts[job] > cut.threshold",
        "starts[job] >= cut.threshold",
        PAPERS,
    ),
    Bug(
        "MOLBA(2) takes clusters for overloaded that are not",
        MOLBA,
        "makespan > cut.threshold + cut.longest",
        "makespan > cut.threshold",
        PAPERS,
    ),
    # Guarantees
    Bug(
        "MOCCA promises 3 on any number of clusters",
        PROMISES,
        '    if scaled.cluster_count == 2:\n        return Guarantee(Fraction(3), "local HF',
        '    if scaled.cluster_count >= 2:\n        return Guarantee(Fraction(3), "local HF',
        PAPERS,
    ),
    Bug("ILBA promises as for sequential jobs", PROMISES, "max(scaled.widths) > 1:", "max(scaled.widths) > 2:", PAPERS),
    Bug(
        "any local schedule counts as a list schedule",
        PROMISES,
        "if guarantee and local_is_list(",
        "if guarantee or local_is_list(",
        PAPERS,
    ),
    Bug(
        "MOCCA promises in spite of releases",
        PROMISES,
        "if not is_static(scaled) or not local_is",
        "if not local_is",
        PAPERS,
    ),
)
