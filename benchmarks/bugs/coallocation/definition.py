"""Deliberate bugs in the definition of co-allocation, and in code that both problems share, with the tests that notice.

Stored LP files would notice any change of a model; they are left out on purpose, so that meaning alone is tested.
"""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

VERIFIER = (
    "tests/problems/test_rules.py",
    "tests/problems/coallocation/test_rules.py",
    "tests/problems/coallocation/test_execution.py",
)
CORE = (
    "tests/problems/coallocation/test_ticks.py",
    "tests/core/test_schedule.py",
)
HEURISTICS = ("tests/heuristics",)
BOUNDS = ("tests/bounds", "tests/problems/coallocation/test_ticks.py")
MODEL = ("tests/models/coallocation/test_start_indexed.py",)
LITERAL = ("tests/models/coallocation/test_literal.py",)
BRUTE = ("tests/exact/coallocation/test_brute_force.py",)
PIPELINE = ("tests/solvers/test_outcome.py", "tests/exact/test_pipeline.py")


SCALED = "oas/problems/coallocation/ticks.py"
ALLOCATIONS = "oas/problems/coallocation/allocations.py"
SCHEDULE = "oas/problems/coallocation/runs.py"
VERIFY = "oas/problems/coallocation/rules.py"
COMMON_RULES = "oas/core/violation.py"
TRAFFIC = "oas/problems/coallocation/link_traffic.py"
ENGINE = "heuristics/coallocation/list_engine.py"
PLACEMENT = "heuristics/coallocation/placement.py"
WIDE_JOBS = "oas/bounds/coallocation/wide_jobs.py"
SPEC = "oas/models/coallocation/start_indexed.py"
START_INDEXED = "oas/models/coallocation/start_indexed_model.py"
REDUCTIONS = "oas/models/coallocation/reductions.py"
LITERAL_MODEL = "oas/models/coallocation/literal_model.py"
EXACT = "oas/exact/pipeline.py"
MODEL_RUN = "oas/exact/model_run.py"

BUGS = (
    # The instance in integers
    Bug("durations rounded down to slots", SCALED, "-(-time // slot) * slot", "time // slot * slot", CORE),
    Bug("equation (4) divides by τ, not τ − 1", SCALED, "count, job.tasks - 1)", "count, job.tasks)", CORE),
    Bug("the fastest node decides the duration", ALLOCATIONS, "slowest = max(", "slowest = min(", CORE),
    Bug(
        "a load that fills a link exactly is refused",
        ALLOCATIONS,
        "loads[total] > scaled.link_capacity",
        "loads[total] >= scaled.link_capacity",
        CORE,
    ),
    Bug(
        "a link's load is taken by node class, not by cluster",
        ALLOCATIONS,
        "0 if last[index] else total)",
        "0)",
        CORE,
    ),
    Bug(
        "a node is not free when its job ends", SCHEDULE, "free[number] <= run.start", "free[number] < run.start", CORE
    ),
    # Verifier and metrics
    Bug("the verifier's duration follows the fastest node", VERIFY, "/ min(powers)", "/ max(powers)", VERIFIER),
    Bug(
        "the verifier forgets a long job once a short one has started",
        COMMON_RULES,
        "if known is None or end > known[0]:",
        "if True:",
        VERIFIER,
    ),
    Bug(
        "the verifier looks at the first nodes of a row alone",
        COMMON_RULES,
        "until[first:last]):",
        "until[first : first + 1]):",
        ("tests/core/test_schedule.py",),
    ),
    Bug(
        "a schedule that is no shorter is verified for nobody",
        "oas/exact/evidence.py",
        "if not shorter and not anyway:",
        "if not shorter:",
        ("tests/exact/test_evidence.py",),
    ),
    Bug(
        "the verifier lets a link carry what its first job asks for",
        VERIFY,
        "total += loads[place][2]",
        "total = loads[place][2]",
        VERIFIER,
    ),
    Bug(
        "the verifier divides equation (4) by τ",
        VERIFY,
        "Fraction(job.tasks - here, job.tasks - 1)",
        "Fraction(job.tasks - here, job.tasks)",
        VERIFIER,
    ),
    Bug(
        "an execution looks at links only when a job starts",
        TRAFFIC,
        "and moments[at] < start + time:",
        "and moments[at] <= start:",
        VERIFIER,
    ),
    Bug("an execution ignores links", TRAFFIC, "self.bandwidth - load", "self.bandwidth", VERIFIER),
    # Heuristics
    Bug("a blocking queue overtakes", ENGINE, "if not overtaking:", "if False:", HEURISTICS),
    Bug("FPFS blocks", ENGINE, "if not overtaking:", "if True:", HEURISTICS),
    Bug("links are never taken", ENGINE, "residual[index] -= sign * load", "residual[index] -= 0", HEURISTICS),
    Bug(
        "nodes come free, links do not",
        ENGINE,
        "residual[index] -= sign * load",
        "residual[index] -= max(sign, 0) * load",
        HEURISTICS,
    ),
    Bug(
        "LPT is SPT",
        "heuristics/coallocation/list_scheduling.py",
        "-job.base_time",
        "job.base_time",
        HEURISTICS,
    ),
    Bug(
        "fast nodes go first",
        PLACEMENT,
        "in reversed(range(len(scaled.classes)))",
        "in range(len(scaled.classes))",
        HEURISTICS,
    ),
    Bug(
        "slow levels go first",
        PLACEMENT,
        "levels = range(len(scaled.powers))",
        "levels = range(len(scaled.powers))[::-1]",
        HEURISTICS,
    ),
    Bug(
        "a split is spread thin",
        PLACEMENT,
        "= max(count for count in allowed",
        "= min(count for count in allowed",
        HEURISTICS,
    ),
    Bug(
        "a split is filled without a look at what is left",
        PLACEMENT,
        "if count <= left and rest >> (left - count) & 1)",
        "if count <= left)",
        HEURISTICS,
    ),
    # Bounds
    Bug("half the nodes count as more than half", WIDE_JOBS, "2 * job.tasks > nodes", "2 * job.tasks >= nodes", BOUNDS),
    Bug("narrow jobs exclude one another", WIDE_JOBS, "+ max(beside, default=Fraction(0))", "+ sum(beside)", BOUNDS),
    Bug(
        "the longest run counts on the slowest nodes",
        "oas/bounds/coallocation/shortest_run.py",
        "scaled.powers[level], instance.slot",
        "scaled.powers[-1], instance.slot",
        BOUNDS,
    ),
    Bug(
        "a bound is re-checked by its name",
        "oas/checker/bound_checks.py",
        "value = SIMPLE_BOUNDS[key][1](instance)",
        "value = bound.value",
        BOUNDS,
    ),
    # The start-indexed model
    Bug("link capacity ignored", START_INDEXED, "        self.links()\n", "", MODEL),
    Bug("packing rows without the last moment", SPEC, "for start in starts})", "for start in starts})[:-1]", MODEL),
    Bug(
        "a job holds its nodes a tick too long",
        START_INDEXED,
        "spec.moments[first : bisect_left(spec.moments, start + choice.duration)]",
        "spec.moments[first : bisect_left(spec.moments, start + choice.duration + 1)]",
        MODEL,
    ),
    Bug(
        "a job that ends at a makespan does not make it",
        START_INDEXED,
        "last = bisect_right(spec.ends, start + choice.duration)",
        "last = bisect_left(spec.ends, start + choice.duration)",
        MODEL,
    ),
    Bug("the grid closes before the lower bound", START_INDEXED, "moment >= spec.lower_bound and step", "step", MODEL),
    Bug(
        "the objective stands for one makespan more",
        SPEC,
        "return spec.ends[reached - 1] if reached",
        "return spec.ends[min(reached, len(spec.ends) - 1)] if reached",
        MODEL,
    ),
    Bug(
        "every job is kept canonical, not one",
        REDUCTIONS,
        "    nodes, links = _binding(scaled, every)\n",
        "    every = [[c for c in own if _is_canonical(scaled, c)] for own in every]\n"
        "    nodes, links = _binding(scaled, every)\n",
        MODEL,
    ),
    Bug(
        "the canonical check points the wrong way",
        REDUCTIONS,
        "all(choice.counts <= _permuted",
        "all(choice.counts >= _permuted",
        MODEL,
    ),
    Bug(
        "clusters are alike whatever their links",
        REDUCTIONS,
        "groups.setdefault((capacity, *own)",
        "groups.setdefault((*own,)",
        MODEL,
    ),
    Bug(
        "jobs are identical whatever they send",
        REDUCTIONS,
        "scaled.durations[job], scaled.link_loads[job])",
        "scaled.durations[job])",
        MODEL,
    ),
    Bug("dominance forgets durations", REDUCTIONS, "one.duration <= other.duration\n        and all", "all", MODEL),
    Bug(
        "dominance forgets links",
        REDUCTIONS,
        "all(one.loads[index] <= other.loads[index] for index in links)",
        "True",
        MODEL,
    ),
    Bug(
        "starts only for the longest run",
        REDUCTIONS,
        "latest = horizon - min(own)",
        "latest = horizon - max(own)",
        MODEL,
    ),
    Bug(
        "starts only after other jobs' shortest runs",
        REDUCTIONS,
        "for length in lengths if",
        "for length in [min(lengths)] if",
        MODEL,
    ),
    # The literal model
    Bug("(22) left out", LITERAL_MODEL, "        self.no_saturation()\n", "", LITERAL),
    Bug(
        "(14) lets a job use the first slot",
        LITERAL_MODEL,
        "for before in range(1, t)]",
        "for before in range(2, t)]",
        LITERAL,
    ),
    Bug("(10) left out", LITERAL_MODEL, "        self.one_job_on_a_node()\n", "", LITERAL),
    Bug(
        "(4) is not asked for while a job runs",
        LITERAL_MODEL,
        "most[k][j] * (tasks[j] - running(m, j, t))",
        "most[k][j] * tasks[j]",
        LITERAL,
    ),
    Bug("(8) left out: one slot is enough", LITERAL_MODEL, "        self.whole_slots()\n", "", LITERAL),
    Bug(
        "(16) counts from slot 1",
        LITERAL_MODEL,
        "for t in self.spec.start_slots(j)) - 1",
        "for t in self.spec.start_slots(j))",
        LITERAL,
    ),
    # Judgement
    Bug(
        "optimal is claimed without comparing",
        EXACT,
        "Status.OPTIMAL if evidence.closed and",
        "Status.OPTIMAL if evidence.schedule and",
        PIPELINE,
    ),
    Bug(
        "optimal in spite of a solver's fault",
        EXACT,
        "evidence.closed and self.termination is not Termination.ERROR",
        "evidence.closed",
        PIPELINE,
    ),
    Bug("a refutation is overlooked", EXACT, "if own.makespan != proven:", "if False:", PIPELINE),
    Bug(
        "a check is given the bound it is to prove",
        EXACT,
        'Bound("none", Fraction(0))',
        "self.evidence.bound",
        PIPELINE,
    ),
    Bug(
        "a bound is taken without a margin",
        "oas/solvers/outcome.py",
        " - Fraction(bound_margin(bound)))",
        ")",
        PIPELINE,
    ),
    Bug("a solver's infeasibility is overlooked", MODEL_RUN, "if outcome.infeasible:", "if False:", PIPELINE),
    Bug("a bound above a schedule is believed", MODEL_RUN, "if bound > evidence.makespan:", "if False:", PIPELINE),
    Bug(
        "an unverified schedule is kept",
        "oas/exact/evidence.py",
        "violations = verify(self.instance, schedule)",
        "violations: list[object] = []",
        PIPELINE,
    ),
    Bug(
        "brute force ignores links",
        "oas/exact/coallocation/brute_force.py",
        "<= self.bandwidth[cluster]",
        "<= 10**9",
        BRUTE,
    ),
    Bug(
        "brute force takes states for equal whatever runs",
        "oas/exact/coallocation/brute_force.py",
        "end, nodes, running)",
        "end, nodes)",
        BRUTE,
    ),
)
