"""Deliberate bugs in the beam of co-allocated jobs and in what drives it, with the tests that have to notice.

The tests named run plain loops: with a bug in it, a loop would have to be compiled first.
"""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

ALL = "tests/heuristics/coallocation/search/test_all_searches.py"
FILE = "tests/heuristics/coallocation/search/test_beam.py"
WASTE = (f"{FILE}::test_the_beam_counts_the_waste_as_a_schedule_shows_it",)
SCORE = (f"{FILE}::test_a_state_without_hope_gets_no_score_and_more_waste_a_worse_one",)
BUCKET = (f"{FILE}::test_a_bucket_keeps_the_best_and_no_equals",)
ROOM = (f"{FILE}::test_a_long_job_makes_buckets_coarse_and_narrow",)
DRIVEN = (
    f"{ALL}::test_the_exact_search_offers_what_is_found_and_tells_what_others_find",
    f"{ALL}::test_the_exact_search_uses_the_beam_once_there_are_weights",
)

LOOPS = "heuristics/coallocation/search/beam_kernels.py"
SEARCH = "heuristics/coallocation/search/beam.py"
CLOSING = "oas/exact/coallocation/search.py"

BUGS = (
    Bug("dear levels waste nothing", LOOPS, "+= guide.extra[one, job, slowest]", "+= 0.0", WASTE),
    Bug(
        "jobs that have ended keep their nodes",
        LOOPS,
        "if states.end[row, index] <= states.time[row]:",
        "if states.end[row, index] < states.time[row]:",
        DRIVEN,
    ),
    Bug("a state without hope is kept", LOOPS, "if share > 1 + 1e-9:", "if share > 9:", SCORE),
    Bug("a bucket keeps equals", LOOPS, "if states.code[row] == code:", "if states.code[row] == code + 1:", BUCKET),
    Bug(
        "early buckets keep as many states as late ones",
        LOOPS,
        "width = manner.width if bucket >= manner.turn else manner.early",
        "width = manner.width",
        BUCKET,
    ),
    Bug("the room for states has no limit", SEARCH, "* cells > MOST_CELLS and", "* cells > 10**9 and", ROOM),
    Bug(
        "each stretch of local search begins another beam",
        CLOSING,
        ">= LEAST_JOBS and self.beam is None:",
        ">= LEAST_JOBS:",
        DRIVEN,
    ),
    Bug(
        "beams hear of no schedule found elsewhere",
        CLOSING,
        "self.beam.improve(self.lower, self.beam.pace, found)",
        "self.beam.improve(self.lower, self.beam.pace)",
        DRIVEN,
    ),
)
