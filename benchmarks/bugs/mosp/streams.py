"""Deliberate bugs in the simulation of policies on streams of jobs and in its verifier, with tests that must notice.

The tests named run plain loops: with a bug in it, a loop would have to be compiled first.
"""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

ENGINES = "tests/heuristics/stream/test_policies.py"
SMALL = (f"{ENGINES}::test_small_streams", f"{ENGINES}::TestWindows")
LARGE = (f"{ENGINES}::test_two_thousand_jobs_around_reservations[conservative]",)
REMEMBERED = (f"{ENGINES}::test_what_is_remembered_holds_for_longer_and_wider_jobs_alone",)
RULES = ("tests/core/test_stream.py",)
KEPT = "tests/core/test_stream.py"
PROMISES = (f"{KEPT}::test_each_promise_leaves_the_schedule_of_its_policy_alone", f"{KEPT}::test_windows_are_whole")
FIGURES = ("tests/studies/test_simulation.py",)
READ = ("tests/io/test_streams.py",)
RESERVED = ("tests/io/test_streams.py", "tests/core/test_stream.py")

PROFILE = "heuristics/stream/profile_kernels.py"
LOOPS = "heuristics/stream/policy_kernels.py"
VERIFIER = "oas/core/stream_rules.py"
CHECKS = "oas/core/promise_kernels.py"
STREAM = "oas/core/stream.py"
STUDY = "oas/studies/simulation.py"
LOGS = "oas/io/logs/streams.py"

BUGS = (
    # The policies
    Bug(
        "a window is tested only at its start, where a start is looked for",
        PROFILE,
        "        if later < 0:\n            return start",
        "        if True:\n            return start",
        SMALL,
    ),
    Bug(
        "a window is tested only at its start, in a list",
        LOOPS,
        "            if later < 0:",
        "            if True:",
        SMALL,
    ),
    Bug(
        "a window's right end is part of it",
        PROFILE,
        "if profile.moment[place] >= end:",
        "if profile.moment[place] > end:",
        SMALL,
    ),
    Bug(
        "conservative back-filling ignores releases",
        LOOPS,
        "time, width, ready = times[job], widths[job], submit[job]",
        "time, width, ready = times[job], widths[job], 0",
        SMALL,
    ),
    Bug(
        "a queue without overtaking ignores releases", LOOPS, "now = max(now, submit[job])", "now = max(now, 0)", SMALL
    ),
    Bug(
        "a job put aside waits as long as it would run",
        LOOPS,
        "blocked_until(profile, later, now, end, widths[job])",
        "end",
        SMALL,
    ),
    Bug("what keeps a long job from starting keeps short ones too", LOOPS, "queue.bar[BEGIN] - now", "0", SMALL),
    Bug(
        "a search in vain counts for shorter jobs",
        LOOPS,
        "            row += hints.times[row] < time\n",
        "",
        REMEMBERED,
    ),
    Bug(
        "a step of a block that is split is looked for in its first half",
        PROFILE,
        "if step >= profile.count[block]:",
        "if False:",
        LARGE,
    ),
    Bug("EASY promises a start to every job", LOOPS, "while promises and promised <= now:", "while promises:", SMALL),
    # The verifier
    Bug(
        "the verifier ignores releases",
        VERIFIER,
        "done.begun[known] < log.submit[log_of]",
        "done.begun[known] < 0",
        RULES,
    ),
    Bug(
        "the verifier forgets reservations",
        VERIFIER,
        "np.concatenate([done.processors, reservations[:, 2]])",
        "np.concatenate([done.processors, 0 * reservations[:, 2]])",
        RULES,
    ),
    Bug("the verifier does not miss a job", VERIFIER, "log.ids[runs == 0]", "log.ids[runs < 0]", RULES),
    Bug(
        "the check of a list looks at windows where they begin only",
        CHECKS,
        "limit = NEVER - 1 if short < 0 else free.moments[short] - now",
        "limit = 0 if short == leaf else NEVER - 1",
        PROMISES,
    ),
    Bug(
        "who comes later may be served first",
        CHECKS,
        "check_due(free, jobs, waiting, leaf, rank, waiting.rank[job], idle)",
        "pass",
        PROMISES,
    ),
    Bug(
        "a job may start later than it could",
        CHECKS,
        "if start != jobs.start[job]:",
        "if start > jobs.start[job]:",
        PROMISES,
    ),
    Bug(
        "a start in vain is known of shorter jobs",
        CHECKS,
        "            row = row_of[job] + (bounds[row_of[job]] < jobs.time[job])\n",
        "            row = row_of[job]\n",
        (f"{KEPT}::test_what_is_known_of_shorter_jobs_holds_for_longer_ones_alone",),
    ),
    Bug(
        "the first of EASY's queue may be delayed",
        CHECKS,
        "if promised != jobs.start[head]:",
        "if promised > jobs.start[head]:",
        PROMISES,
    ),
    # What is read, and the figures
    Bug("a job as wide as the machine is too wide", LOGS, "wider = width > machine", "wider = width >= machine", READ),
    Bug(
        "jobs of no known wait or owner are left out",
        LOGS,
        'kept.skip("running time 0", time == 0)',
        'kept.skip("running time 0", (time == 0) | (found[owner] < 0))',
        READ,
    ),
    Bug("reservations are not added up", STREAM, "if held.max(initial=0) > processors:", "if False:", RESERVED),
    Bug(
        "utilisation counts reservations as work",
        STUDY,
        "Fraction(_sum_of_products(done.time, done.processors), left),",
        "Fraction(processors * (last - first) - left + _sum_of_products(done.time, done.processors), left),",
        FIGURES,
    ),
    Bug(
        "reservations beyond the last job count",
        STUDY,
        "np.clip(reservations[:, :2].T, first, last)",
        "reservations[:, :2].T",
        FIGURES,
    ),
    Bug("short jobs' slowdowns are not bounded", STUDY, "np.maximum(times, float(threshold))", "times", FIGURES),
)
