"""All rates of progress that jobs can have together on a grid of slots: for `grid_search`, in exact numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import TYPE_CHECKING

from oas.coallocation.allocations import Allocation, allocations, slowest_level, tasks_by_cluster
from oas.coallocation.rates import slowdowns
from oas.core.errors import InfeasibleError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.coallocation.instance import CoallocationInstance

MAX_OPTIONS = 5_000  # maximum number of options of all jobs together
MAX_SUMS = 50_000  # maximum number of possible demands on a link with the numbers of occupied nodes
MAX_SETS = 100_000  # maximum number of sets of jobs that run together, for sharing rules that depend on all of them
MAX_CODE = 2**62


class GridOptions:
    """The jobs in the order in which they are tried, largest first, and their allocations in one row.

    `instance`: with slots, under slowdown.

    Attributes
    ----------
    jobs
        Index of the job at each position.
    first
        The first option of each position, then the number of options.
    allocations, job_of, levels, same, places
        Of each option: node counts; position of its job; index of the slowest Γ used;
        the same option of the first job identical to its job; job and index in the order of `allocations`.
    twins
        For each position the last one before it whose job is identical, or -1.

    Raises
    ------
    InfeasibleError
        If a job has no allocation.
    TooLargeError
        If there are more than 5,000 options.
    """

    def __init__(self, instance: CoallocationInstance) -> None:
        scaled = instance.scaled()
        self.instance, self.scaled = instance, scaled
        self.jobs = sorted(
            range(scaled.job_count), key=lambda job: (-scaled.tasks[job] * scaled.durations[job][0], job)
        )
        self.first = [0]
        self.allocations: list[Allocation] = []
        self.job_of: list[int] = []
        self.places: list[tuple[int, int]] = []
        for position, job in enumerate(self.jobs):
            options = list(enumerate(allocations(scaled, job, MAX_OPTIONS)))
            if not options:
                raise InfeasibleError(f"job {instance.jobs[job].id} has no allocation")
            # Fast allocations and those with little load on links are tried first.
            options.sort(key=lambda option: (option[1].duration, sum(option[1].loads), option[0]))
            self.allocations += [allocation for _, allocation in options]
            self.job_of += [position] * len(options)
            self.places += [(job, index) for index, _ in options]
            self.first.append(len(self.allocations))
        if len(self.allocations) > MAX_OPTIONS:
            raise TooLargeError(f"more than {MAX_OPTIONS:,} allocations in all to search the grid moments")
        self.levels = [slowest_level(scaled, allocation.counts) for allocation in self.allocations]
        self._find_twins()

    def _find_twins(self) -> None:
        self.twins: list[int] = []
        self.same = list(range(len(self.allocations)))
        latest: dict[object, tuple[int, int]] = {}  # of each kind of job: the first position, and the last one
        for position, index in enumerate(self.jobs):
            kind = self.instance.jobs[index].kind
            leader, before = latest.get(kind, (position, -1))
            latest[kind] = (leader, position)
            self.twins.append(before)
            offset = self.first[leader] - self.first[position]
            for option in range(self.first[position], self.first[position + 1]):
                self.same[option] = option + offset

    def swapped(self, left: int, right: int) -> list[int]:
        """Return for each option its counterpart with two identical clusters exchanged."""
        classes = range(len(self.scaled.classes))
        first = [index for index in classes if self.scaled.classes[index].cluster == left]
        second = [index for index in classes if self.scaled.classes[index].cluster == right]
        place = dict(zip([*first, *second], [*second, *first], strict=True))
        index = {
            (job, allocation.counts): option
            for option, (job, allocation) in enumerate(zip(self.job_of, self.allocations, strict=True))
        }
        return [
            index[job, tuple(allocation.counts[place.get(position, position)] for position in classes)]
            for job, allocation in zip(self.job_of, self.allocations, strict=True)
        ]

    def of(self, position: int) -> list[Allocation]:
        """Return the options of a job."""
        return self.allocations[self.first[position] : self.first[position + 1]]


@dataclass(frozen=True)
class GridRates:
    """Rates of progress of all jobs."""

    # All possible slowdowns SC, ascending from 1; the *rank* of a slowdown is its index here.
    slowdowns: tuple[Fraction, ...]
    # gains[position][level][rank]: progress of the job in a slot, in its unit, rounded up; at most the unit.
    gains: list[list[list[int]]]
    units: list[int]  # for each job the progress at which it ends
    rounded: bool  # whether some gain had to be rounded
    # Paper's sharing: for each link the possible demands, ascending, and the rank of the slowdown at each of them.
    links: list[tuple[list[int], list[int]]]
    # Max-min: a number for each option; the sum over running jobs identifies their loads.
    codes: list[int]
    sets: list[int]  # max-min: these sums, ascending
    set_ranks: list[list[int]]  # the rank of each job's slowdown there; 0 if it does not run


grid_options = lru_cache(maxsize=4)(GridOptions)


@lru_cache(maxsize=4)
def grid_rates(options: GridOptions, bits: int) -> GridRates:
    """Return all rates that jobs can have together: the same for every horizon, and slow to compute.

    `bits`: for the paper's sharing, size of the unit to which gains are rounded up if no unit of this size makes all of
    them integers; for max-min sharing, maximum size of the unit that makes them integers.

    Raises `TooLargeError` if there are too many rates or, under max-min sharing, no common unit of this size.
    """
    if options.instance.saturation.sharing == "paper":
        return _paper(options, bits)
    return _max_min(options, bits)


def _paper(options: GridOptions, bits: int) -> GridRates:
    bandwidths = options.scaled.link_bandwidth
    demands = [_sums(options, link) for link in range(len(bandwidths))]
    degrees = [
        [Fraction(demand, bandwidth) if demand > bandwidth else Fraction(1) for demand in row]
        for bandwidth, row in zip(bandwidths, demands, strict=True)
    ]
    ascending = tuple(sorted({Fraction(1), *(degree for row in degrees for degree in row)}))
    rank = {degree: index for index, degree in enumerate(ascending)}
    links = [(row, [rank[degree] for degree in ratios]) for row, ratios in zip(demands, degrees, strict=True)]
    exact = [_unit(options, position, ascending, bits) for position in range(len(options.jobs))]
    rounded = None in exact
    units = [1 << (bits - 1) if rounded or unit is None else unit for unit in exact]
    gains = [_gains(options, position, ascending, unit) for position, unit in enumerate(units)]
    return GridRates(ascending, gains, units, rounded, links, [0] * len(options.allocations), [], [])


def _sums(options: GridOptions, link: int) -> list[int]:
    """Return the possible demands on the link by jobs that fit together on the nodes, ascending from 0."""
    scaled = options.scaled
    nodes, limit = options.instance.node_count, scaled.link_capacity[link]
    size = options.instance.clusters[link].size
    # Demand on the link, occupied nodes of its cluster, occupied nodes in total.
    demands = {(0, 0, 0)}
    for position, job in enumerate(options.jobs):
        tasks = scaled.tasks[job]
        counts = {tasks_by_cluster(scaled, allocation.counts)[link] for allocation in options.of(position)}
        choices = [(scaled.link_loads[job][count], count) for count in counts if scaled.link_loads[job][count]]
        demands |= {
            (demand + load, held + count, total + tasks)
            for demand, held, total in demands
            for load, count in choices
            if demand + load <= limit and held + count <= size and total + tasks <= nodes
        }
        if len(demands) > MAX_SUMS:
            raise TooLargeError(f"a link can be asked for more than {MAX_SUMS:,} different amounts")
    return sorted({demand for demand, _, _ in demands})


def _pairs(options: GridOptions, position: int, ascending: Sequence[Fraction]) -> Iterator[list[tuple[int, int]]]:
    """Yield for each level the numerator and denominator of the job's progress in a slot at each rank."""
    job, slot = options.instance.jobs[options.jobs[position]], options.instance.slot
    for power in options.scaled.powers:
        computing, sending = job.base_time * job.sigma / power, job.base_time * (1 - job.sigma)
        common = lcm(slot.denominator, computing.denominator, sending.denominator)
        whole, computed, sent = int(slot * common), int(computing * common), int(sending * common)
        yield [
            (whole * factor.denominator, computed * factor.denominator + sent * factor.numerator)
            for factor in (ascending if sent else ascending[:1])
        ]


def _unit(options: GridOptions, position: int, ascending: Sequence[Fraction], bits: int) -> int | None:
    """Return the smallest unit that makes all gains of the job integers; None if it has more bits."""
    unit = 1
    for row in _pairs(options, position, ascending):
        for numerator, denominator in row:
            unit = lcm(unit, denominator // gcd(numerator, denominator))
            if unit.bit_length() > bits:
                return None
    return unit


def _gains(options: GridOptions, position: int, ascending: Sequence[Fraction], unit: int) -> list[list[int]]:
    """Return the gains of the job in this unit, rounded up."""
    rows = []
    for row in _pairs(options, position, ascending):
        gains = [min(unit, -(-unit * numerator // denominator)) for numerator, denominator in row]
        rows.append(gains if len(gains) == len(ascending) else gains * len(ascending))
    return rows


def _max_min(options: GridOptions, bits: int) -> GridRates:
    codes = _codes(options)
    running: list[tuple[int, dict[int, Fraction]]] = []  # code of each set, and the slowdown of each job in it
    for chosen in _running_sets(options):
        loads = [options.allocations[option].loads for option in chosen]
        slowed = slowdowns("max-min", options.scaled.link_bandwidth, loads)
        jobs = [options.job_of[option] for option in chosen]
        running.append((sum(codes[option] for option in chosen), dict(zip(jobs, slowed, strict=True))))
    running.sort(key=lambda entry: entry[0])
    ascending = tuple(sorted({Fraction(1), *(factor for _, factors in running for factor in factors.values())}))
    rank = {factor: index for index, factor in enumerate(ascending)}
    positions = range(len(options.jobs))
    units = []
    for position in positions:
        possible = sorted({Fraction(1), *(factors[position] for _, factors in running if position in factors)})
        unit = _unit(options, position, possible, bits)
        if unit is None:
            job = options.instance.jobs[options.jobs[position]].id
            raise TooLargeError(f"the rates of progress of job {job}, max-min, have no common unit of {bits:,} bits")
        units.append(unit)
    return GridRates(
        ascending,
        [_gains(options, position, ascending, unit) for position, unit in enumerate(units)],
        units,
        False,
        [([0], [0]) for _ in options.scaled.link_bandwidth],
        codes,
        [code for code, _ in running],
        [[rank[factors[job]] if job in factors else 0 for job in positions] for _, factors in running],
    )


def _codes(options: GridOptions) -> list[int]:
    """Number the different loads of each job from 1, in a mixed radix, a digit for each job."""
    codes, radix = [0] * len(options.allocations), 1
    for position in range(len(options.jobs)):
        loads = sorted({allocation.loads for allocation in options.of(position)})
        kinds = {load: number for number, load in enumerate(loads, start=1)}
        for option in range(options.first[position], options.first[position + 1]):
            codes[option] = radix * kinds[options.allocations[option].loads]
        radix *= len(kinds) + 1
        if radix > MAX_CODE:
            raise TooLargeError("jobs can load the links in too many ways for the search over grid moments, max-min")
    return codes


def _running_sets(options: GridOptions) -> list[tuple[int, ...]]:
    """Return a set of options for each way in which running jobs can load the links together."""
    sizes = [len(group.nodes) for group in options.scaled.classes]
    sets: dict[tuple[tuple[int, tuple[int, ...]], ...], tuple[int, ...]] = {}
    pending: list[tuple[tuple[int, ...], list[int], list[int]]] = [((), sizes, list(options.scaled.link_capacity))]
    tried = 0
    while pending:
        chosen, free, room = pending.pop()
        for option in range(options.first[options.job_of[chosen[-1]] + 1] if chosen else 0, len(options.allocations)):
            allocation = options.allocations[option]
            left = [available - count for available, count in zip(free, allocation.counts, strict=True)]
            unused = [available - load for available, load in zip(room, allocation.loads, strict=True)]
            if min(*left, *unused) < 0:
                continue
            tried += 1
            if tried > MAX_SETS:
                raise TooLargeError(
                    f"more than {MAX_SETS:,} sets of jobs can run together; max-min shares by all of them"
                )
            more = (*chosen, option)
            pending.append((more, left, unused))
            sets[tuple((options.job_of[member], options.allocations[member].loads) for member in more)] = more
    return list(sets.values())
