"""Functions that recompute the claims of the MOSP papers on theorems and on generators, by claim id.

Theorems are tested on random instances as in the papers: the values found are the number of failures and the worst
ratio. ``python -m benchmarks.soak --check guarantees`` does so on many more, of all kinds.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.claims.lists import Ratios, schedule_by, utilization
from oas.core.rigid import Organization, RigidJob
from oas.core.verifier import verify
from oas.generate import swf, uni
from oas.mosp.bounds.simple import paper_bound
from oas.mosp.generate.section7 import zipf_owners
from oas.mosp.instance import MospInstance
from oas.mosp.runs import local_schedule
from oas.solving.brute_force import brute_force
from oas.solving.method import NotPlacedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oas.core.schedule import Schedule


@cache
def drawn(local: str = "HF", organizations: int | None = None, count: int = 120) -> tuple[MospInstance, ...]:
    """Return uni instances of 2 to 10 organizations (or the given number), 10 to 50 jobs, under a local policy."""
    shapes = [(organizations or (2, 3, 5, 10)[k % 4], (10, 20, 50)[k % 3], (8, 32, 128)[k % 3]) for k in range(count)]
    return tuple(
        uni(seed=seed, organizations=owners, jobs=jobs, processors=processors, local=local)  # type: ignore[arg-type]
        for seed, (owners, jobs, processors) in enumerate(shapes)
    )


def other_policies() -> list[MospInstance]:
    """Return uni instances under the local policies other than HF."""
    return [instance for local in ("LPT", "SPT", "RND") for instance in drawn(local, count=60)]


def ratios(name: str, instances: Iterable[MospInstance], allowed: Fraction | int) -> str:
    """Run a method; return how often its schedule is missing, infeasible (with locality) or above `allowed` · LB."""
    broken = missing = 0
    tally = Ratios()
    for instance in instances:
        try:
            schedule = schedule_by(name, instance)
        except NotPlacedError:
            missing += 1
            continue
        tally.add(schedule.makespan / paper_bound(instance), allowed)
        broken += bool(verify(instance, schedule))
    counts = f"{missing} without schedule, {broken} infeasible, {tally.above} above"
    return f"of {tally.count + missing}: {counts}; worst {float(tally.worst):.2f} LB"


def bound_below_optimum() -> str:
    """LB compared with the optimum by brute force."""
    broken = 0
    for seed in range(40):
        instance = uni(seed=seed, jobs=5, organizations=2, processors=4)
        broken += paper_bound(instance) > brute_force(instance.with_locality(None))[0]
    return f"{broken} of 40 above the optimum without locality"


def ends_at_three() -> str:
    """How often MOCCA's makespan is exactly 3 LB if jobs end after 3 LB in the local schedules."""
    moved = [instance for instance in drawn() if local_schedule(instance).makespan > 3 * paper_bound(instance)]
    ended = sum(schedule_by("MOCCA", instance).makespan == 3 * paper_bound(instance) for instance in moved)
    return f"exactly 3 LB on {ended} of {len(moved)} instances with jobs after it"


def two_clusters() -> str:
    """MOCCA on two clusters of different sizes; no job is wider than its own cluster."""
    instances = []
    for seed in range(150):
        rng = Random(seed)
        organizations = []
        for k in range(2):
            size = rng.randint(1, 16)
            jobs = [RigidJob(f"J{k}.{i}", rng.randint(1, 20), rng.randint(1, size)) for i in range(rng.randint(1, 12))]
            organizations.append(Organization(f"O{k}", size, jobs))
        instances.append(MospInstance(organizations, local="HF"))
    return ratios("MOCCA", instances, 3)


def ilba_delays_nothing() -> str:
    """ILBA compared with the schedules from which it starts: the number of jobs that start later."""
    delayed = count = 0
    for instance in drawn():
        for base, name in ((local_schedule(instance), "ILBA-local"), (schedule_by("MOCCA-7", instance), "ILBA")):
            after = schedule_by(name, instance)
            count += len(instance.jobs)
            delayed += sum(after[job.id].start > base[job.id].start for job in instance.jobs)
    return f"{delayed} of {count} jobs start later"


def ilba_sequential() -> str:
    """Ratios of ILBA on sequential jobs compared with 2 − 1/Σm; optima without locality by brute force."""
    tally = Ratios()
    for seed in range(120):
        rng = Random(seed)
        jobs = [RigidJob(f"J{i}", rng.randint(1, 5), 1) for i in range(6)]
        cut = rng.randint(0, 6)
        sizes = rng.randint(1, 2), rng.randint(1, 2)
        organizations = [Organization("A", sizes[0], jobs[:cut]), Organization("B", sizes[1], jobs[cut:])]
        instance = MospInstance(organizations, local=rng.choice(["SPT", "LPT", "HF"]))
        ratio = schedule_by("ILBA-local", instance).makespan / brute_force(instance.with_locality(None))[0]
        tally.add(ratio, 2 - Fraction(1, sum(sizes)))
    return f"{tally.above} of 120 above it; worst {float(tally.worst):.2f}"


def far_from_guarantees() -> str:
    """Section 7.5: ILBA's worst score on uni."""
    worst = max(schedule_by("ILBA", instance).makespan / paper_bound(instance) for instance in drawn())
    return f"worst {float(worst):.2f} LB of {len(drawn())}"


def low_zone() -> str:
    """MOLBA proposition 2: from the first moment of low utilization to the last, at most the longest job's time.

    It fails on `low_zone_counterexample`; the result also states how often it fails on uni instances.
    """
    grid = low_zone_counterexample()
    least = max(_low_zones(grid, schedule_by("MOLBA(2)", grid)))
    tally = Ratios()
    for name in ("MOLBA(2)", "MOLBA(3)"):
        for instance in drawn():
            most = max(job.time for job in instance.jobs)
            for length in _low_zones(instance, schedule_by(name, instance)):
                tally.add(length / most, 1)
    counts = f"{tally.above} of {tally.count} clusters of uni instances longer, up to {float(tally.worst):.2f} pmax"
    return f"{least} with pmax = {max(job.time for job in grid.jobs)} on 8 jobs; {counts}"


def low_zone_counterexample() -> MospInstance:
    """Return three clusters of 4 processors on which proposition 2 fails.

    Cut at 2LB = 15.5, O1's jobs (1, 3) and (6, 2) move in the order HF: the high one starts after O3's low job, at 1,
    and the low one after that, at 2. O3's cluster is at low utilization from 0 to 1 and from 2 to 8. The proof assumes
    that the last low job fits as soon as utilization is low; the high job in between leaves no room for it.
    """
    shapes = [(1, 3), (5, 4), (3, 4), (2, 4), (6, 2), (6, 4)], [(3, 4)], [(1, 2)]
    return MospInstance(
        [
            Organization(f"O{k}", 4, [RigidJob(f"J{k}.{i}", *shape) for i, shape in enumerate(jobs, start=1)])
            for k, jobs in enumerate(shapes, start=1)
        ],
        local="HF",
    )


def _low_zones(instance: MospInstance, schedule: Schedule) -> Iterable[Fraction]:
    for organization in instance.organizations:
        steps = utilization(tuple(p for p in schedule.placements if organization.id in p.nodes))
        low = [(start, end) for start, end, used in steps if 2 * used <= organization.processors and used]
        first = next((start for start, _, used in steps if 2 * used <= organization.processors), None)
        if low and first is not None:
            yield low[-1][1] - first


def low_by_two() -> str:
    """MOLBA proposition 3: some cluster is at low utilization by 2LB, LB the area bound."""
    broken = 0
    for instance in drawn():
        schedule = schedule_by("MOLBA(2)", instance)
        area = sum((job.time * job.processors for job in instance.jobs), Fraction(0)) / instance.node_count
        firsts = []
        for organization in instance.organizations:
            steps = utilization(tuple(p for p in schedule.placements if organization.id in p.nodes))
            high = next((start for start, _, used in steps if 2 * used <= organization.processors), schedule.makespan)
            firsts.append(min(high, steps[-1][1] if steps else Fraction(0)))
        broken += min(firsts) > 2 * area
    return f"{broken} of {len(drawn())} without one"


def last_is_low() -> str:
    """MOLBA proposition 4: the ratio if jobs are cut at 2LB and the last job to end is low."""
    broken, tally = 0, Ratios()
    for instance in drawn(count=240):
        schedule = schedule_by("MOLBA(2)", instance)
        last = max(schedule.placements, key=lambda placement: placement.end)
        width = {job.id: job.processors for job in instance.jobs}[last.job]
        if 2 * width > instance.organizations[0].processors:
            continue
        broken += not tally.add(schedule.makespan / paper_bound(instance), 3) or bool(verify(instance, schedule))
    return f"{broken} of {tally.count} above 3 LB or against locality; worst {float(tally.worst):.2f} LB"


def _narrowed(instance: MospInstance, high: bool) -> MospInstance:
    """Return the instance with every job halved in width, or made wider than half of its cluster."""
    size = instance.organizations[0].processors
    organizations = [
        Organization(
            organization.id,
            size,
            [
                RigidJob(job.id, job.time, max(size // 2 + 1, job.processors) if high else -(-job.processors // 2))
                for job in organization.jobs
            ],
        )
        for organization in instance.organizations
    ]
    return MospInstance(organizations, local="HF")


def molba_high() -> str:
    """All jobs high: the bound is that of sequential jobs on n machines."""
    broken, tally = 0, Ratios()
    for instance in drawn():
        wide = _narrowed(instance, high=True)
        count, times = len(wide.organizations), [job.time for job in wide.jobs]
        bound = max(sum(times, Fraction(0)) / count, *times)
        schedule = schedule_by("MOLBA-high", wide)
        broken += not tally.add(schedule.makespan / bound, 2 - Fraction(1, count)) or bool(verify(wide, schedule))
    return f"{broken} of {tally.count} above it or against locality; worst {float(tally.worst):.2f}"


def uni_moments() -> str:
    """Section 7.1: p over 1 … 50 and q over 1 … m, uniform."""
    jobs = uni(seed=1, jobs=4000, organizations=10, processors=128).jobs
    times, widths = [int(job.time) for job in jobs], [job.processors for job in jobs]
    return (
        f"p {min(times)} to {max(times)}, mean {fmean(times):.1f}; "
        f"q {min(widths)} to {max(widths)}, mean {fmean(widths):.1f} (m = 128)"
    )


def swf_limits() -> str:
    """Section 7.1: sizes below m, releases 0."""
    jobs = swf(seed=1, jobs=2000, organizations=10, processors=128).jobs
    return f"largest {max(job.processors for job in jobs)} (m = 128), latest release {max(job.release for job in jobs)}"


def zipf_share() -> str:
    """Section 7.1: owners by Zipf, exponent 1.4267."""
    owned = Counter(zipf_owners(Random(5), 40_000, 20))
    return f"O1 owns {100 * owned[0] / 40_000:.0f} % at N = 20"


CHECKS: dict[str, Callable[[], str]] = {
    "mocca-2.2-bound": bound_below_optimum,
    "mocca-theorem-1": lambda: ratios("MOCCA", drawn(), 3),
    "mocca-4.5-tight": ends_at_three,
    "mocca-prop-9": two_clusters,
    "mocca-prop-10": lambda: ratios("MOCCA(4)", other_policies(), 4),
    # The paper leaves open whether all jobs find a place.
    "mocca-5.2-open": lambda: ratios("MOCCA(7/2)", other_policies(), Fraction(7, 2)),
    "mocca-prop-11": ilba_delays_nothing,
    "mocca-prop-12": ilba_sequential,
    "mocca-7.1-uni": uni_moments,
    "mocca-7.1-swf": swf_limits,
    "mocca-7.1-zipf": zipf_share,
    "mocca-7.5-summary": far_from_guarantees,
    "molba-prop-2": low_zone,
    "molba-prop-3": low_by_two,
    "molba-prop-4": last_is_low,
    "molba-prop-5": lambda: ratios("MOLBA(3)", drawn(), 4),
    # The paper omits the proof.
    "molba-4.2-two": lambda: ratios("MOLBA(2)", drawn(organizations=2), 3),
    "molba-4.2-low": lambda: ratios("MOLBA(2)", [_narrowed(instance, high=False) for instance in drawn()], 3),
    "molba-4.2-high": molba_high,
}
