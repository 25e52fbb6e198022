"""Whether any jobs of co-allocation that can run together weigh more than they may, where links slow them down.

Jobs with options weigh Σ (w_j·progress_j + u_j / slots_j) together. The search adds job after job, those first that
weigh most for each task. What those that are chosen can come to is bounded in integers, as shares of the capacity
rounded up: where links are shared as in the paper, more jobs make nobody faster; under max-min sharing a job is never
faster than alone, and the shares of a link's users never add up to more than the link. Jobs to come add at most a
knapsack of what they weigh alone in the nodes left. What may weigh too much by this is weighed in Fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from oas.checker.coallocation_event_order import EventOrder
from oas.checker.coallocation_heaviest import MOST_PRICED_CELLS, knapsack_rests
from oas.checker.coallocation_options import OptionItem, SlowedOption, SlowedOptions
from oas.checker.coallocation_tree import ChoicesLeft
from oas.checker.effort import Effort
from oas.checker.errors import refused

PRICED_WHOLE = 1 << 60
"""The capacity, as the integers count it."""
DEGREE_BITS = 32
"""Of a link's degree of saturation after the point."""


class WeighedOption(NamedTuple):
    """An option as the search sees it.

    Attributes
    ----------
    item, option
        Which it is.
    weight, fastest
        What it weighs alone, and if no link were too narrow.
    prices
        Of the links that it loads: what `fastest` falls by at least for each unit of load that it does not get.
    fixed, progress
        It weighs fixed + progress / (computing + sending·SC).
    """

    item: OptionItem
    option: SlowedOption
    weight: int
    fastest: int
    prices: dict[int, int]
    fixed: int
    progress: int


class SharedPricing:
    """The search in one leaf.

    Parameters
    ----------
    options
        Of all jobs.
    left
        Of jobs that have lost options: those that they still have.
    weights, slots, capacity
        w, u and W, the last above 0.
    order
        Of starts and ends.
    """

    def __init__(
        self,
        options: SlowedOptions,
        left: ChoicesLeft,
        weights: Sequence[int],
        slots: Sequence[int],
        capacity: int,
        order: EventOrder,
    ) -> None:
        self.options, self.order, self.capacity = options, order, capacity
        self.weights, self.slots = weights, slots
        self.bandwidth = options.scaled.link_bandwidth
        self.alike = options.instance.saturation.sharing == "paper"
        rows = [self._weighed(job, left.get(job)) for job in range(len(options.rows))]
        tasks = options.scaled.tasks
        rows.sort(key=lambda row: (-row[0].weight // tasks[row[0].item[0]], row[0].item[0]))
        self.jobs = [(tasks[row[0].item[0]], row) for row in rows]

    def is_exceeded(self, steps: Effort) -> bool:
        """Tell whether some jobs that can run together weigh more than the capacity.

        Parameters
        ----------
        steps
            A set that is looked at is a step.

        Raises
        ------
        Refused
            If there are too many.
        """
        scaled, jobs = self.options.scaled, self.jobs
        sizes = tuple(one.count for one in scaled.classes)
        nodes = sum(sizes)
        if len(jobs) * nodes > MOST_PRICED_CELLS:
            raise refused("certificate", "too many jobs and nodes")
        self.options.effort.spend(len(jobs) * nodes // 4)
        rest = knapsack_rests([(tasks, row[0].weight) for tasks, row in jobs], nodes)
        apart = self.order.apart(len(self.options.rows))
        chosen: list[WeighedOption] = []
        # Next job and next option of it, nodes of each class, of all, loads of links, the most that is weighed so far.
        open_sets = [(0, 0, sizes, nodes, (0,) * scaled.cluster_count, 0)]
        while open_sets:
            at, pick, free, left, loads, value = open_sets.pop()
            self.options.effort.spend(10)
            if at == len(jobs) or value + rest[at][left] <= PRICED_WHOLE:
                if chosen:
                    chosen.pop()
                continue
            tasks, row = jobs[at]
            after = rest[at + 1][left - tasks] if tasks <= left else 0
            beside = apart[row[0].item[0]]
            if (
                tasks > left
                or pick == len(row)
                or value + row[pick].weight + after <= PRICED_WHOLE
                or (beside and any(beside >> one.item[0] & 1 for one in chosen))
            ):
                open_sets.append((at + 1, 0, free, left, loads, value))
                continue
            open_sets.append((at, pick + 1, free, left, loads, value))
            one = row[pick]
            room = tuple([have - need for have, need in zip(free, one.option.counts, strict=True)])
            asked = tuple([own + more for own, more in zip(loads, one.option.loads, strict=True)])
            if min(room) < 0 or any(map(int.__gt__, asked, scaled.link_capacity)):
                continue
            steps.spend(1)
            chosen.append(one)
            self.options.effort.spend(2 * (len(chosen) + len(loads)))
            most = self._most(chosen, asked)
            if most > PRICED_WHOLE:
                if not self._is_heavy(chosen):
                    most = PRICED_WHOLE if self.alike else most
                elif self.order.allows(sum(1 << one.item[0] for one in chosen)):
                    return True
            if most + after > PRICED_WHOLE:
                open_sets.append((at + 1, 0, room, left - tasks, asked, most))
            else:
                chosen.pop()
        return False

    def _weighed(self, job: int, kept: frozenset[int] | None) -> list[WeighedOption]:
        """Return the options that the job has, heaviest first."""
        step = self.options.step
        progress = ceil(Fraction(self.weights[job] * step * PRICED_WHOLE, self.capacity))
        found = []
        for index, option in enumerate(self.options.rows[job]):
            if kept is not None and index not in kept:
                continue
            fixed = -(-self.slots[job] * PRICED_WHOLE // (option.slots * self.capacity))
            whole = option.computing + option.sending
            slope = progress * option.sending // whole**2
            weight = fixed + ceil(progress / (option.alone * step))
            prices = {link: slope // load for link, load in enumerate(option.loads) if load}
            fastest = fixed - (-progress // whole)
            found.append(WeighedOption((job, index), option, weight, fastest, prices, fixed, progress))
        return sorted(found, key=lambda one: (-one.weight, sum(one.option.loads), one.item))

    def _most(self, chosen: Sequence[WeighedOption], loads: Sequence[int]) -> int:
        """Return the most that these weigh, whatever joins them."""
        together = sum([one.weight for one in chosen])
        over = [link for link, own in enumerate(self.bandwidth) if loads[link] > own]
        if not over:
            return together
        if not self.alike:
            # Progress is concave in the share that a job gets of what it asks for: it lies below the tangent at the
            # whole. A link's users lack the excess together.
            lost = max(
                (loads[link] - self.bandwidth[link]) * min([one.prices[link] for one in chosen if link in one.prices])
                for link in over
            )
            return min(together, sum([one.fastest for one in chosen]) - lost)
        degrees = {link: (loads[link] << DEGREE_BITS) // self.bandwidth[link] for link in over}
        total = 0
        for one in chosen:
            degree = max([degrees.get(link, 0) for link in one.prices], default=0)
            if degree:
                time = (one.option.computing << DEGREE_BITS) + one.option.sending * degree
                total += one.fixed - (-(one.progress << DEGREE_BITS) // time)
            else:
                total += one.weight
        return total

    def _is_heavy(self, chosen: Sequence[WeighedOption]) -> bool:
        """Tell whether these weigh more than the capacity without others."""
        self.options.effort.spend(30 * len(chosen))
        items = [one.item for one in chosen]
        weight = Fraction(0)
        for (job, option), progress in zip(items, self.options.progress(items), strict=True):
            weight += self.weights[job] * progress + Fraction(self.slots[job], self.options.rows[job][option].slots)
        return weight > self.capacity
