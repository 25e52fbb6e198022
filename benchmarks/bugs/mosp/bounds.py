"""Deliberate bugs in the bounds of MOSP, with the tests that have to notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

CONFIGURATIONS = ("tests/bounds/mosp/test_configurations.py",)
SCALES = ("tests/bounds/mosp/test_two_dimensional.py",)
SETS = ("tests/bounds/mosp/test_cluster_sets.py",)
VOLUMES = ("tests/bounds/mosp/test_bounds.py",)
GAP_TESTS = ("tests/bounds/mosp/test_gaps.py",)

GENERATION = "oas/bounds/mosp/configurations/generation.py"
KNAPSACK = "oas/bounds/mosp/knapsack.py"
CHAINS = "oas/bounds/mosp/knapsack.py"
SCALE = "oas/bounds/mosp/two_dimensional/scales.py"
ALTERNATION = "oas/bounds/mosp/two_dimensional/alternation.py"
REFUTING = "oas/bounds/mosp/refuting.py"
PRICING = "oas/bounds/mosp/cluster_sets/pricing.py"
PRODUCTS = "oas/bounds/mosp/cluster_sets/products.py"
KERNELS = "oas/bounds/mosp/cluster_sets/kernels.py"
HEAVIEST = "oas/bounds/mosp/cluster_sets/heaviest.py"
HEAVIEST_KERNELS = "oas/bounds/mosp/cluster_sets/heaviest_kernels.py"
SET_GENERATION = "oas/bounds/mosp/cluster_sets/generation.py"
COVERING = "oas/bounds/mosp/covering.py"
VOLUME = "oas/bounds/mosp/volume.py"
FREE = "oas/bounds/mosp/free_steps.py"
GAPS = "oas/bounds/mosp/gaps.py"

BUGS = (
    # The configuration bound
    Bug(
        "jobs may run beside themselves to the end",
        GENERATION,
        "self._generate(list(zip(self.scaled.widths, self.scaled.times, strict=True)))",
        "self._generate(self.scaled.widths)",
        CONFIGURATIONS,
    ),
    Bug("what is hoped for is in the program's unit", GENERATION, "hope * self.unit *", "hope *", CONFIGURATIONS),
    # Knapsacks and chains
    Bug("sums of weights overflow", KNAPSACK, "EXACT = 2**62", "EXACT = 2**66", CONFIGURATIONS),
    Bug(
        "of each width one job fewer is worthwhile",
        KNAPSACK,
        "[: largest // width]",
        "[: max(1, largest // width - 1)]",
        CONFIGURATIONS,
    ),
    Bug("of each width the lightest are kept", KNAPSACK, "job: -weights[job]", "job: weights[job]", CONFIGURATIONS),
    Bug("a job as wide as the cluster fits nowhere", KNAPSACK, "width <= largest", "width < largest", CONFIGURATIONS),
    Bug("a job takes no room in a heaviest set", KNAPSACK, "left -= widths[", "left -= 0 * widths[", CONFIGURATIONS),
    Bug("chains run in any order", CHAINS, "    jobs.sort(key=lambda job: deadlines[job])\n", "", SCALES),
    Bug(
        "coarser times are rounded up",
        CHAINS,
        "time, deadline = times[job] // unit",
        "time, deadline = -(-times[job] // unit)",
        SCALES,
    ),
    Bug(
        "a job that just makes its deadline is in no chain",
        CHAINS,
        "times[job] <= deadlines[job]]",
        "times[job] < deadlines[job]]",
        SCALES,
    ),
    # The two-dimensional bound
    Bug("clusters of a size count once", SCALE, "sum(n * v * m for", "sum(v * m for", SCALES),
    Bug("a job as wide as its cluster is in no chain", SCALE, "v if q <= size", "v if q < size", SCALES),
    Bug("deadlines may lie beyond the makespan", SCALE, "else min(one, self.makespan) for", "else one for", SCALES),
    Bug(
        "scales know no locality",
        SCALE,
        "self.makespan if one is None else min(one, self.makespan)",
        "self.makespan",
        SCALES,
    ),
    Bug(
        "mirrored, time begins where locality ends it",
        SCALE,
        "[self.makespan - release for release in self.scaled.releases]",
        "[\n"
        "                min(self.makespan, self.scaled.deadlines[owner] or self.makespan) - release\n"
        "                for owner, release in zip(self.scaled.owners, self.scaled.releases, strict=True)\n"
        "            ]",
        SCALES,
    ),
    Bug("mirrored, releases do not count", SCALE, "self.makespan - release for", "self.makespan for", SCALES),
    Bug(
        "what just fits is refuted",
        ALTERNATION,
        "if proven <= 1:\n            return",
        "if proven < 1:\n            return",
        SCALES,
    ),
    Bug("no time runs backwards", ALTERNATION, "if any(self.scaled.releases):", "if False:", SCALES),
    Bug("a tick is skipped", REFUTING, "self.lower = makespan + 1", "self.lower = makespan + 2", SCALES),
    Bug(
        "progress is a tick ahead of the proof",
        REFUTING,
        "self.session.progress(self.lower *",
        "self.session.progress((self.lower + 1) *",
        SCALES,
    ),
    # Cluster sets: what the clusters hold
    Bug("weights that clusters just hold are a proof", SET_GENERATION, "proven.value <= 1:", "proven.value < 1:", SETS),
    Bug("clusters that hold sets count once", SET_GENERATION, "sum(one.weight * count for", "sum(one.weight for", SETS),
    # Cluster sets: pricing
    Bug("sums of set weights overflow", HEAVIEST, "MAX_WEIGHT = 2**50", "MAX_WEIGHT = 2**60", SETS),
    Bug("knapsack sizes are rounded up", PRODUCTS, "(tuple(one // unit", "(tuple(-(-one // unit)", SETS),
    Bug(
        "a job with no time to spare is in no set",
        PRICING,
        "if width <= size and time <= deadlines[job]",
        "if width <= size and time < deadlines[job]",
        SETS,
    ),
    Bug(
        "a search given up is complete",
        HEAVIEST,
        "complete=left >= 0)",
        "complete=True)",
        SETS,
    ),
    Bug(
        "sets not decided do not fit",
        HEAVIEST_KERNELS,
        "return answer != NO, effort",
        "return answer == 1, effort",
        SETS,
    ),
    Bug(
        "a set heavier by 1 is not looked for",
        HEAVIEST_KERNELS,
        "if weight[chosen] + rest[r, item, left[chosen, r]] <= best:",
        "if weight[chosen] + rest[r, item, left[chosen, r]] <= best + 1:",
        SETS,
    ),
    Bug("a knapsack is never filled", KERNELS, "if sizes[i] <= c and", "if sizes[i] < c and", SETS),
    Bug(
        "a set that fits is remembered as one that does not",
        HEAVIEST_KERNELS,
        "memo[place, 2] = answer + 1",
        "memo[place, 2] = answer",
        SETS,
    ),
    Bug(
        "sets are equal if they are among the first 60 jobs",
        KERNELS,
        "(memo[place, 0] == low and memo[place, 1] == high)",
        "memo[place, 0] == low",
        SETS,
    ),
    # Cluster sets: packing
    Bug("a job may not end at its deadline", KERNELS, "now + times[job] <= dead", "now + times[job] < dead", SETS),
    Bug(
        "a job that waits may not end at its deadline",
        KERNELS,
        "following + times[jobs[i]] > deadlines",
        "following + times[jobs[i]] >= deadlines",
        SETS,
    ),
    Bug(
        "a job just too wide before may not start",
        KERNELS,
        "before[level] < widths",
        "before[level] + 1 < widths",
        SETS,
    ),
    Bug("no packing without waste", KERNELS, "if slack[0, f] < 0:", "if slack[0, f] <= 0:", SETS),
    Bug("no waste up to the last", KERNELS, "if out[f] < 0:", "if out[f] <= 0:", SETS),
    Bug(
        "a job that ends next wastes what it holds",
        KERNELS,
        "starts[i] + times[jobs[i]] > now:",
        "starts[i] + times[jobs[i]] > following:",
        SETS,
    ),
    Bug("going back in time frees no processors", KERNELS, "            free = before[level + 1]\n", "", SETS),
    Bug(
        "a start taken back holds its processors",
        KERNELS,
        "        free += widths[jobs[place]]\n        waiting",
        "        waiting",
        SETS,
    ),
    Bug("sets run in one direction of time only", SET_GENERATION, "(False, True) if any(", "(False,) if any(", SETS),
    # Linear programs
    Bug(
        "duals below 0 are weights",
        COVERING,
        "min(max(0, floor(one * SCALE)), SCALE)",
        "min(floor(one * SCALE), SCALE)",
        CONFIGURATIONS,
    ),
    Bug(
        "what smoothing misses is not looked for",
        COVERING,
        "        elif smooth:\n",
        "        elif False:\n",
        CONFIGURATIONS,
    ),
    # Volumes and longest jobs
    Bug("reservations count on every cluster", FREE, "held[held[:, 0] == cluster]", "held", VOLUMES),
    Bug(
        "work counts from releases after it",
        VOLUME,
        "np.cumsum(work[:, ::-1], axis=1)[:, ::-1]",
        "np.cumsum(work, axis=1)",
        VOLUMES,
    ),
    Bug(
        "what is free before a release is used after it",
        VOLUME,
        " + rates.take(self._begun, axis=1) * self._since",
        "",
        VOLUMES,
    ),
    Bug(
        "of what changes at once only the first counts",
        FREE,
        "np.append(moments[1:] != moments[:-1], True)",
        "np.append(True, moments[1:] != moments[:-1])",
        VOLUMES,
    ),
    Bug(
        "the latest release begins a lane",
        "oas/bounds/mosp/simple.py",
        "np.min(releases)",
        "np.max(releases)",
        VOLUMES,
    ),
    Bug(
        "a reservation is in the way of a job that ends as it begins",
        "oas/bounds/mosp/simple.py",
        "starts + time <= ends",
        "starts + time < ends",
        VOLUMES,
    ),
    Bug(
        "a job alone needs more than its width",
        "oas/bounds/mosp/simple.py",
        "if size >= width]",
        "if size > width or len(clusters) == 1]",
        VOLUMES,
    ),
    Bug(
        "a job that is longer than one as late is passed over",
        "oas/bounds/mosp/simple.py",
        "times[place] >= time:",
        "times[place]:",
        VOLUMES,
    ),
    Bug("sums of weighed volumes overflow", VOLUME, "longest >= EXACT:", "longest < 0:", VOLUMES),
    Bug("of alike jobs one is in no gap", GAPS, "        while left:", "        while left > 1:", GAP_TESTS),
    Bug("a gap takes a job that is longer", GAPS, "(lengths // times", "(1 + lengths // times", GAP_TESTS),
    Bug(
        "wide jobs may run on smaller clusters",
        "oas/bounds/mosp/simple.py",
        "limits = [0, *(size + 1 for",
        "limits = [0, *(size for",
        VOLUMES,
    ),
)
