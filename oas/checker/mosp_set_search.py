"""The heaviest set of jobs that one cluster can run, pairs of jobs being together or apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import getitem, sub
from typing import Any

from oas.checker.mosp_cluster_sets import rest_table
from oas.checker.mosp_possible_sets import PossibleSets

COARSE = 3  # tables of knapsacks are in units of 2^3: sizes and room rounded down, so that no set is lost


class SetBranch:
    """The sets in which pairs of jobs are together or apart; jobs that are together are one item.

    Parameters
    ----------
    possible
        The cluster.
    together, apart
        Pairs of jobs.
    cuts
        Triples of jobs, each with a price for sets that hold two of them or more.
    """

    def __init__(
        self,
        possible: PossibleSets,
        together: Sequence[tuple[int, int]],
        apart: Sequence[tuple[int, int]],
        cuts: Sequence[Sequence[int]],
    ) -> None:
        self.possible, self.cuts = possible, cuts
        sets = possible.sets
        group_of = {job: job for job in sets.jobs}
        for one, other in together:
            kept, gone = group_of[one], group_of[other]
            group_of = {job: kept if group == gone else group for job, group in group_of.items()}
        groups: dict[int, list[int]] = {}
        for job, group in group_of.items():
            groups.setdefault(group, []).append(job)
        for one, other in apart:
            if group_of[one] == group_of[other]:
                groups.pop(group_of[one], None)
        self.groups = list(groups.values())
        place_of = {job: place for place, job in enumerate(sets.jobs)}
        self.sizes = [
            tuple(map(sum, zip(*(sets.sizes[place_of[job]] for job in own), strict=True))) for own in self.groups
        ]
        self.bits = [sum(possible.bits[job] for job in own) for own in self.groups]
        self.refuted = [[one for one in possible.refuted if one & own] for own in self.bits]
        item_of = {job: item for item, own in enumerate(self.groups) for job in own}
        self.foes = [0] * len(self.groups)
        for one, other in apart:
            if one in item_of and other in item_of:
                self.foes[item_of[one]] |= 1 << item_of[other]
                self.foes[item_of[other]] |= 1 << item_of[one]
        self.held = [0] * len(self.groups)  # how many jobs of each cut, two bits for a cut
        for index, cut in enumerate(cuts):
            for job in cut:
                if job in item_of:
                    self.held[item_of[job]] += 1 << 2 * index

    def heaviest(self, weights: Sequence[int], floor: int, *, first: bool = False) -> int:
        """Return the weight of the heaviest set that may run; `floor` if none is heavier.

        Parameters
        ----------
        weights
            Of all jobs, and then the prices of the cuts; all at least 0.
        first
            Whether the search ends with any set above `floor`.

        Raises
        ------
        Refused
            If the effort is used up.
        """
        own = [sum(weights[job] for job in group) for group in self.groups]
        prices = weights[len(weights) - len(self.cuts) :]
        second = sum(2 << 2 * cut for cut, price in enumerate(prices) if price)  # the second bit: two jobs are held
        rows, sizes, bits, refuted = self._rest(own), self.sizes, self.bits, self.refuted
        look: Callable[[Any, int], int] = getitem
        may_run, spend = self.possible.may_run, self.possible.effort.spend
        capacities = self.possible.sets.capacities
        stack = [(0, 0, capacities, [one >> COARSE for one in capacities], 0, 0, 0)]
        while stack:
            begin, weight, left, coarse, found, barred, held = stack.pop()
            item = begin
            for item in range(begin, len(own)):
                if weight + min(map(look, rows[item], coarse)) <= floor:
                    break
                after = tuple(map(sub, left, sizes[item]))
                if barred >> item & 1 or not own[item] or min(after) < 0:
                    continue
                now = held + self.held[item]
                total, paid = weight + own[item], now & second & ~held
                while paid:
                    lowest = paid & -paid
                    total -= prices[lowest.bit_length() // 2 - 1]
                    paid ^= lowest
                rest = [one >> COARSE for one in after]
                if total + min(map(look, rows[item + 1], rest)) <= floor:
                    continue
                grown = found | bits[item]
                if may_run(grown, refuted[item]):
                    if total > floor:
                        floor = total
                        if first:
                            return floor
                    stack.append((item + 1, weight, left, coarse, found, barred, held))
                    stack.append((item + 1, total, after, rest, grown, barred | self.foes[item], now))
                    break
            spend(1 + item - begin)
        return floor

    def _rest(self, weights: Sequence[int]) -> list[tuple[Any, ...]]:
        """[item][knapsack][room]: the most that this item and those after it weigh."""
        capacities = self.possible.sets.capacities
        self.possible.effort.spend(len(weights) * sum(capacities) >> COARSE)
        tables = [
            rest_table(weights, [sizes[row] >> COARSE for sizes in self.sizes], most >> COARSE)
            for row, most in enumerate(capacities)
        ]
        return list(zip(*tables, strict=True))
