"""The co-allocation bound "proof log": cutting planes refute a makespan, with a 0-1 variable for each possible run.

The certificate is ``{"makespan": C, "steps": "…"}``: C in ticks, and the steps of `oas.checker.cutting_planes`.
`docs/proof-log.md` proves that the rows have a solution if a schedule ends by C.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd
from typing import NamedTuple

from oas.checker.coallocation_instance import COALLOCATION_MAX_TICKS, CoallocationInstance, CoallocationTicks
from oas.checker.coallocation_spread import node_counts
from oas.checker.cutting_planes import TERM_STEPS, CuttingPlanes, Inequality
from oas.checker.effort import Effort
from oas.checker.reading import fields_of, integer_of, refused, unpacked_bytes

MAX_RUNS = 50_000
MAX_STEP_BYTES = 20_000_000


class GridRun(NamedTuple):
    """A possible run of a job: numbers of nodes by class, loads by link, start and ticks."""

    job: int
    counts: tuple[int, ...]
    loads: tuple[int, ...]
    start: int
    end: int


def check_coallocation_proof_log(instance: CoallocationInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    if instance.saturation.slows:
        raise refused("certificate", "proof logs are only for links that must not be saturated")
    document = fields_of(certificate, "certificate", "makespan", "steps")
    makespan = integer_of(document["makespan"], "certificate.makespan", most=COALLOCATION_MAX_TICKS - 1)
    steps = unpacked_bytes(document["steps"], "certificate.steps", MAX_STEP_BYTES)
    effort = Effort()
    runs = grid_runs(instance.ticks, makespan, effort)
    planes = CuttingPlanes(*grid_rows(instance.ticks, runs, effort), effort)
    return instance.ticks.to_time(makespan + 1) if planes.refutes(steps) else Fraction(0)


def grid_runs(ticks: CoallocationTicks, makespan: int, effort: Effort) -> list[GridRun]:
    """Return runs by job, of which each job has one in some schedule that ends by `makespan`, if there is any."""
    options: list[list[tuple[tuple[int, ...], tuple[int, ...], int]]] = []
    sizes = [one.count for one in ticks.classes]
    for loads, durations in zip(ticks.link_loads, ticks.durations, strict=True):
        found = node_counts(ticks.classes, loads, sizes, ticks.link_capacity, effort)
        own = []
        for counts, asked in found:
            effort.hold(TERM_STEPS * (len(counts) + len(asked)))
            level = max(one.level for one, count in zip(ticks.classes, counts, strict=True) if count)
            own.append((counts, asked, durations[level]))
        options.append(sorted(own))
    times = [sorted({time for _, _, time in own}) for own in options]
    effort.hold(20 * makespan)
    effort.spend(len(times) * (makespan + len(times) * len(ticks.powers) * (1 + makespan // 256)))
    works = [tasks * min(own, default=0) for tasks, own in zip(ticks.tasks, times, strict=True)]
    mirrored = works.index(max(works))
    runs: list[GridRun] = []
    for job, own in enumerate(options):
        sums = sums_of_times([others for other, others in enumerate(times) if other != job], makespan)
        for counts, asked, time in own:
            latest = (makespan - times[job][0]) // 2 if job == mirrored else makespan
            effort.spend(len(sums))
            begins = [start for start in sums if start <= min(latest, makespan - time)]
            effort.hold(TERM_STEPS * len(begins))
            runs += [GridRun(job, counts, asked, start, start + time) for start in begins]
            if len(runs) > MAX_RUNS:
                raise refused("certificate", f"there are more than {MAX_RUNS:,} runs")
    return runs


def sums_of_times(times: Iterable[Sequence[int]], most: int) -> list[int]:
    """Return all sums up to `most` of one or none of the numbers of each list."""
    bits, mask = 1, (2 << most) - 1
    for own in times:
        union = bits
        for time in own:
            union |= bits << time & mask if time <= most else 0
        bits = union
    return [total for total, bit in enumerate(reversed(bin(bits)[2:])) if bit == "1"]


def grid_rows(ticks: CoallocationTicks, runs: Sequence[GridRun], effort: Effort) -> tuple[list[Inequality], int]:
    """Return inequalities, and the number of their variables, that 0-1 values satisfy if a schedule has these runs.

    Variable i < `len(runs)` states that run i is one of them; the others, for each job and each of its starts but the
    last, that the job starts by then.
    """
    jobs = range(len(ticks.tasks))
    own: list[list[int]] = [[] for _ in jobs]
    for place, run in enumerate(runs):
        own[run.job].append(place)
    rows = [(dict.fromkeys(places, sign), sign) for places in own for sign in (1, -1)]
    effort.hold(2 * TERM_STEPS * len(runs))
    moments = sorted({run.start for run in runs})
    uses = [(*run.counts, *run.loads, ticks.tasks[run.job]) for run in runs]
    sizes = [one.count for one in ticks.classes]
    for resource, size in enumerate([*sizes, *ticks.link_capacity, sum(sizes)]):
        if sum(max([uses[place][resource] for place in places], default=0) for places in own) > size:
            for moment in moments:
                effort.spend(2 * len(runs))
                terms = {
                    place: -uses[place][resource]
                    for place, run in enumerate(runs)
                    if run.start <= moment < run.end and uses[place][resource]
                }
                unit = gcd(*terms.values()) or 1
                rows.append(({place: term // unit for place, term in terms.items()}, -(size // unit)))
                effort.hold(TERM_STEPS * len(terms))

    def begun(job: int, moment: int, sign: int) -> dict[int, int]:
        places = [place for place in own[job] if runs[place].start <= moment]
        effort.hold(TERM_STEPS * len(places))
        return dict.fromkeys(places, sign)

    last_of: dict[tuple[object, ...], int] = {}  # by what makes jobs identical; the load of one task implies the others
    for job in jobs:
        kind = ticks.tasks[job], ticks.durations[job], ticks.link_loads[job][1]
        if kind in last_of:
            before = last_of[kind]
            rows += [(begun(before, moment, 1) | begun(job, moment, -1), 0) for moment in moments]
        last_of[kind] = job
    variables = len(runs)
    for job, places in enumerate(own):
        for moment in sorted({runs[place].start for place in places})[:-1]:
            rows += [(begun(job, moment, sign) | {variables: -sign}, 0) for sign in (1, -1)]
            variables += 1
    return rows, variables
