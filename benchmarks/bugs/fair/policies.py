"""Deliberate bugs in the engine and the policies of fair sharing, and in how methods are held to the past."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

ENGINE = "heuristics/fair/engine.py"
DIRECT = "heuristics/fair/direct_contribution.py"
USAGE = "heuristics/fair/decayed_usage.py"
SHARE = "heuristics/fair/fair_share.py"
TREE = "heuristics/fair/fair_tree.py"
FUTURE = "oas/testing/fair/future.py"

TESTS = "tests/heuristics/fair"
EVENTS = (f"{TESTS}/test_engine.py::test_events_and_starts_are_those_of_stepping_through_time",)
REFUSED = (f"{TESTS}/test_engine.py",)
FIRST = (f"{TESTS}/test_policies.py::test_fcfs_takes_the_first_presented",)
TURNS = (f"{TESTS}/test_policies.py::test_round_robin_takes_turns",)
GAPS = (f"{TESTS}/test_policies.py::test_direct_contribution_picks_the_greatest_gap",)
AT_ONCE = (f"{TESTS}/test_policies.py::test_what_starts_at_a_moment_counts_at_once",)
DRAWN = (f"{TESTS}/test_policies.py::test_every_idle_processor_is_drawn_alike",)
SUMS = (f"{TESTS}/test_fair_share.py::test_it_is_the_sum_over_units",)
RANKS = (f"{TESTS}/test_fair_share.py::test_picks_follow_the_ranks",)
METHODS = (f"{TESTS}/test_policies.py::test_what_makes_policies",)
PAST = ("tests/testing/fair/test_kit.py::test_the_past_stays",)
KIT = ("tests/testing/fair/test_kit.py",)

BUGS = (
    # What policies are told, and when
    Bug(
        "what is released at a moment is told before what ends at it",
        ENGINE,
        "            self._end()\n            self._release_jobs()\n",
        "            self._release_jobs()\n            self._end()\n",
        EVENTS,
    ),
    Bug("jobs may start at the horizon", ENGINE, "< self._horizon:", "<= self._horizon:", EVENTS),
    Bug(
        "the first waiting job keeps the width of the one before it",
        ENGINE,
        "self._heads[organization] = self._width[queue[0]]",
        "pass",
        EVENTS,
    ),
    Bug("a job needs one processor more to fit", ENGINE, "if heads[one] <= idle", "if heads[one] < idle", EVENTS),
    Bug("a job gives one processor back", ENGINE, "self._idle += width", "self._idle += 1", EVENTS),
    # Policies that go wrong
    Bug(
        "a policy may be one object for all runs",
        ENGINE,
        "if policy is other:",
        "if policy is other and seed:",
        REFUSED,
    ),
    Bug(
        "what a policy raises is lost",
        ENGINE,
        '{error}", field=field) from error\n    return',
        '{error}", field=field) from None\n    return',
        REFUSED,
    ),
    Bug("True is organization 1", ENGINE, "if isinstance(picked, bool):", "if picked is None:", REFUSED),
    Bug(
        "any function with a seed makes policies",
        "heuristics/fair/adoption.py",
        'first.name == "seed" and positional',
        "positional",
        METHODS,
    ),
    # The policies
    Bug("the last presented goes first", "heuristics/fair/fcfs.py", "return min(", "return max(", FIRST),
    Bug(
        "the organization picked last is picked again",
        "heuristics/fair/round_robin.py",
        "bisect(waiting, self._last)",
        "bisect(waiting, self._last - 1)",
        TURNS,
    ),
    Bug("Algorithm 4 as printed: starts have no effect at their moment", DIRECT, "now + 1", "now", AT_ONCE),
    Bug("units count from the tick before they begin", DIRECT, "- self._first + self", "+ self._first + self", GAPS),
    Bug("the first idle processor is taken", DIRECT, "randrange(len(idle))", "randrange(1)", DRAWN),
    Bug("periods end a tick early", USAGE, "divmod(moment, self", "divmod(moment + 1, self", SUMS),
    Bug("usage ends with the tick before", SHARE, "self._usage.at(now + 1", "self._usage.at(now", SUMS),
    Bug(
        "the larger share gets less",
        SHARE,
        "[scale // share.numerator * share.denominator for",
        "[scale * share.numerator // share.denominator for",
        SUMS,
    ),
    Bug("ties go to the first account", TREE, "used.count(least) > 1:", "used.count(least) > len(near):", RANKS),
    Bug(
        "levels of merged accounts are not in proportion to their own accounts",
        TREE,
        "-one.shares * total / (shares * own)",
        "-one.shares / own",
        RANKS,
    ),
    Bug("an account's first has no rank of its siblings", TREE, "yield rank + next(below, [])", "yield rank", RANKS),
    # Holding methods to the past
    Bug("what ends at the moment may end later", FUTURE, "job.time > self.moment", "job.time >= self.moment", PAST),
    Bug(
        "what runs may have ended at the moment",
        FUTURE,
        "self.begun[job.id] + 1 if",
        "self.begun[job.id] if",
        PAST,
    ),
    Bug("what comes later may come at the moment", FUTURE, "after = self.moment + 1 ", "after = self.moment ", PAST),
    Bug("what starts at the moment does not count", FUTURE, "one.start <= moment}", "one.start < moment}", KIT),
    Bug(
        "only references are held to the past",
        "oas/testing/fair/causality.py",
        "if method.clairvoyant:",
        "if not method.clairvoyant:",
        KIT,
    ),
    Bug(
        "a second run in the same process is not looked at",
        "oas/testing/fair/repeats.py",
        "if again.schedule == schedule:",
        "if again.schedule is not None:",
        KIT,
    ),
)
