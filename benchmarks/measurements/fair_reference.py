"""Speed of the exact reference REF, of its check by a second algorithm, and of RAND.

    python -m benchmarks.measurements.fair_reference                            # random jobs
    python -m benchmarks.measurements.fair_reference LPC-EGEE-2004-1.2-cln.swf.gz:70 --runs 3

A complete log runs with five organizations, and its first 40,000 jobs with ten organizations on 17 processors. A job of
several processors becomes copies of a job of one (section 6.2 of the fair scheduling paper). CPU time of one thread,
the best of `--runs` runs, with that run's wall time; without compilation, reading and generation. Every schedule is
verified; with `--check` the second algorithm recomputes all coalitions.
"""

from __future__ import annotations

import argparse
import resource
import sys
from importlib.metadata import version
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.common import circumstances
from benchmarks.papers.fair_log_cases import Log
from oas.core.rigid import split_processors
from oas.fair.search.certificate import verify_reference
from oas.fair.search.reference import reference
from oas.fair.search.sampling import random_orderings, sampled_starts
from oas.fair.stream_rules import ticks_violations
from oas.fair.ticks import FairTicks
from oas.logs.sharing import Sharing, share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

FIRST_JOBS = 40_000  # number of jobs of a log for ten organizations
FEW = 17  # number of processors for these
HEAD = (
    "| jobs | organizations | processors | started | contended decisions, all coalitions | by an old φ | CPU time"
    " | wall clock | RAND(75) | check |\n|---|---|---|---|---|---|---|---|---|---|"
)


def made(organizations: int, jobs: int, processors: int, load: float, seed: int = 0) -> FairTicks:
    """Return random jobs.

    Running times are exponential with a mean of 3,000 ticks; releases and owners are drawn uniformly. The total work
    is the given share of the capacity until the horizon. Processors are divided by Zipf's law.
    """
    draw = np.random.default_rng(seed)
    time = np.maximum(1, draw.exponential(3000, jobs)).astype(np.int64)
    horizon = max(1, int(time.sum() / processors / load))
    release = np.sort(draw.integers(0, horizon, jobs))
    owner = draw.integers(0, organizations, jobs)
    order = np.lexsort((owner, release))
    machines = split_processors(processors, organizations, "zipf")
    return FairTicks(np.array(machines), owner[order], release, time[order], np.ones(jobs, dtype=np.int64), horizon)


def of_log(log: Log) -> Iterator[tuple[str, FairTicks]]:
    """Yield all jobs of a log with five organizations, and its first jobs with ten on few processors."""
    stream = log.jobs
    yield f"{stream.name}, whole", share(stream, Sharing(organizations=5, processors=log.processors)).ticks
    ten = share(stream, Sharing(organizations=10, processors=max(FEW, 10))).ticks
    first = slice(0, min(FIRST_JOBS, ten.job_count))
    columns = (ten.owner[first], ten.release[first], ten.time[first], ten.width[first])
    yield f"{stream.name}, the first", FairTicks(ten.machines, *columns, int(ten.release[first][-1]) + 1)


def row(name: str, ticks: FairTicks, runs: int = 3, check: bool = False) -> str:
    """Run REF `runs` times and RAND(75) once, verify both, and return the row of the table.

    Raises AssertionError if a schedule violates a rule or the second algorithm disagrees.
    """
    measured = [timed(lambda: reference(ticks)) for _ in range(runs)]
    run, cpu, wall = min(measured, key=lambda one: one[1])
    assert not ticks_violations(ticks, run.starts)
    orderings = random_orderings(ticks.organization_count, 75, 0)
    starts, sampled, _ = timed(lambda: sampled_starts(ticks, orderings))
    assert not ticks_violations(ticks, starts)
    checked = "–"
    if check:
        wrong, seconds, _ = timed(lambda: verify_reference(ticks, run.starts, run.certificate))
        assert not wrong, wrong
        checked = f"{seconds:.1f} s"
    cells = (
        f"{name}: {ticks.job_count:,}",
        ticks.organization_count,
        f"{ticks.total:,}",
        f"{np.count_nonzero(run.starts >= 0):,}",
        f"{run.contended:,}",
        f"{100 * run.settled / max(run.contended, 1):.1f} %",
        f"{cpu:.2f} s",
        f"{wall:.2f} s",
        f"{sampled:.2f} s",
        checked,
    )
    return f"| {' | '.join(map(str, cells))} |"


def timed(call: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return the result of a call, its CPU time and its wall time in seconds."""
    cpu, wall = process_time(), perf_counter()
    result = call()
    return result, process_time() - cpu, perf_counter() - wall


def cases(logs: Sequence[str], scale: int) -> Iterator[tuple[str, FairTicks]]:
    """Yield the measured instances; `scale` divides the numbers of jobs."""
    if not logs:
        yield "load .95", made(5, 200_000 // scale, 17, 0.95)
        yield "load .95", made(10, 40_000 // scale, 17, 0.95)
        yield "load 1.5", made(10, 40_000 // scale, 17, 1.5)
        yield "load .95", made(15, 10_000 // scale, 30, 0.95)
    for log in map(Log.read, logs):
        yield from of_log(log)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="*", metavar="LOG[:PROCESSORS]", help="SWF; in place of jobs made at random")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scale", type=int, default=1, help="divides the numbers of jobs made at random")
    parser.add_argument("--check", action="store_true", help="recompute all coalitions by the second algorithm")
    options = parser.parse_args(arguments)
    print(f"{circumstances()}, numba {version('numba')}, numpy {version('numpy')}\n\n{HEAD}")
    warm = made(2, 50, 3, 0.9)
    assert (
        verify_reference(warm, reference(warm, compiled=True).starts, reference(warm).certificate, compiled=True) == []
    )
    sampled_starts(warm, random_orderings(2, 1), compiled=True)
    for name, ticks in cases(options.logs, options.scale):
        print(row(name, ticks, options.runs, options.check), flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    print(f"\nPeak memory of the whole process: {peak:,.0f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
