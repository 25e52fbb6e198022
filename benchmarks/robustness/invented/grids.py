"""Optima and schedules of tiny co-allocation instances by enumeration, from the document alone.

Nothing of `oas` is used. An *option* of a job is its number of nodes of each class (the nodes of one Γ in one cluster;
classes by cluster, then fastest first); options are in lexicographic order.
"""

from __future__ import annotations

from fractions import Fraction as F
from functools import cache
from itertools import combinations, product
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

KIND = ("tasks", "base_time", "bandwidth", "sigma")

Items = tuple[tuple[int, int], ...]  # jobs that run together, each with the number of its option


class Option(NamedTuple):
    """An option: nodes of each class, load on each link, Γ of the slowest node, and the time with idle links."""

    counts: tuple[int, ...]
    loads: tuple[F, ...]
    power: F
    time: F


class Ran(NamedTuple):
    """A schedule: makespan, option and start and end of each job, and the jobs that run in each of its phases.

    Starts and ends are only comparable with one another; those of a schedule in continuous time count its phases.
    """

    makespan: F
    options: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    phases: tuple[Items, ...]


class Grid:
    """An instance, read without checks."""

    def __init__(self, document: dict[str, Any]) -> None:
        saturation = document.get("saturation", {"policy": "forbid"})
        self.slot, self.slows = F(document["slot"]), saturation["policy"] == "slowdown"
        self.fills = saturation.get("sharing") == "max-min"
        self.links = [F(one["bandwidth"]) for one in document["clusters"]]
        threshold = F(saturation["threshold"]) if "threshold" in saturation else None
        self.most = [None if self.slows and link and threshold is None else link for link in self.links]
        if self.slows and threshold is not None:
            self.most = [link / threshold for link in self.links]
        nodes: dict[tuple[int, F], int] = {}
        for cluster, one in enumerate(document["clusters"]):
            for group in one["nodes"]:
                place = cluster, -F(group["power"])
                nodes[place] = nodes.get(place, 0) + group["count"]
        self.classes = [(cluster, -power, nodes[cluster, power]) for cluster, power in sorted(nodes)]
        self.jobs = [
            {**job, **{name: F(job[name]) for name in ("base_time", "bandwidth", "sigma")}} for job in document["jobs"]
        ]
        kinds = [tuple(job[name] for name in KIND) for job in self.jobs]
        # Pairs of starts, the first no later than the second, that may be assumed because the jobs are alike
        self.alike = [(2 * one, 2 * two) for one, two in combinations(range(len(kinds)), 2) if kinds[one] == kinds[two]]
        self.options = [self._options(job) for job in self.jobs]
        self.fit = cache(self._fit)
        self.progress = cache(self._progress)
        self.shortest = cache(self._shortest)

    def _options(self, job: dict[str, Any]) -> list[Option]:
        found = []
        for counts in product(*[range(count + 1) for _, _, count in self.classes]):
            if sum(counts) == job["tasks"]:
                loads = tuple(self._load(job, counts, link) for link in range(len(self.links)))
                power = min(own for (_, own, _), count in zip(self.classes, counts, strict=True) if count)
                time = job["base_time"] * (job["sigma"] / power + 1 - job["sigma"])
                if all(most is None or load <= most for load, most in zip(loads, self.most, strict=True)):
                    found.append(
                        Option(counts, loads, power, ceil(time / self.slot) * self.slot if self.slot else time)
                    )
        return found

    def _load(self, job: dict[str, Any], counts: Sequence[int], link: int) -> F:
        inside = sum(count for (cluster, _, _), count in zip(self.classes, counts, strict=True) if cluster == link)
        return F(0) if job["tasks"] == 1 else inside * job["bandwidth"] * F(job["tasks"] - inside, job["tasks"] - 1)

    def _fit(self, items: Items) -> bool:
        chosen = [self.options[job][option] for job, option in items]
        held = [sum(one.counts[at] for one in chosen) for at in range(len(self.classes))]
        asked = [sum(one.loads[at] for one in chosen) for at in range(len(self.links))]
        return all(count <= own for count, (_, _, own) in zip(held, self.classes, strict=True)) and all(
            most is None or load <= most for load, most in zip(asked, self.most, strict=True)
        )

    def running_sets(self, allowed: Sequence[Collection[int]]) -> Iterator[Items]:
        """Yield each set of jobs on allowed options that can run together."""
        for chosen in product(*[[None, *sorted(own)] for own in allowed]):
            items = tuple((job, option) for job, option in enumerate(chosen) if option is not None)
            if items and self.fit(items):
                yield items

    def can_run(self, allowed: Sequence[tuple[int, Collection[int]]], begun: Items = ()) -> bool:
        """Return whether these jobs, each on one of its options, can run together with the jobs that have begun."""
        if not allowed:
            return True
        (job, own), later = allowed[0], allowed[1:]
        more = [(*begun, (job, option)) for option in own]
        return any(self.fit(items) and self.can_run(later, items) for items in more)

    def _progress(self, items: Items) -> tuple[F, ...]:
        """Return the progress of each of these jobs in a unit of time in which they run together."""
        chosen = [self.options[job][option] for job, option in items]
        if self.fills:
            shares = self._filled(chosen)
        else:
            asked = [sum(one.loads[at] for one in chosen) for at in range(len(self.links))]
            shares = [
                min([F(1), *[self.links[at] / asked[at] for at, load in enumerate(one.loads) if load]])
                for one in chosen
            ]
        speeds = []
        for (job, _), one, share in zip(items, chosen, shares, strict=True):
            sigma = self.jobs[job]["sigma"]
            speeds.append(1 / (self.jobs[job]["base_time"] * (sigma / one.power + (1 - sigma) / share)))
        return tuple(speeds)

    def _filled(self, chosen: Sequence[Option]) -> list[F]:
        shares: list[F | None] = [None] * len(chosen)
        while None in shares:
            levels = {}
            for at, link in enumerate(self.links):
                rising = sum(one.loads[at] for one, share in zip(chosen, shares, strict=True) if share is None)
                if rising:
                    kept = sum(
                        one.loads[at] * share for one, share in zip(chosen, shares, strict=True) if share is not None
                    )
                    levels[at] = (link - kept) / rising
            level = min([F(1), *levels.values()])
            full = {at for at, own in levels.items() if own == level}
            for number, one in enumerate(chosen):
                if shares[number] is None and (level == 1 or any(one.loads[at] for at in full)):
                    shares[number] = level
        return [share or F(0) for share in shares]

    def _shortest(self, allowed: tuple[frozenset[int], ...]) -> F:
        """Return the optimum without saturated links, each job on one of its allowed options; it must have some.

        Some optimal schedule results from adding the jobs in some order, each at the first moment at which it fits.
        """
        best = sum((max(one.time for one in own) for own in self.options), F(0)) + 1
        seen = set()

        def add(placed: tuple[tuple[int, int, F, F], ...]) -> None:
            nonlocal best
            waiting = set(range(len(self.jobs))).difference(job for job, *_ in placed)
            if not waiting:
                best = min(best, max(end for *_, end in placed))
            for job in waiting:
                for option in allowed[job]:
                    time = self.options[job][option].time
                    for start in sorted({F(0), *(end for *_, end in placed)}):
                        moments = [start, *[one[2] for one in placed if start < one[2] < start + time]]
                        if all(self._fits_at(moment, job, option, placed) for moment in moments):
                            more = tuple(sorted((*placed, (job, option, start, start + time))))
                            if start + time < best and more not in seen:
                                seen.add(more)
                                add(more)
                            break

        add(())
        return best

    def _fits_at(self, moment: F, job: int, option: int, placed: Sequence[tuple[int, int, F, F]]) -> bool:
        running = [(other, own) for other, own, begin, end in placed if begin <= moment < end]
        return self.fit(tuple(sorted([*running, (job, option)])))

    def schedules(self) -> list[Ran]:
        """Return schedules with saturated links, among them a shortest one for each condition on options and order."""
        made = self._slot_by_slot() if self.slot else self._phase_by_phase()
        return sorted(made, key=lambda one: one.makespan)

    def _slot_by_slot(self) -> Iterator[Ran]:
        """Yield all schedules of at most as many slots as the jobs need one after the other on their worst options."""
        alone = [
            [ceil(1 / (self.slot * self.progress(((job, option),))[0])) for option in range(len(own))]
            for job, own in enumerate(self.options)
        ]
        longest = sum(map(max, alone))
        for options in product(*[range(len(own)) for own in self.options]):
            for starts in product(range(longest), repeat=len(options)):
                if min(starts) == 0:
                    ran = self._stepped(options, starts, longest)
                    if ran is not None:
                        yield ran

    def _stepped(self, options: tuple[int, ...], starts: tuple[int, ...], longest: int) -> Ran | None:
        done, ends, phases = [F(0)] * len(starts), [-1] * len(starts), []
        now = 0
        while -1 in ends:
            items = tuple((job, options[job]) for job, start in enumerate(starts) if start <= now and ends[job] < 0)
            if now == longest or not self.fit(items):
                return None
            phases.append(items)
            now += 1
            for (job, _), speed in zip(items, self.progress(items), strict=True):
                done[job] += speed * self.slot
                if done[job] >= 1:
                    ends[job] = now
        return Ran(now * self.slot, options, starts, tuple(ends), tuple(phases))

    def _phase_by_phase(self) -> Iterator[Ran]:
        """Yield all schedules of at most as many phases as jobs whose lengths the sets of running jobs determine."""
        for options in product(*[range(len(own)) for own in self.options]):
            for phases in self._sequences(options, ()):
                lengths = lengths_of(
                    [dict(zip(dict(one), self.progress(one), strict=True)) for one in phases], len(options)
                )
                if lengths is not None and min(lengths) > 0:
                    places = [[at for at, one in enumerate(phases) if job in dict(one)] for job in range(len(options))]
                    starts, ends = tuple(own[0] for own in places), tuple(own[-1] + 1 for own in places)
                    yield Ran(sum(lengths, F(0)), options, starts, ends, phases)

    def _sequences(self, options: tuple[int, ...], phases: tuple[Items, ...]) -> Iterator[tuple[Items, ...]]:
        begun = {job for one in phases for job, _ in one}
        if len(begun) == len(options):
            yield phases
        if len(phases) < len(options):
            last = {job for job, _ in phases[-1]} if phases else set()
            for bits in range(1, 1 << len(options)):
                members = {job for job in range(len(options)) if bits >> job & 1}
                items = tuple((job, options[job]) for job in sorted(members))
                if not members & (begun - last) and members != last and self.fit(items):
                    yield from self._sequences(options, (*phases, items))


def lengths_of(phases: Sequence[dict[int, F]], jobs: int) -> list[F] | None:
    """Return the only lengths of phases with which the progress of each job adds up to 1; None if there are none."""
    rows = [[one.get(job, F(0)) for one in phases] + [F(1)] for job in range(jobs)]
    for column in range(len(phases)):
        rows.sort(key=lambda row: next((at for at, value in enumerate(row) if value), len(row)))
        row = rows[column] if column < len(rows) else rows[-1]
        if not row[column] or any(row[:column]):
            return None
        for other in rows:
            if other is not row and other[column]:
                scale = other[column] / row[column]
                other[:] = [value - scale * own for value, own in zip(other, row, strict=True)]
    if any(row[-1] for row in rows[len(phases) :]):
        return None
    return [rows[column][-1] / rows[column][column] for column in range(len(phases))]


def keeps(ran: Ran, allowed: Sequence[Collection[int]], earlier: Collection[tuple[int, int]]) -> bool:
    """Return whether a schedule has allowed options, and its events the order.

    Event 2j is the start of job j, event 2j + 1 its end; of each pair, the first is no later than the second.
    """
    for option, own in zip(ran.options, allowed, strict=True):
        if option not in own:
            return False
    both = ran.starts, ran.ends
    return all(both[one % 2][one // 2] <= both[two % 2][two // 2] for one, two in earlier)
