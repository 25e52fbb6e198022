"""Complete integer search for a schedule of a given number of slots under slowdown.

**Search space.** Time advances from slot to slot. At each multiple of η the search decides which waiting jobs start,
and on how many nodes of each class. The running jobs determine the rates of progress in the slot (equations 2 to 7). A
job with progress 1 at the end of the slot frees its nodes and links. The search may also advance although jobs would
fit, because under slowdown an optimum may start a job at a moment at which no other job ends.

**Numbers.** Progress is an integer multiple of a unit that divides all possible gains of the job in a slot. If this
unit has more than 62 bits, the paper's sharing uses the unit 2^-61 and rounds gains up. As shown below, jobs with
greater gains end no later with the same starts, so a refutation remains valid. A schedule that is found is recomputed
in Fractions. If it is too long, the search restarts with twice the bits, until finally no end of a job is mistaken.
Max-min sharing uses the exact unit, of up to 4,000 bits.

A *completion* of a branch is a schedule within the horizon that continues the branch. A branch is *closed* if it is
pruned or if all its continuations have been tried. Within a slot, jobs start in the order of jobs, and starts are tried
before the advance to the next slot.

**Branches without completion.** A job needs more slots than remain, alone on its best allocation. Or the slots × tasks
of the jobs exceed the nodes × remaining slots. Or, for weights w[j, a] ≥ 0 with Σ w·(progress in a slot) ≤ M for every
set of jobs that can run together, the remaining contributions Σ w·(1 − progress) of all unfinished jobs, with the
cheapest allocation for waiting ones, exceed M × remaining slots.

**Branches that are pruned although a completion may exist.** Each rule transforms the completion into one of a branch
that was closed before.

- *Identical jobs* start in their order. The two jobs exchange roles.
- *Identical clusters* (sizes, powers, link), both idle: an allocation is skipped if it was tried with the two clusters
  exchanged. Exchange them from here on.
- *Idle slot*: time does not advance if nothing runs. All later starts move one slot earlier, repeatedly, until a job
  starts now.
- *Same state* (waiting jobs; running jobs, on the same numbers of nodes, with the same progress) at the same or an
  earlier time. The continuation is the same, correspondingly earlier.
- Only under the paper's sharing: *a state with at least as much progress* at the same or an earlier time.
- Only under the paper's sharing: *no harm before*. A job starts now that would have fitted on these nodes in the
  previous slot without slowing down any job there. It is moved there.

**More progress never hurts under the paper's sharing.** Let the states A and B have the same waiting jobs and the same
running jobs on the same nodes, each with at least as much progress in A. Give the waiting jobs in A the starts and
nodes of a completion of B. Claim: in each slot, the running jobs of A also run in B, with at least as much progress in
A. This holds initially. If it holds in a slot, the demand on each link is no greater in A than in B. So each running
job of A is slowed down no more, and has at least as much progress at the end of the slot; if it has ended in B, it has
ended in A. Fewer jobs also fit if more jobs fit. Hence all jobs end no later. The same argument proves *no harm
before*: after the slot in question, the running jobs have at least as much progress as in the changed completion. Under
max-min sharing neither holds, because the end of a job may slow down another job.

**Completeness.** Suppose that a branch is closed although it has a completion. Take the first such branch in the order
of closing, and its completion with the minimum sum of starts. Not all its continuations were tried, because the next
decision of the completion was closed before. If a rule pruned the branch, the rule gives a completion of a branch that
was closed before or, if starts are moved, a completion of this branch with a smaller sum: a contradiction in both
cases. A state that was reached before has been closed by now, unless this branch lies within it; but then the running
jobs have more progress here than there, or some job runs in only one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.coallocation.allocations import most_running
from oas.coallocation.exact.chronological_search import Verdict
from oas.coallocation.exact.saturated import grid_kernels as kernels
from oas.coallocation.exact.saturated.grid_rates import grid_options, grid_rates
from oas.coallocation.running import StartedRun, schedule_from_starts
from oas.core.compiling import select_kernels
from oas.core.errors import InputError, TooLargeError
from oas.core.shared_kernels import numbers, zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.coallocation.instance import CoallocationInstance

MAX_JOBS = 60  # one bit of a word per job
MAX_ENTRIES = 2**25  # maximum size of a table
MAX_NUMBER = 2**60  # limit of sums of weights
MAX_DECISIONS = 2**40
ROUNDED_BITS, EXACT_BITS = 62, 4_000  # maximum size of a unit of progress in bits
MEMORY_WORDS = 2**23  # of 8 bytes, for stored states; memory pages are allocated when they are first written


@dataclass(frozen=True)
class GridWeights:
    """A dual solution of a bound on slots."""

    # w[j][a] ≥ 0, a in the order of `oas.coallocation.allocations.allocations`.
    weights: Sequence[Sequence[Fraction | int]]
    # M: in no set of jobs on allocations that can run together is the sum of w times progress in a slot greater.
    whole: Fraction | int


class GridSearch:
    """A search for a schedule of at most `horizon_slots`, which can be stopped and continued.

    `instance`: with slots, under slowdown; every job has an allocation. `horizon_slots`: in slots. `weights`: may be
    empty; each one shortens the search.

    Raises `InputError` if there are no slots, or the policy is another; `InfeasibleError` if a job has no allocation;
    `TooLargeError` if there are too many jobs, allocations, slots, or different rates of progress.
    """

    def __init__(
        self,
        instance: CoallocationInstance,
        horizon_slots: int,
        weights: Sequence[GridWeights] = (),
        *,
        compiled: bool | None = None,
    ) -> None:
        if instance.slot == 0:
            raise InputError("the search over grid moments needs slots", field="slot", value="0")
        if not instance.saturation.slows:
            raise InputError("the search over grid moments is for slowdown", field="saturation", value="forbid")
        if len(instance.jobs) > MAX_JOBS:
            raise TooLargeError(f"{len(instance.jobs)} jobs; the search over grid moments takes at most {MAX_JOBS}")
        self._instance, self._horizon, self._weights = instance, horizon_slots, weights
        self._options = grid_options(instance)
        self._verdict, self._decisions = Verdict.UNDECIDED, 0
        self._bits = ROUNDED_BITS if instance.saturation.sharing == "paper" else EXACT_BITS
        self._begin()
        self._kernels: Any = select_kernels(compiled, kernels)

    def _begin(self) -> None:
        """Create the data of the kernels for the current number of bits."""
        self._rates = grid_rates(self._options, self._bits)
        self._grid = self._make_grid()
        self._budget = self._make_budget()
        self._frames = self._make_frames()
        most, digits = most_running(self._options.scaled), self._grid.whole.shape[1]
        words = 1 + most * (1 + digits)
        slots = max(1, MEMORY_WORDS // words)
        self._memory = kernels.Memory(zeros(slots, words), zeros(slots), zeros(words))
        jobs = len(self._options.jobs)
        self._answer = kernels.Answer(zeros(jobs), zeros(jobs))
        self._ranks = zeros(most)
        self._state = zeros(3)
        if self._horizon < 0 or not kernels.in_time(self._grid, self._budget, self._frames, 0):
            self._state[0] = -1

    @property
    def decisions(self) -> int:
        """Number of decisions tried so far."""
        return self._decisions + int(self._state[1])

    def resume(self, decisions: int) -> Verdict:
        """Try up to `decisions` further decisions, at most 2^40; a verdict other than UNDECIDED is final."""
        left = min(decisions, MAX_DECISIONS)
        while self._verdict is Verdict.UNDECIDED and left > 0:
            taken = kernels.search.steps_per_call(left)
            verdict = self._kernels.search(
                self._grid,
                self._budget,
                self._frames,
                self._memory,
                self._answer,
                self._state,
                self._ranks,
                taken,
            )
            self._verdict = Verdict(int(verdict))
            left -= taken
        if self._verdict is Verdict.FOUND and not self._holds():
            self._verdict = Verdict.UNDECIDED
            self._decisions += int(self._state[1])
            self._bits *= 2
            self._begin()
        return self._verdict

    def _holds(self) -> bool:
        """Whether the schedule found is feasible and ends within the horizon, in exact numbers."""
        try:
            makespan = schedule_from_starts(self._instance, self.runs()).makespan
            if makespan <= self._horizon * self._instance.slot:
                return True
            fault = f"it ends at {makespan}"
        except InputError as error:
            fault = str(error)
        if not self._rates.rounded:
            raise AssertionError(f"the search over grid moments has found no schedule: {fault}")
        return False

    def runs(self) -> list[StartedRun]:
        """Return the schedule that was found, in the order of jobs."""
        if self._verdict is not Verdict.FOUND:
            raise ValueError(f"there is no schedule: the search is {self._verdict.name.lower()}")
        runs = []
        for position, job in enumerate(self._options.jobs):
            start = int(self._answer.starts[position]) * self._instance.slot
            option = int(self._answer.options[position])
            runs.append(StartedRun(job, start, self._options.allocations[option]))
        return sorted(runs, key=lambda run: run.job)

    # Data of the kernels

    def _make_grid(self) -> kernels.Grid:
        options, rates, scaled = self._options, self._rates, self._options.scaled
        units = rates.units
        digits = max(1, *(-(-unit.bit_length() // kernels.DIGIT_BITS) for unit in units))
        gains = rates.gains
        slots = [
            -(-units[job] // gains[job][level][0]) for job, level in zip(options.job_of, options.levels, strict=True)
        ]
        longest = max(slots)
        _check_size(len(units) * len(scaled.powers) * (len(rates.slowdowns) + longest) * digits)
        best = [
            [[min(count * row[0], unit) for count in range(longest + 1)] for row in rows]
            for rows, unit in zip(gains, units, strict=True)
        ]
        kinds = [(sorted(cluster.node_powers), cluster.bandwidth) for cluster in self._instance.clusters]
        pairs = [
            (first, second) for second in range(len(kinds)) for first in range(second) if kinds[first] == kinds[second]
        ]
        return kernels.Grid(
            first=numbers(options.first),
            twin=numbers(options.twins),
            tasks=numbers([scaled.tasks[job] for job in options.jobs]),
            slowable=numbers([int(self._instance.jobs[job].sigma < 1) for job in options.jobs]),
            least=numbers([min(slots[begin:end]) for begin, end in pairwise(options.first)]),
            whole=_digits(units, digits),
            job=numbers(options.job_of),
            level=numbers(options.levels),
            same=numbers(options.same),
            slots=numbers(slots),
            held=numbers([allocation.counts for allocation in options.allocations]),
            load=numbers([allocation.loads for allocation in options.allocations]),
            code=numbers(rates.codes),
            size=numbers([len(group.nodes) for group in scaled.classes]),
            cluster=numbers([group.cluster for group in scaled.classes]),
            link=numbers(scaled.link_capacity),
            nodes=self._instance.node_count,
            pairs=numbers(pairs).reshape(-1, 2),
            swapped=numbers([options.swapped(*pair) for pair in pairs]).reshape(-1, len(options.allocations)),
            gain=_digits(gains, digits),
            best=_digits(best, digits),
            monotone=int(self._instance.saturation.sharing == "paper"),
            sums=_ragged([demands for demands, _ in rates.links]),
            sum_rank=_ragged([ranks for _, ranks in rates.links]),
            sum_count=numbers([len(demands) for demands, _ in rates.links]),
            sets=numbers(rates.sets),
            set_rank=numbers(rates.set_ranks).reshape(-1, len(units)),
            horizon=self._horizon,
        )

    def _make_budget(self) -> kernels.Budget:
        """Return integer budgets whose sums fit 64 bits: needs rounded down, contributions of a slot rounded up."""
        options, slots, weights = self._options, max(1, self._horizon), self._weights
        each, least, need, gain = [], [], [], []
        _check_size(len(weights) * len(options.allocations) * len(self._rates.slowdowns))
        for dual in weights:
            row = [Fraction(dual.weights[job][index]) for job, index in options.places]
            whole = Fraction(dual.whole)
            if whole <= 0 or min(row) < 0:
                raise InputError("weights are at least 0, and their whole is above 0", field="weights")
            scale = MAX_NUMBER / (whole * slots)
            each.append(ceil(whole * scale))
            # Any need above the total of all slots is too much, so larger ones are cut.
            need.append([min(floor(weight * scale), 2 * MAX_NUMBER) for weight in row])
            least.append(
                [
                    min(min(need[-1][start:end]), 2 * MAX_NUMBER // len(options.jobs))
                    for start, end in pairwise(options.first)
                ]
            )
            gain.append(
                [
                    self._shares(weight * scale, job, level)
                    for weight, job, level in zip(row, options.job_of, options.levels, strict=True)
                ]
            )
        count = len(options.allocations)
        return kernels.Budget(
            numbers(each),
            numbers(least).reshape(-1, len(options.jobs)),
            numbers(need).reshape(-1, count),
            numbers(gain).reshape(-1, count, len(self._rates.slowdowns)),
        )

    def _shares(self, weight: Fraction, job: int, level: int) -> list[int]:
        """Return the contribution of a slot at each rank, rounded up."""
        divisor = weight.denominator * self._rates.units[job]
        gains = self._rates.gains[job][level]
        return [min(-(-weight.numerator * gain // divisor), 2 * MAX_NUMBER) for gain in gains]

    def _make_frames(self) -> kernels.Frames:
        sets = len(self._weights)
        jobs, running = len(self._options.jobs), most_running(self._options.scaled) + 1
        rows, digits = max(0, self._horizon) + jobs + 2, self._grid.whole.shape[1]
        classes, links = len(self._grid.size), len(self._grid.link)
        _check_size(rows * (running * (digits + sets + 2) + 2 * (classes + links)))
        frames = kernels.Frames(
            time=zeros(rows),
            option=zeros(rows),
            waiting=zeros(rows),
            count=zeros(rows),
            running=zeros(rows, running),
            left=zeros(rows, running, digits),
            slots=zeros(rows, running),
            need=zeros(rows, running, sets),
            free=zeros(rows, classes),
            used=zeros(rows, links),
            rank=zeros(rows, links),
            before=zeros(rows) - 1,
        )
        frames.waiting[0] = (1 << jobs) - 1
        frames.free[0] = self._grid.size
        return frames


def _check_size(entries: int) -> None:
    if entries > MAX_ENTRIES:
        raise TooLargeError("too many slots, or too many different rates of progress, to search the grid moments")


def _digits(values: Any, count: int) -> Any:
    """Return nested lists of numbers as an array whose last axis has their digits in base 2^62, lowest first."""
    if isinstance(values, list):
        return np.stack([_digits(value, count) for value in values])
    return numbers([values >> (kernels.DIGIT_BITS * digit) & kernels.DIGIT for digit in range(count)])


def _ragged(rows: Sequence[Sequence[int]]) -> Any:
    width = max(len(row) for row in rows)
    return numbers([[*row, *[0] * (width - len(row))] for row in rows])
