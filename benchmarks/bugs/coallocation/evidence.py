"""Deliberate bugs in the configuration bound, in the evidence of a solve and in the re-check; tests that notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

PRICINGS = ("tests/bounds/coallocation/configurations/test_pricing.py",)
PACKINGS = ("tests/bounds/coallocation/configurations/test_packing.py",)
BOUNDS = ("tests/bounds/coallocation/configurations/test_bound.py",)
FIRST_SETS = ("tests/bounds/coallocation/configurations/test_first_columns.py",)
RECHECKS = ("tests/exact/test_evidence.py",)
EVIDENCES = ("tests/exact/test_evidence.py",)

LEAVES = "oas/bounds/coallocation/configurations/leaves.py"
PRICING = "oas/bounds/coallocation/configurations/pricing.py"
MODES = "oas/bounds/coallocation/configurations/modes.py"
PACKING = "oas/bounds/coallocation/configurations/packing.py"
SPLITTING = "oas/bounds/coallocation/configurations/kernels.py"
GENERATION = "oas/bounds/coallocation/configurations/generation.py"
FIRST = "oas/bounds/coallocation/configurations/first_columns.py"
EVIDENCE = "oas/exact/evidence.py"
RECHECK = "oas/exact/recheck.py"

BUGS = (
    # What weights prove
    Bug(
        "each job works off its dearest level",
        LEAVES,
        "        min(row[index].ticks * own[index] for index in kept)",
        "        max(row[index].ticks * own[index] for index in kept)",
        BOUNDS,
    ),
    Bug(
        "the longest job is as slow as can be",
        MODES,
        "return max(min(row[index].ticks",
        "return max(max(row[index].ticks",
        BOUNDS,
    ),
    Bug(
        "a certificate need only be one",
        "oas/checker/bound_checks.py",
        "value = CERTIFIED_BOUNDS[key][1](instance, bound.certificate)",
        "value = bound.value if CERTIFIED_BOUNDS[key][1](instance, bound.certificate) else Fraction(0)",
        ("tests/exact/test_bound_check.py",),
    ),
    # Pricing: the weight of the heaviest set
    Bug(
        "a set heavier by 1 is passed over",
        PRICING,
        "if weight + rest[index][left] <= best:",
        "if weight + rest[index][left] <= best + 1:",
        PRICINGS,
    ),
    Bug(
        "the jobs left weigh as in their lightest mode",
        PRICING,
        "after, tasks, weight = rest[-1], choice.tasks, choice.options[0][0]",
        "after, tasks, weight = rest[-1], choice.tasks, choice.options[-1][0]",
        PRICINGS,
    ),
    Bug(
        "a fast mode stands for a slow one",
        PRICING,
        "in zip(reversed(row), reversed(modes[job]), strict=True):",
        "in zip(row, modes[job], strict=True):",
        PRICINGS,
    ),
    Bug(
        "given up, the best so far is the answer",
        PRICING,
        "return Heaviest(max(best, *(one[2] + rest[one[0]][one[3]] for one in frames)), found)",
        "return Heaviest(best, found)",
        PRICINGS,
    ),
    Bug(
        "where no search begins, light modes are added up",
        PRICING,
        "Heaviest(max(floor, sum(choice.options[0][0] for choice in choices)), [])",
        "Heaviest(max(floor, sum(choice.options[-1][0] for choice in choices)), [])",
        PRICINGS,
    ),
    # Modes and packing: what can run together
    Bug(
        "of equal durations the fastest level is kept",
        MODES,
        "for level in range(fastest, len(ticks))}",
        "for level in range(len(ticks) - 1, fastest - 1, -1)}",
        PRICINGS,
    ),
    Bug(
        "jobs have modes without an allocation",
        MODES,
        "for level in range(fastest, len(ticks))}",
        "for level in range(len(ticks))}",
        PRICINGS,
    ),
    Bug("nodes are never all taken", PACKING, "if total > capacity:", "if total >= capacity:", PACKINGS),
    Bug(
        "equation (4) is greatest where most tasks are",
        PACKING,
        "max(loads[: cluster[-1] + 1]) for loads",
        "loads[: cluster[-1] + 1][-1] for loads",
        PACKINGS,
    ),
    Bug("maybe is no", PACKING, "!= kernels.NO", "== kernels.YES", PACKINGS),
    Bug(
        "slow nodes count as fast",
        PACKING,
        "for level in levels[node_class.level :]:",
        "for level in levels:",
        PACKINGS,
    ),
    Bug(
        "a link filled exactly is refused in a split",
        SPLITTING,
        "if loads[i, c] <= left[k] and",
        "if loads[i, c] < left[k] and",
        PACKINGS,
    ),
    Bug(
        "a split takes clusters for alike whatever their links",
        SPLITTING,
        "same = links[q] == links[k]",
        "same = True",
        PACKINGS,
    ),
    Bug(
        "nodes must be left over",
        SPLITTING,
        "if total < asked:",
        "if total <= asked:",
        PACKINGS,
    ),
    Bug(
        "the search is given a capacity of single jobs",
        GENERATION,
        'leaf(dual["weights"], min(dual["capacity"], most))',
        'leaf(dual["weights"], max(map(max, dual["weights"])))',
        BOUNDS,
    ),
    # What a solve believes
    Bug(
        "the longest schedule is kept",
        EVIDENCE,
        "schedule.makespan < self.schedule.makespan",
        "schedule.makespan > self.schedule.makespan",
        EVIDENCES,
    ),
    Bug(
        "the least of the bounds counts",
        EVIDENCE,
        "return max([*known, self.bound.value])",
        "return min([*known, self.bound.value])",
        EVIDENCES,
    ),
    Bug(
        "claims count as certificates",
        EVIDENCE,
        "if self.bound.value >= lowest:",
        "if self.bound.value <= lowest:",
        EVIDENCES,
    ),
    Bug(
        "whoever claims less joins the proof",
        EVIDENCE,
        "if claim.bound == lowest)",
        "if claim.bound <= lowest)",
        EVIDENCES,
    ),
    Bug(
        "closed where they nearly meet",
        EVIDENCE,
        "self.makespan == self.lower_bound",
        "self.makespan <= self.lower_bound + 1",
        EVIDENCES,
    ),
    # The re-check of a stored result
    Bug(
        "a result of another instance is checked",
        RECHECK,
        "if result.instance_digest != instance.digest:",
        "if False:",
        RECHECKS,
    ),
    Bug(
        "infeasibility is believed",
        RECHECK,
        "if not exact_parts(instance).unplaceable(instance):",
        "if False:",
        RECHECKS,
    ),
    Bug("a stored schedule is believed", RECHECK, "    check(instance, schedule)\n", "", RECHECKS),
    Bug("an optimum need not meet its bound", RECHECK, "result.objective != result.lower_bound", "False", RECHECKS),
    Bug("a bound above the schedule is believed", RECHECK, "lowest > result.objective", "False", RECHECKS),
    Bug("a stored bound is believed", RECHECK, "if proof.bound is not None and reason:", "if False:", RECHECKS),
    Bug(
        "a certificate need not reach the bound",
        RECHECK,
        "if proof.bound is None or proof.bound.value < lowest:",
        "if proof.bound is None:",
        RECHECKS,
    ),
    Bug(
        "claims need not reach the bound",
        RECHECK,
        "if not any(claim.bound >= lowest for claim in proof.claims):",
        "if not proof.claims:",
        RECHECKS,
    ),
    Bug("an enumeration is believed", RECHECK, "    if lowest > optimum:", "    if False:", RECHECKS),
    # Where jobs are many
    Bug(
        "smoothing ends half way",
        GENERATION,
        "if node.bound >= value * (1 - _ROUNDING):",
        "if node.bound >= value * 0.5:",
        BOUNDS,
    ),
    Bug(
        "first sets hold jobs at levels that do not fit",
        FIRST,
        "items.append((job, mode.level))",
        "items.append((job, modes[job][0].level))",
        FIRST_SETS,
    ),
)
