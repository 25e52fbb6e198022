"""Deliberate bugs in MOSP itself, its verifier, brute force and models, with the tests that have to notice.

Stored LP files would notice any change of a model; they are left out on purpose, so that meaning alone is tested.
"""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

VERIFIER = ("tests/problems/test_rules.py", "tests/problems/mosp/test_rules.py")
CORE = ("tests/problems/mosp/test_instance.py", "tests/problems/mosp/test_local.py")
BRUTE = ("tests/exact/mosp/test_brute_force.py",)
MODEL = (
    "tests/models/mosp/test_patterns.py",
    "tests/models/mosp/test_start_indexed.py",
    "tests/benchmarks/agreement/mosp/test_optima.py",
)
AGREEMENT = ("tests/benchmarks/agreement/mosp/test_optima.py",)

RULES = "oas/problems/mosp/rules.py"
INSTANCE = "oas/problems/mosp/instance.py"
LOCAL = "oas/problems/mosp/local.py"
SCHEDULE = "oas/problems/mosp/runs.py"
BRUTE_FORCE = "oas/exact/mosp/brute_force.py"
PATTERNS = "oas/models/mosp/patterns.py"
REDUCTIONS = "oas/models/mosp/reductions.py"
SPEC = "oas/models/mosp/start_indexed.py"
START_INDEXED = "oas/models/mosp/start_indexed_model.py"
CUMULATIVE = "oas/models/mosp/cumulative_cpsat_model.py"

BUGS = (
    # Verifier
    Bug("the verifier takes every locality for 1", RULES, "instance.locality * alone\n", "alone\n", VERIFIER),
    Bug("the verifier forgets releases", RULES, "start < 0 or placement.start < job.release", "start < 0", VERIFIER),
    Bug(
        "the verifier looks at reservations where they begin only",
        RULES,
        "begins = begins or change > 0",
        "begins = begins or index < 0 < change",
        VERIFIER,
    ),
    Bug("the verifier lets a job run on two clusters", RULES, "if len(placement.nodes) > 1:", "if False:", VERIFIER),
    # The instance, in time units and in ticks
    Bug(
        "the deadline of every locality is the local makespan",
        INSTANCE,
        "else self.locality * alone for",
        "else alone for",
        CORE,
    ),
    Bug(
        "deadlines are rounded up to ticks",
        "oas/problems/mosp/ticks.py",
        "floor(moment / tick)",
        "-floor(-moment / tick)",
        CORE,
    ),
    Bug(
        "a processor is not free when its job ends",
        SCHEDULE,
        "while ends and ends[0][0] <= run.start:",
        "while ends and ends[0][0] < run.start:",
        CORE,
    ),
    Bug("a local job starts where it fits at first only", LOCAL, " and idle.has(now, end, width)", "", CORE),
    Bug("local HF serves the narrow first", LOCAL, '"HF": _by(lambda job: -job', '"HF": _by(lambda job: job', CORE),
    # Brute force
    Bug("brute force forgets deadlines", BRUTE_FORCE, "if deadline is None or end <= deadline:", "if True:", BRUTE),
    Bug(
        "brute force looks at reservations where a job starts only",
        BRUTE_FORCE,
        "moments = [start, *(begin for begin, _, _ in blocks if start < begin < end)]",
        "moments = [start]",
        BRUTE,
    ),
    Bug(
        "brute force takes clusters for equal whatever is reserved",
        BRUTE_FORCE,
        "return (self.sizes[cluster], self.reserved[cluster], tuple(running))",
        "return (self.sizes[cluster], tuple(running))",
        BRUTE,
    ),
    Bug(
        "brute force counts work that is done as work to come",
        BRUTE_FORCE,
        "max(0, other.end - one.start) for",
        "other.end for",
        BRUTE,
    ),
    # Patterns and reductions of the model
    Bug(
        "no chain of starts begins at a release",
        PATTERNS,
        "            if release:\n",
        "            if False:\n",
        MODEL,
    ),
    Bug("no chain of starts begins where a reservation ends", PATTERNS, "{0}, {0} | ends)", "{0}, {0})", MODEL),
    Bug(
        "a start that just meets the deadline is left out",
        PATTERNS,
        "<= self.latest_ends[job] - time\n",
        "< self.latest_ends[job] - time\n",
        MODEL,
    ),
    Bug(
        "a pattern looks at reservations where it starts only",
        PATTERNS,
        "if start < moment < end)])",
        "if start == moment)])",
        MODEL,
    ),
    Bug(
        "the model forgets deadlines",
        REDUCTIONS,
        "[horizon if deadline is None else min(deadline, horizon) for",
        "[horizon for",
        MODEL,
    ),
    Bug(
        "jobs are identical whenever they are released",
        REDUCTIONS,
        "zip(scaled.times, scaled.widths, scaled.releases, ends, strict",
        "zip(scaled.times, scaled.widths, ends, strict",
        MODEL,
    ),
    Bug(
        "jobs are identical whatever their deadlines",
        REDUCTIONS,
        "zip(scaled.times, scaled.widths, scaled.releases, ends, strict",
        "zip(scaled.times, scaled.widths, scaled.releases, strict",
        MODEL,
    ),
    Bug(
        "clusters are identical whatever is reserved",
        REDUCTIONS,
        "_alike([free_profile(scaled, cluster) for",
        "_alike([scaled.processors[cluster] for",
        MODEL,
    ),
    # The start-indexed model
    Bug(
        "no capacity where a reservation begins",
        SPEC,
        "sorted(begun | {moment for moment, _ in profile})",
        "sorted(begun)",
        MODEL,
    ),
    Bug(
        "the MOSP objective stands for one makespan more",
        SPEC,
        "return spec.ends[reached - 1] if reached",
        "return spec.ends[min(reached, len(spec.ends) - 1)] if reached",
        MODEL,
    ),
    Bug("the model forgets processors", START_INDEXED, "        self.processors()\n", "", MODEL),
    Bug(
        "the model forgets reservations",
        START_INDEXED,
        "free = free_at(spec.profiles[cluster], moment)",
        "free = spec.scaled.processors[cluster]",
        MODEL,
    ),
    Bug(
        "two jobs of half a cluster exclude one another",
        START_INDEXED,
        "(2 * width >= free) + (2 * width > free)",
        "2 * (2 * width >= free)",
        MODEL,
    ),
    Bug(
        "a MOSP job that ends at a makespan does not make it",
        START_INDEXED,
        "range(bisect_right(spec.ends, start",
        "range(bisect_left(spec.ends, start",
        MODEL,
    ),
    Bug(
        "a job gives back its processors a moment early",
        START_INDEXED,
        "bisect_left(moments, end)]",
        "bisect_left(moments, end) - 1]",
        MODEL,
    ),
    Bug(
        "clusters close before the lower bound",
        START_INDEXED,
        "if moment >= spec.lower_bound and step",
        "if step",
        MODEL,
    ),
    # The cumulative model
    Bug(
        "the cumulative model forgets each cluster's processors",
        CUMULATIVE,
        "        self.processors()\n",
        "",
        AGREEMENT,
    ),
    Bug(
        "the cumulative model forgets reservations",
        CUMULATIVE,
        "intervals, demands = self._reserved(cluster)",
        "intervals, demands = [], []",
        AGREEMENT,
    ),
    Bug(
        "the cumulative model forgets deadlines", CUMULATIVE, "spec.ends[job] - time", "spec.horizon - time", AGREEMENT
    ),
    Bug("the cumulative model forgets releases", CUMULATIVE, "(job,), release, spec", "(job,), 0, spec", AGREEMENT),
    Bug(
        "all clusters together have the processors of one",
        CUMULATIVE,
        "demands, sum(self.scaled.processors))",
        "demands, max(self.scaled.processors))",
        AGREEMENT,
    ),
    Bug("identical clusters are never taken", CUMULATIVE, "add_bool_or(*ahead, self", "add_bool_or(self", AGREEMENT),
    # Numbers, frames and logs on their way in, and what is said of schedules
    Bug(
        "a float is taken as a whole number where its neighbours are further than 1",
        "oas/core/numbers.py",
        "if not size + 1 > size:",
        "if False:",
        ("tests/core/test_numbers.py",),
    ),
    Bug(
        "floats of a frame are cut off, not rounded",
        "oas/show/rows.py",
        "round(Fraction(*value.as_integer_ratio()), decimals)",
        "Fraction(int(Fraction(*value.as_integer_ratio()) * 10**decimals), 10**decimals)",
        ("tests/show/test_read_frames.py",),
    ),
    Bug(
        "processors shared out lose the remainder",
        "oas/io/logs/slices.py",
        "whole // count + (k < whole % count)",
        "whole // count",
        ("tests/io/test_slices.py",),
    ),
    Bug(
        "a job waits from time 0, whatever its release",
        "oas/core/schedule_metrics.py",
        "return self.start - self.release",
        "return self.start",
        ("tests/core/test_result.py",),
    ),
    Bug(
        "reserved processors are idle",
        "oas/core/schedule_metrics.py",
        'getattr(instance, "reserved", ())',
        "()",
        ("tests/core/test_result.py",),
    ),
)
