"""Enumeration of every schedule of a tiny co-allocation instance whose saturated links slow jobs down.

With slots every start is looked at, slot by slot. In continuous time every sequence of phases is, in each of which the
same jobs run: for a given sequence the durations y of its phases are a linear program, Σ r_j(S)·y_S = 1 for each job j,
of which some optimum has no more positive y than there are jobs, with columns that are linearly independent. Phases
left out leave each job one run. So it is enough to look at sequences of at most as many phases as jobs whose equations
have one solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.errors import Refused
from oas.checker.link_sharing import LinkUser, progress_rates
from oas.checker.node_choices import NodeChoice, node_choices

MOST_SLOWED_JOBS = 4
MOST_SLOWED_CLUSTERS = 4
MOST_SLOWED_NODES = 12
MOST_SLOWED_STEPS = 2_000_000

# Jobs that run together, ascending, and what each takes.
SlowedPhase = tuple[tuple[int, NodeChoice], ...]


def refute_slowed(instance: CoallocationInstance, lowest: Fraction) -> None:
    """Refuse the claim that no schedule ends before `lowest` if one does, or if there are too many to enumerate."""
    most = f"{MOST_SLOWED_JOBS} jobs, {MOST_SLOWED_CLUSTERS} clusters and {MOST_SLOWED_NODES} nodes"
    sizes = len(instance.jobs), len(instance.clusters), instance.node_count
    limits = MOST_SLOWED_JOBS, MOST_SLOWED_CLUSTERS, MOST_SLOWED_NODES
    if any(size > limit for size, limit in zip(sizes, limits, strict=True)):
        raise Refused(f"the lower bound {lowest} is said to come from enumeration, which takes at most {most}")
    search = SlotEnumeration(instance, lowest) if instance.slot else PhaseEnumeration(instance, lowest)
    search.run()


class SlowedEnumeration:
    """What both searches share: what jobs can take, the rates of jobs that run together, and the number of steps."""

    def __init__(self, instance: CoallocationInstance, lowest: Fraction) -> None:
        self.instance = instance
        self.lowest = lowest
        self.choices = node_choices(instance)
        if [] in self.choices:
            raise Refused(f"the lower bound {lowest} is said to come from enumeration, but a job has no allocation")
        self.shortest = [min(one.shortest for one in own) for own in self.choices]
        self.sizes = [len(one.nodes) for one in instance.scaled().classes]
        self.limits = [instance.saturation.limit(one.bandwidth) for one in instance.clusters]
        self.steps = 0
        self.known_rates: dict[SlowedPhase, list[Fraction]] = {}

    def run(self) -> None:
        """Look at every schedule; raise `Refused` for one that ends before `lowest`, or where there are too many."""
        raise NotImplementedError

    def step(self) -> None:
        """Count a step; raise `Refused` if it is one too many."""
        self.steps += 1
        if self.steps > MOST_SLOWED_STEPS:
            reason = f"{MOST_SLOWED_STEPS:,} steps have been taken"
            raise Refused(f"the lower bound {self.lowest} is said to come from enumeration, but {reason}")

    def found(self, makespan: Fraction) -> Refused:
        """Return the error for a schedule that ends before `lowest`."""
        return Refused(f"the lower bound {self.lowest} is above the makespan {makespan} that a schedule has")

    def rates(self, phase: SlowedPhase) -> list[Fraction]:
        """Return the progress in a unit of time of each job of the phase."""
        if phase not in self.known_rates:
            users = [LinkUser(self.instance.jobs[job], choice.loads, choice.power) for job, choice in phase]
            self.known_rates[phase] = progress_rates(self.instance, users)
        return self.known_rates[phase]

    def started(self, running: SlowedPhase, waiting: Sequence[int]) -> Iterator[SlowedPhase]:
        """Yield every way to start some of the jobs that wait, none included, beside those that run."""
        if not waiting:
            yield running
            return
        job, rest = waiting[0], waiting[1:]
        for choice in self.choices[job]:
            more = tuple(sorted((*running, (job, choice)), key=lambda one: one[0]))
            if self._fits(more):
                yield from self.started(more, rest)
        # Of jobs that are alike in everything the first starts no later than the others.
        yield from self.started(running, [other for other in rest if not self._alike(job, other)])

    def _alike(self, one: int, two: int) -> bool:
        first, second = self.instance.jobs[one], self.instance.jobs[two]
        return (first.tasks, first.base_time, first.bandwidth, first.sigma) == (
            second.tasks,
            second.base_time,
            second.bandwidth,
            second.sigma,
        )

    def _fits(self, phase: SlowedPhase) -> bool:
        for index, size in enumerate(self.sizes):
            if sum(choice.counts[index] for _, choice in phase) > size:
                return False
        for link, limit in enumerate(self.limits):
            if limit is not None and sum(choice.loads.get(link, 0) for _, choice in phase) > limit:
                return False
        return True


class SlotEnumeration(SlowedEnumeration):
    """Every start on slots. Left out are slots in which no job runs before all are done: what follows could be earlier.

    A state (which jobs wait; which run, where, with what progress) that was met as early or earlier is not looked at.
    """

    def run(self) -> None:
        """Look at every schedule."""
        self.met: dict[object, Fraction] = {}
        self._extend(Fraction(0), tuple(range(len(self.choices))), (), {})

    def _extend(
        self, now: Fraction, waiting: Sequence[int], running: SlowedPhase, progress: dict[int, Fraction]
    ) -> None:
        if not waiting and not running:
            raise self.found(now)
        state = (tuple(waiting), tuple((job, choice, progress[job]) for job, choice in running))
        if state in self.met and self.met[state] <= now:
            return
        self.met[state] = now
        slot = self.instance.slot
        for phase in self.started(running, waiting):
            if not phase or self._least_end(now, waiting, phase, progress) >= self.lowest:
                continue
            self.step()
            reached = {
                job: progress.get(job, Fraction(0)) + rate * slot
                for (job, _), rate in zip(phase, self.rates(phase), strict=True)
            }
            going = tuple(one for one in phase if reached[one[0]] < 1)
            still = [job for job in waiting if job not in reached]
            self._extend(now + slot, still, going, {job: reached[job] for job, _ in going})

    def _least_end(
        self, now: Fraction, waiting: Sequence[int], phase: SlowedPhase, progress: dict[int, Fraction]
    ) -> Fraction:
        """Return a moment before which no schedule that goes on so ends: links to spare only make jobs faster."""
        slot = self.instance.slot
        ends = [now]
        work = Fraction(0)
        for job, choice in phase:
            left = choice.shortest * (1 - progress.get(job, Fraction(0)))
            ends.append(now - (-left // slot) * slot)
            work += left * self.instance.jobs[job].tasks
        for job in set(waiting).difference(job for job, _ in phase):
            ends.append(now + slot - (-self.shortest[job] // slot) * slot)
            work += self.shortest[job] * self.instance.jobs[job].tasks
        return max(*ends, now + work / self.instance.node_count)


class PhaseEnumeration(SlowedEnumeration):
    """Every sequence of phases, as long as no job that has begun must end too late."""

    def run(self) -> None:
        """Look at every sequence."""
        self._extend([], tuple(range(len(self.choices))), {}, Fraction(0))

    def _extend(
        self, before: list[SlowedPhase], waiting: Sequence[int], begun: dict[int, Fraction], now: Fraction
    ) -> None:
        """Try every next phase; `begun` has moments that jobs do not start before, `now` the last phase's begin."""
        if before and not waiting:
            self._settle(before)
        if len(before) == len(self.choices):
            return
        last = before[-1] if before else ()
        for kept in (subset for count in range(len(last), -1, -1) for subset in combinations(last, count)):
            then = now
            for job, _ in last:
                if all(job != other for other, _ in kept):
                    then = max(then, begun[job] + self._least_time(before, job))
            for phase in self.started(kept, waiting):
                since = {**{job: then for job, _ in phase}, **begun}
                still = [job for job in waiting if job not in since]
                if not phase or phase == last or (still and len(before) + 1 == len(self.choices)):
                    continue
                ends = [since[job] + choice.shortest for job, choice in phase]
                ends += [then + self.shortest[job] for job in still]
                if max(ends) < self.lowest:
                    self.step()
                    self._extend([*before, phase], still, since, then)

    def _least_time(self, phases: Sequence[SlowedPhase], job: int) -> Fraction:
        """Return the least time that a job runs that runs in none but these phases."""
        return 1 / max(rate for phase in phases for rate in [self._rate_in(phase, job)] if rate)

    def _rate_in(self, phase: SlowedPhase, job: int) -> Fraction:
        pairs = zip(phase, self.rates(phase), strict=True)
        return next((rate for (own, _), rate in pairs if own == job), Fraction(0))

    def _settle(self, phases: Sequence[SlowedPhase]) -> None:
        rows = [[self._rate_in(phase, job) for phase in phases] for job in range(len(self.choices))]
        lengths = only_solution(rows)
        if lengths is not None and min(lengths) > 0 and sum(lengths, Fraction(0)) < self.lowest:
            raise self.found(sum(lengths, Fraction(0)))


def only_solution(rows: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
    """Return the only y with Σ rows[j][e]·y[e] = 1 for every j, by elimination; None if there is none, or several."""
    left = [[*row, Fraction(1)] for row in rows]
    columns = len(rows[0])
    for column in range(columns):
        pivot = next((row for row in range(column, len(left)) if left[row][column]), None)
        if pivot is None:
            return None
        left[column], left[pivot] = left[pivot], left[column]
        head = left[column]
        for row in range(len(left)):
            if row != column and left[row][column]:
                scale = left[row][column] / head[column]
                left[row] = [one - scale * other for one, other in zip(left[row], head, strict=True)]
    if any(row[-1] for row in left[columns:]):
        return None
    return [left[column][-1] / left[column][column] for column in range(columns)]
