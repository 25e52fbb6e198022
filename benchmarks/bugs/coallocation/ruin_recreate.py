"""Deliberate bugs in ruin and recreate of co-allocated jobs and in what drives it, with the tests that have to notice.

The tests named run plain loops: with a bug in it, a loop would have to be compiled first.
"""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

ALL = "tests/heuristics/coallocation/search/test_all_searches.py"
FILE = "tests/heuristics/coallocation/search/test_ruin_recreate.py"
STEP = (f"{FILE}::test_profile_and_jobs_stay_in_step",)
ROWS = (f"{FILE}::test_a_row_of_the_profile_holds_what_running_jobs_leave",)
PLACES = (f"{FILE}::test_places_found_are_the_earliest_latest_and_tightest",)
SPLIT = (f"{FILE}::test_a_split_needs_nodes_and_links_in_every_row",)
ALONE = (f"{FILE}::test_alone_a_job_starts_at_once_or_ends_with_the_horizon",)
OVER = (f"{FILE}::test_a_step_is_over_when_all_are_placed",)
COLD = (f"{FILE}::test_without_heat_no_more_weight_is_left_unplaced",)
COSTS = (f"{FILE}::test_leaving_a_job_out_costs_what_it_needs_at_its_cheapest_level",)
VERIFIED = (f"{ALL}::test_every_schedule_passes_the_verifier_and_none_is_worse_than_the_start",)
SOLVED = (f"{ALL}::test_tiny_instances_are_solved_to_the_optimum[0-ruin]",)
CALLS = (f"{ALL}::test_calls_cut_as_they_may_find_the_same[ruin]",)
STARTS = (f"{ALL}::test_a_better_start_is_taken_a_worse_one_left_and_the_target_ends_it[ruin]",)
DRIVEN = (
    f"{ALL}::test_the_exact_search_offers_what_is_found_and_tells_what_others_find",
    f"{ALL}::test_the_exact_search_ruins_and_recreates_once_there_are_weights",
)
WIDEST = ("tests/heuristics/coallocation/search/test_beam.py",)

LOOPS = "heuristics/coallocation/search/ruin_recreate_kernels.py"
PLACING = "heuristics/coallocation/search/ruin_recreate_placing.py"
SEARCH = "heuristics/coallocation/search/ruin_recreate.py"
CLOSING = "oas/exact/coallocation/search.py"

BUGS = (
    # The profile
    Bug("a moment lies in the row before its own", LOOPS, "width] <= moment:", "width] < moment:", ROWS),
    Bug(
        "a job's start leaves the profile before its end",
        LOOPS,
        "    leave_row(memory, width, after)\n    leave_row(memory, width, first)\n",
        "    leave_row(memory, width, first)\n    leave_row(memory, width, after)\n",
        STEP,
    ),
    # Places
    Bug(
        "no job may end with the horizon",
        LOOPS,
        "end > profile[(rows - 1) * width]:",
        "end >= profile[(rows - 1) * width]:",
        PLACES,
    ),
    Bug("the latest start is never 0", LOOPS, "if after == 0 or start < 0:", "if after == 0 or start <= 0:", PLACES),
    Bug(
        "the tightest place is split as if the job ended sooner",
        LOOPS,
        "after = row_at(profile, width, rows, start + time - 1) + 1",
        "after = row_at(profile, width, rows, start + time - 1)",
        PLACES,
    ),
    Bug(
        "links are looked at where a job starts only",
        PLACING,
        "            if profile[place] < least:\n                least = profile[place]\n        memory.quiet[k]",
        "            pass\n        memory.quiet[k]",
        SPLIT,
    ),
    Bug(
        "a job is as fast as its fastest nodes",
        PLACING,
        "and problem.class_level[c] > slowest:",
        "and problem.class_level[c] < slowest:",
        VERIFIED,
    ),
    Bug("a job placed late starts as if on slower nodes", LOOPS, "if manner == 1:  #", "if manner == 3:  #", ALONE),
    # Steps
    Bug(
        "an unplaced job may be chosen twice",
        LOOPS,
        "            memory.marked[job] = 1\n            memory.chosen[chosen] = job\n            chosen += 1\n    for",
        "            memory.chosen[chosen] = job\n            chosen += 1\n    for",
        STEP,
    ),
    Bug(
        "a step taken back leaves its rows",
        LOOPS,
        "            memory.rows[0] = rows\n            copy_rows(memory.saved_profile",
        "            copy_rows(memory.saved_profile",
        STEP,
    ),
    Bug("a job that stays unplaced costs nothing", LOOPS, "delta += memory.weights[job]", "delta += 0.0", COLD),
    Bug("steps go on when all jobs are placed", LOOPS, "while done < steps and left > 0:", "while done < steps:", OVER),
    Bug("a job costs what it needs at its dearest level", SEARCH, "needs.append(min(", "needs.append(max(", COSTS),
    # Rounds
    Bug(
        "the goal may be the makespan at hand",
        SEARCH,
        "self.makespan - max(1, (self.makespan - target) >> (NEAREST + self._in_a_row))",
        "self.makespan - ((self.makespan - target) >> (NEAREST + self._in_a_row))",
        SOLVED,
    ),
    Bug("the seed of ruin and recreate is not used", SEARCH, "random = Random(seed)", "random = Random()", CALLS),
    Bug("a call does all steps that are left of a round", SEARCH, "min(steps, self._left)", "self._left", CALLS),
    Bug(
        "a worse start takes the place of the best",
        SEARCH,
        "if start is not None and max(run.end for run in start) < self.makespan:",
        "if start is not None:",
        STARTS,
    ),
    Bug(
        "a round goes on for a goal that a new start has met",
        SEARCH,
        "if self._goal is None or not target <= self._goal < self.makespan:",
        "if self._goal is None:",
        STARTS,
    ),
    # What drives it
    Bug(
        "each stretch of ruin and recreate begins anew",
        CLOSING,
        " and not isinstance(self.local, RuinSearch):",
        ":",
        DRIVEN,
    ),
    Bug(
        "the last weights say what jobs cost",
        CLOSING,
        "start, self.duals[0].weights",
        "start, self.duals[-1].weights",
        DRIVEN,
    ),
    Bug(
        "the local search hears of no schedule found elsewhere",
        CLOSING,
        "self.local.improve(self.lower, taken, start)",
        "self.local.improve(self.lower, taken)",
        DRIVEN,
    ),
    Bug(
        "widest first takes the level that ends last",
        "heuristics/coallocation/search/widest_first.py",
        "(one[0].start, one[0].end)",
        "(one[0].start, -one[0].end)",
        WIDEST,
    ),
    Bug(
        "widest first leaves what it tried in the profile",
        "heuristics/coallocation/search/widest_first.py",
        "            memory.rows[0] = rows\n        _, level",
        "        _, level",
        WIDEST,
    ),
)
