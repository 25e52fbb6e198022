"""Deliberate bugs in the price of fairness, its models, bounds and proofs, with tests that must notice."""

from __future__ import annotations

from benchmarks.bugs.bug import Bug

MODEL = "oas/models/fair/start_indexed_model.py"
SPEC = "oas/models/fair/start_indexed.py"
REDUCED = "oas/models/fair/reductions.py"
BOUNDS = "oas/bounds/fair/objectives.py"
VALUES = "oas/problems/fair/objectives.py"
EARLY = "oas/problems/fair/earliest.py"
FORCE = "oas/exact/fair/brute_force.py"
JUDGE = "oas/exact/fair/model_run.py"
EVIDENCE = "oas/exact/fair/evidence.py"
STUDY = "oas/studies/fair/price.py"

ALLOWED = ("tests/models/fair/test_start_indexed.py::test_it_allows_what_the_verifier_allows",)
STATED = ("tests/models/fair/test_start_indexed.py::test_its_objective_is_what_a_schedule_costs",)
KEPT = ("tests/models/fair/test_start_indexed.py",)
PASSED = ("tests/bounds/fair/test_objectives.py",)
COUNTED = ("tests/problems/fair/test_utilities.py",)
TRIED = ("tests/exact/fair/test_optimum.py",)
LIES = ("tests/exact/fair/test_optimum.py",)
PRICED = ("tests/studies/fair/test_price.py",)

BUGS = (
    # The model
    Bug(
        "a wide head waits beside processors enough", MODEL, "spec.total - spec.widths[job] + 1", "spec.total", ALLOWED
    ),
    Bug(
        "every job that waits counts as the first",
        MODEL,
        "                if place:\n                    row.add(-factor, queue[place - 1], moment)\n",
        "",
        ALLOWED,
    ),
    Bug(
        "a job released now does not wait yet",
        MODEL,
        "bisect_left(queue, moment + 1,",
        "bisect_left(queue, moment,",
        ALLOWED,
    ),
    Bug("jobs overtake those before them", MODEL, "row.add(-1, job, start)", "row.add(0, job, start)", ALLOWED),
    Bug(
        "a job holds its processors one moment longer",
        MODEL,
        "moment < own[-1] + spec.times[job]:\n"
        "                row.add(factor * spec.widths[job], job, moment - spec.times[job])",
        "moment <= own[-1] + spec.times[job]:\n"
        "                row.add(factor * spec.widths[job], job, moment - spec.times[job] - 1)",
        ALLOWED,
    ),
    Bug(
        "a job that ends just there is late",
        MODEL,
        "spec.ends[step] - spec.times[job] - 1)",
        "spec.ends[step] - spec.times[job] - 2)",
        STATED,
    ),
    Bug("ψ_sp of a wide job counts once", SPEC, "return -self.widths[job] * (", "return -(", STATED),
    Bug(
        "flow forgets the horizon", SPEC, "min(start + self.times[job], self.until)", "start + self.times[job]", STATED
    ),
    # What is left out
    Bug(
        "nothing starts after two jobs",
        REDUCED,
        "            found |= found << time & (1 << until) - 1\n",
        "            found |= sum(1 << release for release in ticks.release.tolist()) << time & (1 << until) - 1\n",
        KEPT,
    ),
    Bug(
        "wide jobs wait only while all is busy",
        REDUCED,
        "ticks.total - widest + 1)",
        "ticks.total)",
        KEPT,
    ),
    Bug("jobs of its own organization do not delay a job", REDUCED, "set(queue[place:])", "set(queue)", KEPT),
    Bug(
        "organizations with the same times are identical",
        REDUCED,
        "tuple(rows[job] for job in queue)",
        "tuple(rows[job][1] for job in queue)",
        KEPT,
    ),
    # Bounds
    Bug(
        "work catches up with what can be had too soon",
        BOUNDS,
        "min(length, (supply - work) //",
        "min(length, work //",
        PASSED,
    ),
    Bug(
        "an earliest start forgets the jobs before",
        EARLY,
        "now, own = max(release, last[owner]), running[owner]",
        "now, own = release, running[owner]",
        COUNTED,
    ),
    # Values, enumeration
    Bug("jobs released after the horizon count", VALUES, "if job.release < instance.horizon]", "]", COUNTED),
    Bug(
        "greedy schedules leave a head beside processors enough",
        FORCE,
        "any(width <= left for width in heads)",
        "any(width < left for width in heads)",
        TRIED,
    ),
    Bug(
        "what has waited beside processors enough starts only where a job ends",
        FORCE,
        "jobs[0][0] < now and used + jobs[0][1] <= self.machines",
        "jobs[0][0] < now and used + jobs[0][1] <= self.machines + 1",
        TRIED,
    ),
    Bug(
        "the order of an organization does not bind",
        FORCE,
        "for release, _, width in queue[done:] if",
        "for release, _, width in queue if",
        TRIED,
    ),
    # Answers
    Bug(
        "a solver's schedule need not be greedy",
        EVIDENCE,
        "schedule, self.wanted)\n",
        "schedule, type(self.wanted).ANY)\n",
        LIES,
    ),
    Bug(
        "a bound above a verified schedule is taken",
        JUDGE,
        "        if least > evidence.cost:",
        "        if least > 2 * evidence.cost:",
        LIES,
    ),
    Bug(
        "what is infeasible is taken for an answer",
        JUDGE,
        "    if outcome.infeasible:",
        "    if outcome.infeasible and not outcome:",
        LIES,
    ),
    Bug(
        "whatever a solver calls optimal is",
        EVIDENCE,
        "        if self.enumerated:\n            return self.cost\n        return max",
        "        if self.enumerated or self.claims:\n            return self.cost\n        return max",
        LIES,
    ),
    # The study
    Bug(
        "the price of flow is turned over",
        STUDY,
        "else Interval(1 / low, 1 / high)",
        "else Interval(low, high)",
        PRICED,
    ),
    Bug(
        "a better schedule that is not greedy counts as greedy",
        STUDY,
        "if sign * free.value < sign * greedy.value and not class_violations(\n"
        "            self.instance, free.schedule, ScheduleClass.GREEDY\n        ):",
        "if sign * free.value < sign * greedy.value:",
        PRICED,
    ),
    Bug(
        "a greedy bound is taken for any schedule's",
        STUDY,
        "if sign * free.bound > sign * greedy.bound:",
        "if sign * free.bound < sign * greedy.bound:",
        PRICED,
    ),
)
