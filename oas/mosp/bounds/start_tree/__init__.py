"""The bound by a tree over starts, for one cluster: prices of processors over time close its branches.

A tree of one node is the bound by time prices, the dual of a start-indexed linear program, or an energetic interval.
The certificate contains the measures and how each node is closed; see `oas.checker.mosp_start_tree`.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.shared_kernels import numbers, zeros
from oas.mosp.bounds.searched import RefutingSearch, SearchedBound
from oas.mosp.bounds.start_tree import kernels
from oas.mosp.bounds.start_tree.kernels import FIRST_MEASURE, FOUND, NODES, REFUTED, SEARCHING, Memory, Problem
from oas.mosp.bounds.start_tree.measures import Timeline, measure_tables
from oas.mosp.bounds.start_tree.prices import (
    MAX_COLUMNS,
    PriceProgram,
    flat_measures,
    further_weights,
    interval_measures,
    kinds_of_weights,
    proves,
)
from oas.mosp.ticks import coarsened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.bounds.start_tree.measures import Measure
    from oas.solvers.isolation.protocol import Session
    from oas.solving.lower_bound import BoundRequest

BOUND = SearchedBound("start tree", search="oas.mosp.bounds.start_tree:find_tree")
start_tree_bound = BOUND

MAX_NODES = 30_000_000
STEPS = 100_000  # nodes between two checks of the clock
QUICK_NODES = 100_000  # maximum, for trees grown before programs are solved
MORE_NODES = (300_000, 1_500_000, 7_500_000, MAX_NODES)  # maxima for trees grown afterwards, one after the other
PARTS = (0.25, 0.4, 0.6, 0.8, 1.0)  # of the jobs, the widest: if these cannot end in time, neither can all
PROGRAM_SHARE = 0.3  # of the remaining time, for programs that refute makespans alone
PRICE_SHARE = 0.15  # of the remaining time, for the prices of one direction of time
MAX_JOBS = 124  # bits of the two words in which the loops keep a set of jobs
MAX_STATES = 2_000_000
HELD = 8  # average number of running jobs of a stored state for which memory is reserved
HEADS = 2**20 - 3


class Search(RefutingSearch):
    """The search for certificates that refute makespans; it ends if it finds a schedule instead."""

    def __init__(self, request: BoundRequest, session: Session) -> None:
        self.scaled, unit = coarsened(request.scaled)
        super().__init__(request, session, unit)
        self.lower = max(1, self.lower)
        self.heights = request.heights
        areas = [time * width for time, width in zip(self.scaled.times, self.scaled.widths, strict=True)]
        self.order = sorted(range(len(areas)), key=lambda job: (-areas[job], job))
        self.priced: dict[bool, Measure] = {}
        self.fitting: dict[float, int] = {}  # by part of the jobs: the makespan by which these can end

    def run(self) -> dict[str, object]:
        """Grow small trees without a program; refute by measures alone; then grow larger trees, with prices."""
        self._grow_both_ways(QUICK_NODES, priced=False)
        if self.is_open():
            self._refute_at_once()
        self._grow_both_ways(MORE_NODES[0], priced=True)
        while self.is_open() and self.grow(self.lower, MORE_NODES[0]) == REFUTED:
            pass
        for nodes in MORE_NODES[1:]:
            self._grow_both_ways(nodes, priced=True)
        return self.found

    def _grow_both_ways(self, nodes: int, *, priced: bool) -> None:
        """Grow trees for the highest open makespan, forwards and backwards in time, for the widest jobs and for all."""
        for part in PARTS:
            for mirrored in (False, True):
                if self.is_open() and self.upper - 1 < self.fitting.get(part, self.upper):
                    self.grow(self.upper - 1, nodes, mirrored=mirrored, priced=priced, part=part)

    def _refute_at_once(self) -> None:
        """Raise the bound as far as single measures can: the highest makespan first, then by bisection."""
        low, high = self.lower, self.upper - 1
        ended = self.session.seconds + self.seconds(PROGRAM_SHARE)
        target = high
        while low <= high and not self.must_stop():
            measure = self._proving(Timeline(self.scaled, target), ended - self.session.seconds)
            if measure is not None:
                self._keep(Timeline(self.scaled, target), self.order, [measure], bytes([FIRST_MEASURE]))
                low = target + 1
            else:
                high = target - 1
            target = (low + high) // 2

    def _proving(self, timeline: Timeline, seconds: float) -> Measure | None:
        """Return a measure that alone refutes the horizon."""
        kinds = kinds_of_weights(timeline, self.heights)
        for measure in (
            *flat_measures(timeline, kinds),
            *interval_measures(timeline, [*kinds, *further_weights(timeline)]),
        ):
            if proves(timeline, measure):
                return measure
        program = self._solved_program(timeline, kinds, 1.0, seconds)
        if program is None or program.value <= 1:
            return None
        measure = program.measure()
        return measure if measure and proves(timeline, measure) else None

    def _solved_program(
        self, timeline: Timeline, kinds: Sequence[tuple[int, ...]], least: float, seconds: float
    ) -> PriceProgram | None:
        """Return the price program after `PriceProgram.solve`; None if it is too large or time is up."""
        if sum(len(timeline.starts(job)) for job in range(self.scaled.job_count)) > MAX_COLUMNS:
            return None
        program = PriceProgram(timeline, kinds)
        return program if program.solve(least, seconds) else None

    def grow(self, target: int, nodes: int, *, mirrored: bool = False, priced: bool = True, part: float = 1.0) -> int:
        """Grow a tree of up to `nodes` nodes for one makespan and the widest jobs, `part` of all; return the status."""
        by_width = sorted(self.order, key=lambda job: -self.scaled.widths[job])
        widest = set(by_width[: ceil(part * len(by_width))])
        order = [job for job in self.order if job in widest]
        if len(order) > MAX_JOBS:
            return SEARCHING
        timeline = Timeline(self.scaled, target, mirrored=mirrored)
        kinds = kinds_of_weights(timeline, self.heights)
        measures = flat_measures(timeline, kinds)
        if priced:
            measures = [*self._prices(timeline, kinds), *measures]
        if part < 1:
            measures = [tuple(one.only(order) for one in measure) for measure in measures]
        problem = make_problem(timeline, measures, order)
        codes = np.zeros(nodes, dtype=np.uint8)
        memory = make_memory(len(order), target, codes, MAX_STATES)
        kernels.begin(problem, memory)
        status = int(memory.state[kernels.STATUS])
        while status == SEARCHING and memory.state[NODES] < nodes and not self.must_stop():
            status = int(kernels.search(problem, memory, kernels.search.steps_per_call(STEPS)))
        if status == REFUTED:
            self._keep(timeline, order, measures, codes[: int(memory.state[NODES])].tobytes())
        elif status == FOUND and len(order) < len(self.order):
            self.fitting[part] = target
        elif status == FOUND:
            start_of = dict(zip(order, memory.start.tolist(), strict=True))
            forwards = [start_of[job] for job in range(len(self.order))]
            backwards = [target - start - time for start, time in zip(forwards, self.scaled.times, strict=True)]
            starts = enumerate(backwards if mirrored else forwards)
            self.attain([(job, 0, start * self.unit) for job, start in starts])
        return status

    def _prices(self, timeline: Timeline, kinds: Sequence[tuple[int, ...]]) -> list[Measure]:
        """Return the prices of a program for this direction, if any; they are valid for every horizon."""
        if timeline.mirrored not in self.priced:
            program = self._solved_program(timeline, kinds, 0.0, self.seconds(PRICE_SHARE))
            self.priced[timeline.mirrored] = () if program is None else program.measure()
        prices = tuple(part.until(timeline.horizon) for part in self.priced[timeline.mirrored])
        return [prices] if prices else []

    def _keep(self, timeline: Timeline, order: Sequence[int], measures: Sequence[Measure], codes: bytes) -> None:
        certificate = {
            "makespan": timeline.horizon,
            "mirrored": timeline.mirrored,
            "order": list(order),
            "measures": [[part.document for part in measure] for measure in measures],
            "codes": write_codes(codes),
        }
        self.refute(timeline.horizon, certificate)


def write_codes(codes: bytes) -> str:
    """Return codes in the form of the certificate."""
    return b64encode(zlib.compress(codes, 9)).decode("ascii")


def make_problem(timeline: Timeline, measures: Sequence[Measure], order: Sequence[int]) -> Problem:
    """Return the problem with the jobs in this order; raises `TooLargeError` as `measure_tables` does."""
    scaled = timeline.scaled
    weight, least, room = measure_tables(timeline, measures, order)
    kinds = [(scaled.times[job], scaled.widths[job], timeline.releases[job], timeline.ends[job]) for job in order]
    last: dict[tuple[int, ...], int] = {}
    before = []
    for place, kind in enumerate(kinds):
        before.append(last.get(kind, -1))
        last[kind] = place
    return Problem(
        sizes=numbers([len(order), timeline.horizon, len(measures), timeline.horizon + 1]),
        times=numbers([time for time, _, _, _ in kinds]),
        widths=numbers([width for _, width, _, _ in kinds]),
        releases=numbers([release for _, _, release, _ in kinds]),
        ends=numbers([end for _, _, _, end in kinds]),
        before=numbers(before),
        free=timeline.free,
        weight=weight.reshape(-1),
        least=np.ascontiguousarray(least).reshape(-1),
        room=room.reshape(-1),
    )


def make_memory(jobs: int, horizon: int, codes: Any, states: int) -> Memory:
    """Return the initial memory of a search.

    `codes`: unsigned bytes, one for each node, which the search writes. `states`: maximum number of stored states.
    """
    levels = jobs + horizon + 2  # each start of a job and each moment uses one
    held = min(HELD, jobs) * states + jobs
    return Memory(
        state=zeros(6),
        start=zeros(jobs) - 1,
        used=zeros(horizon + 1),
        moment=zeros(levels),
        first=zeros(levels),
        next=zeros(levels),
        count=zeros(levels),
        candidates=zeros(levels * jobs),
        started=zeros(levels),
        code=codes,
        heads=zeros(HEADS) - 1,
        following=zeros(states),
        state_moment=zeros(states),
        state_sum=zeros(states),
        state_jobs=zeros(2 * states),
        state_from=zeros(states + 1),
        held_end=zeros(held),
        held_width=zeros(held),
    )


find_tree = Search.start
