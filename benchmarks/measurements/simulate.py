"""Speed of the queueing policies on streams of jobs, and of the check of their guarantees.

    python -m benchmarks.measurements.simulate                 # 10⁶ jobs, 8,000 reservations; off line 10⁵ jobs
    python -m benchmarks.measurements.simulate LOG.swf.gz ...  # the jobs of logs, without reservations

Jobs per second of CPU time of one thread, the best of several runs, with the wall time of that run; without
compilation, reading and generation. Every schedule is verified; the time of checks is CPU time too.
"""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.common import circumstances
from oas.core.formats import show_count
from oas.logs.streams import read_stream
from oas.queueing.policies import POLICIES, StreamPolicy
from oas.queueing.promises import broken_promises, stream_violations
from oas.queueing.stream import JobStream, no_reservations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

MACHINE = 1024
DAYS = 2 * 86_400  # maximum running time in seconds
RESERVED = 0.05  # approximate share of processors × time
HEAD = (
    "| jobs | reservations | policy | jobs/s | wall clock | mean wait | rules checked in | promise checked in |\n"
    "|---|---|---|---|---|---|---|---|"
)


def made(jobs: int, reservations: int, load: float = 0.9, seed: int = 0) -> tuple[JobStream, Numbers]:
    """Return jobs and reservations like those of a large machine.

    Running times are log-normal, from a second to two days; widths are powers of two up to half the machine, one in
    five slightly wider. Submissions are random, and the total work is the given share of the capacity left by the
    reservations. Reservations are consecutive, each up to 2/5 of the time to the next, on up to half the machine.
    """
    draw = np.random.default_rng(seed)
    time = np.clip(np.exp(draw.normal(7, 1.7, jobs)), 1, DAYS).astype(np.int64)
    width = 2 ** draw.integers(0, MACHINE.bit_length() - 1, jobs)
    width = np.minimum(width + (draw.random(jobs) < 0.2) * draw.integers(0, 8, jobs), MACHINE)
    span = int(np.dot(time, width) / MACHINE / load / (1 - RESERVED))
    submit = np.sort(draw.integers(0, span, jobs))
    apart = span // max(reservations, 1)
    begin = np.arange(reservations) * apart + draw.integers(0, max(apart // 2, 1), reservations)
    length = 1 + draw.integers(0, max(apart * 2 // 5, 1), reservations)
    blocks = np.stack([begin, begin + length, draw.integers(1, MACHINE // 2 + 1, reservations)], axis=1)
    return JobStream(np.arange(jobs), submit, time, width, np.full(jobs, -1)), blocks


def measure(policy: StreamPolicy, stream: JobStream, processors: int, reservations: Numbers, runs: int = 3) -> str:
    """Run a policy `runs` times, check its schedule, and return the row of the table.

    Raises AssertionError if it violates a rule or its guarantee.
    """
    policy.starts(stream, processors, reservations[:1], compiled=True)  # compiles, and touches the memory
    seconds = []
    for _ in range(runs):
        began, wall = process_time(), perf_counter()
        starts = policy.starts(stream, processors, reservations, compiled=True)
        seconds.append((process_time() - began, perf_counter() - wall))
    done = stream.started(starts)
    began = process_time()
    broken = stream_violations(stream, done, processors, reservations)
    rules = process_time() - began
    if not broken:
        broken_promises(policy.name, done, processors, reservations)  # compiles
    began = process_time()
    broken += broken_promises(policy.name, done, processors, reservations)
    assert not broken, broken
    cpu, wall = min(seconds)
    promise, wait = process_time() - began, float(done.waits.mean())
    return (
        f"| {len(stream):,} | {len(reservations):,} | {policy.name} | {len(stream) / cpu:,.0f} | {wall:.2f} s"
        f" | {wait:,.0f} s | {rules:.2f} s | {promise:.2f} s |"
    )


def rows(jobs: int, at_once: int, reservations: int, runs: int) -> Iterator[str]:
    """Measure every policy on line, without and with reservations, and off line on fewer jobs."""
    for count in (0, reservations):
        stream, blocks = made(jobs, count)
        for policy in POLICIES:
            yield measure(policy, stream, MACHINE, blocks, runs)
    stream, blocks = made(at_once, reservations)
    for policy in POLICIES:
        yield measure(policy, stream.submitted_together(), MACHINE, blocks, runs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="*", metavar="LOG", help="SWF; in place of jobs made at random")
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--at-once", type=int, default=100_000, help="jobs off line")
    parser.add_argument("--reservations", type=int, default=8_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args(arguments)
    print(f"{circumstances()}, numba {version('numba')}, numpy {version('numpy')}\n\n{HEAD}")
    if not options.logs:
        for one in rows(options.jobs, options.at_once, options.reservations, options.runs):
            print(one, flush=True)
    for path in options.logs:
        stream = read_stream(path)
        print(f"{stream.name}, {show_count(stream.machine or 0, 'processor')}")
        for policy in POLICIES:
            print(measure(policy, stream, stream.machine or 0, no_reservations(), options.runs), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
