"""Broken files by the hundred thousand: each must be read rightly or refused with an `InputError`, in bounded time.

``python -m benchmarks.robustness.fuzz_files --count 100000 --seed 0``. File number i of a seed is always the same file;
``--only i`` looks at that one alone and prints it. ``--giants`` reads files of 64 MiB made to be costly instead.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import resource
import signal
import sys
import time
from collections import Counter
from fractions import Fraction
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING, Any

from benchmarks.robustness.file_mutations import MUTATIONS, sample_files
from benchmarks.robustness.giant_files import giant_files
from oas.core.errors import InputError
from oas.core.instances import is_instance
from oas.core.result import Result
from oas.core.schedule import Schedule
from oas.io import dumps, loads_any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from oas.io.conversion import Content
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.fair.instance import FairInstance
    from oas.problems.mosp.instance import MospInstance

CPU_SECONDS = 3.0  # for one file; the largest hold 650,000 values, of which 400,000 are of reservations
HANG_SECONDS = 60  # wall time after which a file counts as a hang
MEMORY_BYTES = 2 * 2**30
FILE = "fuzzed.json"


class FuzzError(Exception):
    """A file that was answered wrongly."""


def fuzzed_file(seed: int, index: int) -> tuple[str, bytes]:
    """Return file number `index` and the names of the mutations that made it."""
    rng = Random(f"{seed}/{index}")
    data = rng.choice(sample_files())
    names = rng.choices(sorted(MUTATIONS), k=rng.choice((1, 1, 1, 2, 3)))
    for name in names:
        data = MUTATIONS[name](rng, data)
    return "+".join(names), data


def examine(data: bytes) -> str:
    """Read a file; return ``accepted`` or ``refused``.

    Raises
    ------
    FuzzError
        If it is accepted with another meaning than its text has, refused without saying what is wrong, or answered
        late.
    """
    began = time.process_time()
    answer: Content | InputError
    try:
        answer = loads_any(data, FILE)
    except InputError as error:
        answer = error
    if (took := time.process_time() - began) > CPU_SECONDS:
        raise FuzzError(f"answered after {took:.1f} s of CPU time")
    if isinstance(answer, InputError):
        _check_refusal(answer)
        return "refused"
    _check_meaning(json.loads(data, parse_float=Fraction, object_pairs_hook=_members), answer)
    if loads_any(dumps(answer)) != answer:
        raise FuzzError("written and read again it is another")
    return "accepted"


def _check_refusal(error: InputError) -> None:
    text = str(error)
    if not text.startswith(f"{FILE}: ") or not error.reason:
        raise FuzzError(f"the refusal names no file or no reason: {text!r}")
    if len(text) > 4000:
        raise FuzzError(f"the refusal has {len(text)} characters: {text[:200]!r}…")
    text.encode()  # a surrogate could not be printed


def _check_meaning(text: dict[str, Any], content: Content) -> None:
    """Compare what was read with a second reading that shares no code with the first."""
    if is_instance(content):
        _CHECKS[content.problem.name](text, content)
    elif isinstance(content, Result):
        _same(text["status"], content.status.value)
        _same(_optional(text["lower_bound"]), content.lower_bound)
        _same(_optional(text["objective"]), content.objective)
        if content.schedule is not None:
            _check_schedule(text["schedule"], content.schedule)
    elif isinstance(content, Schedule):
        _check_schedule(text, content)


def _check_instance(text: dict[str, Any], instance: CoallocationInstance) -> None:
    _same(_exact(text.get("slot", 0)), instance.slot)
    clusters, jobs = text["clusters"], text["jobs"]
    for group in (group for cluster in clusters for group in cluster["nodes"]):
        _demand(type(group["count"]) is int and group["count"] >= 1 and 0 < _exact(group["power"]) <= 1, group)
    nodes = sum(group["count"] for cluster in clusters for group in cluster["nodes"])
    for job, own in zip(jobs, instance.jobs, strict=True):
        _demand(type(job["tasks"]) is int and 1 <= job["tasks"] <= nodes, job)
        _demand(_exact(job["base_time"]) > 0 and _exact(job.get("bandwidth", 0)) >= 0, job)
        _demand(0 <= _exact(job.get("sigma", 1)) <= 1, job)
        numbers = [job["tasks"], job["base_time"], job.get("bandwidth", 0), job.get("sigma", 1)]
        _same([job["id"], *map(_exact, numbers)], [own.id, own.tasks, own.base_time, own.bandwidth, own.sigma])
    for cluster, here in zip(clusters, instance.clusters, strict=True):
        _same([cluster["id"], _exact(cluster["bandwidth"])], [here.id, here.bandwidth])
        groups = [(group["count"], _exact(group["power"])) for group in cluster["nodes"]]
        _same(groups, [(group.count, group.power) for group in here.groups])
    for things in (jobs, clusters):
        _demand(len({thing["id"] for thing in things}) == len(things), "ids")
    _demand(instance.slot >= 0 and text.get("saturation", "forbid") == "forbid", "slot or saturation")


def _check_mosp(text: dict[str, Any], instance: MospInstance) -> None:
    _same(_optional(text.get("locality", 1)), instance.locality)
    _demand(instance.locality is None or instance.locality >= 1, "locality")
    ids = [job["id"] for one in text["organizations"] for job in one["jobs"]]
    _demand(len(set(ids)) == len(ids) > 0, "job ids")
    _demand(len({one["id"] for one in text["organizations"]}) == len(text["organizations"]), "cluster ids")
    alone = len(text["organizations"]) == 1 and instance.locality is None and "local" not in text
    _demand((instance.local is None) == alone, "local schedules of an organization alone")
    given = instance.local or {}
    _demand(sorted(given) == ([] if alone else sorted(ids)), "local starts")
    if isinstance(text.get("local"), dict):
        _same({job: _exact(start) for job, start in text["local"].items()}, given)
    for one, own in zip(text["organizations"], instance.organizations, strict=True):
        _same([one["id"], one["processors"]], [own.id, own.processors])
        jobs = [
            [job["id"], *map(_exact, (job["time"], job["processors"], job.get("release", 0)))] for job in one["jobs"]
        ]
        _same(jobs, [[job.id, job.time, job.processors, job.release] for job in own.jobs])
        reserved = [
            [_exact(each[key]) for key in ("start", "end", "processors")] for each in one.get("reservations", [])
        ]
        _same(reserved, [[each.start, each.end, each.processors] for each in own.reservations])
        _demand(all(1 <= width <= one["processors"] for width in (job["processors"] for job in one["jobs"])), one)
        _demand(all(time > 0 and release >= 0 for _, time, _, release in jobs), one)
        _demand(all(0 <= start < end for start, end, _ in reserved), one)
        starts = [(given[name], time, width, release) for name, time, width, release in jobs if not alone]
        _demand(all(start >= release for start, _, _, release in starts), one)
        blocks = [(start, start + time, width) for start, time, width, _ in starts] + reserved
        events = [event for start, end, width in blocks for event in ((start, width), (end, -width))]
        _demand(max(accumulate(width for _, width in sorted(events)), default=0) <= one["processors"], one["id"])


def _check_fair(text: dict[str, Any], instance: FairInstance) -> None:
    horizon = text["horizon"]
    _demand(type(horizon) is int and horizon >= 1, "horizon")
    _same(horizon, instance.horizon)
    ids = [job["id"] for one in text["organizations"] for job in one["jobs"]]
    _demand(len(set(ids)) == len(ids), "job ids")
    _demand(len({one["id"] for one in text["organizations"]}) == len(text["organizations"]), "cluster ids")
    first = []
    for one, own in zip(text["organizations"], instance.organizations, strict=True):
        _same([one["id"], one["processors"]], [own.id, own.processors])
        jobs = [(job["id"], job["time"], job.get("processors", 1), job.get("release", 0)) for job in one["jobs"]]
        _same(jobs, [(job.id, job.time, job.processors, job.release) for job in own.jobs])
        _demand(all(type(number) is int for _, *numbers in jobs for number in numbers), one)
        _demand(all(time >= 1 and 1 <= width <= one["processors"] for _, time, width, _ in jobs), one)
        releases = [release for *_, release in jobs]
        _demand(releases == sorted(releases) and releases[0] >= 0, one)
        first.append(releases[0])
    _demand(min(first) < horizon, "releases")


def _check_schedule(text: dict[str, Any], schedule: Schedule) -> None:
    stated = [
        (_exact(one["start"]), one["job"], _exact(one["end"]), {k: sorted(v) for k, v in one["nodes"].items() if v})
        for one in text["placements"]
    ]
    read = [
        (one.start, one.job, one.end, {name: list(used) for name, used in one.nodes.items()})
        for one in schedule.placements
    ]
    _same(sorted(stated, key=lambda one: one[:2]), read)


_CHECKS: dict[str, Callable[[dict[str, Any], Any], None]] = {
    "coallocation": _check_instance,
    "mosp": _check_mosp,
    "fair": _check_fair,
}


def _exact(value: Any) -> Fraction:
    _demand(type(value) in (int, str, Fraction), value)
    return Fraction(value)


def _optional(value: Any) -> Fraction | None:
    return None if value is None else _exact(value)


def _same(stated: object, read: object) -> None:
    if stated != read:
        raise FuzzError(f"the file says {stated!r}, read was {read!r}")


def _demand(holds: bool, what: object) -> None:
    if not holds:
        raise FuzzError(f"accepted although wrong: {what!r}")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _demand(len({key for key, _ in pairs}) == len(pairs), "a key given twice")
    return dict(pairs)


@contextlib.contextmanager
def _no_hang() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise FuzzError(f"no answer after {HANG_SECONDS} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(HANG_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def main(arguments: list[str] | None = None) -> int:
    """Run the fuzzer; return 1 if any file was answered wrongly."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness.fuzz_files", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="look at this file alone, and print it")
    parser.add_argument("--giants", action="store_true", help="read a few dozen giant files instead")
    options = parser.parse_args(arguments)
    with contextlib.suppress(ValueError, OSError):  # macOS refuses this limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    if options.giants:
        return _run(giant_files())
    if options.only is None:
        return _run(_fuzzed(options.seed, range(options.count)))
    print(fuzzed_file(options.seed, options.only)[1].decode(errors="backslashreplace"))
    return _run(_fuzzed(options.seed, [options.only]))


def _fuzzed(seed: int, indices: Iterable[int]) -> Iterator[tuple[str, bytes]]:
    for index in indices:
        names, data = fuzzed_file(seed, index)
        yield f"--seed {seed} --only {index} ({names})", data


def _run(files: Iterable[tuple[str, bytes]]) -> int:
    answers: Counter[str] = Counter()
    failures: list[str] = []
    slowest = (0.0, "")
    largest = 0
    for name, data in files:
        began = time.process_time()
        try:
            with _no_hang():
                answer = examine(data)
        except Exception as error:
            answer = "FAILED"
            failures.append(f"{name}: {type(error).__name__}: {error}")
        slowest = max(slowest, (time.process_time() - began, name))
        largest = max(largest, len(data))
        answers[answer] += 1
    for failure in failures[:20]:
        print(failure)
    _print_summary(answers, slowest, largest)
    return 1 if failures else 0


def _print_summary(answers: Counter[str], slowest: tuple[float, str], largest: int) -> None:
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    print(f"files      {answers.total()}")
    for answer in ("accepted", "refused", "FAILED"):
        print(f"{answer:<10} {answers[answer]}")
    print(f"slowest    {slowest[0]:.3f} s of CPU time, checks included ({slowest[1]})")
    print(f"largest    {largest} bytes")
    print(f"memory     {peak / 2**20:.0f} MiB at most (cap {MEMORY_BYTES // 2**20} MiB)")


if __name__ == "__main__":
    sys.exit(main())
