"""Deliberate bugs in the search over orders for MOSP and in what drives it, with the tests that have to notice.

The tests named run plain loops: with a bug in it, a loop would have to be compiled first.
"""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

FILE = "tests/heuristics/mosp/search/test_orders.py"
SERIAL = (f"{FILE}::test_an_order_becomes_its_serial_schedule",)
KEPT = (f"{FILE}::test_only_what_is_complete_on_time_and_shorter_becomes_the_best",)
NEIGHBOURS = (f"{FILE}::test_a_neighbour_is_an_order",)
BEGINS = (f"{FILE}::test_it_starts_from_the_order_of_least_overhang",)
DEADLINES = (f"{FILE}::test_orders_to_start_from_heed_deadlines_and_times",)
STANDS = (f"{FILE}::test_the_overhang_at_hand_is_that_of_the_order_whatever_was_asked_for_before",)
COLD = (f"{FILE}::test_without_heat_nothing_worse_is_accepted",)
CALLS = (f"{FILE}::test_calls_cut_as_they_may_find_the_same",)
TARGET = (f"{FILE}::test_the_target_ends_it",)
GOALS = (f"{FILE}::test_goals_lie_between_what_was_missed_and_the_best",)
LARGE = (f"{FILE}::test_large_jobs_are_moved_more_often",)
CLOSES = (f"{FILE}::test_orders_alone_close_what_is_small",)
TURNS = (
    f"{FILE}::test_ruin_goes_on_from_what_orders_find",
    f"{FILE}::test_orders_have_most_of_the_time_while_they_lead",
    f"{FILE}::test_few_jobs_need_no_search_over_orders",
)

LOOPS = "heuristics/mosp/search/orders_kernels.py"
SEARCH = "heuristics/mosp/search/orders.py"
CLOSING = "oas/exact/mosp/stages/local.py"

BUGS = (
    # From an order to its schedule
    Bug(
        "only the first cluster forgets the hints of the order before",
        LOOPS,
        "for cell in range(len(memory.first)):",
        "for cell in range(cells):",
        SERIAL,
    ),
    Bug("a row takes its hint from the row before", LOOPS, "if column > 0 and", "if cell > 0 and", SERIAL),
    Bug(
        "a hint skips places of narrower jobs",
        LOOPS,
        "columns[column], NEVER)",
        "columns[min(column + 1, len(columns) - 1)], NEVER)",
        SERIAL,
    ),
    Bug(
        "a place is tried from the release on, however far the hint is",
        LOOPS,
        "max(ready, moments[step]), time",
        "ready, time",
        SERIAL,
    ),
    Bug("an order of jobs forgets releases", LOOPS, "widths[job], releases[job]", "widths[job], 0", SERIAL),
    Bug(
        "a place found only just as early is taken",
        LOOPS,
        "moments[found]) < start:",
        "moments[found]) <= start:",
        SERIAL,
    ),
    Bug("a deadline is a tick later", LOOPS, "if end > deadlines[job]:", "if end > deadlines[job] + 1:", SERIAL),
    # What is kept
    Bug(
        "an order given up counts as complete",
        LOOPS,
        "        if total > limit:\n            late += 1\n",
        "        if total > limit:\n",
        KEPT,
    ),
    Bug("a late order is kept as the best", LOOPS, "memory.found[LATE_JOBS] == 0 and ", "", KEPT),
    Bug(
        "an order that ends later takes the place of the best",
        LOOPS,
        " and memory.found[MAKESPAN] < memory.found[BEST]:",
        ":",
        KEPT,
    ),
    # From order to order
    Bug("a job moved ahead is in the order twice", LOOPS, "step = 1 if first < second else -1", "step = 1", NEIGHBOURS),
    Bug("an overhang of any size is accepted", LOOPS, "if value <= limit:", "if True:", COLD),
    Bug("the overhang of an order accepted is not noted", LOOPS, "            heat[1] = value\n", "", STANDS),
    Bug(
        "another target leaves the overhang as it was",
        SEARCH,
        "if self._target != target:",
        "if self._target is None:",
        STANDS,
    ),
    Bug("the last order to start from is taken", SEARCH, "if value < least:", "if value < inf:", BEGINS),
    Bug("the orders to start from know no deadline", SEARCH, "min(deadline, target)) -", "target) -", DEADLINES),
    Bug("the seed of the orders is not used", SEARCH, "random = Random(seed)", "random = Random()", CALLS),
    Bug(
        "a call of the search over orders does its whole round", SEARCH, "min(steps, self._left),", "self._left,", CALLS
    ),
    Bug(
        "the orders go on beyond their target",
        LOOPS,
        "while done < steps and memory.found[BEST] > goal:",
        "while done < steps:",
        TARGET,
    ),
    Bug("a goal missed is tried again", SEARCH, "self._missed = self._goal\n", "pass\n", CALLS),
    Bug("rounds never begin anew", SEARCH, "if best - self._missed <=", "if best <", GOALS),
    Bug("small jobs are moved as often", LOOPS, "range(LARGEST - 1)", "range(0)", LARGE),
    # What drives it
    Bug(
        "orders are to find what is there already",
        CLOSING,
        "self._orders.improve(search.lower,",
        "self._orders.improve(search.upper,",
        CLOSES,
    ),
    Bug(
        "what orders find is not offered",
        CLOSING,
        "if found is not None and self._orders",
        "if found is None and self._orders",
        CLOSES,
    ),
    Bug(
        "ruin and recreate does not hear what orders find",
        CLOSING,
        "                start = self._runs()\n                continue\n",
        "                continue\n",
        TURNS,
    ),
    Bug("orders have little time where they lead", CLOSING, "LEADING if leads else", "FOLLOWING if leads else", TURNS),
)
