"""Functions that recompute the papers' claims on list schedules and on their worst cases, by claim id.

Those of the reservations paper are among them; its theorems are tested on many list orders by
``python -m benchmarks.soak --check list-orders``.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from oas.core.result import Status
from oas.core.rigid import Organization, RigidJob
from oas.generate import uni
from oas.mosp.availability import attained_ratio, attained_ratio_bound, proven_ratio
from oas.mosp.bounds.simple import paper_bound
from oas.mosp.generate.worst_cases import WORST_CASES, Quantity
from oas.mosp.instance import MospInstance
from oas.mosp.runs import local_schedule
from oas.solving.brute_force import brute_force
from oas.solving.methods import find_method
from oas.solving.pipeline import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oas.core.schedule import Placement, Schedule


class Ratios:
    """Ratios compared with the ratio that a theorem allows: their count, the number above it, and the worst."""

    def __init__(self) -> None:
        self.count = self.above = 0
        self.worst = Fraction(0)

    def add(self, ratio: Fraction, allowed: Fraction | int) -> bool:
        """Count a ratio; return whether it is allowed."""
        self.count += 1
        self.above += ratio > allowed
        self.worst = max(self.worst, ratio)
        return ratio <= allowed


def optimum(instance: MospInstance) -> Fraction:
    """Return the proven optimum of an instance that the exact method solves quickly."""
    result = solve(instance, time_limit=60)
    if result.status is not Status.OPTIMAL or result.objective is None:
        raise RuntimeError(f"{instance.name}: not proven optimal within a minute")
    return result.objective


def schedule_by(name: str, instance: MospInstance) -> Schedule:
    """Return the schedule of a heuristic by name."""
    return find_method(name, MospInstance)(instance)


def makespan(name: str, instance: MospInstance) -> Fraction:
    """Return the makespan of a heuristic by name."""
    return schedule_by(name, instance).makespan


def no_cooperation() -> str:
    """MOCCA 2.3, MOLBA figure 1: the local makespan and the optimum."""
    instance = WORST_CASES["no-cooperation"].function(organizations=8)
    return f"N = 8: {local_schedule(instance).makespan} and {optimum(instance)}"


def both_gain() -> str:
    """MOLBA figure 2: the makespan of the local schedules and of a schedule by which both organizations gain."""
    instance = WORST_CASES["matching"].function()
    schedule = solve(instance, time_limit=60).schedule
    assert schedule is not None
    ends = [max(schedule[job.id].end for job in organization.jobs) for organization in instance.organizations]
    return f"makespan {local_schedule(instance).makespan} alone, {max(ends)} together"


def locality_price() -> str:
    """MOCCA figure 2, MOLBA figure 3: the price of locality on both variants of the instance."""
    prices = []
    for machines in ("single", "double"):
        instance = WORST_CASES["locality-price"].function(machines=machines)
        prices.append(brute_force(instance)[0] / brute_force(instance.with_locality(None))[0])
    return " and ".join(map(str, prices))


def near_three() -> str:
    """MOCCA proposition 7: the optimum / LB, which approaches 3."""
    ratios = []
    for count, processors in ((2, 4), (5, 10), (10, 100)):
        instance = WORST_CASES["near-three-bounds"].function(organizations=count, processors=processors)
        ratios.append(f"{float(optimum(instance) / paper_bound(instance)):.3f}")
    claims = WORST_CASES["near-three-bounds"].claims(organizations=2000, processors=4000)
    limit = next(claim.true for claim in claims if claim.about is Quantity.OPTIMUM)
    return f"{', '.join(ratios)} LB for N = 2, 5, 10; {float(limit):.3f} LB for N = 2000"


def proposition8() -> str:
    """MOCCA proposition 8: the makespan if the local schedules are kept until 2LB, and the optimum.

    This makespan is stated with the worst case; its test enumerates the distributions of the other jobs.
    """
    instance = WORST_CASES["kept-schedules"].function(organizations=6)
    claims = (WORST_CASES["kept-schedules"].claims(organizations=count) for count in (6, 12, 60, 600))
    kept = ", ".join(str(claim.true) for values in claims for claim in values if claim.about is Quantity.KEPT)
    return f"optimum {optimum(instance)}, LB {paper_bound(instance)}; kept: {kept} LB for N = 6, 12, 60, 600"


def mocca4_tight() -> str:
    """MOCCA(4)'s makespan on the last instance of MOCCA section 5.2, with LB and optimum."""
    instance = WORST_CASES["tight-mocca4"].function()
    return f"MOCCA(4) {makespan('MOCCA(4)', instance)}, LB {paper_bound(instance)}, optimum {optimum(instance)}"


def graham_spt() -> str:
    """MOCCA section 6.3: SPT's ratio on its worst case."""
    ratios = []
    for count in (2, 3, 5):
        instance = WORST_CASES["graham-spt"].function(processors=count)
        ratios.append(str(makespan("ILBA-local", instance) / optimum(instance)))
    return f"{', '.join(ratios)} for m = 2, 3, 5"


def ilba(name: str) -> str:
    """Proposition 13's instance as printed: the makespan of a method, to be compared with L."""
    makespans = [makespan(name, WORST_CASES["unbounded-ilba"].function(x=x, repaired=False)) for x in (1, 2, 3)]
    return f"{', '.join(map(str, makespans))} for x = 1, 2, 3"


def ilba_optimum() -> str:
    """Proposition 13, compared with L: LB of the instance as printed, and the optimum of the repaired instance."""
    printed, repaired = [], []
    for x in (1, 2, 3):
        length = max(job.time for job in WORST_CASES["unbounded-ilba"].function(x=x).jobs)
        bound = paper_bound(WORST_CASES["unbounded-ilba"].function(x=x, repaired=False))
        printed.append(f"{float(bound):.2f} > {length}")
        if x < 3:
            free = optimum(WORST_CASES["unbounded-ilba"].function(x=x).with_locality(None))
            repaired.append(f"{free} = {length}")
    return f"as printed LB {', '.join(printed)}; repaired (x = 1, 2) {', '.join(repaired)}"


def ilba_ratio() -> str:
    """Proposition 13 and figure 7: ILBA / L on the repaired instance; L is its optimum."""
    ratios = []
    for x in (1, 2, 3):
        instance = WORST_CASES["unbounded-ilba"].function(x=x)
        ratios.append(f"{float(makespan('ILBA-local', instance) / max(job.time for job in instance.jobs)):.3f}")
    return f"{', '.join(ratios)} for x = 1, 2, 3"


def list_ratio() -> str:
    """Ratios of list schedules of one cluster compared with 2 − 1/m, with optima by brute force."""
    tally = Ratios()
    for seed in range(150):
        rng = Random(seed)
        size = rng.randint(2, 4)
        jobs = [RigidJob(f"J{k}", rng.randint(1, 5), rng.randint(1, size)) for k in range(5)]
        instance = MospInstance([Organization("O", size, jobs)]).with_locality(None)
        best = brute_force(instance)[0]
        for name in ("FCFS", "SJF", "BJF", "SPT", "LPT", "HF"):
            tally.add(makespan(name, instance) / best, 2 - Fraction(1, size))
    return f"{tally.above} of {tally.count} above it; worst {float(tally.worst):.2f}"


def two_regions() -> str:
    """Proposition 1 on HF schedules: high utilization, then low, never rising, for at most the longest job's time."""
    instances = (
        uni(seed=seed, jobs=20, organizations=1, processors=Random(seed).randint(2, 40)) for seed in range(200)
    )
    return f"{sum(not _is_high_then_low(instance) for instance in instances)} of 200 schedules otherwise"


def _is_high_then_low(instance: MospInstance) -> bool:
    size = instance.organizations[0].processors
    steps = utilization(schedule_by("HF", instance).placements)
    low = [index for index, (_, _, used) in enumerate(steps) if 2 * used <= size]
    if not low:
        return True
    tail = [used for _, _, used in steps[low[0] :]]
    length = steps[-1][1] - steps[low[0]][0]
    return (
        tail == sorted(tail, reverse=True)
        and 2 * max(tail) <= size
        and length <= max(job.time for job in instance.jobs)
    )


def utilization(placements: tuple[Placement, ...]) -> list[tuple[Fraction, Fraction, int]]:
    """Return (from, to, processors in use) between all moments at which a job starts or ends."""
    moments = sorted({Fraction(0), *(moment for job in placements for moment in (job.start, job.end))})
    return [
        (start, end, sum(job.tasks for job in placements if job.start <= start < job.end))
        for start, end in pairwise(moments)
    ]


ALPHAS = ("9/10", "4/5", "3/4", "3/5", "4/7", "9/20", "7/20", "3/10", "1/4", "1/5")


def ratio_to_optimum(method: str, case: str, **parameters: object) -> Fraction:
    """Return a method's makespan on a worst case / the optimum, which a test of the case proves."""
    (optimum,) = (claim.true for claim in WORST_CASES[case].claims(**parameters) if claim.about is Quantity.OPTIMUM)
    return makespan(method, WORST_CASES[case].function(**parameters)) / optimum


def _joined(values: Iterable[Fraction]) -> str:
    return ", ".join(map(str, values))


def blocked(method: str) -> str:
    """Section 2.2: a method's ratios on an instance that follows the text."""
    ratios = [float(ratio_to_optimum(method, "blocked-queue", processors=count, parts=10**6)) for count in (8, 64)]
    return f"{', '.join(f'{ratio:.4f}' for ratio in ratios)} times the optimum for m = 8, 64"


def graham() -> str:
    """Section 2.2: list scheduling attains the ratio 2 − 1/m."""
    return f"{_joined(ratio_to_optimum('LSRC(FCFS)', 'graham-list', processors=m) for m in range(2, 9))} for m = 2 to 8"


def theorem1(variant: str) -> str:
    """Theorem 1: optima by brute force, 3-PARTITION of 6 numbers with a solution and without."""
    early, late = (
        [
            brute_force(WORST_CASES["three-partition"].function(variant=variant, solvable=solvable, seed=seed))[0]
            for seed in range(4)
        ]
        for solvable in (True, False)
    )
    return f"with a solution {_joined(sorted(set(early)))}; without one at least {min(late)}"


def proposition2() -> str:
    """Proposition 2: LSRC's ratios."""
    return f"{_joined(ratio_to_optimum('LSRC(FCFS)', 'tight-lsrc', k=k) for k in range(2, 9))} for k = 2 to 8"


def any_alpha() -> str:
    """Section 4.2: B₁ compared with the ratio of LSRC on instances that are made to attain it."""
    ratios = [ratio_to_optimum("LSRC(FCFS)", "tight-lsrc-alpha", alpha=alpha) for alpha in ALPHAS]
    met = sum(ratio == attained_ratio(Fraction(alpha)) for ratio, alpha in zip(ratios, ALPHAS, strict=True))
    return f"LSRC reaches B₁ on {met} of {len(ALPHAS)} α"


def in_order() -> str:
    """Figure 4: the order B₂ ≤ B₁ ≤ 2/α for many rational α."""
    shares = {Fraction(p, q) for q in range(1, 120) for p in range(1, q + 1)}
    broken = sum(not attained_ratio_bound(share) <= attained_ratio(share) <= proven_ratio(share) for share in shares)
    equal = sum(attained_ratio_bound(share) == attained_ratio(share) for share in shares)
    whole = sum((2 / share).denominator == 1 for share in shares)
    return f"{broken} of {len(shares)} α otherwise; B₂ = B₁ on {equal}, 2/α whole on {whole}"


def closest() -> str:
    """Figure 4: B₁ / (2/α) just below the α at which 2/α is whole."""
    shares = [Fraction(2, k) - Fraction(1, 10**6) for k in (2, 3, 4)]
    ratios = ", ".join(f"{float(attained_ratio(share) / proven_ratio(share)):.6f}" for share in shares)
    return f"B₁ / (2/α) {ratios} below 1, 2/3, 1/2"


CHECKS: dict[str, Callable[[], str]] = {
    "mocca-2.3-no-cooperation": no_cooperation,
    "mocca-2.3-price": locality_price,
    "mocca-3.1-list": list_ratio,
    "mocca-prop-1": two_regions,
    "mocca-prop-7": near_three,
    "mocca-prop-8": proposition8,
    "mocca-5.2-tight": mocca4_tight,
    "mocca-6.3-tight": graham_spt,
    "mocca-prop-13-ilba": lambda: ilba("ILBA-local"),
    # ILBA after MOCCA, as in section 7.
    "mocca-prop-13-after-mocca": lambda: ilba("ILBA"),
    "mocca-prop-13-optimum": ilba_optimum,
    "mocca-prop-13-ratio": ilba_ratio,
    "molba-2.3-no-cooperation": no_cooperation,
    "molba-2.3-matching": both_gain,
    "molba-2.3-price": locality_price,
    "molba-3.1-list": list_ratio,
    "molba-prop-1": two_regions,
    "reservations-2.2-fcfs": lambda: blocked("FCFS-strict"),
    "reservations-2.2-conservative": lambda: blocked("conservative"),
    "reservations-2.2-tight": graham,
    "reservations-theorem-1": lambda: theorem1("one-processor"),
    "reservations-theorem-1-one": lambda: theorem1("one-reservation"),
    "reservations-prop-2": proposition2,
    "reservations-4.2-b1": any_alpha,
    "reservations-4.2-b2": in_order,
    "reservations-fig-4": closest,
}
