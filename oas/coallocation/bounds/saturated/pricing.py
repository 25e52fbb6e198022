"""The heaviest configuration: jobs that can run together, each with one of its options, weighed by their progress.

A configuration weighs Σ (w_j·progress_j + u_j / slots_j): w and u are weights of the jobs, progress is that of one slot
or unit of time, and slots_j is the minimum number of slots of the option. Branch and bound over the jobs. Weights are
compared as integers that are rounded up and, if these do not decide, as Fractions.

The bound of a partial configuration: under the paper's sharing its jobs progress at most as they do now, because
additional jobs slow others down. Under max-min fairness a job may become faster with additional jobs, but never faster
than alone, and the shares of a link's jobs never exceed the link. The remaining jobs add at most a knapsack of their
weights alone in the remaining nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from oas.coallocation.bounds.configurations.pricing import heaviest_set

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.coallocation.bounds.saturated.options import Allowed, Item, Options, Order

WHOLE = 1 << 60
"""The capacity in the integer unit of weights."""
MAX_EFFORT = 3_000_000  # maximum number of configurations examined in a search
MAX_TIES = 2_000
_DEGREE = 32  # fractional bits of a link's degree of saturation


class _Choice(NamedTuple):
    """An option of a job in the search."""

    item: Item
    weight: int  # weight if the job runs alone
    fastest: int  # weight if no link were ever too narrow
    counts: tuple[int, ...]  # of the allocation
    loads: tuple[int, ...]  # of the allocation
    # The links loaded by the option, with the minimum loss of `fastest` per unit of load that it does not receive.
    links: tuple[tuple[int, int], ...]
    # fixed, progress, computing, sending: it weighs fixed + progress / (computing + sending·SC)
    fixed: int
    progress: int
    computing: int
    sending: int


@dataclass
class Priced:
    """The result of pricing."""

    most: int  # upper bound on the weight of all configurations, in WHOLE-ths of the capacity
    # Configurations that weigh more than the capacity or, when rising, more than those before.
    heavy: list[tuple[Item, ...]] = field(default_factory=list)
    # On request, configurations whose weight equals the capacity.
    ties: list[tuple[Item, ...]] = field(default_factory=list)
    complete: bool = True  # whether the search was complete; otherwise `most` is weak and `heavy` is incomplete


class Pricing:
    """Search for the heaviest configuration.

    `allowed`: the permitted options of each job. `weights`, `slots`: w and u of each job, at least 0. `capacity`:
    positive; the weights are compared with it. `order`: the known order of starts and ends; configurations that violate
    it are ignored.
    """

    def __init__(
        self,
        options: Options,
        allowed: Allowed,
        weights: Sequence[int],
        slots: Sequence[int],
        capacity: Fraction,
        order: Order,
    ) -> None:
        self.options, self.weights, self.slots, self.capacity = options, weights, slots, capacity
        self.order = order
        jobs = [self._choices(job, indices) for job, indices in enumerate(allowed)]
        if options.shares_alike and order.trivial:  # a job without weight only slows the others down
            jobs = [row for row in jobs if row[0].weight > 0]
        tasks = [sum(row[0].counts) for row in jobs]
        ranked = sorted(range(len(jobs)), key=lambda place: (-jobs[place][0].weight // tasks[place], place))
        self._jobs = [(tasks[place], [(choice.weight, choice) for choice in jobs[place]]) for place in ranked]

    def rising(self, floor: int, stop: Callable[[], bool] | None = None) -> Priced:
        """Search for the heaviest configuration above `floor` WHOLE-ths of the capacity, to within rounding."""
        return self._search(floor, stop, rising=True, ties=False)

    def exceeding(self, stop: Callable[[], bool] | None = None, *, ties: bool = False) -> Priced:
        """Search exactly for configurations that weigh more than the capacity, which is a valid bound if none do."""
        return self._search(WHOLE, stop, rising=False, ties=ties)

    def exact(self, items: Sequence[Item]) -> Fraction:
        """Return the total weight of these items."""
        total = Fraction(0)
        for (job, option), progress in zip(items, self.options.progress(items), strict=True):
            total += self.weights[job] * progress + Fraction(self.slots[job], self.options.rows[job][option].slots)
        return total

    def _choices(self, job: int, indices: frozenset[int]) -> list[_Choice]:
        """Return the options of a job, heaviest first."""
        progress = ceil(self.weights[job] * self.options.step * WHOLE / self.capacity)
        choices = []
        for index in sorted(indices):
            option = self.options.rows[job][index]
            fixed = ceil(Fraction(self.slots[job] * WHOLE, option.slots) / self.capacity)
            fastest = option.computing + option.sending
            slope = progress * option.sending // fastest**2
            loads = option.allocation.loads
            choices.append(
                _Choice(
                    (job, index),
                    fixed + ceil(progress / (option.alone * self.options.step)),
                    fixed - (-progress // fastest),
                    option.allocation.counts,
                    loads,
                    tuple((link, slope // load) for link, load in enumerate(loads) if load),
                    fixed,
                    progress,
                    option.computing,
                    option.sending,
                )
            )
        return sorted(choices, key=lambda choice: (-choice.weight, sum(choice.loads), choice.item))

    def _most(self, chosen: Sequence[_Choice], loads: Sequence[int]) -> int:
        """Return an upper bound on the weight of these options, alone or with any further jobs."""
        over = [link for link, width in enumerate(self.options.bandwidth) if loads[link] > width]
        if not over:
            return sum(choice.weight for choice in chosen)
        if not self.options.shares_alike:
            together = sum(choice.fastest for choice in chosen) - self._lost(chosen, loads, over)
            return min(together, sum(choice.weight for choice in chosen))
        degrees = [0] * len(loads)
        for link in over:
            degrees[link] = (loads[link] << _DEGREE) // self.options.bandwidth[link]
        total = 0
        for choice in chosen:
            degree = max([degrees[link] for link, _ in choice.links], default=0)
            if degree:
                time = (choice.computing << _DEGREE) + choice.sending * degree
                total += choice.fixed - (-(choice.progress << _DEGREE) // time)
            else:
                total += choice.weight
        return total

    def _lost(self, chosen: Sequence[_Choice], loads: Sequence[int], over: Sequence[int]) -> int:
        """Return the minimum loss of the jobs because a link is too narrow for all of them.

        Progress is concave in the share of its demand that a job gets, so it lies below its tangent at share 1.
        """
        most = 0
        for link in over:
            excess = loads[link] - self.options.bandwidth[link]
            least = min(price for choice in chosen for used, price in choice.links if used == link)
            most = max(most, excess * least)
        return most

    def _search(self, floor: int, stop: Callable[[], bool] | None, *, rising: bool, ties: bool) -> Priced:
        """Search depth first over the jobs, in descending order of weight per task."""
        priced = Priced(floor)
        # The free nodes and the loads of the first chosen options.
        path: list[tuple[Sequence[int], Sequence[int]]] = [(self.options.sizes, (0,) * len(self.options.capacity))]

        def bound(chosen: Sequence[_Choice], _: int) -> int | None:
            *before, last = chosen
            others = self.order.apart[last.item[0]]  # bits of the jobs that cannot run together with this one
            if others and any(others >> choice.item[0] & 1 for choice in before):
                return None
            del path[len(chosen) :]
            free, loads = path[-1]
            free = [have - need for have, need in zip(free, last.counts, strict=True)]
            if min(free) < 0:
                return None
            loads = [load + more for load, more in zip(loads, last.loads, strict=True)]
            if any(load > most for load, most in zip(loads, self.options.capacity, strict=True)):
                return None
            path.append((free, loads))
            return self._most(chosen, loads)

        def weigh(chosen: Sequence[_Choice], most: int) -> int:
            items = tuple(choice.item for choice in chosen)
            if not self.order.allows(job for job, _ in items):
                return 0
            if rising:
                return most if self.options.shares_alike else ceil(self.exact(items) * WHOLE / self.capacity)
            weight = self.exact(items)
            if weight > self.capacity:
                priced.heavy.append(items)
            elif ties and weight == self.capacity and len(priced.ties) < MAX_TIES:
                priced.ties.append(items)
            return 0

        bar = floor - (len(self._jobs) + 1 if ties else 0)  # lower with ties, since weights are rounded up
        nodes = sum(self.options.sizes)
        found = heaviest_set(self._jobs, nodes, bound, weigh, floor=bar, limit=MAX_EFFORT, stop=stop)
        if rising:
            priced.heavy = [tuple(choice.item for choice in chosen) for chosen in found.sets]
        priced.most, priced.complete = max(floor, found.weight), found.complete
        return priced
