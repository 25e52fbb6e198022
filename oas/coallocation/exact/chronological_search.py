"""Complete search for a schedule of at most C ticks, which decides which jobs run from one moment to the next.

**Search space.** Of all schedules of at most C ticks, take the first in the order of the search. Each of its jobs
starts at 0 or at the end of another job, and did not fit just before its start. Therefore the search moves from one end
of a running job to the next and decides which waiting jobs start there, at which level and, in the *placed* search, on
how many nodes of each class. The *relaxed* search ignores individual nodes: jobs run together if nested capacities
permit it and they contain no set that is listed as apart (`relaxation`). This is a necessary condition, so a refutation
is valid, but a solution may be infeasible.

**Pruning.** Let y[j, l] ≥ 0 be weights such that no running set of the search weighs more than M (dual solutions of the
configuration bound; in the relaxed search, M must be valid for sets that do not fit, too). A schedule of C ticks has a
capacity of C·M and needs at least Σ_j min_l n[j, l]·y[j, l]. The difference is a budget for waste: levels that are
dearer than the cheapest, and moments at which the running jobs weigh less than M. A branch is pruned if its waste
exceeds the budget of any weights. This keeps the search small, because the bound is nearly tight. A state (waiting
jobs; running jobs with remaining times and, if placed, nodes) that was refuted at some moment is also refuted at any
later moment. The middle of one job may be restricted to the first half, because a reversed schedule is also a schedule.

Starts are tried before the advance to the next moment, in the order of jobs; `oas.checker.coallocation_search_log`
proves that these rules together are complete.
"""

from __future__ import annotations

import zlib
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.coallocation.allocations import Run, fastest_level, make_allocation, most_running
from oas.coallocation.bounds.configurations import Weights
from oas.coallocation.bounds.search_log import (
    MAX_CODES,
    MAX_MOMENTS,
    MAX_PACKED,
    NAME,
    VERSION,
    packed,
    write_numbers,
)
from oas.coallocation.exact import chronological_kernels as kernels
from oas.coallocation.exact.placing_kernels import Answer, Budget, Frames, Grid, Log, Memory
from oas.coallocation.exact.relaxation import Relaxation
from oas.coallocation.ticks import MAX_TICKS
from oas.core.compiling import select_kernels
from oas.core.errors import TooLargeError
from oas.core.shared_kernels import numbers, zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.coallocation.ticks import ScaledCoallocation

# Limit of the table of conflicts between two (job, level): jobs times levels is at most 2^9.
MAX_PAIRS = 2**18
# Limit of sums of weights times ticks, see `_coarsened`.
MAX_NUMBER = 2**60
# Limit of a word of a state that stores numbers of nodes.
MAX_WORD = 2**62
MAX_DECISIONS = 2**40
# Nodes held, by decision, running job and class: a table of at most 2 GiB.
MAX_HELD = 2**28
MEMORY_WORDS = 2**24  # of 8 bytes, for stored states; memory pages are allocated when they are first written
LOG_CODES, LOG_SEEN = 2**20, 2**17  # bytes of the log, and numbers of moments, between two calls of the kernels


class Verdict(Enum):
    """The outcome of a search."""

    REFUTED = kernels.REFUTED
    FOUND = kernels.FOUND
    UNDECIDED = kernels.UNDECIDED


class ChronologicalSearch:
    """A search for a schedule of at most `horizon` ticks, which can be stopped and continued.

    `duals`: at least one. `horizon`: C, in ticks. `placed`: whether nodes are decided too; otherwise only a refutation
    is valid. `relaxation`: the running sets of the relaxed search; None if nested capacities are the only condition.

    Raises `TooLargeError` if jobs × levels exceed about 500, if there are very many node classes, or if times or link
    loads do not fit into 64 bits; `ValueError` if a single job weighs more than `Weights.whole`.
    """

    name = NAME  # of its certificate

    def __init__(
        self,
        scaled: ScaledCoallocation,
        duals: Sequence[Weights],
        horizon: int,
        *,
        placed: bool,
        relaxation: Relaxation | None = None,
        compiled: bool | None = None,
    ) -> None:
        if (scaled.job_count * len(scaled.powers)) ** 2 > MAX_PAIRS:
            raise TooLargeError(f"{scaled.job_count:,} jobs are too many for the chronological search")
        # Durations add up to less than 2^53 (`scale_coallocation`). The loops add up a time, a duration and a horizon.
        if horizon >= MAX_TICKS:
            raise TooLargeError(f"a horizon of {horizon:,} ticks; the chronological search counts to 2^53")
        self._scaled = scaled
        self._horizon, self._placed = horizon, placed
        # Wide jobs first: early decisions have the greatest effect.
        self._jobs = sorted(range(scaled.job_count), key=lambda job: (-scaled.tasks[job], job))
        self._classes = sorted(range(len(scaled.classes)), key=lambda index: (-scaled.classes[index].level, index))
        self._relaxation = None if placed else relaxation or Relaxation(scaled)
        if self._relaxation is not None:
            duals = self._relaxation.valid(duals)
        # Later, weights for other searches may make a relaxation list further sets.
        self._pairs = [] if self._relaxation is None else list(self._relaxation.pairs)
        self._larger = [] if self._relaxation is None else list(self._relaxation.larger)
        self._grid = self._make_grid()
        self._budget = self._make_budget(duals)
        running = most_running(scaled)
        self._frames = self._make_frames(running, len(duals))
        words = self._frames.waiting.shape[1] + (1 + self._grid.node_words) * running
        slots = max(1, MEMORY_WORDS // words)
        self._memory = Memory(zeros(slots, words), zeros(slots), zeros(words))
        jobs = scaled.job_count
        self._answer = Answer(zeros(jobs), zeros(jobs), zeros(jobs, len(self._classes)))
        self._state = zeros(5)
        self._log = Log(
            codes=np.zeros(LOG_CODES + jobs * len(scaled.powers) + kernels.CODES_A_MOMENT, dtype=np.uint8),
            seen=zeros(LOG_SEEN),
            lengths=zeros(2),
            numbers=zeros(slots),
        )
        self._log_length = 0  # bytes of the log before compression
        self._packer: Any = zlib.compressobj(6)
        self._packed: list[bytes] = []
        self._seen = zeros(0)
        self._verdict = Verdict.UNDECIDED
        if (self._budget.total < 0).any():
            self._state[0] = -1  # not even a schedule without waste is so short
        self._kernels: Any = select_kernels(compiled, kernels)

    @property
    def decisions(self) -> int:
        """Number of decisions tried so far."""
        return int(self._state[1])

    def resume(self, decisions: int) -> Verdict:
        """Try up to `decisions` further decisions, fewer if jobs have very many splits; return a verdict.

        A verdict other than UNDECIDED is final. At most 2^40 decisions are tried, so that counters stay far below 2^63.
        """
        end = self.decisions + min(decisions, MAX_DECISIONS)
        progress = True
        while self._verdict is Verdict.UNDECIDED and progress and self.decisions < end:
            left = end - self.decisions
            taken = kernels.search.steps_per_call(left)
            verdict = self._kernels.search(
                self._grid,
                self._budget,
                self._frames,
                self._memory,
                self._answer,
                self._state,
                taken,
                self._log,
            )
            self._verdict = Verdict(int(verdict))
            progress = self._empty_log() or taken < left
        return self._verdict

    def _empty_log(self) -> bool:
        """Store and clear the buffers of the log; return whether one of them was full."""
        codes, seen = self._log.lengths.tolist()
        self._log_length += codes
        self._log.lengths[:] = 0
        if self._log_length <= MAX_CODES:  # a longer log is not a certificate
            self._packed.append(self._packer.compress(self._log.codes[:codes].tobytes()))
            self._seen = np.union1d(self._seen, self._log.seen[:seen])
        return bool(codes > LOG_CODES or seen == LOG_SEEN)

    def runs(self) -> list[Run]:
        """Return the schedule that the placed search has found, in the order of jobs."""
        runs = []
        for position, job in enumerate(self._jobs):
            counts = [0] * len(self._classes)
            for place, index in enumerate(self._classes):
                counts[index] = int(self._answer.splits[position, place])
            start = int(self._answer.starts[position])
            runs.append(Run(job, start, make_allocation(self._scaled, job, counts)))
        return sorted(runs, key=lambda run: run.job)

    def certificate(self) -> dict[str, object] | None:
        """Return the log of a search that has refuted the makespan, for `oas.coallocation.bounds.search_log`.

        None if the log is too long to be checked.
        """
        seen = self._seen.tolist()
        if self._log_length > MAX_CODES or (seen and seen[-1] >= MAX_MOMENTS):
            return None
        self._packed.append(self._packer.flush())
        codes = b"".join(self._packed)
        if len(codes) > MAX_PACKED:
            return None
        return {
            "version": VERSION,
            "makespan": self._horizon,
            "placed": self._placed,
            "order": self._jobs,
            "mirrored": self._jobs[self._grid.mirrored],
            "weights": [
                {"jobs": [row for _, row in sorted(zip(self._jobs, rows.tolist(), strict=True))], "whole": int(whole)}
                for rows, whole in zip(self._budget.weights, self._budget.whole, strict=True)
            ],
            "apart": [[list(item) for item in items] for items in (*self._pairs, *self._larger)],
            "codes": packed(codes),
            "seen": packed(write_numbers(seen)),
        }

    # Data of the kernels

    def _make_grid(self) -> Grid:
        scaled, jobs = self._scaled, self._jobs
        classes = [scaled.classes[index] for index in self._classes]
        levels = range(len(scaled.powers))
        fastest = [fastest_level(scaled, job) for job in jobs]
        assert None not in fastest
        widest = max(scaled.tasks)
        # Padded with zeros: counts above a job's tasks are never looked up.
        loads = [[*scaled.link_loads[job], *[0] * (widest - scaled.tasks[job])] for job in jobs]
        durations = [scaled.durations[job] for job in jobs]
        largest = max(jobs, key=lambda job: scaled.tasks[job] * scaled.durations[job][0])
        words = node_words([len(group.nodes) for group in classes])
        return Grid(
            tasks=numbers([scaled.tasks[job] for job in jobs]),
            durations=numbers(durations),
            fastest=numbers(fastest),
            room=numbers([sum(len(group.nodes) for group in classes if group.level <= level) for level in levels]),
            class_level=numbers([group.level for group in classes]),
            class_cluster=numbers([group.cluster for group in classes]),
            class_size=numbers([len(group.nodes) for group in classes]),
            class_word=numbers(words),
            # The relaxed search decides no nodes.
            node_words=words[-1] + 1 if self._placed else 0,
            # Loads are subtracted only from a link that has room for them, so no number exceeds its capacity.
            link=numbers(scaled.link_capacity),
            loads=numbers(loads),
            conflicts=self._conflicts(),
            **self._apart(),
            mirrored=jobs.index(largest),
            horizon=self._horizon,
            placed=self._placed,
        )

    def _conflicts(self) -> Any:
        jobs, levels = len(self._jobs), len(self._scaled.powers)
        place = {job: at for at, job in enumerate(self._jobs)}
        conflicts = np.zeros((jobs, levels, jobs, levels), dtype=np.bool_)
        for (one, level), (other, below) in self._pairs:
            first, second = place[one], place[other]
            conflicts[first, : level + 1, second, : below + 1] = True
            conflicts[second, : below + 1, first, : level + 1] = True
        return conflicts

    def _apart(self) -> dict[str, Any]:
        """Return the arrays of the larger sets that are apart."""
        place = {job: at for at, job in enumerate(self._jobs)}
        levels = [[-1] * len(self._jobs) for _ in self._larger]
        of_job: list[list[int]] = [[] for _ in self._jobs]
        for number, items in enumerate(self._larger):
            for job, level in items:
                levels[number][place[job]] = level
                of_job[place[job]].append(number)
        most = max(map(len, of_job))
        return {
            "apart_level": numbers(levels) if levels else zeros(0, len(self._jobs)),
            "apart_size": numbers(list(map(len, self._larger))) if levels else zeros(0),
            "apart_of": numbers([[*row, *[-1] * (most + 1 - len(row))] for row in of_job]),
        }

    def _make_budget(self, duals: Sequence[Weights]) -> Budget:
        scaled, jobs = self._scaled, self._jobs
        levels = len(scaled.powers)
        weights, extra, whole, total = [], [], [], []
        for dual in (self._coarsened(weights_of_set) for weights_of_set in duals):
            rows, beyond, least = [], [], 0
            for job in jobs:
                first = fastest_level(scaled, job) or 0
                # At levels without an allocation, the weight of a job is meaningless.
                row = [weight if level >= first else 0 for level, weight in enumerate(dual.weights[job])]
                if max(row) > dual.whole:
                    raise ValueError(f"job {job} alone weighs {max(row)}, more than the {dual.whole} of any set")
                costs = [scaled.durations[job][level] * row[level] for level in range(levels)]
                cheapest = min(costs[first:])
                least += cheapest
                rows.append(row)
                beyond.append([max(0, cost - cheapest) for cost in costs])
            weights.append(rows)
            extra.append(beyond)
            whole.append(dual.whole)
            total.append(self._horizon * dual.whole - least)
        return Budget(numbers(weights), numbers(whole), numbers(extra), numbers(total))

    def _coarsened(self, dual: Weights) -> Weights:
        """Return weights small enough for products with times in 64 bits; weights rounded down remain valid.

        Then `whole` times `longest` is at most 2^60; `longest` is at least C and the sum of all durations. No job
        weighs more than `whole`. So the total weight of the jobs over time, the total cost of their levels, and `whole`
        over C ticks are at most 2^60 each. Waste is a sum or difference of these three.
        """
        longest = max(self._horizon, sum(max(row) for row in self._scaled.durations))
        divisor = -(-dual.whole * longest // MAX_NUMBER) or 1
        rows = tuple(tuple(weight // divisor for weight in row) for row in dual.weights)
        return Weights(rows, dual.whole // divisor)

    def _make_frames(self, running: int, duals: int) -> Frames:
        scaled = self._scaled
        rows, levels, classes = 2 * scaled.job_count + 2, len(scaled.powers), len(self._classes)
        links = scaled.cluster_count
        if rows * running * classes > MAX_HELD:
            raise TooLargeError(
                f"{scaled.job_count:,} jobs on {classes:,} node classes are too many to search completely"
            )
        frames = Frames(
            time=zeros(rows),
            last=zeros(rows) - 1,
            option=zeros(rows),
            splitting=np.zeros(rows, dtype=np.bool_),
            split=zeros(rows, classes),
            wasted=zeros(rows, duals),
            waiting=zeros(rows, (scaled.job_count + 31) // 32),
            count=zeros(rows),
            job=zeros(rows, running),
            level=zeros(rows, running),
            end=zeros(rows, running),
            held=zeros(rows, running, classes),
            used=zeros(rows, levels),
            free=zeros(rows, classes),
            link_free=zeros(rows, links),
            before=zeros(rows) - 1,
        )
        for job in range(scaled.job_count):
            frames.waiting[0, job >> 5] |= 1 << (job & 31)
        frames.free[0] = self._grid.class_size
        frames.link_free[0] = self._grid.link
        return frames


def node_words(sizes: Sequence[int]) -> list[int]:
    """Return for each node class the word of a state that stores its nodes; as many classes as fit share a word.

    A word is a number in mixed radix, a digit from 0 to the size for each class: below the product of (size + 1).
    """
    words, word, product = [], 0, 1
    for size in sizes:
        product *= size + 1
        if product > MAX_WORD:
            word, product = word + 1, size + 1
        words.append(word)
    return words
