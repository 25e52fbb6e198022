"""Guarantees of MOSP's heuristics, on instances of all sizes that satisfy the theorems' hypotheses or almost do.

Schedules are verified, with locality if the method keeps it. An applicable guarantee must hold relative to the lower
bound in its proof, which is the stronger claim, and to the optimum if brute force finds it. No bound may exceed a
schedule.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from benchmarks.soak.drawing import Drawn
from benchmarks.soak.findings import Finding, finding
from oas.core.rigid import Organization, RigidJob
from oas.core.verifier import verify
from oas.mosp.generate.section7 import swf, uni
from oas.mosp.instance import MospInstance
from oas.mosp.local import LOCAL_ORDERS
from oas.solving.brute_force import brute_force
from oas.solving.lower_bound import lower_bounds
from oas.solving.method import NotApplicableError, NotPlacedError
from oas.solving.methods import toolkit_methods

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.soak.findings import Asked
    from oas.core.instances import Instance
    from oas.mosp.generate.section7 import Policy
    from oas.solving.method import Method

BRUTE_FORCE_JOBS = 5
POLICIES: tuple[Policy, ...] = ("HF", "LPT", "SPT", "RND", "FCFS", "SJF", "BJF")
HYPOTHESES = ("sequential", "all high", "all low", "all fit", "two clusters", "one cluster")
KINDS = (*HYPOTHESES, "uni", "swf", "pareto")
# Lower bounds used in the proofs, if different from the LB of the papers: the bound for high jobs, which run one at
# a time on a cluster; for list schedules on one cluster, bounds that account for reservations.
PROVED_AGAINST: dict[str, tuple[str, ...]] = {
    "MOLBA-high": ("high jobs", "longest job"),
    **dict.fromkeys(("local", *LOCAL_ORDERS), ("area", "longest job")),
}


def promise_fault(instance: Instance, method: Method, makespan: Fraction, optimum: Fraction | None) -> str:
    """Describe how a makespan violates the method's guarantee for the instance; empty if it does not.

    `optimum` is the optimum without locality, on which no proof depends; None if it is unknown.
    """
    promise = method.guarantee(instance) if method.guarantee else None
    if promise is None:
        return ""
    names = PROVED_AGAINST.get(method.name, ("paper LB",))
    proved = max(one.compute(instance) for one in lower_bounds(instance) if one.name in names)
    for name, value in (("the optimum", optimum), ("its bound", proved)):
        if value is not None and makespan > promise.value * value:
            return f"makespan {makespan}, above {promise.value} times {name}, {value}"
    return ""


def draw(seed: int) -> Drawn:
    """Return the instance of `seed`; the kinds alternate, and so do few and many jobs."""
    turn, number = divmod(seed, len(KINDS))
    kind, rng = KINDS[number], Random(f"guarantees {seed}")
    if kind in HYPOTHESES:
        instance = _of_hypothesis(rng, kind, BRUTE_FORCE_JOBS if turn % 2 == 0 else 60)
    else:
        instance = _workload(rng, kind, seed)
    return Drawn(seed, "mosp", kind, replace(instance, name=f"{kind}, seed {seed}"))


def _of_hypothesis(rng: Random, kind: str, most: int) -> MospInstance:
    """Draw an instance of at most `most` jobs for the hypothesis of a theorem."""
    size, local = rng.randint(2, 8), rng.choice(list(LOCAL_ORDERS))
    sizes, widths = {
        "sequential": ([rng.randint(1, 4) for _ in range(rng.randint(1, 4))], (1, 1)),  # ILBA
        "all high": ([size] * rng.randint(1, 4), (size // 2 + 1, size)),  # MOLBA's rule for high jobs
        "all low": ([size] * rng.randint(2, 4), (1, size // 2)),  # MOLBA with its cut at 2LB
        "all fit": ([size + rng.randint(0, 6) for _ in range(rng.randint(2, 5))], (1, size)),  # MOCCA, theorem 1
        "two clusters": ([rng.randint(1, 8), rng.randint(1, 8)], (1, 8)),  # MOCCA, proposition 9
        "one cluster": ([size], (1, size)),
    }[kind]
    if kind in ("all low", "all fit", "two clusters"):
        local = "HF"
    homes = [k for k, one in enumerate(sizes) if one >= widths[0]]
    share, longest = rng.choice((0.0, 0.5, 0.9)), rng.choice((3, 9, 40))
    own: list[list[RigidJob]] = [[] for _ in sizes]
    for number in range(rng.randint(2, most)):
        home = homes[0] if rng.random() < share else rng.choice(homes)
        width = rng.randint(widths[0], min(widths[1], sizes[home]))
        own[home].append(RigidJob(f"J{number}", rng.randint(1, rng.choice((2, longest))), width))
    organizations = [Organization(f"O{k}", one, jobs) for k, (one, jobs) in enumerate(zip(sizes, own, strict=True))]
    return MospInstance(organizations, rng.choice((Fraction(1), None)), local, rng.randint(0, 99))


def _workload(rng: Random, kind: str, seed: int) -> MospInstance:
    """Draw a workload in the MOCCA paper's sizes; pareto: clusters of different sizes, section 7.4."""
    make = {"uni": uni, "swf": swf}.get(kind) or rng.choice((uni, swf))
    return make(
        seed=seed,
        jobs=500 if rng.random() < 0.1 else rng.choice((10, 20, 50, 100)),
        organizations=rng.choice((2, 5, 10, 20)),
        processors=rng.choice((32, 128)),
        pareto=rng.choice((1, 2, 5, 10)) if kind == "pareto" else None,
        local=rng.choice(POLICIES),
    )


def examine(instance: MospInstance, asked: Asked) -> Iterator[Finding]:
    """Yield the findings on every method and every bound."""
    free = instance.with_locality(None)
    least = brute_force(free)[0] if len(instance.jobs) <= BRUTE_FORCE_JOBS else None
    shortest = None
    for method in toolkit_methods(MospInstance):
        compared = instance if method.respects_locality else free
        try:
            schedule = method(compared, seed=asked.number)
        except (NotApplicableError, NotPlacedError) as error:
            promised = method.guarantee is not None and method.guarantee(compared) is not None
            yield (
                finding(method.name, f"promises a ratio, but: {error}") if promised else Finding(method.name, "refused")
            )
            continue
        violations = verify(compared, schedule)
        fault = str(violations[0]) if violations else promise_fault(compared, method, schedule.makespan, least)
        if least is not None and schedule.makespan < least:
            fault = fault or f"makespan {schedule.makespan}, below the optimum {least}"
        yield finding(method.name, fault, None if least is None else float(schedule.makespan / least))
        shortest = schedule.makespan if shortest is None else min(shortest, schedule.makespan)
    most = shortest if least is None else least
    for bound in lower_bounds(MospInstance):
        value = bound.compute(instance)
        wrong = most is not None and value > most
        yield finding(f"{bound.name} bound", f"{value}, above the makespan {most}" if wrong else "")
