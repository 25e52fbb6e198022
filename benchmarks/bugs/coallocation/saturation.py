"""Deliberate bugs where saturated links slow jobs down: rates, progress, the verifier's rules, brute force."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

RULES = ("tests/problems/coallocation/test_slowdown_rules.py",)
RATES = (
    "tests/problems/coallocation/test_progress.py::test_what_a_link_may_be_asked_for",
    "tests/problems/coallocation/test_progress.py::test_rates_by_hand",
    "tests/problems/coallocation/test_progress.py::test_max_min_gives_away_what_is_left",
    "tests/problems/coallocation/test_progress.py",
)
BRUTE = tuple(
    f"tests/exact/coallocation/test_saturated_brute_force.py::test_{name}"
    for name in (
        "the_four_jobs_on_their_nodes",
        "two_side_by_side_or_one_after_the_other",
        "forbidden_saturation_is_the_other_brute_force",
        "every_start_on_the_grid[8]",
    )
)

SATURATION = "oas/problems/coallocation/saturation.py"
SPEEDS = "oas/problems/coallocation/rates.py"
RUNNING = "oas/problems/coallocation/running.py"
VERIFY = "oas/problems/coallocation/slowdown_rules.py"
CHOICES = "oas/exact/coallocation/saturated/brute_choices.py"
PHASES = "oas/exact/coallocation/saturated/brute_phases.py"
STEPS = "oas/exact/coallocation/saturated/brute_steps.py"

BUGS = (
    # Rates and progress
    Bug(
        "a job is slowed by links that it does not load, as equation (7) is printed",
        SPEEDS,
        "in zip(own, degrees, strict=True) if load)]",
        "in zip(own, degrees, strict=True))]",
        RATES,
    ),
    Bug(
        "a link is saturated by its greatest user alone",
        SPEEDS,
        "_degree(own, sum(column))",
        "_degree(own, max(column))",
        RATES,
    ),
    Bug("saturation slows processing too", SPEEDS, "(1 - job.sigma) * slowdown)", "1 - job.sigma) * slowdown", RATES),
    Bug(
        "what is settled elsewhere still counts in full on a link",
        SPEEDS,
        "share * load for share, load",
        "load for share, load",
        RATES,
    ),
    Bug(
        "a threshold multiplies the bandwidth",
        SATURATION,
        "bandwidth / self.threshold",
        "bandwidth * self.threshold",
        RATES,
    ),
    Bug("runs end before their slot does", RUNNING, "max(ceil_to(end, self._slot), self.now)", "end", RATES),
    # Verifier
    Bug(
        "the verifier slows jobs by links that they do not load",
        VERIFY,
        "*(saturation[name] for name in run.loads)",
        "*saturation.values()",
        RULES,
    ),
    Bug(
        "the verifier takes any bandwidth for a link of none",
        VERIFY,
        "if cluster.bandwidth == 0:",
        "if cluster.bandwidth < 0:",
        RULES,
    ),
    Bug("the verifier's threshold is the wrong way round", VERIFY, "total * threshold >", "total / threshold >", RULES),
    Bug(
        "the verifier lets jobs hold a slot too many",
        VERIFY,
        "progress >= 1 and before[id(run)] >= 1",
        "progress >= 1 and before[id(run)] > 1",
        RULES,
    ),
    Bug(
        "the verifier lets jobs run on when they are done",
        VERIFY,
        "or (progress > 1 and not slot)",
        "or False",
        RULES,
    ),
    Bug(
        "in the verifier's max-min a link gives away nothing that its users cannot take",
        VERIFY,
        "for other in runs[index].loads if other != name",
        "for other in runs[index].loads if other == name",
        RULES,
    ),
    Bug("the verifier's max-min ends after a round", VERIFY, "if moved == levels:", "if True:", RULES),
    # Brute force
    Bug("brute force has one phase fewer than jobs", PHASES, "range(1, jobs + 1)", "range(1, jobs)", BRUTE),
    Bug("phases may last less than no time", PHASES, "min(lengths) <= 0", "False", BRUTE),
    Bug(
        "a job that ends is taken to need its time without saturation at least",
        PHASES,
        "return 1 / max(speed",
        "return 1 / min(speed",
        BRUTE,
    ),
    Bug(
        "jobs alike in size are taken to be alike on nodes that are given",
        CHOICES,
        "return self.placements is None and first == second",
        "return first == second",
        BRUTE,
    ),
    Bug(
        "states are equal whatever progress jobs have made",
        STEPS,
        "tuple((job, choice, progress[job]) for",
        "tuple((job, choice, Fraction(0)) for",
        BRUTE,
    ),
)
