"""Deliberate bugs in the search by windows of starts, and the tests that must notice them."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

TESTS = ("tests/bounds/mosp/test_windows.py",)
LOOPS = "oas/bounds/mosp/cluster_sets/windows.py"
PACKING = "oas/bounds/mosp/cluster_sets/kernels.py"

BUGS = (
    Bug("areas times long windows wrap", LOOPS, "min(last[i] - first[i], LONG_WINDOW)", "(last[i] - first[i])", TESTS),
    Bug("what surely fits may hold too many processors", PACKING, "if used > size:", "if used > 2 * size:", TESTS),
    Bug(
        "what surely fits may end late",
        PACKING,
        "starts[i] < 0 or starts[i] +",
        "starts[i] < 0 or 0 * starts[i] +",
        TESTS,
    ),
    Bug(
        "pairs that fill the cluster are kept apart",
        LOOPS,
        "widths[jobs[k]] > size and",
        "widths[jobs[k]] >= size and",
        TESTS,
    ),
    Bug(
        "a job may not begin as late as another one ends",
        LOOPS,
        "first[i] + p <= last[k]",
        "first[i] + p < last[k]",
        TESTS,
    ),
    Bug(
        "both orders of a pair are gone where one is",
        LOOPS,
        "if not before and not behind:",
        "if not before or not behind:",
        TESTS,
    ),
    Bug(
        "the wrong order of a pair is kept",
        LOOPS,
        "                    after[i] |= 1 << k\n",
        "                    after[k] |= 1 << i\n",
        TESTS,
    ),
    Bug("a job starts after the first that surely runs", LOOPS, "first[i] = end\n", "first[i] = end + 1\n", TESTS),
    Bug("a job is late by one tick", LOOPS, "last[i] = begin - p\n", "last[i] = begin - p - 1\n", TESTS),
    Bug("a job is beside itself", LOOPS, "if k != place and last[k] <= moment", "if last[k] <= moment", TESTS),
    Bug("what runs inside is counted from its first start", LOOPS, "end - last[i])", "end - first[i])", TESTS),
    Bug(
        "a whole interval is an overload",
        LOOPS,
        "load > capacity * (end - begin)",
        "load >= capacity * (end - begin)",
        TESTS,
    ),
    Bug("a schedule is mirrored in spite of deadlines", LOOPS, "    if mirrors:\n", "    if True:\n", TESTS),
    Bug(
        "the half of a window is lost",
        LOOPS,
        "first[level, place] = middle + 1",
        "first[level, place] = middle + 2",
        TESTS,
    ),
    Bug(
        "one order of a pair is not searched",
        LOOPS,
        "after[level, begins] |= 1 << ends",
        "after[level, ends] |= 1 << begins",
        TESTS,
    ),
    Bug("a closed node closes all", LOOPS, "            if level == 0:\n", "            if level >= 0:\n", TESTS),
    Bug("a search that ends early has refuted", LOOPS, "    return GIVEN_UP, limit\n", "    return NO, limit\n", TESTS),
    Bug("too few rows refute", LOOPS, "return GIVEN_UP, node + 1", "return NO, node + 1", TESTS),
)
