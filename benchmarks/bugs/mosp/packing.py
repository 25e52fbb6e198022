"""Deliberate bugs in the tree over pairs, the search for partitions and exact filling, with the tests that notice.

The tests named run plain loops where they can: with a bug in it, a loop has to be compiled first.
"""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

TREE = ("tests/bounds/mosp/test_pair_tree.py",)
POOL_TREE = ("tests/bounds/mosp/test_pair_tree_pool.py",)
SHARED = ("tests/bounds/mosp/test_partitions.py",)
SET_TREE = ("tests/bounds/mosp/test_set_tree.py",)
FILLED = ("tests/heuristics/mosp/search/test_exact_fill.py",)

PACKING = "oas/bounds/mosp/pair_tree/packing.py"
BINS = "oas/bounds/mosp/pair_tree/bins.py"
POOL_BRANCHES = "oas/bounds/mosp/pair_tree/pool_tree.py"
POOL = "oas/bounds/mosp/pair_tree/pool.py"
LOOPS = "oas/bounds/mosp/partitions/kernels.py"
SET_LOOPS = "oas/bounds/mosp/cluster_sets/heaviest_kernels.py"
SET_BRANCHES = "oas/bounds/mosp/set_tree/tree.py"
EXACT = "heuristics/mosp/search/exact_fill_kernels.py"
FILL = "heuristics/mosp/search/exact_fill.py"

BUGS = (
    # The tree over pairs
    Bug(
        "prices of cuts in a pool are gained",
        POOL,
        "- sum(weights[count:]) - room",
        "+ sum(weights[count:]) - room",
        POOL_TREE,
    ),
    Bug(
        "weights in a pool are shortened at all costs",
        POOL_BRANCHES,
        "if excess is not None and excess > 0:\n                break",
        "if excess is not None:\n                break",
        POOL_TREE,
    ),
    Bug(
        "a branch of a pool is missing",
        POOL_BRANCHES,
        "            (self.pool.apart(mask, pair), depth + 1),\n",
        "",
        POOL_TREE,
    ),
    Bug("the most that fit of a size are one fewer", PACKING, "[: limit // size]", "[: limit // size - 1]", TREE),
    Bug("a bin is missing", BINS, "min(most, sum(end - begin for", "min(most, -1 + sum(end - begin for", TREE),
    Bug("deadlines of machines are not looked at", BINS, "else min(makespan, one) for", "else makespan for", TREE),
    # The pool of sets that waste little
    Bug("sets that waste all of the gap are dropped", POOL, "values[of] >= int(", "values[of] > int(", POOL_TREE),
    Bug("items that are not listed weigh nothing", POOL, "+= filling[self.room[of]]", "+= 0", POOL_TREE),
    Bug("cuts cost nothing in a pool", POOL, "values[held] -= price", "values[held] -= 0", POOL_TREE),
    Bug("sets without both are not together", POOL, "mask & (one == other)", "mask & one & other", POOL_TREE),
    Bug(
        "sets that waste all of the gap are not listed",
        POOL,
        "after[room] >= least)",
        "after[room] > least)",
        POOL_TREE,
    ),
    Bug(
        "a leaf of a pool that is just not closed counts",
        POOL_BRANCHES,
        "excess > 0:\n                self.nodes",
        "excess >= 0:\n                self.nodes",
        POOL_TREE,
    ),
    Bug(
        "pairs of a pool are apart on both sides",
        POOL_BRANCHES,
        "(self.pool.together(mask, pair), depth",
        "(self.pool.apart(mask, pair), depth",
        POOL_TREE,
    ),
    # Partitions
    Bug(
        "a cluster may waste nothing",
        LOOPS,
        "range(clusters):\n            budget[0, r]",
        "range(1, clusters):\n            budget[0, r]",
        SHARED,
    ),
    Bug("what was doubted is refuted", LOOPS, "DOUBTFUL if doubt else REFUTED", "REFUTED", SHARED),
    # The tree over pairs of jobs
    Bug("a cut costs from one job on", SET_LOOPS, "before < 2 <= held[cut]", "before < 1 <= held[cut]", SET_TREE),
    Bug("jobs apart are on one cluster", SET_LOOPS, "items.apart[taken[i], item] == 0", "True", SET_TREE),
    Bug(
        "weights that just reach close",
        SET_BRANCHES,
        "> self.count * found.weight",
        ">= self.count * found.weight",
        SET_TREE,
    ),
    # Exact filling
    Bug("jobs may end after the goal", EXACT, "and now + problem.times[job] <= goal", "and True", FILLED),
    Bug("sums are reached by one job alone", EXACT, "exact.reached[found * stride] = 1", "pass", FILLED),
    Bug("jobs start before their release here", EXACT, "problem.releases[job] <= now", "True", FILLED),
    Bug("reservations are filled", FILL, "or scaled.reservations:", "or False:", FILLED),
)
