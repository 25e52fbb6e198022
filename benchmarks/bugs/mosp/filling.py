"""Deliberate bugs in the event beam on one cluster and in its rounds, with the tests that have to notice.

The tests named run plain loops: with a bug in it, a loop would have to be compiled first.
"""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

FILE = "tests/heuristics/mosp/search/test_filling.py"
PASSES = (f"{FILE}::test_complete_schedules_pass_the_verifier",)
KNOWS = (f"{FILE}::test_each_schedule_knows_its_waste_and_what_is_left",)
KEEPS = (f"{FILE}::test_the_beam_keeps_what_is_least",)
WAITS = (f"{FILE}::test_a_job_waits_for_its_release_and_starts_then",)
CLEAR = (f"{FILE}::test_jobs_keep_clear_of_reservations_to_come",)
VALUES = (f"{FILE}::test_schedules_are_kept_by_waste_less_what_hardness_makes_up_for",)
LEAST = (f"{FILE}::test_of_all_schedules_the_one_with_least_undone_is_returned",)
DECIDES = (f"{FILE}::test_what_is_undone_at_the_goal_decides",)
ROUNDS = (f"{FILE}::test_one_cluster_with_few_narrow_jobs_has_rounds_of_the_beam",)
CUT = (f"{FILE}::test_rounds_of_the_beam_find_the_same_however_calls_are_cut",)
KEPT = (f"{FILE}::test_a_schedule_that_the_beam_completes_is_kept",)
STARTED = (f"{FILE}::test_a_better_start_ends_the_work_of_the_beam",)

LOOPS = "heuristics/mosp/search/filling_kernels.py"
BEAM = "heuristics/mosp/search/filling.py"
SEARCH = "heuristics/mosp/search/ruin_recreate.py"
ARRAYS = "heuristics/mosp/search/ruin_recreate_arrays.py"

BUGS = (
    # Partial schedules
    Bug(
        "only the first moment of a run is looked at",
        LOOPS,
        "        if moments[step] >= end:\n            return True\n",
        "        if moments[step] > moments[base]:\n            return True\n",
        (*PASSES, *CLEAR),
    ),
    Bug(
        "a run may not end where a reservation begins",
        LOOPS,
        "        if moments[step] >= end:\n            return True\n",
        "        if moments[step] > end:\n            return True\n",
        CLEAR,
    ),
    Bug("jobs start before their release", LOOPS, " or problem.releases[job] > now:", ":", (*PASSES, *WAITS)),
    Bug(
        "a release is no event",
        LOOPS,
        "        if now < problem.releases[job] < following and",
        "        if count == 1 and now < problem.releases[job] < following and",
        WAITS,
    ),
    Bug(
        "what is idle counts to the next step, not to the event",
        LOOPS,
        "float(following - now)",
        "float(memory.moments[base + min(1, count - 1)] - now)",
        KNOWS,
    ),
    Bug("the name of a schedule is that of its last job", LOOPS, "memory.name[row] += ", "memory.name[row] = ", KNOWS),
    Bug("a copy forgets its waste", LOOPS, "    memory.waste[to] = memory.waste[row]\n", "", KNOWS),
    # What is kept
    Bug(
        "the best is driven out",
        LOOPS,
        "if memory.value[other] > memory.value[worst]:",
        "if memory.value[other] < memory.value[worst]:",
        KEEPS,
    ),
    Bug(
        "the same is kept twice",
        LOOPS,
        "            return kept\n        if memory.value",
        "            pass\n        if memory.value",
        (*KEEPS, *KNOWS),
    ),
    Bug(
        "what wastes most is kept",
        LOOPS,
        "memory.value[scratch] = memory.waste[scratch] - greed * memory.hard[scratch] + blur",
        "memory.value[scratch] = blur - memory.waste[scratch]",
        VALUES,
    ),
    Bug(
        "a job that runs over the goal counts as done",
        LOOPS,
        "if start < 0 or start + problem.times[job] > goal:",
        "if start < 0 or start > goal:",
        DECIDES,
    ),
    Bug(
        "a beam looks at its first schedule alone",
        BEAM,
        "self._first, self._kept, self._goal",
        "0, 1, self._goal",
        LEAST,
    ),
    # The rounds
    Bug("the beam's last sweep is free", SEARCH, "        self._owed = max(0, -steps)\n", "", CUT),
    Bug(
        "what the beam places is thrown away",
        SEARCH,
        "(int(start < 0), start) for",
        "(1, start) for",
        KEPT,
    ),
    Bug(
        "a goal that was passed is worked on",
        SEARCH,
        "not target <= self._goal < self.makespan:",
        "not (target <= self._goal < self.makespan or self._filling):",
        STARTED,
    ),
    Bug("several clusters are one", ARRAYS, "if scaled.cluster_count > 1 or", "if", ROUNDS),
    Bug("many jobs are few", ARRAYS, " or scaled.job_count >= MANY_JOBS:", ":", ROUNDS),
    Bug("wide jobs are narrow", ARRAYS, "return 2 * max(scaled.widths)", "return max(scaled.widths)", ROUNDS),
)
