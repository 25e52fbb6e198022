"""Speed of MOSP heuristics: ``python -m benchmarks.measurements.mosp.speed [PART ...] [LOG.swf.gz ...]``.

CPU times without compilation; the parts are pair, uni, queues, wide and limits.

pair: MOCCA (section 7) and ILBA at n=500, N=20, m=512. uni: every heuristic on 480 instances as in the MOCCA paper's
section 7.2, with its scores. queues: list scheduling and back-filling of 100,000 jobs on one cluster; a log in SWF
gives the jobs in place of a model, tiled four times. wide: all heuristics, and the verifier on each schedule, where
clusters or jobs are many. limits: by how much `oas.solve` goes beyond five seconds, up to 5,000 jobs.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from random import Random
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.mosp.ilba import balanced
from heuristics.mosp.mocca_cuts import section7
from heuristics.mosp.queueing import conservative_runs, easy_runs, empty_profiles, list_runs
from heuristics.mosp.threshold import paper_bound
from heuristics.registry import methods
from oas.core.verifier import verify
from oas.exact.pipeline import solve
from oas.exact.progress import COMPILE
from oas.exact.start import candidates
from oas.generate.mosp.uni import uni
from oas.io.logs.swf import read_swf
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.ticks import ScaledMosp
from oas.problems.rigid import Organization, RigidJob

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.schedule import Schedule

CELLS = [(count, jobs, size) for count in (2, 5, 10, 20) for jobs in (10, 50, 100, 500) for size in (32, 128, 512)]


def pair() -> None:
    """MOCCA and ILBA in ticks, and as a schedule with concrete processors."""
    instance = uni(organizations=20, jobs=500, processors=512)
    scaled = instance.scaled()
    balanced(section7(scaled))
    in_ticks = min(_seconds(lambda: balanced(section7(scaled))) for _ in range(5))
    schedule = balanced(section7(scaled))
    with_nodes = min(_seconds(lambda: schedule.to_schedule(instance, "")) for _ in range(3))
    scaling = min(_seconds(instance.scaled) for _ in range(3))
    print(f"MOCCA + ILBA, n=500, N=20, m=512: {1000 * in_ticks:.1f} ms in ticks (target 20 ms)")
    checking = (
        min(_seconds(lambda: verify(instance, schedule.to_schedule(instance, ""))) for _ in range(3)) - with_nodes
    )
    print(f"  besides: {1000 * scaling:.1f} ms to ticks, {1000 * with_nodes:.1f} ms to concrete processors", end="")
    print(f" (target 5 ms), {1000 * checking:.1f} ms to verify")


def scores(repetitions: int = 10) -> None:
    """Every heuristic on 48 cells, with mean and greatest score, makespan / LB."""
    found: dict[str, list[Fraction]] = defaultdict(list)
    local_by_count: dict[int, list[Fraction]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    for cell, (clusters, jobs, processors) in enumerate(CELLS):
        for seed in range(cell * repetitions, (cell + 1) * repetitions):
            instance = uni(seed=seed, organizations=clusters, jobs=jobs, processors=processors)
            scaled = instance.scaled()
            bound = paper_bound(scaled) * scaled.tick
            for method in methods(MospInstance):
                begun = process_time()
                try:
                    schedule = method(instance)
                except (NotApplicableError, NotPlacedError):
                    continue
                seconds[method.name] += process_time() - begun
                found[method.name].append(schedule.makespan / bound)
            if jobs > 10:
                local_by_count[clusters].append(found["local"][-1])
    for name, values in found.items():
        print(f"{name:13} {len(values):4} instances  mean {_mean(values):6.3f}  max {float(max(values)):6.2f}", end="")
        print(f"  {seconds[name]:6.2f} s")
    print("local, n > 10, by N:", {count: round(_mean(values), 2) for count, values in local_by_count.items()})
    print(f"all: {sum(seconds.values()):.1f} s (target 60 s)")


def queues(jobs: int = 100_000, reservations: int = 5_000) -> None:
    """Jobs released over time at load 0.9 or all at 0, with and without reservations."""
    for load in (0.9, None):
        stream = _stream(jobs, load)
        where = "all released at 0" if load is None else f"load {load}"
        for count in (0, reservations):
            _queue_speeds(_reserved(stream, count), f"{where}, {count} reservations")


def log_queues(path: str, copies: int = 4, reservations: int = 5_000) -> None:
    """The jobs of a log one after the other `copies` times, at their submit times, on its system as one cluster."""
    log = read_swf(path)
    processors = log.max_processors or 0
    kept = [
        (int(job.submit or 0), int(job.run_time or 0), job.processors or 0)
        for job in log.jobs
        if job.run_time and job.processors and job.processors <= processors
    ]
    kept.sort()
    span = kept[-1][0] - kept[0][0] + 1
    tiled = [(copy * span + submit - kept[0][0], time, width) for copy in range(copies) for submit, time, width in kept]
    releases, times, widths = zip(*tiled, strict=True)
    stream = _one_cluster(processors, times, widths, releases)
    for count in (0, reservations):
        _queue_speeds(_reserved(stream, count), f"{log.name} x {copies}, {len(tiled)} jobs, {count} reservations")


def instances() -> dict[str, MospInstance]:
    """Return instances on which a solve once spent its time before any search, and uni instances of many jobs."""
    rng = Random(1)
    found = {
        "bins, n=200, m=100,000": _alone(100_000, [(1, rng.randint(20_000, 35_000)) for _ in range(200)]),
        "bins, n=1,000, m=150": _alone(150, [(1, rng.randint(20, 100)) for _ in range(1000)]),
        "P||Cmax, n=100, m=25": _alone(25, [(rng.randint(1, 100), 1) for _ in range(100)]),
    }
    for jobs in (500, 2000, 5000):
        for organizations, processors in ((2, 512), (20, 128)):
            name = f"uni, n={jobs:,}, N={organizations}, m={processors}"
            found[name] = uni(seed=3, jobs=jobs, organizations=organizations, processors=processors)
    return found


def _alone(processors: int, jobs: list[tuple[int, int]]) -> MospInstance:
    own = [RigidJob(f"J{k}", time, width) for k, (time, width) in enumerate(jobs)]
    return MospInstance([Organization("O1", processors, own)], locality=None)


def wide() -> None:
    """All heuristics, and the verifier on what each makes."""
    for name, instance in instances().items():
        made: list[Schedule] = []
        making = _seconds(lambda: made.extend(one for _, one, _ in candidates(instance)))  # noqa: B023
        checking = _seconds(lambda: [verify(instance, one) for one in made])  # noqa: B023
        shown = f"{1000 * making:8.0f} ms, verified in {1000 * checking:6.0f} ms"
        print(f"{name:32} {len(made):2} heuristics {shown}", flush=True)


def limits(seconds: float = 5) -> None:
    """How long a solve with a time limit takes: wall time, so the load of the machine counts."""
    for name, instance in instances().items():
        begun, spent = perf_counter(), process_time()
        found = solve(instance, time_limit=seconds)
        wall, spent = perf_counter() - begun - found.seconds.get(COMPILE, 0), process_time() - spent
        share = f"{found.seconds['start']:5.2f} s of it heuristics"
        print(
            f"{name:32} {wall:6.2f} s, {share}, CPU {spent:5.2f} s: {found.lower_bound} to {found.objective}",
            flush=True,
        )


def _queue_speeds(scaled: ScaledMosp, where: str) -> None:
    engines: list[tuple[str, Callable]] = [
        ("list", list_runs),
        ("EASY", easy_runs),
        ("conservative", conservative_runs),
    ]
    small = _reserved(_stream(500, 0.9), 5)
    queue = sorted(range(scaled.job_count), key=lambda job: scaled.releases[job])
    for name, engine in engines:
        engine(empty_profiles(small, True), small, [0], range(500))
        profiles = empty_profiles(scaled)
        taken = _seconds(lambda: engine(profiles, scaled, [0], queue))  # noqa: B023
        print(f"{name:13} {where:62} {scaled.job_count / taken:12,.0f} jobs/s", flush=True)


def _stream(jobs: int, load: float | None, processors: int = 100) -> ScaledMosp:
    """Jobs like a small machine's log: mostly narrow, times over four decades."""
    rng = Random(7)
    times = tuple(int(10 ** rng.uniform(0.5, 4.5)) + 1 for _ in range(jobs))
    widths = tuple(min(processors, 2 ** rng.randint(0, 5) + rng.randint(0, 3)) for _ in range(jobs))
    span = _area(times, widths) / processors / (load or 1)
    releases = tuple(sorted(int(rng.uniform(0, span)) if load else 0 for _ in range(jobs)))
    return _one_cluster(processors, times, widths, releases)


def _one_cluster(
    processors: int, times: tuple[int, ...], widths: tuple[int, ...], releases: tuple[int, ...]
) -> ScaledMosp:
    owners = (0,) * len(times)
    return ScaledMosp(Fraction(1), (processors,), times, widths, releases, owners, (), releases, (None,))


def _reserved(scaled: ScaledMosp, reservations: int) -> ScaledMosp:
    """The same jobs beside so many reservations, spread over the span of the work."""
    rng = Random(8)
    (processors,) = scaled.processors
    gap = int(max(max(scaled.releases), _area(scaled.times, scaled.widths) / processors) / (reservations + 1)) + 2
    reserved = []
    for index in range(reservations):
        start = index * gap + rng.randrange(gap // 2)
        reserved.append((0, start, start + rng.randint(1, gap // 2), rng.randint(1, processors // 2)))
    return replace(scaled, reservations=tuple(reserved))


def _area(times: tuple[int, ...], widths: tuple[int, ...]) -> int:
    return sum(time * width for time, width in zip(times, widths, strict=True))


def _seconds(run: Callable[[], object]) -> float:
    begun = process_time()
    run()
    return process_time() - begun


def _mean(values: list[Fraction]) -> float:
    return float(sum(values) / len(values))


if __name__ == "__main__":
    parts = {"pair": pair, "uni": scores, "queues": queues, "wide": wide, "limits": limits}
    for part in sys.argv[1:] or parts:
        if part in parts:
            parts[part]()
        else:
            log_queues(part)
